"""A server on this machine that speaks as OpenAI, Anthropic and Gemini do, and does what a test tells it, faults included."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit


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
    #: Bytes of the reply, its head included, that come at once; then one every half second.
    drips_after: int | None = None

    @classmethod
    def error(cls, status: int, message: str, **more: Any) -> "Fault":
        return cls(status, json.dumps({"error": {"message": message, **more}}).encode())


class JudgeServer:
    """Replies in order; the last reply stays. A reply is a text, a fault, or a function of the request body."""

    def __init__(self) -> None:
        self.replies: list[str | Fault | Callable[[dict[str, Any]], str]] = ["{}"]
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        #: How many requests are being answered, and how many were at most.
        self.now = self.most = 0
        #: How many connections were opened.
        self.connections = 0
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
        self.connections += 1
        try:
            while await self._one(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError):
            self.broken_off.set()
        except asyncio.CancelledError:
            pass  # the test is done: Python 3.11 would write that into the log as an error
        finally:
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        headers = {k.lower(): v for k, _, v in (line.partition(": ") for line in head.split("\r\n")[1:] if line)}
        content = await reader.readexactly(int(headers.get("content-length", "0")))
        body = json.loads(content or b"{}")
        self.headers.append(headers)
        path = head.split(" ", 2)[1]
        self.paths.append(path)
        self.bodies.append(body)
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            return await self._reply(path, body, reader, writer)
        finally:
            self.now -= 1

    async def _reply(
        self, path: str, body: dict[str, Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        reply = self.replies[min(len(self.bodies), len(self.replies)) - 1]
        if callable(reply):
            reply = reply(body)
        if isinstance(reply, str):
            reply = Fault(body=json.dumps(_worded(path, reply, body)).encode())
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
        whole = f"HTTP/1.1 {fault.status} X\r\nContent-Type: application/json\r\n{length}{extra}\r\n".encode() + content
        at_once = len(whole) if fault.drips_after is None else fault.drips_after
        writer.write(whole[:at_once])
        for byte in whole[at_once:]:
            await asyncio.sleep(0.5)
            writer.write(bytes([byte]))
            await writer.drain()
        while fault.endless:
            writer.write(b"x" * 1_000_000)
            await writer.drain()
        await writer.drain()
        return True


def _worded(path: str, text: str, body: dict[str, Any]) -> dict[str, Any]:
    """A reply in the words of the API that the path belongs to; always 100 tokens in, 40 of them cached, and 20 out."""
    if path.endswith("/v1/messages"):
        forced = body.get("tool_choice", {}).get("name")
        part = (
            {"type": "tool_use", "id": "t1", "name": forced, "input": json.loads(text)}
            if forced
            else {"type": "text", "text": text}
        )
        usage = {
            "input_tokens": 50,
            "cache_read_input_tokens": 40,
            "cache_creation_input_tokens": 10,
            "output_tokens": 20,
        }
        return {"model": "judge-1-2026", "content": [part], "stop_reason": "end_turn", "usage": usage}
    if path.endswith(":generateContent"):
        counts = {
            "promptTokenCount": 100,
            "candidatesTokenCount": 15,
            "thoughtsTokenCount": 5,
            "cachedContentTokenCount": 40,
        }
        parts = [{"text": "hm", "thought": True}, {"text": text}]
        return {
            "modelVersion": "judge-1-2026",
            "candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}],
            "usageMetadata": counts,
        }
    if path.partition("?")[0].endswith("/responses"):
        usage = {"input_tokens": 100, "output_tokens": 20, "input_tokens_details": {"cached_tokens": 40}}
        said = [
            {"type": "reasoning", "summary": []},
            {"type": "message", "content": [{"type": "output_text", "text": text}]},
        ]
        return {"model": "judge-1-2026", "error": None, "status": "completed", "output": said, "usage": usage}
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "prompt_tokens_details": {"cached_tokens": 40},
        "cost": 0.001,
    }
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return {"model": "judge-1-2026", "choices": [choice], "usage": usage}


@dataclass
class Rerouted:
    """A network on which every server is the one at `url`: APIs whose address is fixed can be spoken to in tests."""

    inner: Any
    url: str
    asked: list[str] = field(default_factory=list)

    async def post(self, url: str, headers: Any, body: bytes, **limits: Any) -> Any:
        self.asked.append(url)
        parts = urlsplit(url)
        base = urlsplit(self.url)
        there = parts._replace(scheme=base.scheme, netloc=base.netloc).geturl()
        return await self.inner.post(there, headers, body, **limits)

    async def get(self, url: str, **limits: Any) -> Any:
        return await self.inner.get(url, **limits)

    async def exchange(self, url: str, *said: Any, **limits: Any) -> Any:
        self.asked.append(url)
        return await self.inner.exchange(url, *said, **limits)
