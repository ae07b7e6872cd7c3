"""Providers of promptfoo that are reached by WebSocket: sends one message, and the first one received is the answer."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from rubric_core.evaluation.code.scripts import run_function
from rubric_core.evaluation.model.redaction import seal
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.targets.providers.base import TargetLocation
from rubric_core.families.promptfoo.code.transform import output_text
from rubric_core.families.promptfoo.targets.http_request import filled_text, json_or_text
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import dataclass
from rubric_core.ports import Answer, NetworkError, Ports, ProviderError, Request, SentPayload
from rubric_core.text import Span

__all__ = ["SOCKET_SETTINGS", "PromptfooSocket", "socket_address"]

#: The supported settings; with any other, the provider is not called.
SOCKET_SETTINGS = frozenset({
    "url", "messageTemplate", "transformResponse", "responseParser", "timeoutMs", "headers", "protocols",
})  # fmt: skip
_NAMES = ("websocket", "ws", "wss")
#: Time limit in seconds, and largest message in bytes.
_TIMEOUT, _LARGEST = 300.0, 20_000_000
#: The characters of an address that are not percent-encoded.
_UNQUOTED = "/?&=%:#+,;@!$'()*~[]|"
_AT = Shape(Span(0, 0))


def socket_address(identity: str, config: Mapping[str, Any]) -> str:
    """The address of a WebSocket provider with this id; empty for other ids and for ids without an address."""
    is_address = identity.startswith(("ws:", "wss:"))
    if identity not in _NAMES and not is_address:
        return ""
    written = config.get("url")
    return written if isinstance(written, str) and written else identity if is_address else ""


@dataclass(frozen=True)
class PromptfooSocket:
    """Sends `messageTemplate` to an address, and takes the output out of the message that comes back."""

    name: str
    url: str
    config: Mapping[str, Any]
    place: TargetLocation
    ports: Ports
    kind: str = "socket"

    @property
    def identity(self) -> str:
        """See `Provider.identity`."""
        return f"socket:{self.name}"

    async def ask(self, request: Request) -> Answer:
        """See `Provider.ask`."""
        variables = {**request.variables, "prompt": request.prompt}
        template = str(self.config.get("messageTemplate") or "")

        def fill() -> tuple[str, str]:
            url, message = (filled_text(each, variables, self.place, self.ports) for each in (self.url, template))
            return url, message

        url, message = await self.ports.sandbox.threaded(fill)
        request.sent(SentPayload(self.name, request.messages, stdin=json.dumps({"url": url, "message": message})))
        clock = self.ports.clock
        began = clock.seconds()
        text = await self._reply(url, message)
        took = (clock.seconds() - began) * 1000
        output = await self._output(json_or_text(text))
        if output is None:
            raise ProviderError(f"the reply has no output ({self.place.where('transformResponse')})")
        return Answer(output_text(output), duration_ms=took, data=None if isinstance(output, str) else output)

    async def _reply(self, url: str, message: str) -> str:
        """The first message that comes back. Raises ProviderError."""
        written, headers = self.config.get("timeoutMs"), self.config.get("headers")
        limit = written / 1000 if isinstance(written, int | float) and written > 0 else _TIMEOUT
        told = {str(name): str(value) for name, value in headers.items()} if isinstance(headers, dict) else {}
        http = seal(self.ports, self.place.redact).http
        try:
            reply = await http.exchange(
                quote(url, safe=_UNQUOTED), told, message, self._protocols(), time_limit=limit, size_limit=_LARGEST
            )
        except NetworkError as error:
            where = self.place.where("timeoutMs" if error.timed_out else "url")
            raise ProviderError(self.place.redact(f"{error} ({where})")) from None
        if not isinstance(reply, str):
            raise ProviderError(f"the reply is no text ({self.place.where('url')})")
        return reply

    def _protocols(self) -> list[str]:
        written = self.config.get("protocols") or []
        listed = written if isinstance(written, list) else [written]
        return [part.strip() for each in listed for part in str(each).split(",") if part.strip()]

    async def _output(self, data: Any) -> Any:
        """The output: the reply, or what the code makes of it. Raises ProviderError.

        The code returns `{output}`, `{error}` or the output itself.
        """
        code = self.config.get("transformResponse") or self.config.get("responseParser")
        if not code:
            return data
        if not isinstance(code, str):
            raise ProviderError(f"`transformResponse` must be code ({self.place.where('transformResponse')})")
        ports = seal(self.ports, self.place.redact)
        try:
            made = await run_function(
                f"({code})", "javascript", {"data": data}, ports, self.place.directory, _TIMEOUT, _AT
            )
        except Unscored as problem:
            raise ProviderError(f"{problem.reason} ({self.place.where('transformResponse')})") from None
        if isinstance(made, dict) and made.get("error"):
            raise ProviderError(f"{made['error']} ({self.place.where('url')})")
        return made["output"] if isinstance(made, dict) and "output" in made else made
