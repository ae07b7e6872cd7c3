"""The part `cases`: drills are run as cases of AgentV's model, at the lines of their own file."""

# ruff: noqa: ARG002  # this family needs less than a part gets

from collections.abc import Mapping, Sequence
from pathlib import Path

from rubric_core.analysis import Analysis
from rubric_core.evaluation.cases.family_cases import FamilyCases
from rubric_core.evaluation.cases.loaded_suite import GeneratedCases, LoadedSuite
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.cases.runnable import Runnable, runnables
from rubric_core.evaluation.cases.translated_suite import translated_suite
from rubric_core.language.model import Suite
from rubric_core.ports import Files
from rubric_core.text import Span
from rubric_core.validation.entry_lists import CaseEntry

__all__ = ["CASES"]


class _DrillCases(FamilyCases[Runnable]):
    def suite(
        self, path: Path, analysis: Analysis, files: Files, options: Options, generated: Mapping[str, GeneratedCases]
    ) -> LoadedSuite | None:
        return translated_suite(path, analysis, Suite(Span(0, 0)), options, files)

    def entries(
        self, path: Path, analysis: Analysis, entries: Sequence[CaseEntry], *, marks_only: bool
    ) -> Sequence[Runnable]:
        return runnables(path, analysis, entries=entries, translated=Suite(Span(0, 0)))


CASES = _DrillCases()
