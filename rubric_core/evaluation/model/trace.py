"""The record of an answer, as AgentV's releases keep it: messages, calls of tools, times, and the events that these make."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

from rubric_core.cached_properties import cached_property
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.lazy_compilation import dataclass
from rubric_core.ports import Answer, AnswerFile, ChatMessage, ToolUse

__all__ = ["Trace", "conversation", "iso_time", "moment", "trace_of"]

Data = Mapping[str, Any]


@dataclass(frozen=True)
class Trace:
    """The request and the reply, message by message."""

    #: The question as the target got it.
    asked: Sequence[ChatMessage]
    answer: Answer
    #: The graded answer, which the last event contains.
    candidate: str

    @cached_property
    def reply(self) -> list[dict[str, Any]]:
        """The messages of the target."""
        told = self.answer.messages
        return [_derived(self.answer)] if told is None else [dict(message) for message in told]

    @cached_property
    def messages(self) -> list[dict[str, Any]]:
        """Question and reply; only the reply if it contains the question."""
        if any(m["role"] in ("user", "system") for m in self.reply):
            return self.reply
        return [*conversation(self.asked), *self.reply]

    @property
    def calls(self) -> list[Data]:
        """The calls of tools in the reply."""
        return [call for message in self.reply for call in message.get("tool_calls", ())]

    @property
    def llm_calls(self) -> int:
        """The number of model calls: one per message of the model, unless the target reports it."""
        if self.answer.messages is None and self.answer.llm_calls is not None:
            return self.answer.llm_calls
        return sum(m["role"] == "assistant" for m in self.reply)

    @property
    def call_counts(self) -> dict[str, int]:
        """The number of calls of each tool."""
        return dict(Counter(str(call["tool"]) for call in self.calls))

    @property
    def durations(self) -> dict[str, list[float]] | None:
        """The milliseconds of the calls of each tool; None when none is known."""
        known: dict[str, list[float]] = {}
        for call in self.calls:
            took = _duration(call)
            if took is not None:
                known.setdefault(str(call["tool"]), []).append(took)
        return known or None

    @property
    def start_time(self) -> str | None:
        """When the target began, if it reports that."""
        return self.answer.start_time or min(self._times("start_time"), default=None)

    @property
    def end_time(self) -> str | None:
        """When the target ended, if it reports that."""
        return self.answer.end_time or max(self._times("end_time"), default=None)

    def _times(self, name: str) -> list[str]:
        parts = (part for message in self.reply for part in (message, *message.get("tool_calls", ())))
        return [iso_time(when) for part in parts if (when := moment(part.get(name))) is not None]

    @cached_property
    def events(self) -> list[dict[str, Any]]:
        """Messages, calls, results of calls, and the final response, in order."""
        found = [event for at, message in enumerate(self.messages) for event in _events(at, message)]
        last = next(
            (at for at in reversed(range(len(self.messages))) if self.messages[at]["role"] == "assistant"), None
        )
        if last is not None:
            found.append(self._final(last))
        return [{**event, "ordinal": ordinal} for ordinal, event in enumerate(found)]

    def _final(self, at: int) -> dict[str, Any]:
        message = self.messages[at]
        ended = message.get("end_time") or message.get("start_time") or self.end_time
        return {
            "event_id": "final-response", "parent_event_id": f"message-{at}", "type": "final_response",
            **({"timestamp": ended} if ended else {}),
            "message": {**_spoken(message), "content": self.candidate}, "metadata": {"message_index": at},
        }  # fmt: skip


def trace_of(context: EvaluationContext) -> Trace:
    """The trace of an answer; in requests to a command, paths of files replace their contents."""
    inputs = context.prompt_inputs
    by_path = context.target.kind == "cli" and bool(inputs.path_messages)
    messages = (inputs.path_messages if by_path else inputs.messages) or (ChatMessage("user", inputs.question),)
    return Trace(messages, context.answer or Answer(context.candidate), context.candidate)


def conversation(messages: Sequence[ChatMessage]) -> list[dict[str, Any]]:
    """Messages for a model: one system prompt, and other roles than user and assistant as the assistant."""
    if len(messages) == 1:
        return [{"role": "user", "content": messages[0].content}]
    opening = next((at for at, m in enumerate(messages) if m.role != "system"), len(messages))
    system = "\n\n".join(m.content for m in messages[:opening])
    made = [{"role": "system", "content": system}] if system else []
    return [*made, *(_turn(m) for m in messages[opening:] if m.content)]


def _turn(message: ChatMessage) -> dict[str, Any]:
    if message.role in ("system", "tool"):
        return {"role": "assistant", "content": f"@[{message.role.capitalize()}]:\n{message.content}"}
    return {"role": message.role, "content": message.content}


def _derived(answer: Answer) -> dict[str, Any]:
    """The single message of a target that returns only a text, with its tool calls."""
    calls = [_call(use) for use in answer.tool_uses or ()]
    content = _content(answer.text, answer.files)
    return {"role": "assistant", "content": content, **({"tool_calls": calls} if calls else {})}


def _content(text: str, files: Iterable[AnswerFile]) -> str | list[dict[str, str]]:
    """An answer, as parts when there are files among them."""
    parts = [{"type": "file", "media_type": file.media_type, "path": file.path} for file in files]
    if not parts:
        return text
    return [{"type": "text", "text": text}, *parts] if text else parts


def _call(use: ToolUse) -> dict[str, Any]:
    values = (("tool", use.tool), ("input", use.input), ("output", use.output), ("duration_ms", use.duration_ms))
    return {name: value for name, value in values if value is not None}


def _spoken(message: Data) -> dict[str, Any]:
    return {name: message[name] for name in ("role", "name", "content", "metadata") if name in message}


def _events(at: int, message: Data) -> Iterator[dict[str, Any]]:
    place = {"message_index": at}
    yield {"event_id": f"message-{at}", "type": "message", **_timed(message), "message": _spoken(message), "metadata": place}  # fmt: skip
    for position, call in enumerate(message.get("tool_calls", ())):
        name, there = f"message-{at}-tool-{position}", {**place, "tool_index": position}
        tool = _tool(call)
        yield {"event_id": name, "parent_event_id": f"message-{at}", "type": "tool_call", **_timed(call), "tool": tool, "metadata": there}  # fmt: skip
        if "output" in call:
            result = {key: value for key, value in tool.items() if key != "input"}
            ended = {"timestamp": call["end_time"]} if call.get("end_time") else {}
            yield {"event_id": f"{name}-result", "parent_event_id": name, "type": "tool_result", **ended, "tool": result, "metadata": there}  # fmt: skip


def _tool(call: Data) -> dict[str, Any]:
    values = (
        ("name", call["tool"]),
        ("call_id", call.get("id")),
        ("input", call.get("input")),
        ("output", call.get("output")),
    )
    return {**{name: value for name, value in values if value is not None}, "status": call.get("status", "ok")}


def _timed(part: Data) -> dict[str, Any]:
    names = (("timestamp", "start_time"), ("duration_ms", "duration_ms"))
    return {name: part[key] for name, key in names if part.get(key) is not None}


def _duration(call: Data) -> float | None:
    told = call.get("duration_ms")
    if isinstance(told, int | float) and not isinstance(told, bool):
        return told
    start, end = moment(call.get("start_time")), moment(call.get("end_time"))
    return None if start is None or end is None else (end - start) / timedelta(milliseconds=1)


def moment(text: object) -> datetime | None:
    """A time in ISO 8601; None for anything else."""
    try:
        found = datetime.fromisoformat(text.replace("Z", "+00:00")) if isinstance(text, str) else None
    except ValueError:
        return None
    return found if found is None or found.tzinfo is not None else found.replace(tzinfo=timezone.utc)


def iso_time(when: datetime) -> str:
    """A time in ISO 8601, as JavaScript writes it: in UTC, with milliseconds."""
    return when.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
