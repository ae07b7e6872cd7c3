"""The cases of a text that is open in an editor."""

from collections.abc import Sequence
from pathlib import Path

from rubric_core.analysis import Analysis
from rubric_core.evaluation.cases.family_cases import cases_of
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.validation.entry_lists import CaseEntry

__all__ = ["placed_cases"]


def placed_cases(
    path: Path, analysis: Analysis, entries: Sequence[CaseEntry], *, marks_only: bool = False
) -> Sequence[Runnable]:
    """The cases of some entries; with `marks_only`, only what is needed to show results."""
    return cases_of(analysis.dialect).entries(path, analysis, entries, marks_only=marks_only)
