"""The steps of an answer, as agentv counts them: the events of its trace by kind, and which of them an evaluator means."""

import json
import re
from collections.abc import Mapping
from functools import cmp_to_key
from typing import Any, Literal

from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.trace import Trace, moment, trace_of
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.language.evaluators import StepCount
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import dataclass

__all__ = [
    "ToolPattern",
    "ToolStep",
    "bounds",
    "glob",
    "recorded_trace",
    "steps_of",
    "tool_pattern",
    "tools_of",
    "wanted_tool",
]

Kind = Literal["command", "message", "reasoning", "search", "span", "tool"]

#: Tools whose calls are commands, where the command is among their arguments.
_SHELLS = frozenset(("exec_command", "local_shell", "shell"))
_COMMAND_KEYS = ("cmd", "command", "commands")


@dataclass(frozen=True, slots=True)
class ToolStep:
    """One event."""

    kind: Kind
    #: What it may be called: the name of a tool; a command, its tool and its program; `message` or `final_response`.
    names: tuple[str, ...]
    #: The arguments of a call; None without any.
    args: Any = None

    def named(self, pattern: re.Pattern[str]) -> bool:
        """Whether a name matches one of its names."""
        return any(pattern.match(name) for name in self.names)


def recorded_trace(context: EvaluationContext, at: Shape) -> Trace:
    """The trace of an answer. Raises Unscored when the target does not report its tool calls."""
    answer = context.answer
    if answer is None or (answer.tool_uses is None and answer.messages is None):
        raise Unscored("the target does not report its tool calls", at=at)
    return trace_of(context)


def steps_of(context: EvaluationContext, at: Shape) -> list[ToolStep]:
    """Every step, in order: messages, calls and their results, the final response. Raises Unscored, as `recorded` does."""
    events = sorted(recorded_trace(context, at).events, key=cmp_to_key(_order))
    return [_step(event) for event in events]


def tools_of(context: EvaluationContext, at: Shape) -> list[ToolStep]:
    """The calls of tools that are no commands. Raises Unscored, as `recorded` does."""
    return [step for step in steps_of(context, at) if step.kind == "tool"]


def _order(one: Mapping[str, Any], other: Mapping[str, Any]) -> int:
    """By time where both have one, else by place."""
    began, later = moment(one.get("timestamp")), moment(other.get("timestamp"))
    if began is not None and later is not None and began != later:
        return -1 if began < later else 1
    return int(one["ordinal"] - other["ordinal"])


def _step(event: Mapping[str, Any]) -> ToolStep:
    if event["type"] == "tool_call":
        return _call(event["tool"])
    message = event.get("message", {})
    if event["type"] not in ("message", "final_response"):
        return ToolStep("span", (str(message.get("name") or event["type"]), "span"))
    metadata = message.get("metadata")
    reasons = isinstance(metadata, Mapping) and metadata.get("codex.item.type") == "reasoning"
    kind: Kind = "reasoning" if reasons else "message"
    return ToolStep(kind, (str(message.get("name") or event["type"]), kind))


def _call(tool: Mapping[str, Any]) -> ToolStep:
    name, args = str(tool["name"]), _structured(tool.get("input"))
    command = _command(args) if name.lower() in _SHELLS else ""
    if command:
        return ToolStep("command", (command, name, command.split()[0]), args)
    return ToolStep("tool", (name,), args)


def _structured(value: Any) -> Any:
    """Arguments in a JSON text, parsed; an empty text has none."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value.strip() or None


def _command(args: Any) -> str:
    written = next((args[n] for n in _COMMAND_KEYS if args.get(n) is not None), None) if isinstance(args, Mapping) else None  # fmt: skip
    if isinstance(written, list):
        words = [str(part).strip() for part in written]
        written = ("; " if written is args.get("commands") else " ").join(word for word in words if word)
    return written.strip() if isinstance(written, str) else ""


@dataclass(frozen=True, slots=True)
class ToolPattern:
    """A pattern for steps: by name with `*` and `?`, and by count."""

    #: Empty for every name.
    name: str = ""
    least: int | None = None
    most: int | None = None
    #: Of which kinds they are; empty for every kind.
    kinds: tuple[str, ...] = ()

    def fits(self, step: ToolStep) -> bool:
        """Whether a step is such a one."""
        return (not self.kinds or step.kind in self.kinds) and (not self.name or step.named(glob(self.name)))

    def count_holds(self, count: int) -> bool:
        """Whether `count` steps are enough and not too many."""
        return (self.least is None or count >= self.least) and (self.most is None or count <= self.most)

    @property
    def words(self) -> str:
        """The count, in words."""
        limits = ((self.least, "at least"), (self.most, "at most"))
        return ", ".join(f"{words} {limit}" for limit, words in limits if limit is not None)


def glob(pattern: str) -> re.Pattern[str]:
    """A case-insensitive pattern with `*` and `?`."""
    first, *rest = ("".join("." if c == "?" else re.escape(c) for c in part) for part in pattern.split("*"))
    if not rest:
        return re.compile(rf"{first}\Z", re.IGNORECASE)
    # The text before another `*` is matched at its first place: no later place does better, and trying all may never
    # end.
    middle = "".join(f"(?=(?P<part_{n}>.*?{part}))(?P=part_{n})" for n, part in enumerate(rest[:-1]) if part)
    return re.compile(rf"{first}{middle}.*{rest[-1]}\Z", re.IGNORECASE)


def wanted_tool(value: Any, at: Shape) -> ToolPattern:
    """The pattern of a name or mapping; by default at least one call. Raises Unscored."""
    if isinstance(value, str) and value:
        return ToolPattern(value, 1)
    if not isinstance(value, Mapping):
        raise Unscored("`value` needs a name, or a mapping with `name` or `pattern`", at=at)
    found = tool_pattern(value, at, least=1)
    if not found.name:
        raise Unscored("`value` needs a `name` or a `pattern`", at=at)
    if found.kinds and "tool" not in found.kinds:
        raise Unscored(f"`type: {found.kinds[0]}` never matches here: agentv looks only at steps of type tool", at=at)
    return found


def tool_pattern(value: Mapping[str, Any], at: Shape, *, least: int | None = None) -> ToolPattern:
    """The pattern of a mapping. Raises Unscored for an impossible one."""
    name = value.get("pattern") or value.get("name") or ""
    if not isinstance(name, str):
        raise Unscored("a `name` or a `pattern` must be a string", at=at)
    fewest, most = bounds(value, at, least=least)
    written = value.get("type") or []
    kinds = tuple(map(str, written if isinstance(written, list) else [written]))
    unknown = next((kind for kind in kinds if kind not in StepCount.step_types), None)
    if unknown is not None:
        raise Unscored(f"`{unknown}` is not a type of step; there are {', '.join(StepCount.step_types)}", at=at)
    return ToolPattern(name, fewest, most, kinds)


def bounds(value: Mapping[str, Any], at: Shape, *, least: int | None) -> tuple[int | None, int | None]:
    """`min` and `max` of a mapping, `least` without `min`. Raises Unscored for bounds that nothing can keep."""
    written, most = _whole(value, "min", at), _whole(value, "max", at)
    fewest = least if written is None else written
    if most is not None and fewest is not None and most < fewest:
        hint = "" if written is not None else f", which defaults to {fewest}: write `min: 0`"
        raise Unscored(f"`max: {most}` is less than `min`{hint}", at=at)
    return fewest, most


def _whole(value: Mapping[str, Any], name: str, at: Shape) -> int | None:
    found = value.get(name)
    if found is None:
        return None
    if isinstance(found, bool) or not isinstance(found, int) or found < 0:
        raise Unscored(f"`{name}` has to be a whole number of at least 0, found {found!r}", at=at)
    return found
