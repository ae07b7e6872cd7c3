"""JSON-RPC on top of pygls: every message gets a valid response, whatever a client sends.

A handler returns a value, or a coroutine whose response follows later. A coroutine starts after the messages that have
arrived by then, so that a cancellation or an edit that follows a request is known before work begins.
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
    """The protocol for one client.

    Of pygls' own protocol, only the registry of features is used. Documents, transport and parameters are the server's;
    docs/pygls.md
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
        #: Called before the response to `shutdown`, and when the client disconnects without it.
        self.closing: Callable[[], Awaitable[None]] | None = None
        #: Whether the client wants `$/logTrace`, and whether with details of requests.
        self.tracing = False
        self.tracing_verbosely = False

    def _register_builtin_features(self) -> None:
        """Left out: pygls' own handlers keep documents in a store that breaks lines where LSP does not."""

    @property
    def workspace(self) -> Workspace:
        """Raises: pygls' store is not used."""
        raise RuntimeError("documents are in rubric_lsp.documents.open_documents")

    def _send_data(self, data: Any) -> NoReturn:  # noqa: ARG002  # the signature is pygls'
        """Raises: without pygls' converter, its methods would send members under other names."""
        raise RuntimeError("messages are sent by `tell` and `ask`, as plain JSON")

    def route(self, method: str, handler: Handler, needs: Shape) -> None:
        """Register `handler` for `method`; it is called with parameters of the required shape."""

        @self.fm.feature(method)
        def routed(params: Any) -> Any:
            return handler(params)

        self._needs[method] = needs

    # -- the connection ---------------------------------------------------------------------------------------------

    def opened(self, writer: Writer) -> None:
        """A client has connected."""
        self.set_writer(cast("Any", writer))
        self._over = self._over or asyncio.get_running_loop().create_future()

    def lost(self) -> None:
        """The client has disconnected; without `exit`, that is an error."""
        self.finish(0 if self._stage == "down" else 1)

    def finish(self, code: int) -> None:
        """End the protocol with this exit code; the first one counts."""
        if self._over is not None and not self._over.done():
            self._over.set_result(code)

    async def finished(self) -> int:
        """The exit code, once everything is closed."""
        over = self._over = self._over or asyncio.get_running_loop().create_future()
        code = await over
        self._stage = "gone"
        await self._close()
        return code

    async def _close(self) -> None:
        """Release everything, once: `exit` may arrive while `shutdown` is in progress, and must not cut it short."""
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
        """Whether the client may be sent more than responses."""
        return self._stage == "ready"

    # -- what comes in ----------------------------------------------------------------------------------------------

    def receive(self, message: object) -> None:
        """Handle a message from the wire. Never raises."""
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
            # The message itself is not logged: its texts may be confidential.
            log.exception("could not handle %s", message.get("method") if isinstance(message, dict) else "a message")

    def _reply(self, message: dict[str, Any]) -> None:
        """Handle the response to a request of the server. A late one is dropped."""
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
            # A callback, not a `try`: a task that is cancelled before its first step never reaches it.
            task.add_done_callback(lambda done: self._answer(number, message, done, begun))

    def _handler(self, number: MessageId, method: str) -> Handler:
        """The current handler of `method`. Raises RequestFailedError."""
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
        """The parameters as plain JSON of the required shape. Raises RequestFailedError."""
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
        """Accept requests from now on."""
        self._stage = "ready"

    def _shut_down(self, _: Any) -> Awaitable[None]:
        self._stage = "down"  # before anything else: an `exit` right after it is a proper end
        return self._close()

    # -- what goes out ----------------------------------------------------------------------------------------------

    def tell(self, method: str, params: object) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    async def ask(self, method: str, params: object = None) -> Any:
        """Send a request and return its result as plain data.

        Raises RequestFailedError if the client responds with an error.
        """
        number = f"rubric-{next(self._numbers)}"
        self._asked[number] = asyncio.get_running_loop().create_future()
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        # The caller may be cancelled; `_reply` then finds the future done and drops the response.
        return await self._asked[number]

    def send(self, message: "OutgoingMessage") -> None:
        """Write one message."""
        if self.writer is None or self._stage == "gone":
            return
        try:
            self.writer.write(encoded(message))
        except (OSError, ValueError):
            # ValueError: the pipe is already closed on this side.
            self.lost()

    def _succeed(self, number: MessageId, method: str, result: object) -> None:
        try:
            self.send({"jsonrpc": "2.0", "id": number, "result": result})
        except TypeError:  # not serializable: without a response, the client would wait for ever
            log.exception("the result of %s cannot be written", method)
            self._fail(number, INTERNAL_ERROR, f"{method} failed; see the log")

    def _fail(self, number: MessageId | None, code: int, message: str) -> None:
        self.send({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}})


def _about(params: object) -> str:
    """A description of a request without text of documents, which may be confidential."""
    named = params.get("textDocument") if isinstance(params, dict) else None
    uri = named.get("uri") if isinstance(named, dict) else None
    at = params.get("position") if isinstance(params, dict) else None
    place = f":{at.get('line')}:{at.get('character')}" if isinstance(at, dict) else ""
    return f"{uri}{place}" if uri else "the workspace"


def _known(number: object) -> MessageId | None:
    """The id of a message, None without a valid one."""
    return number if isinstance(number, int | str) and not isinstance(number, bool) else None
