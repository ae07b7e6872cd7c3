"""Reads an answer from a program or a file: text, messages with tool calls, and measurements."""

import json
import sys
from collections.abc import Mapping
from typing import Any

from rubric_core.ports import Answer, AnswerFile, Tokens, ToolUse

__all__ = ["last_text", "number", "objects", "read_answer", "read_messages", "read_tokens", "tool_uses"]

#: The keys for the text of an answer, in all releases; the first one present counts.
_TEXTS = ("text", "output", "output_messages", "answer", "candidate_answer", "model_answer", "messages")

#: The keys of a message that graders receive besides its role and calls, and those of a call besides its tool and
#: input.
_MESSAGE_KEYS = ("name", "content", "start_time", "end_time", "duration_ms", "metadata")
_CALL_KEYS = ("output", "id", "status", "start_time", "end_time", "duration_ms")


def read_answer(told: Mapping[str, Any], took: float | None = None) -> Answer | None:
    """The answer in an object; None if it contains none.

    Args:
        told: The object.
        took: The measured milliseconds, for an object that reports none.
    """
    name = next((n for n in _TEXTS if n in told), None)
    if name is None:
        return None
    output = told[name]
    messages = next((m for n in ("messages", "output_messages", name) if isinstance(m := told.get(n), list)), None)
    text = output if isinstance(output, str) else last_text(output) if isinstance(output, list) else _flat(output)
    trace = told.get("trace")
    calls = tool_uses(messages)
    if not calls and isinstance(trace, dict):
        calls = tool_uses(trace.get("messages")) or calls
    said = read_messages(messages) if messages is not None else None
    return Answer(
        text, duration_ms=number(told.get("duration_ms"), took), tokens=read_tokens(told.get("token_usage")),
        cost_usd=number(told.get("cost_usd"), None), tool_uses=calls, files=_files(_last(output)), file_changes=_text(told.get("file_changes")),
        messages=said or None, llm_calls=sum(m["role"] == "assistant" for m in said) if said else None,
    )  # fmt: skip


def read_messages(messages: list[Any]) -> tuple[Mapping[str, Any], ...]:
    """The messages of a reply with the keys that graders get; all other keys are dropped."""
    return tuple(_message(each) for each in messages if isinstance(each, dict))


def _message(told: Mapping[str, Any]) -> dict[str, Any]:
    calls = told.get("tool_calls", told.get("toolCalls"))
    known = {name: value for name in _MESSAGE_KEYS if (value := _either(told, name)) is not None}
    made = {"tool_calls": [_call(c) for c in calls if isinstance(c, dict)]} if isinstance(calls, list) else {}
    return {"role": str(told.get("role", "assistant")), **known, **made}


def _call(told: Mapping[str, Any]) -> dict[str, Any]:
    given = {"tool": str(told.get("tool", told.get("name", ""))), "input": told.get("input", told.get("args"))}
    found = {**given, **{name: _either(told, name) for name in _CALL_KEYS}}
    return {name: value for name, value in found.items() if value is not None}


def _either(told: Mapping[str, Any], name: str) -> Any:
    """A value by its snake-case or camel-case name."""
    head, *rest = name.split("_")
    return told.get(name, told.get(head + "".join(map(str.capitalize, rest))))


def last_text(messages: object) -> str:
    """The content of the last message of the assistant."""
    return _flat(_last(messages))


def _last(messages: object) -> object:
    said = messages if isinstance(messages, list) else []
    contents = [
        m["content"]
        for m in said
        if isinstance(m, dict) and m.get("role", "assistant") == "assistant" and "content" in m
    ]
    return contents[-1] if contents else None


def _flat(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(_is_text(p) or _is_file(p) for p in value):
        return "\n".join(str(p.get("text", p.get("value"))) for p in value if not _is_file(p))
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _is_text(part: object) -> bool:
    return isinstance(part, dict) and ("text" in part or (part.get("type") == "text" and "value" in part))


def _is_file(part: object) -> bool:
    return isinstance(part, dict) and part.get("type") == "file" and isinstance(part.get("path"), str)


def _files(content: object) -> tuple[AnswerFile, ...]:
    """The files among the parts of a message."""
    parts = content if isinstance(content, list) else []
    return tuple(AnswerFile(p["path"], _text(p.get("media_type"))) for p in parts if _is_file(p))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def number(value: object, default: float | None) -> float | None:
    """A measurement as a number; `default` if it is not a number, below 0, or not finite."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= sys.float_info.max:
        return default
    return float(value)


def read_tokens(value: object) -> Tokens | None:
    """Token usage as `{input, output, cached, reasoning}`."""
    if not isinstance(value, dict):
        return None
    return Tokens(*(int(number(value.get(name), 0) or 0) for name in ("input", "output", "cached", "reasoning")))


def tool_uses(messages: object) -> tuple[ToolUse, ...] | None:
    """The tool calls in a list of messages; None when there is no such list."""
    if not isinstance(messages, list):
        return None
    said = (m.get("tool_calls", m.get("toolCalls")) for m in messages if isinstance(m, dict))
    calls = [c for listed in said if isinstance(listed, list) for c in listed if isinstance(c, dict)]
    return tuple(
        ToolUse(
            str(c.get("tool", c.get("name", ""))),
            c.get("input", c.get("args")),
            c.get("output"),
            number(c.get("duration_ms", c.get("durationMs")), None),
        )
        for c in calls
    )


def objects(text: str) -> list[dict[str, Any]]:
    """The JSON objects of a text with one on each line; other lines are skipped."""
    found = []
    for line in text.splitlines():
        if line.lstrip().startswith("{"):
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict):
                found.append(value)
    return found
