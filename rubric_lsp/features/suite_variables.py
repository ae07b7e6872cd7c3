"""The values of template variables at a place in suites of AgentV."""

from collections.abc import Mapping

from rubric_core.analysis import Analysis, LocalText
from rubric_core.language.model import Case, DefaultTest

__all__ = ["suite_variables"]

#: How many cases are searched for the names that a prompt of the suite can use.
_MOST_CASES = 100


def suite_variables(analysis: Analysis, local: LocalText) -> Mapping[str, object]:
    """The values of the case, before those of every case; around the cases, the first of all names."""
    every: dict[str, object] = {}
    default = analysis.suite.default_test if analysis.suite is not None else None
    if isinstance(default, DefaultTest) and isinstance(default.vars, dict):
        every.update(default.vars)
    for case in (s for s in local.every if isinstance(s, Case)):
        if isinstance(case.vars, dict) and (not local.in_frame or _holds(case, local.offset)):
            every.update(case.vars)
    if local.in_frame and not any(isinstance(s, Case) and _holds(s, local.offset) for s in local.every):
        for entry in analysis.cases[:_MOST_CASES]:
            every = {**entry.case.vars, **every} if isinstance(entry.case.vars, dict) else every
    return every


def _holds(case: Case, offset: int) -> bool:
    return case.node is not None and case.node.whole.covers(offset)
