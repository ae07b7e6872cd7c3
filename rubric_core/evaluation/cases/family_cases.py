"""What a family of eval files says about its cases: how they are made of a text, and what they read and execute."""

# ruff: noqa: ARG002  # defaults need less than what overrides them

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

from rubric_core.analysis import Analysis
from rubric_core.evaluation.cases.loaded_suite import GeneratedCases, LoadedSuite
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.cases.runnable import Runnable, runnables
from rubric_core.evaluation.model.executed_code import ExecutedCode
from rubric_core.family import part_of
from rubric_core.language.dialect import Dialect
from rubric_core.ports import Files, Ports
from rubric_core.validation.entry_lists import CaseEntry

__all__ = ["FamilyCases", "cases_of"]

C = TypeVar("C", bound=Runnable)


class FamilyCases(Generic[C]):
    """The cases of a family. The defaults are those of AgentV, whose model the cases of other families are put into."""

    def suite(
        self, path: Path, analysis: Analysis, files: Files, options: Options, generated: Mapping[str, GeneratedCases]
    ) -> LoadedSuite | None:
        """The suite of an analysed file that the family loads in its own way; None for any other file."""
        return None

    def entries(
        self, path: Path, analysis: Analysis, entries: Sequence[CaseEntry], *, marks_only: bool
    ) -> Sequence[Runnable]:
        """The cases of some entries of a text that is open in an editor; with `marks_only`, only what shows results."""
        return runnables(path, analysis, entries=entries)

    async def generated(self, program: str, suite: LoadedSuite, ports: Ports) -> GeneratedCases:
        """The cases that a program of a suite makes, by its entry verbatim."""
        from rubric_core.evaluation.cases.case_programs import made_cases  # noqa: PLC0415  # few suites have programs that make cases

        return await made_cases(program, suite, ports)

    def files(self, case: C) -> Iterable[Path]:
        """The files that may exist on which results depend, besides those that its messages, targets and evaluators name."""
        return ()

    def addresses(self, case: C) -> Iterable[str]:
        """The `file://` addresses in its values that no text of the suite spells."""
        return ()

    def code(self, case: C) -> Iterable[ExecutedCode]:
        """What it executes, besides evaluators and targets that are entries of the suite."""
        return ()

    def environment_files(self, case: C) -> Iterable[Path]:
        """The files with environment variables that its run reads, also those of the folder in which it begins."""
        return ()


def cases_of(dialect: Dialect) -> FamilyCases[Any]:
    """What the family of a dialect says about its cases."""
    part = part_of(dialect.properties.engine, "cases")
    found: FamilyCases[Any] = FamilyCases() if part is None else part.CASES
    return found
