"""Bytes to messages and back, over standard input and output or a socket."""

import asyncio
import json
import os
import re
import threading
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple, Protocol

__all__ = ["Connection", "Framing", "Unreadable", "connected", "encoded", "serve_stdio", "serve_tcp"]

#: A header longer than this is no header.
_LONGEST_HEADER = 65_536
_LARGEST_BODY = 1 << 30
_READ = 1 << 20
_HEADER_END = re.compile(rb"\r?\n\r?\n")
# The names of headers are case-insensitive; some clients write them in small letters.
_LENGTH = re.compile(rb"(?im)^content-length[ \t]*:[ \t]*(\d+)[ \t]*\r?$")


class Unreadable(NamedTuple):
    """Something that came in place of a message, and why it cannot be read."""

    why: str


class Framing:
    """Cuts a stream of bytes into the bodies of messages. Pieces may come in any size."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._length: int | None = None

    def feed(self, data: bytes) -> Iterator[bytes | Unreadable]:
        """Every body that is complete with `data`."""
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

    def _take_header(self) -> Unreadable | None:
        """Sets the length of the next body when its header is complete."""
        while self._length is None:
            found = _HEADER_END.search(self._buffer)
            if found is None:
                if len(self._buffer) <= _LONGEST_HEADER:
                    return None
                self._buffer.clear()
                return Unreadable("a header without end")
            header = bytes(self._buffer[: found.start()])
            del self._buffer[: found.end()]
            length = _LENGTH.search(header)
            if length is not None and int(length[1]) <= _LARGEST_BODY:
                self._length = int(length[1])
            elif header.strip():
                return Unreadable("a header without a usable Content-Length")
        return None


def decoded(body: bytes | Unreadable) -> object:
    """The message in a body."""
    if isinstance(body, Unreadable):
        return body
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        return Unreadable(f"no JSON: {error}")


def encoded(message: object, default: Callable[[object], object] | None = None) -> bytes:
    """A message with its header. Text leaves as ASCII with escapes, so that no lone surrogate can break it."""
    body = json.dumps(message, separators=(",", ":"), default=default).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class Writer(Protocol):
    """What messages are written to."""

    def write(self, data: bytes, /) -> object:
        """Send."""

    def close(self) -> object:
        """End the connection."""


class Connection(Protocol):
    """The side of the server that a transport talks to."""

    def opened(self, writer: Writer) -> None:
        """A client is there."""

    def receive(self, message: object) -> None:
        """A message came."""

    def lost(self) -> None:
        """Nothing will come any more."""

    async def finished(self) -> int:
        """The exit code, once the conversation is over."""


class _Pipe:
    """Standard output, written at once."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, data: bytes) -> None:
        self._file.write(data)
        self._file.flush()

    def close(self) -> None:
        self._file.close()


async def serve_stdio(connection: Connection) -> int:
    """Serve the client at standard input and output. Gives the exit code."""
    source, sink = _private(0, os.O_RDONLY), _private(1, os.O_WRONLY)
    return await connected(connection, lambda: os.read(source, _READ), _Pipe(os.fdopen(sink, "wb")))


def _private(stream: int, mode: int) -> int:
    """A standard stream under a number that nobody else has.

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
    """Serve one client whose bytes `read` gives, empty at the end."""
    loop = asyncio.get_running_loop()
    connection.opened(writer)

    def pump() -> None:
        framing = Framing()
        try:
            while data := read():
                for body in framing.feed(data):
                    loop.call_soon_threadsafe(connection.receive, decoded(body))
            loop.call_soon_threadsafe(connection.lost)
        except (OSError, RuntimeError):
            # RuntimeError: the loop is closed, the server is done.
            if not loop.is_closed():
                loop.call_soon_threadsafe(connection.lost)

    # A thread of its own, never the executor's: reading must go on whatever the server is busy with. A daemon, because
    # nothing can wake it from a read when the server ends first.
    threading.Thread(target=pump, name="reader", daemon=True).start()
    return await connection.finished()


async def serve_tcp(connection: Connection, host: str, port: int, announce: Callable[[str, int], None]) -> int:
    """Serve the first client that connects. Gives the exit code when it is gone."""
    taken = asyncio.Event()

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if taken.is_set():
            writer.close()
            return
        taken.set()
        connection.opened(writer)
        framing = Framing()
        try:
            while data := await reader.read(_READ):
                for body in framing.feed(data):
                    connection.receive(decoded(body))
        except (OSError, asyncio.CancelledError):
            pass  # cancelled when the server is done: Python 3.11 would write that into the log as an error
        finally:
            connection.lost()

    server = await asyncio.start_server(client, host, port)
    async with server:
        address = server.sockets[0].getsockname()
        announce(address[0], address[1])
        return await connection.finished()
