"""The cases of a text that is open in an editor, of AgentV or of promptfoo."""

from collections.abc import Sequence
from pathlib import Path

from rubric_core.analysis import Analysis
from rubric_core.evaluation.cases.promptfoo.entries import promptfoo_entries
from rubric_core.evaluation.cases.runnable import Runnable, runnables
from rubric_core.language.file_kinds import FileKind
from rubric_core.validation.entry_lists import CaseEntry

__all__ = ["placed_cases"]


def placed_cases(
    path: Path, analysis: Analysis, entries: Sequence[CaseEntry], *, marks_only: bool = False
) -> Sequence[Runnable]:
    """The cases of some entries; with `marks_only`, only what is needed to show results."""
    if analysis.kind is FileKind.PROMPTFOO:
        return promptfoo_entries(path, analysis, entries, marks_only=marks_only)
    return runnables(path, analysis, entries=entries)
