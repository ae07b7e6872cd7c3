"""An OpenAI-compatible server on this computer that replies by script, to both programs, and remembers what it was sent.

A path is `/PROGRAM/SUITE/v1/chat/completions`, or `/PROGRAM/SUITE/judge/MODE/v1/chat/completions` for a judge that misbehaves.
"""

import json
import re
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from .judge import ONCE, is_judge, judge_reply, target_reply

__all__ = ["STATUSES", "Request", "ScriptedServer", "reply_to", "scripted_server"]

#: Modes in which the server refuses requests for judgements: the status, and whether only the first request of a kind.
STATUSES = {
    "401": (401, False),
    "429": (429, False),
    "500": (500, False),
    "429-once": (429, True),
    "500-once": (500, True),
}
_JSON = "application/json"
_PATH = re.compile(r"/(?P<program>[\w-]+)/(?P<suite>[\w-]+)(?:/judge/(?P<mode>[\w-]+))?/v1/")


@dataclass(frozen=True)
class Request:
    """A request that arrived: its messages as (role, text)."""

    program: str
    suite: str
    judge: bool
    messages: tuple[tuple[str, str], ...]


@dataclass
class ScriptedServer:
    """The address of the server, and what it was sent."""

    port: int
    requests: list[Request] = field(default_factory=list)
    seen: Counter[tuple[object, ...]] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def url(self, program: str, suite: str, mode: str = "") -> str:
        """The base URL for one suite as one program runs it, misbehaving in `mode`."""
        judge = f"/judge/{mode}" if mode else ""
        return f"http://127.0.0.1:{self.port}/{program}/{suite}{judge}/v1"

    def remember(self, request: Request, mode: str) -> int:
        """Keep a request. Gives how often it came with the same question, from 1; a retry repeats its question."""
        question = request.messages[:2] if request.judge else request.messages
        with self.lock:
            self.requests.append(request)
            self.seen[request.program, request.suite, mode, question] += 1
            return self.seen[request.program, request.suite, mode, question]


@contextmanager
def scripted_server() -> Iterator[ScriptedServer]:
    """The server, for as long as the block lasts."""
    http = _Http(("127.0.0.1", 0), _Handler)
    http.scripted = ScriptedServer(http.server_address[1])
    threading.Thread(target=http.serve_forever, daemon=True).start()
    try:
        yield http.scripted
    finally:
        http.shutdown()
        http.server_close()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    scripted: ScriptedServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are none of this server's business."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the name that the base class gives it
        """Log nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        status, text, kind = reply_to(self.server.scripted, self.path, body)
        content = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def reply_to(scripted: ScriptedServer, path: str, body: dict[str, Any]) -> tuple[int, str, str]:
    """What is replied to a request: the status, the text, and its kind."""
    place = _PATH.match(path)
    if place is None:
        return 404, _error("there is nothing at this path"), _JSON
    messages = tuple((m["role"], _text(m.get("content"))) for m in body.get("messages", []))
    request = Request(place["program"], place["suite"], is_judge(_joined(messages, "system", "developer")), messages)
    nth = scripted.remember(request, place["mode"] or "")
    mode = place["mode"] if request.judge and place["mode"] else ""
    status, first_only = STATUSES.get(mode, (200, False))
    if status != 200 and (nth == 1 or not first_only):
        return status, _error(f"refused with {status}, as told"), _JSON
    return 200, *_completion(body, _answer(request, mode, nth))


def _completion(body: dict[str, Any], text: str) -> tuple[str, str]:
    sent = sum(len(_text(m.get("content"))) for m in body.get("messages", [])) // 4
    tokens = len(text) // 4
    usage = {"prompt_tokens": sent, "completion_tokens": tokens, "total_tokens": sent + tokens}
    if body.get("stream"):
        return _events(body, text, usage), "text/event-stream"
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return json.dumps({**_envelope(body, "chat.completion"), "choices": [choice], "usage": usage}), _JSON


def _answer(request: Request, mode: str, nth: int) -> str:
    users = [text for role, text in request.messages if role == "user"] or [""]
    if not request.judge:
        return target_reply(users[-1])
    modes = [ONCE[mode]] if mode in ONCE and nth == 1 else [mode]
    # A retry repeats the question first and complains about the reply behind it.
    return judge_reply(_joined(request.messages, "system", "developer"), users[0], modes)


def _joined(messages: Sequence[tuple[str, str]], *roles: str) -> str:
    return "\n\n".join(text for role, text in messages if role in roles)


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content or [])


def _error(message: str) -> str:
    return json.dumps({"error": {"message": message}})


def _envelope(body: dict[str, Any], kind: str) -> dict[str, Any]:
    return {"id": "scripted", "object": kind, "created": 0, "model": body.get("model", "")}


def _events(body: dict[str, Any], text: str, usage: dict[str, int]) -> str:
    deltas = [({"role": "assistant", "content": ""}, None), ({"content": text}, None), ({}, "stop")]
    chunks = [
        {**_envelope(body, "chat.completion.chunk"), "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
        for delta, reason in deltas
    ]
    chunks[-1]["usage"] = usage
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
