"""Providers of promptfoo that are addresses: `http(s)://` with a request from the configuration, and `webhook:`."""

import json
import re
from collections.abc import Mapping
from http.client import responses
from typing import Any

from rubric_core.evaluation.code.scripts import language_of, run_function
from rubric_core.evaluation.model.redaction import Redactor, seal
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.scoring.finite_number import finite_number
from rubric_core.evaluation.targets.providers.base import TargetLocation
from rubric_core.families.promptfoo.code.transform import output_text
from rubric_core.families.promptfoo.targets.http_request import FilledRequest, RequestTemplate, json_or_text
from rubric_core.families.promptfoo.targets.models.model_call import is_true
from rubric_core.families.promptfoo.targets.scripts import no_tokens
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import dataclass, pattern
from rubric_core.loading.directory_search import URL
from rubric_core.ports import Answer, HttpReply, NetworkError, Ports, ProviderError, Request, SentPayload
from rubric_core.text import Span

__all__ = ["HTTP_REFUSED", "PromptfooHttp", "PromptfooWebhook", "http_address"]

#: The settings that a run does not have; promptfoo ignores any that it does not know.
HTTP_REFUSED = frozenset({
    "multipart", "tools", "tool_choice", "transformToolsFormat", "session", "sessionParser", "sessionSource", "stateful", "tokenEstimation", "auth",
    "signatureAuth", "tls",
})  # fmt: skip
#: Time limit in seconds, largest reply in bytes, and the number of retries of a busy server.
_TIMEOUT, _LARGEST, _RETRIES = 300.0, 20_000_000, 4
_FIRST_WAIT = 0.5
_BUSY = 429
#: Statuses at which promptfoo ends the whole run.
_REFUSED = frozenset({401, 403})
_FUNCTION = pattern(r"(?:\(.*?\)\s*=>|function\s*\(.*?\))")
#: A path into the reply, which is evaluated without Node.js.
_PATH = pattern(r"json((?:\??\.[A-Za-z_$][\w$]*|\[\d+\]|\[(?:'[^'\]]*'|\"[^\"\]]*\")\])*)\Z")
_STEP = pattern(r"\??\.([A-Za-z_$][\w$]*)|\[(?:(\d+)|'([^'\]]*)'|\"([^\"\]]*)\")\]")
_MISSING: Any = object()
_AT = Shape(Span(0, 0))


def http_address(identity: str, config: Mapping[str, Any]) -> str:
    """The address of an http provider with this id; empty for other ids and for ids without an address."""
    if identity in ("http", "https") or identity.startswith(("http:", "https:")):
        written = config.get("url")
        return written if isinstance(written, str) and written else identity if "://" in identity else ""
    return ""


@dataclass(frozen=True)
class PromptfooHttp:
    """Sends the request in `config` to an address, and takes the output from the reply."""

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
        told = {
            "raw": text,
            "latencyMs": round(took),
            "cached": False,
            "metadata": {"http": _about(reply)},
            "tokenUsage": no_tokens(1),
        }
        if output is None or output is _MISSING:
            raise ProviderError(f"the reply has no output ({self.place.where('transformResponse')})")
        # What has neither of these is the output itself; promptfoo takes an empty one together with what is beside it.
        whole = output if isinstance(output, dict) and ("output" in output or "error" in output) else {"output": output}
        output = whole
        if is_true(whole.get("output")):
            told |= {name: value for name, value in whole.items() if name != "output"}
            output = whole["output"]
            if is_true(told.get("error")):
                raise ProviderError(f"{told['error']} ({self.place.where('transformResponse')})")
        return Answer(
            output_text(output), duration_ms=took, data=None if isinstance(output, str) else output,
            cost_usd=finite_number(told.get("cost")), finish_reason=str(told.get("finishReason") or ""), reported=told,
        )  # fmt: skip

    async def _filled(self, request: Request) -> FilledRequest:
        variables = {**request.variables, "prompt": request.prompt}
        prompt = await self._request_text(request.prompt, variables)
        template = RequestTemplate(self.url, self.config, self.place, self.ports)
        return await self.ports.sandbox.threaded(lambda: template.filled(prompt, variables))  # type: ignore[no-any-return]

    async def _reply(self, sent: FilledRequest) -> tuple[HttpReply, float]:
        """The reply and how long it took, in milliseconds. Raises ProviderError."""
        # A password in the address goes over the wire in another form, which the server may repeat.
        sealed = seal(seal(self.ports, Redactor.of([("url", sent.url)])), self.place.redact)
        http, clock = sealed.http, self.ports.clock
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
        data = json_or_text(text)
        data = None if data is text else data
        code = self.config.get("transformResponse") or self.config.get("responseParser")
        if not code:
            return {"output": data or text}  # the whole reply, whatever is in it
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
                name = step[step.lastindex or 0]
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
        said = json_or_text(reply.body.decode("utf-8", "replace"))
        output = said.get("output") if isinstance(said, dict) else None
        if not isinstance(output, str):
            raise ProviderError(f"the webhook replied {reply.status} without `output` ({self.place.where('')})")
        took = (self.ports.clock.seconds() - began) * 1000
        return Answer(output, duration_ms=took, reported={"cached": False, "latencyMs": round(took)})


def _about(reply: HttpReply) -> dict[str, Any]:
    """The status and the headers of a reply."""
    words = responses.get(reply.status, "")
    return {"status": reply.status, "statusText": words, "headers": {n.lower(): v for n, v in reply.headers.items()}}
