"""Standard streams that answer every message: the SDK drops those it cannot read, and agents would wait for ever."""

import re
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import TYPE_CHECKING

from mcp.server import MCPServer
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

if TYPE_CHECKING:
    from mcp.shared._stream_protocols import ReadStream, WriteStream
    from typing_extensions import Self

__all__ = ["AnsweringServer"]

#: A lone surrogate, as written by programs that cut a text inside a character. After an odd number of backslashes it is
#: an escape.
_HALF = re.compile(
    r"(?<!\\)((?:\\\\)*)(?:(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
Received = SessionMessage | Exception
#: The prefix of all notification methods.
_NOTIFICATIONS = "notifications/"


def _refusal(code: int, why: str) -> SessionMessage:
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=None, error=ErrorData(code=code, message=why)))


_NO_MESSAGE = _refusal(PARSE_ERROR, "this is no message of JSON-RPC")
_NO_ID = _refusal(INVALID_REQUEST, "a request needs an id, which is a text or a whole number")


class AnsweringServer(MCPServer[object]):
    """Reads lone surrogates in messages as U+FFFD, and answers invalid messages with an error."""

    async def run_stdio_async(self) -> None:
        """Serve until the client leaves."""
        sdk = self._lowlevel_server
        async with stdio_server() as (received, answers):
            await sdk.run(_Messages(received, answers), answers, sdk.create_initialization_options())


class _Messages:
    """The messages of a stream; unreadable ones are answered."""

    def __init__(self, received: "ReadStream[Received]", answers: "WriteStream[SessionMessage]") -> None:
        self._received, self._answers = received, answers

    def __aiter__(self) -> "Self":
        return self

    async def __anext__(self) -> Received:
        return await self._next(self._received.__anext__)

    async def receive(self) -> Received:
        return await self._next(self._received.receive)

    async def _next(self, read: Callable[[], Coroutine[object, object, Received]]) -> Received:
        while True:
            each = await read()
            message = _read_again(each) if isinstance(each, ValidationError) else each
            refusal = _NO_MESSAGE if isinstance(message, Exception) else _NO_ID if _lacks_id(message) else None
            if refusal is None:
                return message
            await self._answers.send(refusal)

    async def aclose(self) -> None:
        await self._received.aclose()

    async def __aenter__(self) -> "Self":
        await self._received.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._received.__aexit__(kind, error, trace)


def _lacks_id(received: SessionMessage) -> bool:
    """Whether a request has no id or one of another kind, such as 1.5: the SDK takes it for a notification, which is not answered."""
    message = received.message
    return isinstance(message, JSONRPCNotification) and not message.method.startswith(_NOTIFICATIONS)


def _read_again(error: ValidationError) -> Received:
    """The message on which the SDK failed, without lone surrogates."""
    line = error.errors(include_url=False, include_context=False)[0]["input"]
    if not isinstance(line, str):  # JSON, but not a message
        return error
    try:
        whole = _HALF.sub(lambda found: found[0] if found[2] else f"{found[1]}\\ufffd", line)
        return SessionMessage(jsonrpc_message_adapter.validate_json(whole, by_name=False))
    except ValidationError as again:
        return again
