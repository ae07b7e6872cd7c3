"""Bytes to messages and back, over standard streams or a socket."""

import asyncio
import contextlib
import json
import logging
import os
import threading
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple, Protocol

from rubric_core.lazy_compilation import pattern
from rubric_lsp.protocol.admission import Admission, refusal
from rubric_lsp.protocol.json_array import JsonArray, json_text

__all__ = [
    "LARGEST_BACKLOG",
    "Connection",
    "Framing",
    "Unreadable",
    "connected",
    "encoded",
    "serve_stdio",
    "serve_tcp",
    "serve_unix",
]

log = logging.getLogger("rubric")
#: A longer header is invalid.
_LONGEST_HEADER = 65_536
_LARGEST_BODY = 1 << 30
_MOST_DIGITS = len(str(_LARGEST_BODY))
#: The limit for an unauthenticated client, and the seconds that it has for its first message.
_LARGEST_GREETING = 1 << 20
_PATIENCE = 30.0
_READ = 1 << 20
#: The most messages, and bytes of them, that are read before they are handled; bytes that wait for the client.
_MOST_WAITING, LARGEST_BACKLOG = 256, 1 << 25
_HEADER_END = pattern(rb"\r?\n\r?\n")
# The names of headers are case-insensitive; some clients write them in small letters.
_LENGTH = pattern(rb"(?im)^content-length[ \t]*:[ \t]*(\d+)[ \t]*\r?$")


class Unreadable(NamedTuple):
    """An invalid message, with the reason."""

    why: str


class Framing:
    """Splits a byte stream into the bodies of messages. Data may arrive in any pieces."""

    def __init__(self, largest: int = _LARGEST_BODY) -> None:
        #: The longest accepted body, in bytes.
        self.largest = largest
        self._buffer = bytearray()
        self._length: int | None = None

    def feed(self, data: bytes) -> Iterator[bytes | Unreadable]:
        """The bodies that are complete with `data`."""
        self._buffer += data
        while True:
            if self._length is None:
                trouble = self._take_header()
                if trouble is not None:
                    yield trouble
                if self._length is None:
                    if trouble is None:
                        return
                    continue
            if len(self._buffer) < self._length:
                return
            body = bytes(self._buffer[: self._length])
            del self._buffer[: self._length]
            self._length = None
            yield body

    def clear(self) -> None:
        """Start again with the next bytes."""
        self._buffer.clear()
        self._length = None

    def _take_header(self) -> Unreadable | None:
        """Parse the header once it is complete, and set the length of the body."""
        while self._length is None:
            found = _HEADER_END.search(self._buffer)
            if found is None:
                if len(self._buffer) <= _LONGEST_HEADER:
                    return None
                self._buffer.clear()
                return Unreadable("a header that does not end")
            header = bytes(self._buffer[: found.start()])
            del self._buffer[: found.end()]
            found_length = _LENGTH.search(header)
            length = _number(found_length[1]) if found_length is not None else None
            if length is not None and length <= self.largest:
                self._length = length
            elif header.strip():
                return Unreadable("a header without a usable Content-Length")
        return None


def _number(digits: bytes) -> int | None:
    """A decimal number; None if it is longer than any length. Python refuses to parse thousands of digits."""
    digits = digits.lstrip(b"0") or b"0"
    return int(digits) if len(digits) <= _MOST_DIGITS else None


def decoded(body: bytes | Unreadable) -> object:
    """The message of a body."""
    if isinstance(body, Unreadable):
        return body
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        return Unreadable(f"no JSON: {error}")


def _messages(framing: Framing, data: bytes) -> Iterator[tuple[object, int]]:
    """The messages that are complete with `data`, with their length in bytes.

    An invalid one is answered with an error, and the next ones are read.
    """
    try:
        for body in framing.feed(data):
            yield decoded(body), len(body) if isinstance(body, bytes) else 0
    except Exception as error:
        # The message itself is not logged: its texts may be confidential.
        log.exception("a message of the client cannot be read")
        framing.clear()
        yield Unreadable(f"it cannot be read: {type(error).__name__}"), 0


class _Backlog:
    """The messages that were read and are not handled yet. A client that floods is not read any further until they are."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._messages, self._bytes = 0, 0

    def add(self, length: int) -> None:
        """Wait until there is room for a message, and count it. A message of any length has room when it is the only one."""
        with self._changed:
            while self._messages >= _MOST_WAITING or (self._messages and self._bytes + length > LARGEST_BACKLOG):
                self._changed.wait()
            self._messages += 1
            self._bytes += length

    def remove(self, length: int) -> None:
        """A message was handled."""
        with self._changed:
            self._messages -= 1
            self._bytes -= length
            self._changed.notify()


def encoded(message: object) -> bytes:
    """A message with its header; its result, or a member of its result or parameters, may be a serialized array."""
    body = _to_json(message, 1).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def _to_json(value: object, depth: int) -> str:
    """A value as JSON; serialized arrays are looked for in mappings up to `depth` levels deep."""
    if isinstance(value, JsonArray):
        return value.text
    if isinstance(value, dict) and depth >= 0:
        return "{" + ",".join(f"{json_text(key)}:{_to_json(each, depth - 1)}" for key, each in value.items()) + "}"
    return json_text(value)


class Writer(Protocol):
    """The output for messages."""

    def write(self, data: bytes, /) -> object:
        """Send."""

    def close(self) -> object:
        """End the connection."""


class Connection(Protocol):
    """The server as a transport sees it."""

    def opened(self, writer: Writer) -> None:
        """A client has connected."""

    def receive(self, message: object) -> None:
        """A message has arrived."""

    def lost(self) -> None:
        """The client has disconnected."""

    async def finished(self) -> int:
        """The exit code, once the protocol has ended."""


class _Pipe:
    """Standard output, unbuffered."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, data: bytes) -> None:
        self._file.write(data)
        self._file.flush()

    def close(self) -> None:
        self._file.close()


async def serve_stdio(connection: Connection) -> int:
    """Serve the client at standard input and output. Returns the exit code."""
    source, sink = _private(0, os.O_RDONLY), _private(1, os.O_WRONLY)
    return await connected(connection, lambda: os.read(source, _READ), _Pipe(os.fdopen(sink, "wb")))


def _private(stream: int, mode: int) -> int:
    """A standard stream, moved to a private file descriptor.

    A program that a run starts, or a stray `print`, would otherwise write into the conversation or read from it.
    """
    mine = os.dup(stream)
    if mode == os.O_WRONLY:
        os.dup2(2, stream)
    else:
        nothing = os.open(os.devnull, mode)
        os.dup2(nothing, stream)
        os.close(nothing)
    return mine


async def connected(connection: Connection, read: Callable[[], bytes], writer: Writer) -> int:
    """Serve one client; `read` returns its bytes, or an empty value at the end."""
    loop = asyncio.get_running_loop()
    connection.opened(writer)
    backlog = _Backlog()

    def receive(message: object, length: int) -> None:
        try:
            connection.receive(message)
        finally:
            # What the message began has its first step before the next ones are read: requests must not pile up either.
            loop.call_soon(backlog.remove, length)

    def pump() -> None:
        framing = Framing()
        try:
            while data := read():
                for message, length in _messages(framing, data):
                    backlog.add(length)
                    loop.call_soon_threadsafe(receive, message, length)
        except OSError:
            pass
        except RuntimeError:
            if loop.is_closed():  # the server is finished
                return
            log.exception("reading from the client failed")
        except Exception:
            log.exception("reading from the client failed")
        # However the reading ended: a server without a client must not stay.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(connection.lost)

    # A thread of its own, not of the executor: reading must continue whatever the server is busy with. A daemon,
    # because nothing can interrupt its read when the server ends first.
    threading.Thread(target=pump, name="reader", daemon=True).start()
    return await connection.finished()


async def serve_tcp(
    connection: Connection, host: str, port: int, announce: Callable[[str, int], None], admission: Admission
) -> int:
    """Serve the first client that connects with the token. Returns the exit code."""
    door = _Admitter(connection, admission)
    server = await asyncio.start_server(door.client, host, port)
    async with server:
        address = server.sockets[0].getsockname()
        announce(address[0], address[1])
        return await connection.finished()


async def serve_unix(connection: Connection, path: str, announce: Callable[[str], None]) -> int:
    """Serve the first client at a Unix socket, which only the user can open. Returns the exit code."""
    before = os.umask(0o177)
    try:
        server = await asyncio.start_unix_server(_Admitter(connection, Admission("")).client, path)
    finally:
        os.umask(before)
    async with server:
        announce(path)
        return await connection.finished()


class _Admitter:
    """Admits one client. Clients without the token are refused, and do not keep others from connecting."""

    def __init__(self, connection: Connection, admission: Admission) -> None:
        self._connection = connection
        self._admission = admission
        self._taken = False

    async def client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a client, if it is admitted."""
        framing = Framing(_LARGEST_GREETING)
        try:
            bodies = await asyncio.wait_for(_first(reader, framing), _PATIENCE)
        except (OSError, asyncio.TimeoutError):
            bodies = []
        first = decoded(bodies[0]) if bodies else None
        if self._taken or first is None or not self._admission.admits(first):
            if first is not None:
                writer.write(encoded(refusal(first)))
            writer.close()
            return
        self._taken = True
        writer.transport.set_write_buffer_limits(LARGEST_BACKLOG)
        framing.largest = _LARGEST_BODY
        self._connection.opened(writer)
        try:
            for message in (first, *map(decoded, bodies[1:])):
                self._connection.receive(message)
            while data := await reader.read(_READ):
                for message, _ in _messages(framing, data):
                    self._connection.receive(message)
                await writer.drain()  # a client that does not read is not read either
        except (OSError, asyncio.CancelledError):
            pass  # cancelled when the server is finished: Python 3.11 would log that as an error
        finally:
            self._connection.lost()


async def _first(reader: asyncio.StreamReader, framing: Framing) -> list[bytes | Unreadable]:
    """The first messages of a client, at least one; none if it disconnects."""
    while data := await reader.read(_READ):
        bodies = list(framing.feed(data))
        if bodies:
            return bodies
    return []
