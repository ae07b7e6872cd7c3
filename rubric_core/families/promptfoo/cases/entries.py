"""Cases of a promptfoo configuration that is open in an editor: only the requested ones, from the blocks of its text."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from rubric_core.analysis import Analysis
from rubric_core.dataclass_copies import replace_fields
from rubric_core.disk import DiskFiles
from rubric_core.evaluation.cases.options import Options
from rubric_core.families.promptfoo.cases.configuration import ConfigurationError, PromptfooConfiguration
from rubric_core.families.promptfoo.cases.load import CaseMaker
from rubric_core.families.promptfoo.cases.prompts import prompts_of
from rubric_core.families.promptfoo.cases.providers import providers_of
from rubric_core.families.promptfoo.cases.run_environment import (
    MissingEnvironmentFileError,
    RunEnvironment,
    run_environment,
)
from rubric_core.families.promptfoo.cases.runnable import PromptfooRunnable
from rubric_core.families.promptfoo.cases.serial import STORED, has_conversation
from rubric_core.families.promptfoo.cases.test_files import inline_part
from rubric_core.families.promptfoo.cases.tests import default_test, listed_test
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.families.promptfoo.model.assertion import PromptfooAssertion
from rubric_core.lazy_compilation import replace
from rubric_core.ports import Files
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.syntax.tree import Node
from rubric_core.text import Span
from rubric_core.validation.entry_lists import CaseEntry

__all__ = ["promptfoo_entries"]


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
