"""JSON-RPC on top of pygls: every message gets a valid answer, whatever a client sends.

Requests are answered by handlers that return a value, or a coroutine that is answered later. A coroutine starts after the
messages that have arrived by then, so that a cancellation or an edit behind a request is known before work begins.
"""

import asyncio
import itertools
import logging
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, NoReturn, cast

from rubric_lsp.protocol.errors import (
    CANCELLED,
    INTERNAL_ERROR,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    NOT_INITIALIZED,
    PARSE_ERROR,
    RequestFailedError,
)
from rubric_lsp.protocol.params import ANYTHING, Shape, check_params
from rubric_lsp.protocol.pygls_server import LanguageServerProtocol, Workspace
from rubric_lsp.protocol.transport import Unreadable, Writer, encoded

if TYPE_CHECKING:
    from rubric_lsp.protocol.wire_types.messages import OutgoingMessage
    from rubric_lsp.protocol.wire_types.window import LogTraceParams

__all__ = ["RubricProtocol"]

MessageId = int | str
Handler = Callable[[Any], Any]
log = logging.getLogger("rubric")


class RubricProtocol(LanguageServerProtocol):
    """One conversation with one client.

    Of pygls' own part this keeps the registry of features. Documents, transport and parameters are the server's; docs/pygls.md
    lists the faults that each replacement avoids.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._stage = "new"
        self._needs: dict[str, Shape] = {}
        self._answering: dict[MessageId, asyncio.Task[Any]] = {}
        self._asked: dict[MessageId, asyncio.Future[Any]] = {}
        self._numbers = itertools.count(1)
        self._over: asyncio.Future[int] | None = None
        self._release: asyncio.Task[None] | None = None
        #: Called before the answer to `shutdown`, and when the client is gone silently.
        self.closing: Callable[[], Awaitable[None]] | None = None
        #: Whether the client wants to see `$/logTrace`, and whether with what requests are about.
        self.tracing = False
        self.tracing_verbosely = False

    def _register_builtin_features(self) -> None:
        """Pygls' own handlers keep documents in a store that breaks lines where LSP does not."""

    @property
    def workspace(self) -> Workspace:
        """Pygls' store is not in use."""
        raise RuntimeError("documents are in rubric_lsp.documents.open_documents")

    def _send_data(self, data: Any) -> NoReturn:  # noqa: ARG002  # the signature is pygls'
        """What all methods of pygls send by: without its converter the members of messages would have other names."""
        raise RuntimeError("messages are sent by `tell` and `ask`, as plain JSON")

    def route(self, method: str, handler: Handler, needs: Shape) -> None:
        """Register `handler` for `method`, to be called once the parameters have the shape that it needs."""

        @self.fm.feature(method)
        def routed(params: Any) -> Any:
            return handler(params)

        self._needs[method] = needs

    # -- the connection ---------------------------------------------------------------------------------------------

    def opened(self, writer: Writer) -> None:
        """A client is there."""
        self.set_writer(cast("Any", writer))
        self._over = self._over or asyncio.get_running_loop().create_future()

    def lost(self) -> None:
        """The client went away; without an `exit` that is no proper end."""
        self.finish(0 if self._stage == "down" else 1)

    def finish(self, code: int) -> None:
        """End the conversation with this exit code; the first one counts."""
        if self._over is not None and not self._over.done():
            self._over.set_result(code)

    async def finished(self) -> int:
        """The exit code, when everything is closed."""
        over = self._over = self._over or asyncio.get_running_loop().create_future()
        code = await over
        self._stage = "gone"
        await self._close()
        return code

    async def _close(self) -> None:
        """Release everything, once: `exit` may come while `shutdown` is still at it, and must not cut it short."""
        if self._release is None:
            self._release = asyncio.get_running_loop().create_task(self._release_all(asyncio.current_task()))
        await asyncio.shield(self._release)

    async def _release_all(self, asking: asyncio.Task[Any] | None) -> None:
        tasks = [t for t in self._answering.values() if t is not asking]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self.closing is not None:
            closing, self.closing = self.closing, None
            await closing()

    @property
    def ready(self) -> bool:
        """Whether the client may be sent more than answers."""
        return self._stage == "ready"

    # -- what comes in ----------------------------------------------------------------------------------------------

    def receive(self, message: object) -> None:
        """One message as it came off the wire. Never raises."""
        try:
            if isinstance(message, Unreadable):
                self._fail(None, PARSE_ERROR, message.why)
            elif not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
                self._fail(None, INVALID_REQUEST, "this is not a JSON-RPC 2.0 message")
            elif "method" not in message:
                self._reply(message)
            elif not isinstance(message["method"], str):
                self._fail(_known(message.get("id")), INVALID_REQUEST, "`method` must be a string")
            elif "id" in message:
                self._request(message)
            else:
                self._notification(message)
        except RequestFailedError as refusal:
            log.warning("%s", refusal)
        except Exception:
            # Not the message itself: the texts in it may be confidential.
            log.exception("could not handle %s", message.get("method") if isinstance(message, dict) else "a message")

    def _reply(self, message: dict[str, Any]) -> None:
        """The client's answer to a request of ours. One that came too late is dropped."""
        number = message.get("id")
        future = self._asked.pop(number, None) if isinstance(number, int | str) else None
        if future is None or future.done():
            return
        if message.get("error") is not None:
            error = message["error"]
            future.set_exception(
                RequestFailedError(INTERNAL_ERROR, str(error.get("message") if isinstance(error, dict) else error))
            )
        else:
            future.set_result(message.get("result"))

    def _notification(self, message: dict[str, Any]) -> None:
        method = message["method"]
        if method == "exit":
            self.finish(0 if self._stage == "down" else 1)
        elif method == "$/cancelRequest":
            params = message.get("params")
            number = _known(params.get("id")) if isinstance(params, dict) else None
            task = self._answering.get(number) if number is not None else None
            if task is not None:
                task.cancel()
        elif self._stage == "ready":
            handler = self.fm.features.get(method)
            if handler is not None:
                handler(self._params(message))
            elif not method.startswith("$/"):
                log.info("ignoring the notification %s", method)

    def _request(self, message: dict[str, Any]) -> None:
        number, method = _known(message["id"]), message["method"]
        if number is None:
            self._fail(None, INVALID_REQUEST, "the id of a request must be a number or a string")
            return
        try:
            handler = self._handler(number, method)
            result = handler(self._params(message))
        except RequestFailedError as refusal:
            self._fail(number, refusal.code, str(refusal))
        except Exception:
            log.exception("%s failed", method)
            self._fail(number, INTERNAL_ERROR, f"{method} failed; see the log")
        else:
            if not asyncio.iscoroutine(result):
                self._succeed(number, method, result)
                return
            task = self._answering[number] = asyncio.get_running_loop().create_task(result)
            begun = time.perf_counter()
            # Not a try around the work: a task that is cancelled before its first step never gets there.
            task.add_done_callback(lambda done: self._answer(number, message, done, begun))

    def _handler(self, number: MessageId, method: str) -> Handler:
        """What answers `method` now. Raises RequestFailedError."""
        if method == "initialize":
            if self._stage != "new":
                raise RequestFailedError(INVALID_REQUEST, "initialize must be sent only once")
        elif self._stage == "new":
            raise RequestFailedError(NOT_INITIALIZED, "initialize must be sent first")
        elif self._stage != "ready":
            raise RequestFailedError(INVALID_REQUEST, "the server is shutting down")
        if number in self._answering:
            raise RequestFailedError(INVALID_REQUEST, f"another request with the id {number!r} is not answered yet")
        if method == "shutdown":
            return self._shut_down
        handler = self.fm.features.get(method)
        if handler is None:
            raise RequestFailedError(METHOD_NOT_FOUND, f"there is no method {method}")
        return cast("Handler", handler)

    def _params(self, message: dict[str, Any]) -> object:
        """The parameters, plain JSON of the shape that is needed. Raises RequestFailedError."""
        method = message["method"]
        return check_params(method, message.get("params"), self._needs.get(method, ANYTHING))

    def _answer(self, number: MessageId, message: dict[str, Any], done: asyncio.Task[Any], begun: float) -> None:
        method = message["method"]
        self._answering.pop(number, None)
        error = None if done.cancelled() else done.exception()
        if done.cancelled():
            self._fail(number, CANCELLED, "cancelled")
        elif isinstance(error, RequestFailedError):
            self._fail(number, error.code, str(error))
        elif error is not None:
            log.error("%s failed", method, exc_info=error)
            self._fail(number, INTERNAL_ERROR, f"{method} failed; see the log")
        else:
            self._succeed(number, method, done.result())
        if self.tracing:
            took = (time.perf_counter() - begun) * 1000
            traced: LogTraceParams = {"message": f"{method} ({number}) took {took:.1f} ms"}
            if self.tracing_verbosely:
                traced["verbose"] = _about(message.get("params"))
            self.tell("$/logTrace", traced)

    def initialized(self) -> None:
        """Take requests from now on."""
        self._stage = "ready"

    def _shut_down(self, _: Any) -> Awaitable[None]:
        self._stage = "down"  # at once: an `exit` in the same breath is a proper end
        return self._close()

    # -- what goes out ----------------------------------------------------------------------------------------------

    def tell(self, method: str, params: object) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    async def ask(self, method: str, params: object = None) -> Any:
        """Send a request; its answer as plain data. Raises RequestFailedError when the client answers with an error."""
        number = f"rubric-{next(self._numbers)}"
        self._asked[number] = asyncio.get_running_loop().create_future()
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        # Whoever waits may be cancelled; `_reply` then finds the future done and drops the answer.
        return await self._asked[number]

    def send(self, message: "OutgoingMessage") -> None:
        """Write one message."""
        if self.writer is None or self._stage == "gone":
            return
        try:
            self.writer.write(encoded(message))
        except (OSError, ValueError):
            # ValueError: the pipe is closed on our side already.
            self.lost()

    def _succeed(self, number: MessageId, method: str, result: object) -> None:
        try:
            self.send({"jsonrpc": "2.0", "id": number, "result": result})
        except TypeError:  # it is no JSON: without an answer the client would wait for ever
            log.exception("the result of %s cannot be written", method)
            self._fail(number, INTERNAL_ERROR, f"{method} failed; see the log")

    def _fail(self, number: MessageId | None, code: int, message: str) -> None:
        self.send({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}})


def _about(params: object) -> str:
    """What a request is about, without any text of a document: that may be confidential."""
    named = params.get("textDocument") if isinstance(params, dict) else None
    uri = named.get("uri") if isinstance(named, dict) else None
    at = params.get("position") if isinstance(params, dict) else None
    place = f":{at.get('line')}:{at.get('character')}" if isinstance(at, dict) else ""
    return f"{uri}{place}" if uri else "the workspace"


def _known(number: object) -> MessageId | None:
    """The id of a message, None for what is none."""
    return number if isinstance(number, int | str) and not isinstance(number, bool) else None
