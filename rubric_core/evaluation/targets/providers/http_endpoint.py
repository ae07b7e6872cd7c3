"""Rubric's own kind `http`: any service that takes a question and replies with JSON, a text or an event stream."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

from rubric_core.evaluation.model.trace import iso_time
from rubric_core.evaluation.scoring.json_path import MISSING, at_path, json_text
from rubric_core.evaluation.targets.providers.base import ProviderKind, TargetLocation
from rubric_core.evaluation.targets.providers.http_retries import HttpCall, HttpTarget
from rubric_core.language.own_providers import HttpEndpoint
from rubric_core.lazy_compilation import dataclass, replace
from rubric_core.ports import Answer, HttpReply, Ports, ProviderError, Request, SentPayload, Tokens
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.tree import Node

__all__ = ["HTTP"]

_PLACEHOLDER = re.compile(r"(?<!\$)\{\{\s*([A-Za-z_][\w.\-\[\]]*)\s*\}\}")
_DEFAULT_BODY = {"prompt": "{{ prompt }}"}
_NAMES = ("prompt", "messages", "case_id", "vars.NAME")
#: The names of token counts, those of OpenAI's APIs among them.
_READ = ("input_tokens", "prompt_tokens", "input", "promptTokenCount")
_WRITTEN = ("output_tokens", "completion_tokens", "output", "candidatesTokenCount")
_END_OF_STREAM = "[DONE]"
_SHOWN = 120


@dataclass
class _Endpoint:
    name: str
    settings: HttpEndpoint
    place: TargetLocation
    server: HttpTarget
    kind: str = "http"

    @property
    def identity(self) -> str:
        return f"http:{self.name}"

    async def ask(self, request: Request) -> Answer:
        call = self._call(request)
        redact = self.place.redact
        shown = (call.method, redact(call.url))
        request.sent(SentPayload(self.name, argv=shown, stdin=redact(call.body.decode("utf-8", "replace"))))
        clock = self.server.ports.clock
        began = iso_time(clock.now())
        reply, took = await self.server.reply(call, lambda why: request.sent(SentPayload(self.name, again=why)))
        answer = self._answer(reply)
        return replace(answer, duration_ms=took, llm_calls=None, start_time=began, end_time=iso_time(clock.now()))

    def _call(self, request: Request) -> HttpCall:
        values = {
            "prompt": request.prompt,
            "messages": [{"role": m.role, "content": m.content} for m in request.messages],
            "case_id": request.case_id,
            "vars": request.variables,
        }
        settings = self.settings
        url = self._text(str(settings.url), values, "url", lambda text: quote(text, safe=""))
        written = settings.headers or {}
        headers = {name: self._text(str(value), values, "headers", str) for name, value in written.items()}
        sendable = self.server.sendable(headers)
        keyed = bool(headers)
        if settings.method == "GET":
            return HttpCall("GET", url, {"Accept": "*/*", **sendable}, b"", keyed, follows=True)
        content, body = self._body(values)
        usual = {"Content-Type": content, "Accept": "application/json, text/event-stream, */*"}
        named = {name.lower() for name in sendable}
        kept = {name: value for name, value in usual.items() if name.lower() not in named}
        return HttpCall(settings.method, url, {**kept, **sendable}, body, keyed, follows=True)

    def _body(self, values: Mapping[str, Any]) -> tuple[str, bytes]:
        """The type and the content of the body. A text that is valid JSON remains valid JSON after filling in."""
        written: Any = _DEFAULT_BODY if self.settings.body is None else self.settings.body
        if isinstance(written, str):
            try:
                written = json.loads(written)
            except (ValueError, RecursionError):
                text = self._text(written, values, "body", str)
                return "text/plain; charset=utf-8", text.encode("utf-8", "replace")
        filled = self._filled(written, values)
        return "application/json", json.dumps(filled, ensure_ascii=False, default=str).encode("utf-8", "replace")

    def _filled(self, value: Any, values: Mapping[str, Any]) -> Any:
        if isinstance(value, Node):  # what stands deeper in a setting of any kind
            value = plain(value, {})
        if isinstance(value, str):
            whole = _PLACEHOLDER.fullmatch(value.strip())
            return self._value(whole[1], values, "body") if whole else self._text(value, values, "body", str)
        if isinstance(value, Mapping):
            return {name: self._filled(item, values) for name, item in value.items()}
        return [self._filled(item, values) for item in value] if isinstance(value, list) else value

    def _text(self, text: str, values: Mapping[str, Any], setting: str, escape: Callable[[str], str]) -> str:
        def filled(match: re.Match[str]) -> str:
            value = self._value(match[1], values, setting)
            return escape(value if isinstance(value, str) else json_text(value))

        return _PLACEHOLDER.sub(filled, text)

    def _value(self, name: str, values: Mapping[str, Any], setting: str) -> Any:
        """The value of a placeholder. Raises ProviderError for an unknown one, and for a variable that the case lacks."""
        found = at_path(values, name)
        if found is MISSING:
            known = ", ".join(f"{{{{ {each} }}}}" for each in _NAMES)
            why = "the case has no such variable" if name.startswith("vars.") else f"there are {known}"
            raise ProviderError(f"{{{{ {name} }}}} stands for nothing: {why} ({self.place.where(setting)})")
        return found

    def _answer(self, reply: HttpReply) -> Answer:
        text = reply.body.decode("utf-8", "replace")
        if "text/event-stream" in reply.headers.get("content-type", ""):
            return self._streamed(text)
        path = self.settings.output
        if path is None and self.settings.usage is None:
            return Answer(text.removesuffix("\n"))
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            raise ProviderError(
                f"the server's reply is not JSON: {text[:_SHOWN]!r} ({self.place.where('output')})"
            ) from None
        if path is None:
            return Answer(text.removesuffix("\n"), tokens=self._tokens([value]))
        found = _at(value, path)
        if found is MISSING or found is None:
            raise self._without_answer(path, text)
        return Answer(found if isinstance(found, str) else json_text(found), tokens=self._tokens([value]))

    def _streamed(self, text: str) -> Answer:
        """The answer in an event stream: the pieces at `output`, one after the other."""
        data = [each for each in _events(text) if each.strip() != _END_OF_STREAM]
        path = self.settings.output
        if path is None:
            return Answer("".join(data))
        values = [value for each in data if (value := _parsed(each)) is not MISSING]
        pieces = [found for value in values if (found := _at(value, path)) is not MISSING and found is not None]
        if not pieces:
            raise self._without_answer(path, text)
        said = "".join(piece if isinstance(piece, str) else json_text(piece) for piece in pieces)
        return Answer(said, tokens=self._tokens(values))

    def _without_answer(self, path: str, text: str) -> ProviderError:
        start = " ".join(text[:_SHOWN].split())
        return ProviderError(f"the reply has nothing at {path}; it begins {start!r} ({self.place.where('output')})")

    def _tokens(self, values: list[Any]) -> Tokens | None:
        """The token counts, of the last event that has any."""
        path = self.settings.usage
        if path is None:
            return None
        for value in reversed(values):
            counts = _at(value, path)
            read, written = (_count(counts, names) for names in (_READ, _WRITTEN))
            if read is not None and written is not None:
                return Tokens(read, written)
        return None


def _at(value: Any, path: str) -> Any:
    return at_path(value, path.removeprefix("$"))


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return MISSING


def _count(counts: Any, names: tuple[str, ...]) -> int | None:
    found = (counts.get(name) for name in names) if isinstance(counts, dict) else ()
    return next((each for each in found if isinstance(each, int) and not isinstance(each, bool) and each >= 0), None)


def _events(text: str) -> Iterator[str]:
    """The data of each event; its lines are joined as the standard says."""
    for event in re.split(r"\r?\n\r?\n|\r\r", text):
        lines = [line for line in re.split(r"\r\n|\r|\n", event) if line.startswith("data:")]
        if lines:
            yield "\n".join(line[len("data:") :].removeprefix(" ") for line in lines)


def _make(settings: HttpEndpoint, place: TargetLocation, ports: Ports) -> _Endpoint:
    url = settings.url or ""
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"{place.redact(url)} is not an HTTP address ({place.where('url')})")
    return _Endpoint(place.name, settings, place, HttpTarget(settings, place, ports, "url", key_setting="headers"))


HTTP = ProviderKind(("http",), HttpEndpoint, _make)
