"""An HTTP server that answers every request with `{"output": "hello"}`, and keeps what it was asked."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

__all__ = ["greeting_server"]

_BODY = b'{"output": "hello"}'
_REPLY = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(_BODY) + _BODY


@asynccontextmanager
async def greeting_server() -> AsyncIterator[tuple[str, list[str]]]:
    """Its host with a free port, and the head of each request: the request line and the headers."""
    heard: list[str] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(_REPLY)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as listening:
        yield f"127.0.0.1:{listening.sockets[0].getsockname()[1]}", heard
