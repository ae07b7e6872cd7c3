"""An OpenAI-compatible server on this machine that does what a test tells it, faults included."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Fault:
    """Something other than a good reply."""

    status: int = 200
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    #: Seconds before anything is sent.
    delay: float = 0.0
    #: Close the connection instead of replying.
    hang_up: bool = False
    #: Bytes of a body without end.
    endless: bool = False

    @classmethod
    def error(cls, status: int, message: str, **more: Any) -> "Fault":
        return cls(status, json.dumps({"error": {"message": message, **more}}).encode())


class JudgeServer:
    """Replies in order; the last reply stays. A reply is a text, a fault, or a function of the request body."""

    def __init__(self) -> None:
        self.replies: list[str | Fault | Callable[[dict[str, Any]], str]] = ["{}"]
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.broken_off = asyncio.Event()
        self._server: asyncio.Server | None = None

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        await asyncio.sleep(0)

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    def target(self, name: str = "judge", **settings: Any) -> dict[str, Any]:
        """The entry of this server in a target file."""
        return {
            "name": name,
            "provider": "openai",
            "base_url": self.url,
            "model": "judge-1",
            "retry_initial_delay_ms": 1,
            **settings,
        }

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._one(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError):
            self.broken_off.set()
        finally:
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        headers = {k.lower(): v for k, _, v in (line.partition(": ") for line in head.split("\r\n")[1:] if line)}
        body = json.loads(await reader.readexactly(int(headers.get("content-length", "0"))))
        self.headers.append(headers)
        self.bodies.append(body)
        reply = self.replies[min(len(self.bodies), len(self.replies)) - 1]
        if callable(reply):
            reply = reply(body)
        if isinstance(reply, str):
            message = {"role": "assistant", "content": reply}
            usage = {
                "prompt_tokens": 100,
                "completion_tokens": 20,
                "prompt_tokens_details": {"cached_tokens": 40},
                "cost": 0.001,
            }
            done = {"model": "judge-1-2026", "choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}
            reply = Fault(body=json.dumps(done).encode())
        return await self._send(reply, reader, writer)

    async def _send(self, fault: Fault, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        if fault.delay:
            waiting = asyncio.ensure_future(reader.read(1))
            done, _ = await asyncio.wait([waiting], timeout=fault.delay)
            if done:
                self.broken_off.set()  # the client went away
                return False
            waiting.cancel()
        if fault.hang_up:
            return False
        content = fault.body or b""
        length = "" if fault.endless else f"Content-Length: {len(content)}\r\n"
        extra = "".join(f"{k}: {v}\r\n" for k, v in fault.headers.items())
        writer.write(
            f"HTTP/1.1 {fault.status} X\r\nContent-Type: application/json\r\n{length}{extra}\r\n".encode() + content
        )
        while fault.endless:
            writer.write(b"x" * 1_000_000)
            await writer.drain()
        await writer.drain()
        return True
