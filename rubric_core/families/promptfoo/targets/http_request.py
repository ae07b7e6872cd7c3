"""The request in a configuration of promptfoo: given by settings, or as the raw text of an HTTP request."""

import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from rubric_core.evaluation.targets.providers.base import TargetLocation
from rubric_core.evaluation.templating.nunjucks import TemplateError, Templates
from rubric_core.families.promptfoo.language.run_options import DISABLE_TEMPLATING, is_on
from rubric_core.language.javascript_values import json_text, read_json
from rubric_core.lazy_compilation import dataclass, pattern
from rubric_core.loading.directory_search import URL
from rubric_core.ports import Ports, ProviderError

__all__ = ["FilledRequest", "RequestTemplate", "filled_text", "json_or_text"]

#: The largest size in bytes of a file with a request.
_LARGEST = 20_000_000
#: The end of the first line of a request.
_VERSION = pattern(r"\sHTTP/[0-9.]+\s*\Z")


@dataclass(frozen=True)
class FilledRequest:
    """A request with its templates filled in."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: str


@dataclass(frozen=True)
class RequestTemplate:
    """A request as `config` of a provider writes it."""

    url: str
    config: Mapping[str, Any]
    place: TargetLocation
    ports: Ports

    def filled(self, prompt: Any, variables: Mapping[str, Any]) -> FilledRequest:
        """The request for one prompt, which `transformRequest` may have made data. Blocks. Raises ProviderError."""
        written = self.config.get("request")
        if isinstance(written, str) and written:
            return self._raw(written, {**variables, "prompt": prompt})
        return self._build_request(prompt, variables)

    def _build_request(self, prompt: Any, variables: Mapping[str, Any]) -> FilledRequest:
        """The request that the settings make."""
        config, body = self.config, self.config.get("body")
        method = self._text(str(config.get("method") or "GET"), variables)
        headers: dict[str, str] = {}
        if config.get("method") != "GET" and body is not None:
            headers["content-type"] = (
                "application/x-www-form-urlencoded" if isinstance(body, str) else "application/json"
            )
        written = config.get("headers")
        headers |= {str(k).lower(): str(v) for k, v in written.items()} if isinstance(written, dict) else {}
        headers = {name: self._text(value, variables).strip() for name, value in headers.items()}
        is_json = "application/json" in headers.get("content-type", "")
        url = self._with_query(self._text(self.url, variables), variables)
        return FilledRequest(
            method.upper(), url, headers, self._body(prompt, variables, is_json=is_json) if method != "GET" else ""
        )

    def _body(self, prompt: Any, variables: Mapping[str, Any], *, is_json: bool) -> str:
        body, values = self.config.get("body"), {**variables, "prompt": prompt}
        if not is_json:
            if isinstance(body, dict | list):
                raise ProviderError(
                    f"`body` is data, and the content type is not application/json ({self.place.where('body')})"
                )
            return self._text(str(body), values).strip() if body is not None else ""
        if isinstance(body, str):
            body = json_or_text(body)
        if isinstance(prompt, dict):
            return json_text({**(body if isinstance(body, dict) else {}), **prompt})
        if isinstance(body, str):
            filled = json_or_text(self._text(body, values))
            if isinstance(filled, str) and filled.strip().startswith(("{", "[")):
                filled = json_or_text(self._text(body, _escaped(values)))
            return filled if isinstance(filled, str) else json_text(filled)
        return json_text(self._leaves(body, values)) if body is not None else ""

    def _leaves(self, value: Any, values: Mapping[str, Any]) -> Any:
        if isinstance(value, list):
            return [self._leaves(item, values) for item in value]
        if isinstance(value, dict):
            return {name: self._leaves(item, values) for name, item in value.items()}
        if not isinstance(value, str):
            return value
        text = self._text(value, values)
        found = json_or_text(text) if text.strip().startswith(("{", "[")) else text
        return found if isinstance(found, dict | list) else text

    def _with_query(self, url: str, variables: Mapping[str, Any]) -> str:
        written = self.config.get("queryParams")
        if not isinstance(written, dict) or not written:
            return url
        pairs = [(str(name), self._text(str(value), variables)) for name, value in written.items()]
        try:
            parts = urlsplit(url)
        except ValueError as error:  # brackets that are not closed
            raise ProviderError(f"`url` is no address: {error} ({self.place.where('url')})") from None
        return parts._replace(query=urlencode([*parse_qsl(parts.query, keep_blank_values=True), *pairs])).geturl()

    def _raw(self, written: str, variables: Mapping[str, Any]) -> FilledRequest:
        """The request of a text as it goes over the wire."""
        if written.startswith(URL):
            file = self.place.directory / written.removeprefix(URL)
            try:
                written = self.ports.files.read(file, _LARGEST).decode()
            except (OSError, UnicodeDecodeError) as error:
                raise ProviderError(f"`request` cannot be read: {error} ({self.place.where('request')})") from None
        values = _escaped(variables)
        text = _with_placeholders(written, lambda each: self._text(each, values))
        head, _, body = text.replace("\r\n", "\n").strip().partition("\n\n")
        first, *lines = head.split("\n")
        method, _, rest = first.strip().partition(" ")
        path = _VERSION.sub("", rest).strip()
        if not path:
            raise ProviderError(f"`request` does not begin with a method and a path ({self.place.where('request')})")
        headers = {k.strip().lower(): v.strip() for k, colon, v in (line.partition(":") for line in lines) if colon}
        headers.pop("content-length", None)
        scheme = "https" if self.url.startswith("https") or self.config.get("useHttps") else "http"
        path = quote(path, safe="/?&=%:#+,;@!$'()*~\\")
        url = path if "://" in path else f"{scheme}://{headers.get('host', '')}{path}"
        return FilledRequest(method.upper(), url, headers, body.strip())

    def _text(self, template: str, values: Mapping[str, Any]) -> str:
        return filled_text(template, values, self.place, self.ports)


def filled_text(template: str, values: Mapping[str, Any], place: TargetLocation, ports: Ports) -> str:
    """A text of a provider with its templates filled in. Blocks. Raises ProviderError."""
    if ("{{" not in template and "{%" not in template) or is_on(ports.environment, DISABLE_TEMPLATING):
        return template
    try:
        return Templates(values, ports.environment, ports.sandbox, is_plain=True).text(template) or ""
    except TemplateError as error:
        raise ProviderError(f"{error} ({place.where('')})") from None


def _with_placeholders(text: str, filled: Callable[[str], str]) -> str:
    """The text with each `{{ … }}` filled in, up to the first `}}` after it; promptfoo sends everything else unchanged."""
    parts, at = list[str](), 0
    while (start := text.find("{{", at)) >= 0 and (end := text.find("}}", start + 2)) >= 0:
        parts += (text[at:start], filled(text[start : end + 2]))
        at = end + 2
    return "".join([*parts, text[at:]])


def json_or_text(text: str) -> Any:
    """The JSON value in a text, or the text itself if it is not JSON."""
    try:
        return read_json(text)
    except (ValueError, RecursionError):
        return text


def _escaped(values: Mapping[str, Any]) -> dict[str, Any]:
    """The variables, with strings escaped so that they can be inserted between the quotes of a JSON string."""
    return {n: json.dumps(v, ensure_ascii=False)[1:-1] if isinstance(v, str) else v for n, v in values.items()}
