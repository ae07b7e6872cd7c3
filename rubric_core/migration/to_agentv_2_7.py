"""From agentv-1: suite and case lists add up, a gate without a minimum needs the highest score, arguments are exact."""

from collections.abc import Iterator

from rubric_core.language.evaluators import ToolTrajectory
from rubric_core.language.model import Execution, Suite
from rubric_core.migration.common_steps import MINIMUMS, WAKING, lists_to_the_top, with_variables
from rubric_core.migration.draft import Draft, ShapedMapping
from rubric_core.migration.group_keys import all_or_none
from rubric_core.migration.moves import insert_entry, put
from rubric_core.migration.prompt_variables import VARIABLES_INTO
from rubric_core.migration.step import EditGroup, MigrationNote, MigrationStep
from rubric_core.syntax.tree import Mapping, Sequence

__all__ = ["TO_AGENTV_2_7"]


def _own_lists_only(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    """The suite's list was only for cases without one; now it is added to every case."""
    suite = draft.suite
    if draft.source.properties.appends_suite_evaluators or suite is None or not _lists(suite):
        return
    for case in draft.cases:
        if _lists(case) and not _skips(case):
            yield from _skip(draft, case)


def _lists(holder: ShapedMapping) -> bool:
    """Whether there is a list that the older dialect reads."""
    inner = [site for site in holder.under("execution") if isinstance(site.value("evaluators"), Sequence)]
    own = holder.shape is not Suite and isinstance(holder.value("evaluators"), Sequence)
    return bool(inner) or own


def _skips(case: ShapedMapping) -> bool:
    return any(site.plain("skip_defaults") is True for site in case.under("execution"))


def _skip(draft: Draft, case: ShapedMapping) -> Iterator[EditGroup | MigrationNote]:
    execution = case.own("execution")
    name = draft.target.spelled(Execution, "skip_defaults") or "skip_defaults"
    if execution is not None and isinstance(execution.value, Mapping):
        change = all_or_none([insert_entry(draft, execution.value, name, "true")])
    elif case.entry("execution") is None:
        inline = f"execution: {{{name}: true}}" if case.node.flow else f"execution:{draft.newline}  {name}: true"
        change = all_or_none([put(draft, case.node, inline + draft.newline)])
    else:
        change = None
    yield change or MigrationNote(
        case.node.span.start,
        f"the list of the suite is added to that of this case now: it needs `execution: {{{name}: true}}`",
    )


def _arguments(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    """Expected calls that do not set how arguments are compared: set it."""
    old, new = draft.source.properties.trajectory_args, draft.target.properties.trajectory_args
    if old == new:
        return
    for site in draft.of(ToolTrajectory):
        calls = [call for call in site.under("expected") if isinstance(call.value("args"), Mapping)]
        entry = site.own("expected")
        if entry is not None and site.entry("args_match") is None and any(c.entry("args_match") is None for c in calls):
            change = all_or_none([insert_entry(draft, site.node, "args_match", old, entry)])
            yield change or MigrationNote(entry.key.span.start, f"arguments were compared as `args_match: {old}`")


TO_AGENTV_2_7 = (
    WAKING,
    MigrationStep("Keep the suite's evaluators away from cases that have their own", _own_lists_only, before_all=True),
    MINIMUMS,
    MigrationStep("Say how the arguments of expected calls are compared", _arguments, before_all=True),
    MigrationStep("Write lists of evaluators as `assert`", lists_to_the_top),
    MigrationStep("Rename the variables of judge prompts", with_variables(VARIABLES_INTO["agentv-2.7"])),
)
