"""The cases of configurations of promptfoo, as the family's part for loading asks for them: of files, and of texts open in an editor."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from rubric_core.analysis import Analysis
from rubric_core.dataclass_copies import replace_fields
from rubric_core.disk import DiskFiles
from rubric_core.evaluation.cases.family_cases import FamilyCases
from rubric_core.evaluation.cases.loaded_suite import GeneratedCases, LoadedSuite
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.model.executed_code import ExecutedCode
from rubric_core.evaluation.model.file_addresses import file_addresses
from rubric_core.families.promptfoo.cases.case_files import inline_part
from rubric_core.families.promptfoo.cases.case_inheritance import default_test, listed_test
from rubric_core.families.promptfoo.cases.configuration import ConfigurationError, PromptfooConfiguration
from rubric_core.families.promptfoo.cases.executed_code import executed_code
from rubric_core.families.promptfoo.cases.history import STORED, has_conversation
from rubric_core.families.promptfoo.cases.load import CaseMaker, promptfoo_cases
from rubric_core.families.promptfoo.cases.prompts import prompts_of
from rubric_core.families.promptfoo.cases.providers import providers_of
from rubric_core.families.promptfoo.cases.run_environment import (
    MissingEnvironmentFileError,
    RunEnvironment,
    further_environment_files,
    read_environment_files,
    run_environment,
)
from rubric_core.families.promptfoo.cases.runnable import PromptfooRunnable
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.families.promptfoo.language.file_kinds import PromptfooFile
from rubric_core.families.promptfoo.model.assertion import PromptfooAssertion
from rubric_core.lazy_compilation import replace
from rubric_core.ports import Files, Ports
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.syntax.tree import Node
from rubric_core.text import Span
from rubric_core.validation.entry_lists import CaseEntry

__all__ = ["CASES", "promptfoo_entries"]


def promptfoo_entries(
    path: Path, analysis: Analysis, entries: Sequence[CaseEntry], *, marks_only: bool = False
) -> list[PromptfooRunnable]:
    """The cases of some entries of an analysed configuration, as a run would load them, without their problems.

    With `marks_only`, for showing results: without prompts and providers, so that no file of theirs is read.
    """
    if not marks_only:
        return list(_Frame(path, analysis, DiskFiles(), has_rows=True).cases(entries))
    known = analysis.kept_by_runs
    if not isinstance(known, _Frame):
        known = analysis.kept_by_runs = _Frame(path, analysis, DiskFiles(), has_rows=False)
    return list(known.cases(entries))


class _Frame:
    """The text around the cases, read once for several of them."""

    def __init__(self, path: Path, analysis: Analysis, files: Files, *, has_rows: bool) -> None:
        self._analysis = analysis
        self._text = analysis.frame.block.text
        tree = analysis.states[analysis.frame.block].tree
        root = tree.root if isinstance(tree.root, MappingNode) else _empty_mapping()
        settings = analysis.settings if not has_rows else None
        known = settings.kept_by_runs if isinstance(settings, Configuration) else None
        data = known[0] if isinstance(known, tuple) else plain(root, tree.anchors)
        data = data if isinstance(data, dict) else {}
        options, environment = Options(), RunEnvironment()
        with suppress(MissingEnvironmentFileError):  # which a run reports
            if has_rows:
                environment = run_environment(options.environment, data, path.absolute().parent, None, files)
        self._configuration = PromptfooConfiguration(
            path, self._text, root, tree.anchors, data, self._line_of, files, environment=environment
        )
        self._default: tuple[Mapping[str, Any], Node, tuple[Path, ...]] = ({}, root, ())
        self._shared: dict[int, PromptfooAssertion] | None = None
        prompts, providers, shared = [], [], tuple[Path, ...]()
        try:
            if has_rows:
                prompts, providers = prompts_of(self._configuration), providers_of(self._configuration)
                shared = tuple(self._configuration.files_read)
            self._default = known[1] if isinstance(known, tuple) else default_test(self._configuration)
        except ConfigurationError:
            pass  # a run reports the error; without a valid configuration, neither loads anything
        if isinstance(settings, Configuration):
            self._shared = known[2] if isinstance(known, tuple) else {}
            settings.kept_by_runs = data, self._default, self._shared
        self._maker = CaseMaker(analysis, self._configuration, prompts, providers, options, shared)
        #: Whether what comes of a case depends on earlier ones, which only loading all of them tells.
        self._is_serial = has_rows and (has_conversation(prompts) or STORED in analysis.document.text)

    def _line_of(self, offset: int) -> int:
        analysis = self._analysis
        return analysis.document.line_of(analysis.span_of(None, Span(offset, offset)).start) + 1

    def cases(self, entries: Sequence[CaseEntry]) -> Iterator[PromptfooRunnable]:
        """The cases, without entries that are not mappings."""
        analysis = self._analysis

        def line_at(offset: int) -> int:
            return analysis.document.line_of(offset) + 1

        for entry in entries:
            node = entry.case.node
            if not isinstance(node, MappingNode):
                continue
            anchors = analysis.anchors(entry.block)
            configuration = replace(self._configuration, anchors=anchors)
            part = inline_part(plain(node, anchors), node, configuration)
            test = listed_test(part, self._default[:2], configuration, 0)
            test = replace_fields(test, files=(*test.files, *self._default[2]))
            text = self._text if entry.block < 0 else analysis.document.blocks[entry.block].text
            yield self._maker.case(
                test, entry.name, (), case=entry.case, anchors=anchors, text=text, line_at=line_at,
                case_span=_outer(analysis, entry), suite_span=_outer(analysis, None),
                shared_assertions=self._shared, is_serial=self._is_serial,
            )  # fmt: skip


def _outer(analysis: Analysis, entry: CaseEntry | None) -> Callable[[Span], Span]:
    return lambda span: analysis.span_of(entry, span)


def _empty_mapping() -> MappingNode:
    return MappingNode(Span(0, 0), Span(0, 0), None, None, flow=True)


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
