"""trajectory-setting: a tool trajectory without what its mode compares."""

from collections.abc import Iterator

from rubric_core.language.evaluators import ToolTrajectory
from rubric_core.syntax.edit import add_entry
from rubric_core.syntax.tree import Mapping
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["TRAJECTORY_SETTING"]


@rule("trajectory-setting", "error", "A tool trajectory without what its mode compares")
def TRAJECTORY_SETTING(check: ToolTrajectory, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """`any_order` counts by `minimums`; every other mode compares with `expected`."""
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
