"""A server on this machine that both programs ask: services, models that answer and grade by what they are told, and embeddings."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["reply_to", "serving"]


class _Handler(BaseHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self._reply()

    def do_POST(self) -> None:
        self._reply()

    def do_PUT(self) -> None:
        self._reply()

    def _reply(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        text = self.rfile.read(length).decode()
        status, said = reply_to(self.command, self.path, dict(self.headers.items()), text)
        body = said.encode() if isinstance(said, str) else json.dumps(said).encode()
        self.send_response(status)
        self.send_header("content-type", "text/plain" if isinstance(said, str) else "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def reply_to(method: str, path: str, headers: Mapping[str, str], text: str) -> tuple[int, Any]:
    """What is replied to a request: the status, and a text or JSON."""
    place = path.partition("?")[0]
    told = json.loads(text) if text.startswith(("{", "[")) else text
    lowered = {name.lower(): value for name, value in headers.items()}
    if place.startswith("/status/"):
        return int(place.rpartition("/")[2]), {"error": "as asked", "text": "told"}
    if place == "/echo":
        kept = {name: lowered[name] for name in ("content-type", "x-own", "authorization") if name in lowered}
        return 200, {"method": method, "path": path, "headers": kept, "body": told}
    if place == "/text":
        return 200, f"said {text}"
    if place == "/webhook":
        return 200, {"output": f"hooked {told['prompt']}"} if "prompt" in told and "bad" not in text else {"other": 1}
    if place == "/grade":
        good = "good" in str(told["output"])
        return 200, {"pass": good, "score": 0.75, "reason": "r"} if "scored" in path else {"pass": good}
    if place == "/verdict":
        return 200, str(told["output"])
    if place.endswith("/embeddings"):
        return 200, _embedded(told)
    if place.endswith("/moderations"):
        return 200, _moderated(told)
    return _model(place, told)


def _moderated(told: Any) -> Any:
    """Flags each of two words, in texts and in parts."""
    asked = json.dumps(told["input"])
    found = {name: name in asked for name in ("violence", "hate/threatening")}
    scores = {name: 0.9 if holds else 0.1 for name, holds in found.items()}
    result = {"flagged": any(found.values()), "categories": found, "category_scores": scores}
    return {"id": "m", "model": told["model"], "results": [] if "no results" in asked else [result]}


def _embedded(told: Any) -> Any:
    texts = told["input"] if isinstance(told["input"], list) else [told["input"]]
    made = [[1.0 + text.count(sign) for sign in "abcdefghij"] for text in texts]
    return {
        "data": [{"index": n, "embedding": each} for n, each in enumerate(made)],
        "usage": {"total_tokens": 1, "prompt_tokens": 1},
    }


def _told_replies(told: Any) -> Iterator[Any]:
    """The whole replies that prompts ask for."""
    if isinstance(told, str) and told.startswith("reply-with "):
        yield json.loads(told.removeprefix("reply-with "))
    elif isinstance(told, dict | list):
        for each in told.values() if isinstance(told, dict) else told:
            yield from _told_replies(each)


def _model(place: str, told: Any) -> tuple[int, Any]:
    """The reply of a model, in the words of its vendor."""
    asked = json.dumps(told)
    if (wanted := next(_told_replies(told), None)) is not None:
        return 200, wanted
    text = _settings(told) if "report-settings" in asked else _said(asked)
    if "report-request" in asked:
        kept = {key: told[key] for key in sorted(told) if key not in _OF_PROMPTS}
        text = json.dumps(kept, separators=(",", ":"))
    if place.endswith("/messages"):
        return 200, {
            "id": "m", "type": "message", "role": "assistant", "model": told["model"], "content": _blocks(text, asked),
            "stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 1},
        }  # fmt: skip
    if "generateContent" in place:
        parts: list[Any] = (
            [{"functionCall": {"name": "weather", "args": {"city": "Bern"}}}]
            if "calls-a-tool" in asked
            else [{"text": text}]
        )
        candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}
        return 200, {"candidates": [candidate], "usageMetadata": {"totalTokenCount": 2}}
    if place.endswith("/responses"):
        return 200, {
            "id": "r",
            "status": "completed",
            "model": told["model"],
            "output": _items(text, asked),
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
    if place.endswith("/api/chat"):
        call = {"function": {"name": "weather", "arguments": {"city": "Bern"}}}
        message = (
            {"role": "assistant", "content": "", "tool_calls": [call]}
            if "calls-a-tool" in asked
            else {"role": "assistant", "content": text}
        )
        return 200, {"model": "m", "message": message, "done": True}
    if place.endswith("/api/generate"):
        return 200, {"model": "m", "response": text, "done": True}
    if place.endswith("/chat/completions"):
        message = {"role": "assistant", "content": text, **_further(asked)}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        return 200, {
            "id": "c",
            "object": "chat.completion",
            "model": told.get("model", "m"),
            "choices": [choice],
            "usage": usage,
        }
    return 404, {"error": {"message": f"no {place}"}}


#: Fields of requests with prompts, and one by which rubric asks Ollama for the whole text at once.
_OF_PROMPTS = frozenset({"messages", "contents", "input", "prompt", "system", "stream"})


def _blocks(text: str, asked: str) -> list[Any]:
    """The content of a message of Anthropic."""
    found: list[Any] = (
        [{"type": "thinking", "thinking": "One, two.", "signature": "s"}] if "thinks-first" in asked else []
    )
    if "calls-a-tool" in asked:
        return [
            *found,
            {"type": "text", "text": "See"},
            {"type": "tool_use", "id": "t", "name": "weather", "input": {"city": "Bern"}},
        ]
    return [*found, {"type": "text", "text": text}]


def _items(text: str, asked: str) -> list[Any]:
    """The output of a response of OpenAI."""
    if "calls-a-tool" in asked:
        arguments = "{}" if "without" in asked else '{"city":"Bern"}'
        return [
            {
                "type": "function_call",
                "id": "f",
                "call_id": "c",
                "name": "weather",
                "arguments": arguments,
                "status": "completed",
            }
        ]
    content = [{"type": "output_text", "text": text, "annotations": []}]
    reasoning = {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "One, two."}]}
    message = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": content}
    return [reasoning, message] if "thinks-first" in asked else [message]


def _said(asked: str) -> str:
    """By a key in what a model is told: `say-WORD-end` is said as WORD, with underscores for spaces and `+` for line breaks."""
    begin = asked.find("say-")
    if begin < 0:
        return "hello from the model"
    end = asked.find("-end", begin)
    return asked[begin + 4 : end].replace("_", " ").replace("+", "\n").replace("~", '"')


#: Further fields of the message in a reply, by a word in the request.
_FURTHER: Mapping[str, Mapping[str, Any]] = {
    "calls-a-tool": {"content": None, "tool_calls": [{"id": "t", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Bern"}'}}]},
    "calls-and-empty": {"content": "", "tool_calls": [{"id": "t", "type": "function", "function": {"name": "weather", "arguments": "{}"}}]},
    "calls-and-says": {"content": "Let me see.", "tool_calls": [{"id": "t", "type": "function", "function": {"name": "weather", "arguments": "{}"}}]},
    "calls-none": {"tool_calls": []},
    "calls-a-function": {"content": None, "function_call": {"name": "weather", "arguments": "{}"}},
    "refuses-that": {"content": None, "refusal": "I cannot say that."},
    "thinks-first": {"reasoning": "One, two."},
    "thinks-aside": {"reasoning_content": "Three, four."},
}  # fmt: skip


def _further(asked: str) -> Mapping[str, Any]:
    return next((_FURTHER[word] for word in _FURTHER if word in asked), {})


def _settings(told: Any) -> str:
    """The settings of a request."""
    limit = told.get("max_tokens", told.get("max_completion_tokens"))
    return json.dumps({"temperature": told.get("temperature"), "limit": limit})


@contextmanager
def serving() -> Iterator[int]:
    """The port of the server, while it runs."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
