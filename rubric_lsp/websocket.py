"""The conversation over a WebSocket: one message in each frame, without a header."""

import asyncio
import re
from collections.abc import Callable

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin

from rubric_lsp.transport import Connection, decoded

__all__ = ["serve_websocket"]

#: Programs say no origin. Of web pages only those of this machine may talk to the server: any page can reach a local port.
_ORIGINS = (None, re.compile(r"https?://(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?"))


class _Frames:
    """Messages on their way out, in order."""

    def __init__(self, socket: ServerConnection) -> None:
        self._socket = socket
        self._waiting: asyncio.Queue[str | None] = asyncio.Queue()

    def write(self, data: bytes) -> None:
        self._waiting.put_nowait(data.partition(b"\r\n\r\n")[2].decode())

    def close(self) -> None:
        self._waiting.put_nowait(None)

    async def send(self) -> None:
        while (message := await self._waiting.get()) is not None:
            await self._socket.send(message)


async def serve_websocket(connection: Connection, host: str, port: int, announce: Callable[[str, int], None]) -> int:
    """Serve the first client that connects. Gives the exit code when it is gone."""
    taken = asyncio.Event()

    async def client(socket: ServerConnection) -> None:
        if taken.is_set():
            return
        taken.set()
        frames = _Frames(socket)
        connection.opened(frames)
        sending = asyncio.get_running_loop().create_task(frames.send())
        try:
            async for message in socket:
                connection.receive(decoded(message if isinstance(message, bytes) else message.encode()))
        except ConnectionClosed:
            pass
        finally:
            connection.lost()
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)

    origins: list[Origin | re.Pattern[str] | None] = [
        o if o is None or isinstance(o, re.Pattern) else Origin(o) for o in _ORIGINS
    ]
    async with serve(client, host, port, origins=origins, max_size=None) as server:
        address = next(iter(server.sockets)).getsockname()
        announce(address[0], address[1])
        return await connection.finished()
