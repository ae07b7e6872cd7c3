"""trajectory-setting: a check of what an agent did, without what it compares."""

import math
from collections.abc import Iterator

from rubric_core.language.evaluators import (
    GoalSuccess,
    SkillNotUsed,
    SkillUsed,
    StepCount,
    ToolArgsMatch,
    ToolSequence,
    ToolTrajectory,
    ToolUsed,
)
from rubric_core.syntax.edit import add_entry
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.fixes import add_key_fix, remove_key_fix, replace_with_words
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.wording import closest, names

__all__ = ["TRAJECTORY_SETTING"]

_Check = ToolTrajectory | SkillUsed | ToolUsed | ToolArgsMatch | ToolSequence | StepCount | GoalSuccess

#: What `value` needs one of, group by group, where it is a mapping.
_NEEDED: tuple[tuple[type[_Check], tuple[tuple[str, ...], ...]], ...] = (
    (SkillUsed, (("name", "pattern"),)),
    (ToolUsed, (("name", "pattern"),)),
    (ToolArgsMatch, (("name", "pattern"), ("args", "arguments"))),
    (ToolSequence, (("steps",),)),
    (StepCount, (("min", "max"),)),
    (GoalSuccess, (("goal",),)),
)


@rule("trajectory-setting", "error", "A check of tool calls or steps with nothing to compare", awaits="entry")
def TRAJECTORY_SETTING(check: _Check, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """`any_order` counts by `minimums`; every other mode compares with `expected`; later types have it all in `value`."""
    if isinstance(check, ToolTrajectory):
        if check.mode is not None:
            yield from _in_trajectory(check, check.mode, context)
        return
    place = check.places.get("value")
    if place is None:
        return
    if isinstance(check, SkillUsed) and not place.borrowed:
        yield from _literal_patterns(place.node)
    if isinstance(place.node, Mapping):
        for span, words, fixes in _in_value(check, place.node, context):
            yield Finding(
                place.value if place.borrowed else span,
                words,
                fixes=() if place.borrowed else fixes,
                consequence="this evaluator fails with an error when it runs",
            )


def _literal_patterns(value: Node) -> Iterator[Finding]:
    """Names of skills that are written as patterns: agentv compares them as they are, and finds none."""
    for node in value.items if isinstance(value, Sequence) else (value,):
        if isinstance(node, Scalar) and isinstance(node.value, str) and {"*", "?"} & set(node.text) and "{{" not in node.text:  # fmt: skip
            written = f'{{pattern: "{node.text}"}}'
            fits = node is value and not {'"', "\\", "\n"} & set(node.text)
            yield Finding(
                node.span,
                f"no skill is named `{node.text}`: `*` and `?` are wildcards only in a `pattern`",
                fixes=(Fix(f"change it to `{written}`", (Edit(node.span, written),), safe=False),) if fits else (),
                severity="warning",
                consequence="agentv compares the name as it is written",
            )


def _in_trajectory(check: ToolTrajectory, mode: str, context: Context) -> Iterator[Finding]:
    needed, other = ("minimums", "expected") if mode == "any_order" else ("expected", "minimums")
    if not check.has(needed):
        mended: tuple[Fix, ...] = ()
        if isinstance(check.node, Mapping) and not check.borrowed:
            edit = add_entry(
                context.text, check.node, needed, "{search: 1}" if needed == "minimums" else "[{tool: search}]"
            )
            mended = (Fix(f"add `{needed}`", (edit,), safe=False),) if edit else ()
        yield Finding(
            check.at("mode"),
            f"the mode {mode} needs `{needed}`",
            fixes=mended,
            consequence="agentv skips this evaluator and only logs it",
        )
    elif check.has(other):
        yield Finding(
            check.key_at(other),
            f"the mode {mode} does not read `{other}`",
            fixes=() if check.places[other].borrowed else remove_key_fix(check.node, check.places[other].name, context),
            severity="warning",
            tags=("unnecessary",),
        )
    place = check.places.get("expected")
    empty = place is not None and not (isinstance(place.node, Sequence) and place.node.items)
    if needed == "expected" and check.expected == [] and mode != "subset" and place is not None and empty:
        fixes = (
            () if place.borrowed else (Fix("expect a call: …", (Edit(place.value, "[{tool: search}]"),), safe=False),)
        )
        yield Finding(
            check.at("expected"), "no call is expected, so every answer passes", fixes=fixes, severity="warning"
        )


#: A place in a value, what is wrong there, and how it can be fixed.
_Wrong = tuple[Span, str, tuple[Fix, ...]]
_EXAMPLES = {
    "name": "search",
    "pattern": "'search*'",
    "args": "{q: tides}",
    "goal": "The order is cancelled",
    "steps": "[search]",
    "min": "1",
    "max": "10",
}


def _in_value(check: _Check, value: Mapping, context: Context) -> Iterator[_Wrong]:
    written = {entry.name: entry.value for entry in value.entries if entry.name}
    if "<<" in written:
        return
    for groups in (g for shape, g in _NEEDED if isinstance(check, shape)):
        for group in groups:
            if not any(name in written for name in group):
                fixes = add_key_fix(value, group[0], _EXAMPLES[group[0]], context)
                yield value.span, f"`value` needs {names(group, 'or')} here", fixes
    if isinstance(check, ToolArgsMatch | ToolSequence):
        yield from _word(written.get("mode"), "mode", check.modes)
    if isinstance(check, StepCount):
        yield from _word(written.get("type"), "type", check.step_types)
    if isinstance(check, ToolUsed | ToolArgsMatch):
        yield from _word(written.get("type"), "type", ("tool",))
    if isinstance(check, SkillNotUsed):
        yield from _needless_bounds(value, written, context)
    limits = {name: node for name in ("min", "max") if isinstance(node := written.get(name), Scalar)}
    for name, node in limits.items():
        if isinstance(node.value, bool | float) or (isinstance(node.value, int) and node.value < 0):
            yield node.span, f"`{name}` is {node.text}; it should be a whole number of at least 0", _whole(node)
    low, high = limits.get("min"), limits.get("max")
    if low is None or high is None or type(low.value) is not int or type(high.value) is not int:
        return
    if 0 <= high.value < low.value:
        swap = Fix("swap the two", (Edit(low.span, high.text), Edit(high.span, low.text)), safe=False)
        yield high.span, f"`max` is {high.value}, below `min`, which is {low.value}", (swap,)


def _needless_bounds(value: Mapping, written: dict[str, Node], context: Context) -> Iterator[_Wrong]:
    """Bounds of a use that is not allowed at all."""
    for name in ("min", "max"):
        node = written.get(name)
        if isinstance(node, Scalar) and not (name == "max" and node.value == 0):
            words = f"`not-skill-used` does not accept `{name}`: it allows no use at all"
            yield node.span, words, remove_key_fix(value, name, context)


def _whole(node: Scalar) -> tuple[Fix, ...]:
    if isinstance(node.value, bool) or not isinstance(node.value, int | float) or not math.isfinite(node.value):
        return ()
    whole = str(abs(round(node.value)))
    return (Fix(f"write {whole}", (Edit(node.span, whole),), safe=False),)


def _word(node: Node | None, name: str, possible: tuple[str, ...]) -> Iterator[_Wrong]:
    if isinstance(node, Scalar) and "{{" not in node.text and node.text not in possible:
        meant = closest(node.text, possible)
        fixes = replace_with_words(node.span, [meant], safe=True) if meant else replace_with_words(node.span, possible)
        yield node.span, f"`{name}` cannot be `{node.text}`; it should be one of {', '.join(possible)}", fixes
