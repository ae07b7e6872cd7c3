"""Providers of promptfoo that are addresses: `http(s)://`, whose request the configuration writes, and `webhook:`."""

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from rubric_core.evaluation.code.promptfoo_transform import output_text
from rubric_core.evaluation.code.scripts import language_of, run_function
from rubric_core.evaluation.model.redaction import seal
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.targets.providers.base import TargetLocation
from rubric_core.evaluation.templating.nunjucks import TemplateError, Templates
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import dataclass, pattern
from rubric_core.loading.directory_search import URL
from rubric_core.ports import Answer, HttpReply, NetworkError, Ports, ProviderError, Request, SentPayload
from rubric_core.text import Span

__all__ = ["HTTP_SETTINGS", "PromptfooHttp", "PromptfooWebhook", "http_address"]

#: The settings that a run has; with any other the provider is not called.
HTTP_SETTINGS = frozenset({
    "url", "method", "headers", "queryParams", "body", "request", "useHttps", "transformRequest", "transformResponse", "responseParser",
    "validateStatus", "maxRetries",
})  # fmt: skip
#: Seconds, bytes, and how often a busy server is asked again.
_TIMEOUT, _LARGEST, _RETRIES = 300.0, 20_000_000, 4
_FIRST_WAIT = 0.5
_BUSY = 429
#: What promptfoo ends the whole run at.
_REFUSED = frozenset({401, 403})
_FUNCTION = pattern(r"(?:\(.*?\)\s*=>|function\s*\(.*?\))")
#: A path into the reply, which needs no node.
_PATH = pattern(r"json((?:\??\.[A-Za-z_$][\w$]*|\[\d+\]|\[(?:'[^'\]]*'|\"[^\"\]]*\")\])*)\Z")
_STEP = pattern(r"\??\.([A-Za-z_$][\w$]*)|\[(\d+)\]|\[['\"](.{0,99}?)['\"]\]")
#: The end of the first line of a request.
_VERSION = pattern(r"\sHTTP/[0-9.]+\s*\Z")
_PLACEHOLDER = pattern(r"\{\{(?:[^{}]|\{(?!\{)|\}(?!\}))*\}\}")
_MISSING: Any = object()
_AT = Shape(Span(0, 0))


def http_address(identity: str, config: Mapping[str, Any]) -> str:
    """The address of a provider with this id; empty for one that is none, or that names no address."""
    if identity in ("http", "https") or identity.startswith(("http://", "https://")):
        written = config.get("url")
        return written if isinstance(written, str) and written else identity if "://" in identity else ""
    return ""


@dataclass(frozen=True)
class _Sent:
    """A request, filled in."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: str


@dataclass(frozen=True)
class PromptfooHttp:
    """Sends what `config` says to an address, and takes the output out of the reply."""

    name: str
    url: str
    config: Mapping[str, Any]
    place: TargetLocation
    ports: Ports
    kind: str = "http"

    @property
    def identity(self) -> str:
        """See `Provider.identity`."""
        return f"http:{self.name}"

    async def ask(self, request: Request) -> Answer:
        """See `Provider.ask`."""
        sent = await self._filled(request)
        shown = {"method": sent.method, "url": sent.url, "body": sent.body}
        request.sent(SentPayload(self.name, request.messages, stdin=json.dumps(shown, ensure_ascii=False)))
        reply, took = await self._reply(sent)
        await self._require_status(reply)
        text = reply.body.decode("utf-8", "replace")
        output = await self._output(text, reply)
        if isinstance(output, dict) and output.get("output"):
            output = output["output"]
        if output is None or output is _MISSING:
            raise ProviderError(f"the reply has no output ({self.place.where('transformResponse')})")
        return Answer(output_text(output), duration_ms=took, data=None if isinstance(output, str) else output)

    async def _filled(self, request: Request) -> _Sent:
        variables = {**request.variables, "prompt": request.prompt}
        prompt = await self._request_text(request.prompt, variables)
        written = self.config.get("request")
        if isinstance(written, str) and written:
            return await self.ports.sandbox.threaded(lambda: self._raw(written, {**variables, "prompt": prompt}))  # type: ignore[no-any-return]
        return await self.ports.sandbox.threaded(lambda: self._made(prompt, variables))  # type: ignore[no-any-return]

    def _made(self, prompt: Any, variables: Mapping[str, Any]) -> _Sent:
        """The request that the settings make. Blocks. Raises ProviderError."""
        config, body = self.config, self.config.get("body")
        method = self._text(str(config.get("method") or "GET"), variables)
        headers: dict[str, str] = {}
        if config.get("method") != "GET" and body is not None:
            headers["content-type"] = (
                "application/x-www-form-urlencoded" if isinstance(body, str) else "application/json"
            )
        written = config.get("headers")
        headers |= {str(k).lower(): str(v) for k, v in written.items()} if isinstance(written, dict) else {}
        headers = {name: self._text(value, variables) for name, value in headers.items()}
        is_json = "application/json" in headers.get("content-type", "")
        url = self._with_query(self._text(self.url, variables), variables)
        return _Sent(
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
            body = _json_or_text(body)
        if isinstance(prompt, dict):
            return json.dumps({**(body if isinstance(body, dict) else {}), **prompt}, ensure_ascii=False)
        if isinstance(body, str):
            filled = _json_or_text(self._text(body, values))
            if isinstance(filled, str) and filled.strip().startswith(("{", "[")):
                filled = _json_or_text(self._text(body, _escaped(values)))
            return filled if isinstance(filled, str) else json.dumps(filled, ensure_ascii=False)
        return json.dumps(self._leaves(body, values), ensure_ascii=False) if body is not None else ""

    def _leaves(self, value: Any, values: Mapping[str, Any]) -> Any:
        if isinstance(value, list):
            return [self._leaves(item, values) for item in value]
        if isinstance(value, dict):
            return {name: self._leaves(item, values) for name, item in value.items()}
        if not isinstance(value, str):
            return value
        text = self._text(value, values)
        found = _json_or_text(text) if text.strip().startswith(("{", "[")) else text
        return found if isinstance(found, dict | list) else text

    def _with_query(self, url: str, variables: Mapping[str, Any]) -> str:
        written = self.config.get("queryParams")
        if not isinstance(written, dict) or not written:
            return url
        pairs = [(str(name), self._text(str(value), variables)) for name, value in written.items()]
        parts = urlsplit(url)
        return parts._replace(query=urlencode([*parse_qsl(parts.query, keep_blank_values=True), *pairs])).geturl()

    def _raw(self, written: str, variables: Mapping[str, Any]) -> _Sent:
        """The request of a text as it goes over the wire. Blocks. Raises ProviderError."""
        if written.startswith(URL):
            try:
                written = self.ports.files.read(self.place.directory / written.removeprefix(URL), _LARGEST).decode()
            except (OSError, UnicodeDecodeError) as error:
                raise ProviderError(f"`request` cannot be read: {error} ({self.place.where('request')})") from None
        values = _escaped(variables)
        text = _PLACEHOLDER.sub(lambda m: self._text(m[0], values), written)
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
        return _Sent(method.upper(), url, headers, body.strip())

    def _text(self, template: str, values: Mapping[str, Any]) -> str:
        if "{{" not in template and "{%" not in template:
            return template
        try:
            return Templates(values, self.ports.environment, self.ports.sandbox, is_plain=True).text(template) or ""
        except TemplateError as error:
            raise ProviderError(f"{error} ({self.place.where('')})") from None

    async def _reply(self, sent: _Sent) -> tuple[HttpReply, float]:
        """The reply and how long it took, in milliseconds. Raises ProviderError."""
        http, clock = seal(self.ports, self.place.redact).http, self.ports.clock
        written = self.config.get("maxRetries")
        left = written if isinstance(written, int) and written >= 0 else _RETRIES
        wait = _FIRST_WAIT
        while True:
            began = clock.seconds()
            try:
                reply = await http.request(
                    sent.method, sent.url, sent.headers, sent.body.encode("utf-8", "replace"), time_limit=_TIMEOUT, size_limit=_LARGEST
                )  # fmt: skip
            except NetworkError as error:
                raise ProviderError(f"{error} ({self.place.where('url')})") from None
            if reply.status != _BUSY or not left:
                return reply, (clock.seconds() - began) * 1000
            left -= 1
            await clock.sleep(wait)
            wait *= 2

    async def _require_status(self, reply: HttpReply) -> None:
        code = self.config.get("validateStatus")
        if isinstance(code, str) and code:
            call = f"({code})(status)" if "=>" in code or code.strip().startswith("function") else code
            valid = bool(await self._run(code if code.startswith(URL) else call, {"status": reply.status}))
        else:
            valid = reply.status not in _REFUSED and reply.status != _BUSY
        if not valid:
            start = reply.body[:200].decode("utf-8", "replace")
            raise ProviderError(f"the server replied {reply.status}: {start} ({self.place.where('url')})")

    async def _output(self, text: str, reply: HttpReply) -> Any:
        data = _json_or_text(text)
        data = None if data is text else data
        code = self.config.get("transformResponse") or self.config.get("responseParser")
        if not code:
            return data or text
        if not isinstance(code, str):
            raise ProviderError(f"`transformResponse` must be code, or a file with code ({self.place.where('')})")
        stripped = code.strip()
        path = _PATH.match(stripped)
        if stripped == "text":
            return text
        if path is not None and data is not None:
            return self._followed(data, path[1], stripped)
        response = {"data": text, "status": reply.status, "headers": dict(reply.headers), "cached": False}
        arguments = {"json": data, "text": text, "context": {"response": response}}
        call = f"({stripped})(json, text, context)" if _FUNCTION.match(stripped) else f"({stripped})"
        return await self._run(code if code.startswith(URL) else call, arguments)

    def _followed(self, data: Any, path: str, code: str) -> Any:
        for step in _STEP.finditer(path):
            if data is None or data is _MISSING:
                if step[0].startswith("?"):
                    return None
                raise ProviderError(f"`{code}` leads nowhere in the reply ({self.place.where('transformResponse')})")
            if isinstance(data, list):
                number = int(step[2]) if step[2] else -1
                data = len(data) if step[1] == "length" else data[number] if 0 <= number < len(data) else _MISSING
            else:
                name = step[1] or step[2] or step[3]
                data = data.get(name, _MISSING) if isinstance(data, dict) else _MISSING
        return data

    async def _request_text(self, prompt: str, variables: Mapping[str, Any]) -> Any:
        code = self.config.get("transformRequest")
        if not isinstance(code, str) or not code:
            return prompt
        stripped = code.strip()
        arguments = {"prompt": prompt, "vars": dict(variables), "context": {"vars": dict(variables)}}
        if code.startswith(URL):
            call = code
        elif _FUNCTION.match(stripped):
            call = f"({stripped})(prompt, vars, context)"
        else:
            call = stripped if re.search(r"\breturn\b", stripped) else f"({stripped})"
        return await self._run(call, arguments)

    async def _run(self, code: str, arguments: Mapping[str, Any]) -> Any:
        ports = seal(self.ports, self.place.redact)
        try:
            return await run_function(code, language_of(code), arguments, ports, self.place.directory, _TIMEOUT, _AT)
        except Unscored as problem:
            raise ProviderError(f"{problem.reason} ({self.place.where('')})") from None


@dataclass(frozen=True)
class PromptfooWebhook:
    """Posts `{prompt, config}` to an address, which replies with `{output}`."""

    name: str
    url: str
    config: Mapping[str, Any]
    place: TargetLocation
    ports: Ports
    kind: str = "webhook"

    @property
    def identity(self) -> str:
        """See `Provider.identity`."""
        return f"webhook:{self.name}"

    async def ask(self, request: Request) -> Answer:
        """See `Provider.ask`."""
        told = {"prompt": request.prompt, **({"config": dict(self.config)} if self.config else {})}
        request.sent(SentPayload(self.name, request.messages))
        body, headers = (
            json.dumps(told, ensure_ascii=False).encode("utf-8", "replace"),
            {"Content-Type": "application/json"},
        )
        began = self.ports.clock.seconds()
        try:
            reply = await seal(self.ports, self.place.redact).http.post(
                self.url, headers, body, time_limit=_TIMEOUT, size_limit=_LARGEST
            )
        except NetworkError as error:
            raise ProviderError(f"{error} ({self.place.where('')})") from None
        said = _json_or_text(reply.body.decode("utf-8", "replace"))
        output = said.get("output") if isinstance(said, dict) else None
        if not isinstance(output, str):
            raise ProviderError(f"the webhook replied {reply.status} without `output` ({self.place.where('')})")
        return Answer(output, duration_ms=(self.ports.clock.seconds() - began) * 1000)


def _json_or_text(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _escaped(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values with texts as they stand inside of quotes in JSON."""
    return {n: json.dumps(v, ensure_ascii=False)[1:-1] if isinstance(v, str) else v for n, v in values.items()}
