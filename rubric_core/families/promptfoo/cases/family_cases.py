"""The cases of configurations of promptfoo, as the family's part for loading asks for them."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from rubric_core.analysis import Analysis
from rubric_core.evaluation.cases.family_cases import FamilyCases
from rubric_core.evaluation.cases.loaded_suite import GeneratedCases, LoadedSuite
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.model.executed_code import ExecutedCode
from rubric_core.evaluation.model.file_addresses import file_addresses
from rubric_core.families.promptfoo.cases.entries import promptfoo_entries
from rubric_core.families.promptfoo.cases.executed_code import executed_code
from rubric_core.families.promptfoo.cases.load import promptfoo_cases
from rubric_core.families.promptfoo.cases.run_environment import further_environment_files, read_environment_files
from rubric_core.families.promptfoo.cases.runnable import PromptfooRunnable
from rubric_core.families.promptfoo.language.file_kinds import PromptfooFile
from rubric_core.ports import Files, Ports
from rubric_core.validation.entry_lists import CaseEntry

__all__ = ["CASES"]


class _PromptfooCases(FamilyCases[PromptfooRunnable]):
    """Its tests, each of which is multiplied when it is run."""

    def suite(
        self, path: Path, analysis: Analysis, files: Files, options: Options, generated: Mapping[str, GeneratedCases]
    ) -> LoadedSuite | None:
        """See `FamilyCases.suite`."""
        if analysis.kind is not PromptfooFile.CONFIGURATION:
            return None
        tests = promptfoo_cases(analysis, path, files, options, generated)
        keys = tuple(each.key for each in tests[0].matrix.configuration.programs) if tests else ()
        left_out = frozenset(each.id for each in tests if not each.is_chosen)
        return LoadedSuite(path, analysis, tests, {}, generated, keys, left_out)

    def entries(
        self, path: Path, analysis: Analysis, entries: Sequence[CaseEntry], *, marks_only: bool
    ) -> Sequence[Runnable]:
        """See `FamilyCases.entries`."""
        if analysis.kind is not PromptfooFile.CONFIGURATION:
            return super().entries(path, analysis, entries, marks_only=marks_only)
        return promptfoo_entries(path, analysis, entries, marks_only=marks_only)

    async def generated(self, program: str, suite: LoadedSuite, ports: Ports) -> GeneratedCases:
        """See `FamilyCases.generated`."""
        from rubric_core.families.promptfoo.cases.made_tests import made_tests  # noqa: PLC0415  # few configurations have programs that make tests

        return await made_tests(program, suite, ports)

    def files(self, case: PromptfooRunnable) -> Iterable[Path]:
        """See `FamilyCases.files`: those of its prompts and providers, and those with variables.

        A `.env` is none: like the variables of the user it belongs to the place in which a run begins.
        """
        configuration = case.matrix.configuration
        return (*case.matrix.files, *further_environment_files(configuration.data, configuration.directory))

    def addresses(self, case: PromptfooRunnable) -> Iterable[str]:
        """See `FamilyCases.addresses`: rows of tables, too, have values of which no node is written so."""
        known = case.matrix.addresses_of_tests.get(case.test)
        if known is None:
            known = case.matrix.addresses_of_tests.keep(case.test, file_addresses(case.test.part("vars")))
        return known

    def code(self, case: PromptfooRunnable) -> Iterable[ExecutedCode]:
        """See `FamilyCases.code`."""
        return executed_code(case, makes_tests=False)

    def environment_files(self, case: PromptfooRunnable) -> Iterable[Path]:
        """See `FamilyCases.environment_files`."""
        configuration, folder = case.matrix.configuration, case.options.working_directory
        return read_environment_files(configuration.data, configuration.directory, folder, case.files)


CASES = _PromptfooCases()
