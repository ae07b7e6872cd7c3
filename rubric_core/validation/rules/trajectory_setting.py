"""trajectory-setting: a check of what an agent did, without what it compares."""

from collections.abc import Iterator

from rubric_core.language.evaluators import (
    SkillUsed,
    StepCount,
    ToolArgsMatch,
    ToolSequence,
    ToolTrajectory,
    ToolUsed,
)
from rubric_core.syntax.edit import add_entry
from rubric_core.syntax.tree import Mapping, Node, Scalar
from rubric_core.text import Span
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.words import names

__all__ = ["TRAJECTORY_SETTING"]

_Check = ToolTrajectory | SkillUsed | ToolUsed | ToolArgsMatch | ToolSequence | StepCount

#: What `value` needs one of, group by group, where it is a mapping.
_NEEDED: tuple[tuple[type[_Check], tuple[tuple[str, ...], ...]], ...] = (
    (SkillUsed, (("name", "pattern"),)),
    (ToolUsed, (("name", "pattern"),)),
    (ToolArgsMatch, (("name", "pattern"), ("args", "arguments"))),
    (ToolSequence, (("steps",),)),
    (StepCount, (("min", "max"),)),
)
_MODES: tuple[tuple[type[_Check], tuple[str, ...]], ...] = (
    (ToolArgsMatch, ("partial", "exact")),
    (ToolSequence, ("in_order", "exact")),
)
_STEPS = ("command", "message", "reasoning", "search", "span", "tool")


@rule("trajectory-setting", "error", "A check of tool calls or steps without what it compares")
def TRAJECTORY_SETTING(check: _Check, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """`any_order` counts by `minimums`; every other mode compares with `expected`; later types have it all in `value`."""
    if not isinstance(check, ToolTrajectory):
        place = check.places.get("value")
        if place is not None and isinstance(place.node, Mapping):
            for span, words in _in_value(check, place.node):
                yield Finding(
                    place.value if place.borrowed else span,
                    words,
                    consequence="this evaluator ends with an error when it runs",
                )
        return
    if check.mode is None:
        return
    needed, other = ("minimums", "expected") if check.mode == "any_order" else ("expected", "minimums")
    if not check.has(needed):
        fixes: tuple[Fix, ...] = ()
        if isinstance(check.node, Mapping) and not check.borrowed:
            edit = add_entry(
                context.text, check.node, needed, "{search: 1}" if needed == "minimums" else "[{tool: search}]"
            )
            fixes = (Fix(f"add `{needed}`", (edit,), safe=False),) if edit else ()
        yield Finding(
            check.at("mode"),
            f"the mode {check.mode} needs `{needed}`",
            fixes=fixes,
            consequence="agentv skips this evaluator with a log line",
        )
    elif check.has(other):
        yield Finding(
            check.key_at(other),
            f"the mode {check.mode} does not read `{other}`",
            severity="warning",
            tags=("unnecessary",),
        )
    if needed == "expected" and check.expected == [] and check.mode != "subset" and check.has("expected"):
        yield Finding(check.at("expected"), "no call is expected, so every answer passes", severity="warning")


def _in_value(check: _Check, value: Mapping) -> Iterator[tuple[Span, str]]:
    written = {entry.name: entry.value for entry in value.entries if entry.name}
    if "<<" in written:
        return
    for groups in (g for shape, g in _NEEDED if isinstance(check, shape)):
        for group in groups:
            if not any(name in written for name in group):
                yield value.span, f"`value` needs {names(group, 'or')} here"
    for modes in (m for shape, m in _MODES if isinstance(check, shape)):
        yield from _word(written.get("mode"), "mode", modes)
    if isinstance(check, StepCount):
        yield from _word(written.get("type"), "type", _STEPS)
    limits = {name: node for name in ("min", "max") if isinstance(node := written.get(name), Scalar)}
    for name, node in limits.items():
        if isinstance(node.value, bool | float) or (isinstance(node.value, int) and node.value < 0):
            yield node.span, f"`{name}` is {node.text}; it should be a whole number of at least 0"
    low, high = (limits[n].value if n in limits else None for n in ("min", "max"))
    if type(low) is int and type(high) is int and 0 <= high < low:
        yield limits["max"].span, f"`max` is {high}, below `min`, which is {low}"


def _word(node: Node | None, name: str, possible: tuple[str, ...]) -> Iterator[tuple[Span, str]]:
    if isinstance(node, Scalar) and "{{" not in node.text and node.text not in possible:
        yield node.span, f"`{name}` cannot be `{node.text}`; it should be one of {', '.join(possible)}"
