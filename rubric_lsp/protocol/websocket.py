"""The protocol over a WebSocket: one message per frame, without a header."""

import asyncio
import json
from collections.abc import Callable, Sequence
from urllib.parse import parse_qs

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin

from rubric_lsp.protocol.admission import Admission, refusal
from rubric_lsp.protocol.transport import LARGEST_BACKLOG, Connection, decoded

__all__ = ["serve_websocket"]

#: Only authenticated clients may send longer messages.
_LARGEST_GREETING = 1 << 20
#: Seconds that a client has for its first message.
_PATIENCE = 30.0


class _Frames:
    """Outgoing messages, in order."""

    def __init__(self, socket: ServerConnection) -> None:
        self._socket = socket
        self._waiting: asyncio.Queue[str | None] = asyncio.Queue()
        self._length = 0
        self._has_room = asyncio.Event()
        self._has_room.set()

    def write(self, data: bytes) -> None:
        message = data.partition(b"\r\n\r\n")[2].decode()
        self._waiting.put_nowait(message)
        self._count(len(message))

    def _count(self, length: int) -> None:
        self._length += length
        if self._length < LARGEST_BACKLOG:
            self._has_room.set()
        else:
            self._has_room.clear()

    async def drain(self) -> None:
        """Wait until the client has read enough."""
        await self._has_room.wait()

    def close(self) -> None:
        self._waiting.put_nowait(None)

    async def send(self) -> None:
        try:
            while (message := await self._waiting.get()) is not None:
                await self._socket.send(message)
                self._count(-len(message))
        finally:
            self._has_room.set()  # nobody reads any more: whoever waits is to find that out


async def serve_websocket(
    connection: Connection,
    host: str,
    port: int,
    announce: Callable[[str, int], None],
    admission: Admission,
    pages: Sequence[str] = (),
) -> int:
    """Serve the first client that connects and has the token. Gives the exit code when it is gone.

    Programs say no origin. Web pages may talk to the server only where they are named in `pages`: any page can reach a
    local port.
    """
    taken = asyncio.Event()

    async def client(socket: ServerConnection) -> None:
        first = await _first(socket)
        address = socket.request.path if socket.request is not None else ""
        known = admission.is_valid(*parse_qs(address.partition("?")[2]).get("token", [""])[:1])
        if taken.is_set() or first is None or not (admission.admits(first) or known):
            await socket.send(json.dumps(refusal(first)))
            return
        taken.set()
        frames = _Frames(socket)
        connection.opened(frames)
        sending = asyncio.get_running_loop().create_task(frames.send())
        try:
            connection.receive(first)
            async for message in socket:
                connection.receive(decoded(message if isinstance(message, bytes) else message.encode()))
                await frames.drain()
                await asyncio.sleep(0)  # what the message began has its first step before the next one
        except ConnectionClosed:
            pass
        finally:
            connection.lost()
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)

    origins = [None, *map(Origin, pages)]
    async with serve(client, host, port, origins=origins, max_size=None) as server:
        address = next(iter(server.sockets)).getsockname()
        announce(address[0], address[1])
        return await connection.finished()


async def _first(socket: ServerConnection) -> object:
    """The first message of a client; None if it disconnects or sends too much."""
    try:
        message = await asyncio.wait_for(socket.recv(), _PATIENCE)
    except (ConnectionClosed, asyncio.TimeoutError):
        return None
    return (
        decoded(message if isinstance(message, bytes) else message.encode())
        if len(message) <= _LARGEST_GREETING
        else None
    )
