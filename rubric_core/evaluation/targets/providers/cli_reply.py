"""The output of the command of a `cli` target: JSON in the form that AgentV reads; everything else is plain text."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rubric_core.evaluation.targets.providers.answer_reader import objects, read_answer
from rubric_core.lazy_compilation import replace
from rubric_core.ports import Answer

__all__ = ["answer_in", "answer_in_batch"]

#: The form of a reply: the values of each key, all optional. Unlisted keys are dropped; null is never valid.
_Form = Mapping[str, Any]
_CALL: _Form = {
    "tool": str, "id": str, "start_time": str, "end_time": str, "duration_ms": float,
    "status": ("ok", "error", "timeout", "cancelled", "unknown"),
}  # fmt: skip
_MESSAGE: _Form = {
    "role": str, "name": str, "tool_calls": [_CALL], "start_time": str, "end_time": str, "duration_ms": float, "metadata": dict,
}  # fmt: skip
_REPLY: _Form = {
    "output": [_MESSAGE], "output_messages": [_MESSAGE], "token_usage": {"input": float, "output": float, "cached": float},
    "cost_usd": float, "duration_ms": float,
}  # fmt: skip
_REQUIRED = frozenset({"tool", "role", "input", "output"})
_WORDS: Mapping[Any, str] = {str: "a text", float: "a number", dict: "a mapping"}
_PARTS = frozenset({"text", "image", "file"})


def answer_in(text: str, took: float) -> Answer:
    """The answer in the output of a command; `took` is its duration in milliseconds.

    Messages take precedence over a text. JSON in another form is plain text, as in AgentV, and the answer says why.
    """
    try:
        told = json.loads(text, parse_constant=_no_constant) if text.lstrip().startswith("{") else None
    except (ValueError, RecursionError):
        told = None
    return _plain(text, took) if not isinstance(told, dict) else _object_answer(told, text, took)


def answer_in_batch(text: str, case_id: str, took: float) -> Answer:
    """The answer to one case in the output for several, with an object on each line; anything else is one answer.

    Raises LookupError when the lines belong to other cases.
    """
    rows = _rows(text)
    if not rows:
        return answer_in(text, took)
    if case_id not in rows:
        raise LookupError(case_id)
    return _object_answer(rows[case_id], json.dumps(rows[case_id], ensure_ascii=False), took)


def _rows(text: str) -> Mapping[str, Mapping[str, Any]]:
    """The objects on the lines of a text by id; none when a line is not an object, or an id occurs twice."""
    lines = [line for line in text.splitlines() if line.strip()]
    found = {row["id"]: row for row in objects(text) if isinstance(row.get("id"), str) and not _misfit(row, _REPLY, "")}
    return found if len(found) == len(lines) else {}


def _plain(text: str, took: float, note: str = "") -> Answer:
    """A text as the single message of a model without tool calls."""
    return Answer(text, duration_ms=took, tool_uses=(), llm_calls=1, note=note)


def _object_answer(told: Mapping[str, Any], text: str, took: float) -> Answer:
    misfit = _misfit(told, _REPLY, "")
    if misfit:
        note = f"the target's reply is treated as plain text: it is JSON, and {misfit}"
        return _plain(text, took, note if _is_meant(told) else "")
    measured = {name: told[name] for name in ("token_usage", "cost_usd", "duration_ms", "file_changes") if name in told}
    messages = told["output"] if "output" in told else told.get("output_messages")
    if messages:
        kept = [_with_content(message) for message in messages]
        answer = read_answer({"output": kept, **measured}, took) or _plain(text, took)
        return replace(answer, llm_calls=sum(m["role"] == "assistant" for m in kept), note=_lost(messages, kept))
    if "text" not in told:
        return _plain(text, took)
    said = told["text"]
    words = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    answer = read_answer({"text": words, **measured}, took) or _plain(text, took)
    return replace(answer, tool_uses=(), llm_calls=1)


def _is_meant(told: Mapping[str, Any]) -> bool:
    """Whether an object is intended as a reply, rather than an answer that happens to be JSON."""
    return any(name in told for name in ("output", "output_messages", "text"))


def _with_content(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message without invalid content, neither a text nor a list of parts, which AgentV does not read."""
    content = message.get("content")
    if isinstance(content, list) and content and all(map(_is_part, content)):
        return {**message, "content": [_text_part(p) if p["type"] == "text" else p for p in content]}
    return message if isinstance(content, str) else {n: value for n, value in message.items() if n != "content"}


def _is_part(part: object) -> bool:
    return isinstance(part, dict) and part.get("type") in _PARTS


def _text_part(part: Mapping[str, Any]) -> Mapping[str, Any]:
    text = part.get("text")
    return {"type": "text", "text": text if isinstance(text, str) else ""}


def _lost(messages: Sequence[Mapping[str, Any]], kept: Sequence[Mapping[str, Any]]) -> str:
    """A note for the author about content that AgentV does not read."""
    lost = any(a.get("content") not in (None, []) and "content" not in b for a, b in zip(messages, kept, strict=True))
    return (
        "a message of the target's reply has content that is neither a string nor a list of parts; it is ignored"
        if lost
        else ""
    )


def _misfit(value: object, form: Any, where: str) -> str:
    """Where and how a value violates its form; empty if it does not."""
    if isinstance(form, Mapping):
        return _mapping_misfit(value, form, where)
    if isinstance(form, list):
        if not isinstance(value, list):
            return f"`{where}` is not a list"
        return next((m for at, item in enumerate(value) if (m := _misfit(item, form[0], f"{where}[{at}]"))), "")
    if isinstance(form, tuple):
        return "" if value in form else f"`{where}` is none of {', '.join(form)}"
    fits = isinstance(value, int | float) and not isinstance(value, bool) if form is float else isinstance(value, form)
    return "" if fits else f"`{where}` is not {_WORDS[form]}"


def _mapping_misfit(value: object, form: _Form, where: str) -> str:
    if not isinstance(value, dict):
        return f"`{where}` is not a mapping"
    for name, inner in form.items():
        place = f"{where}.{name}" if where else name
        if name in value:
            misfit = _misfit(value[name], inner, place)
            if misfit:
                return misfit
        elif where and name in _REQUIRED:
            return f"`{place}` is missing"
    return ""


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
