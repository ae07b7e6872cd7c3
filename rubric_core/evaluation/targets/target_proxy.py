"""A proxy to targets for grading programs: a local server with its own key that ends with the program.

`GET /info` returns the limit and the names of targets; `POST /invoke` with `{"question", "systemPrompt", "target"}` returns one
answer, `POST /invokeBatch` with `{"requests": […]}` several. The key is sent as `Authorization: Bearer …`.
"""

import asyncio
import hmac
import json
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import h11

from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.exchanges import Exchange, ask
from rubric_core.evaluation.model.inputs import TargetAccess
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.ports import ChatMessage, ProviderError, Request

__all__ = ["target_proxy"]

_LARGEST = 10_000_000
#: The maximum size of a request's headers, in bytes.
_MOST_HEAD = 65_536


class _Refusal(Exception):  # noqa: N818  # a reply, not a fault of the program
    def __init__(self, status: int, error: str) -> None:
        super().__init__(error)
        self.status = status


class _Call(NamedTuple):
    method: str
    path: str
    token: str
    body: bytes


@asynccontextmanager
async def target_proxy(context: EvaluationContext, most_calls: int) -> AsyncIterator[Mapping[str, str]]:
    """Open the proxy for one grader: the environment variables with its address and key. Raises Unscored.

    Args:
        context: The context of the grader.
        most_calls: The maximum number of calls.
    """
    if context.access is None:
        raise Unscored("targets are called only as part of a run", at=context.evaluator)
    proxy = _Proxy(context, context.access, most_calls)
    server = await asyncio.start_server(proxy.connected, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        # Early releases name them after targets, later ones after providers; set both for programs of either.
        yield {
            f"AGENTV_{what}_PROXY_{name}": value
            for what in ("TARGET", "PROVIDER")
            for name, value in (("URL", url), ("TOKEN", proxy.token))
        }
    finally:
        server.close()
        await proxy.end()


class _Proxy:
    def __init__(self, context: EvaluationContext, access: TargetAccess, most_calls: int) -> None:
        self.token = secrets.token_urlsafe(24)
        self._context = context
        self._access = access
        self._most = most_calls
        self._calls = 0
        self._connections: set[asyncio.Task[Any]] = set()

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request on its own connection, and its reply."""
        connection = h11.Connection(h11.SERVER, max_incomplete_event_size=_MOST_HEAD)
        task = asyncio.current_task()
        if task is not None:
            self._connections.add(task)
            task.add_done_callback(self._connections.discard)
        try:
            try:
                status, reply = 200, await self._replied(await _read(reader, connection))
            except _Refusal as refusal:
                status, reply = refusal.status, {"error": str(refusal)}
            except ProviderError as error:
                status, reply = 502, {"error": self._context.redact(str(error))}
            writer.write(_response(connection, status, reply))
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            return  # the program does not wait for the reply
        finally:
            writer.close()

    async def end(self) -> None:
        """Cancel pending calls."""
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _replied(self, call: _Call) -> Mapping[str, Any]:
        if not hmac.compare_digest(call.token.encode("utf-8", "replace"), f"Bearer {self.token}".encode()):
            raise _Refusal(401, "send the token of AGENTV_TARGET_PROXY_TOKEN as `Authorization: Bearer …`")
        if (call.method, call.path) == ("GET", "/info"):
            return {"targetName": self._access.usual(), "maxCalls": self._most, "callCount": self._calls, "availableTargets": list(self._access.names)}  # fmt: skip
        if (call.method, call.path) == ("POST", "/invoke"):
            return await self._answer_to(_mapping(call.body))
        if (call.method, call.path) == ("POST", "/invokeBatch"):
            listed = _mapping(call.body).get("requests")
            if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
                raise _Refusal(400, "`requests` must be a list of {question, systemPrompt, target}")
            if self._calls + len(listed) > self._most:
                raise _Refusal(429, self._enough())
            return {"responses": await asyncio.gather(*map(self._answer_to, listed))}
        raise _Refusal(
            404, f"there is no {call.method} {call.path[:60]}: only GET /info, POST /invoke, POST /invokeBatch"
        )

    def _enough(self) -> str:
        return f"{self._calls} of {self._most} calls were made; raise `target: {{max_calls: …}}` of the evaluator"

    async def _answer_to(self, wanted: Mapping[str, Any]) -> Mapping[str, Any]:
        question, system = wanted.get("question"), wanted.get("systemPrompt", wanted.get("system_prompt"))
        if not isinstance(question, str) or not question.strip():
            raise _Refusal(400, "`question` must be a non-empty string")
        if self._calls >= self._most:
            raise _Refusal(429, self._enough())
        self._calls += 1
        name = wanted.get("target")
        try:
            provider = self._access.provider(name if isinstance(name, str) and name else None)
        except Unscored as problem:
            raise _Refusal(400, problem.reason) from None
        messages = (ChatMessage("system", system),) if isinstance(system, str) and system else ()
        prompt = f"{system}\n\n{question}" if messages else question
        case_id = self._context.eval_case.id or ""
        request = Request((*messages, ChatMessage("user", question)), prompt, case_id=case_id)
        exchange = Exchange(role="judge", to=provider.name, because="asked by the program that grades")
        answer = await ask(provider, request, self._context.exchanges, exchange)
        text = self._context.redact(answer.text)
        return {"target": provider.name, "rawText": text, "output": [{"role": "assistant", "content": text}]}


async def _read(reader: asyncio.StreamReader, connection: h11.Connection) -> _Call:
    """Read one request. Raises _Refusal for an invalid one, asyncio.IncompleteReadError when the program closes the connection."""
    request, body = h11.Request(method="GET", target="/", headers=[("Host", "")]), bytearray()
    try:
        while not isinstance(event := connection.next_event(), h11.EndOfMessage):
            if event is h11.NEED_DATA:
                if connection.they_are_waiting_for_100_continue:
                    raise _Refusal(400, "send the request at once, without `Expect`")
                received = await reader.read(_MOST_HEAD)
                if not received and connection.their_state is h11.IDLE:
                    raise asyncio.IncompleteReadError(bytes(body), None)
                connection.receive_data(received)
            elif isinstance(event, h11.Request):
                request = event
            elif isinstance(event, h11.Data):
                body += event.data
                if len(body) > _LARGEST:
                    raise _Refusal(413, f"the request is longer than {_LARGEST:,} bytes")
    except h11.RemoteProtocolError as error:
        raise _Refusal(error.error_status_hint, f"the request is not valid HTTP: {error}") from None
    token = dict(request.headers).get(b"authorization", b"")
    path = request.target.decode("latin-1").partition("?")[0]
    return _Call(request.method.decode("latin-1"), path, token.decode("latin-1"), bytes(body))


def _response(connection: h11.Connection, status: int, reply: Mapping[str, Any]) -> bytes:
    body = json.dumps(reply, ensure_ascii=False).encode("utf-8", "replace")
    headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body))), ("Connection", "close")]
    events = (h11.Response(status_code=status, headers=headers), h11.Data(data=body), h11.EndOfMessage())
    return b"".join(connection.send(event) or b"" for event in events)


def _mapping(body: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise _Refusal(400, "the body must be a JSON object")
    return value
