"""Cases ready to be run: what the suite says about each, and where its lines are."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias

from rubric_core.analysis import Analysis
from rubric_core.evaluation.context import Evaluator
from rubric_core.evaluation.interpolate import Interpolation
from rubric_core.evaluation.judging.judge import RecordingMode
from rubric_core.language.dialect import Dialect
from rubric_core.language.evaluators import Evaluator as EvaluatorShape
from rubric_core.language.model import Case, Execution, Suite, TargetChoice
from rubric_core.language.shape import Shape, children
from rubric_core.loading.grading import evaluators_of
from rubric_core.loading.lower import Lowering
from rubric_core.syntax.plain import plain
from rubric_core.syntax.tree import Node
from rubric_core.text import Span
from rubric_core.validation.rule import CaseEntry

__all__ = ["KeepWorkspaces", "Options", "Runnable", "for_each_target", "place_words", "problems_by_case", "runnables"]

KeepWorkspaces: TypeAlias = Literal["never", "failed", "all"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a person asks for beyond what the suite says."""

    target: str | None = None
    grader_target: str | None = None
    #: 0..1, in place of every threshold of the suite.
    threshold: float | None = None
    #: A target file in place of the one that would be found.
    targets_file: Path | None = None
    mode: RecordingMode = "auto"
    #: How often each case is run, in place of what the suite says.
    repeat: int | None = None
    #: The number of the only evaluator that grades, from 1.
    evaluator: int | None = None
    #: Seconds that a program of the suite may take to grade.
    time_limit: float = 60.0
    #: Which workspaces stay after the run: none, those of cases that did not pass, or all of them.
    keep_workspaces: KeepWorkspaces = "never"
    #: Evaluators of one's own, by kind.
    evaluators: Mapping[str, Evaluator] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Runnable:
    """A case and everything that a run of it takes from its suite."""

    path: Path
    suite: Suite
    case: Case
    dialect: Dialect
    #: What aliases in the case refer to, and those in the suite.
    anchors: Mapping[str, Node] = field(default_factory=dict)
    suite_anchors: Mapping[str, Node] = field(default_factory=dict)
    #: The texts that the spans of case and suite refer to.
    text: str = ""
    suite_text: str = ""
    #: The dialects that lowering compares with.
    dialects: Sequence[Dialect] = ()
    #: Lead from spans of the case and of the suite to spans of the whole text.
    case_span: Callable[[Span], Span] = lambda span: span
    suite_span: Callable[[Span], Span] = lambda span: span
    #: The line of an offset in the whole text, from 1; that of the suite where the case stands in a file of its own.
    line_at: Callable[[int], int] = lambda _: 1
    suite_line_at: Callable[[int], int] | None = None
    #: The file in which the case stands, when that is not the suite.
    file: Path | None = None
    #: The id of a case that does not say it itself: the name of its directory.
    named: str = ""
    #: Errors in the text that keep the case from being understood, with where they are: "line 3", "cases.yaml:3".
    problems: tuple[tuple[str, str], ...] = ()
    options: Options = field(default_factory=Options)
    #: What the cases of one run share: target file, recordings. Filled on demand.
    shared: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def id(self) -> str:
        """The id of the case, or its place in the file when it has none."""
        return self.case.id or self.named or f"{self.file.name if self.file else 'line'}-{self.line}"

    @property
    def directory(self) -> Path:
        """The directory of the suite."""
        return self.path.absolute().parent

    @property
    def file_name(self) -> str:
        """The file in which the case stands, relative to the directory of the suite; empty when that is the suite."""
        return "" if self.file is None else Path(os.path.relpath(self.file, self.directory)).as_posix()

    @property
    def line(self) -> int:
        """The line on which the case begins, from 1."""
        return self.line_at(self.case_span(self.case.at("id")).start)

    @cached_property
    def evaluators(self) -> tuple[EvaluatorShape, ...]:
        """What grades the case, in order; empty when a judge grades by its criteria."""
        return tuple(evaluators_of(self.suite, self.case, self.dialect))

    @cached_property
    def graders(self) -> tuple[EvaluatorShape, ...]:
        """Those of the evaluators that grade in this run."""
        only = self.options.evaluator
        return self.evaluators if only is None else self.evaluators[only - 1 : only]

    @property
    def evaluator_kind(self) -> str:
        """The one kind that grades when there is no list: what the case says, else the suite, else a judge."""
        written = next((s.evaluator for s in (self.case, self.suite) if s.has("evaluator")), None)
        return written or "llm_judge"

    @cached_property
    def _of_suite(self) -> frozenset[int]:
        return frozenset(id(shape) for shape in children(self.suite))

    def inherits(self, shape: Shape) -> bool:
        """Whether a part of the case is written in the suite, for every case."""
        return id(shape) in self._of_suite

    def span_of(self, shape: Shape, span: Span | None = None) -> Span:
        """Where a part of the case, or of what it inherits, stands in the whole text of its file."""
        outer = self.suite_span if self.inherits(shape) else self.case_span
        return outer(shape.span if span is None else span)

    def blame(self, shape: Shape) -> str:
        """For the end of a sentence: the line of a part of the suite, as in ` (line 12)`, or ` (cases.yaml:12)`."""
        at = self.span_of(shape).start
        if self.file is None or not self.inherits(shape):
            return f" ({place_words(self.file, self.line_at(at))})"
        return f" ({place_words(self.path, (self.suite_line_at or self.line_at)(at))})"

    def filled(self, environment: Mapping[str, str]) -> "Runnable":
        """The same with the references to variables filled in. Raises Unscored for one that is not set."""
        case = self._filled_case(environment)
        suite = self._filled_suite(environment)
        return self if case is self.case and suite is self.suite else replace(self, case=case, suite=suite)

    def _filled_case(self, environment: Mapping[str, str]) -> Case:
        if self.case.node is None:
            return self.case
        variables = plain(self.case.vars, self.anchors) or {}
        filling = Interpolation(
            self.dialect, environment, variables, lambda span: self.line_at(self.case_span(span).start)
        )
        node = filling.node(self.case.node)
        if node is self.case.node:
            return self.case
        return Lowering(self.text, self.dialect, self.dialects, self.anchors).case(node) or self.case

    def _suite_line(self, span: Span) -> int:
        return (self.suite_line_at or self.line_at)(self.suite_span(span).start)

    def _filled_suite(self, environment: Mapping[str, str]) -> Suite:
        if self.suite.node is None:
            return self.suite
        filling = Interpolation(self.dialect, environment, {}, self._suite_line)
        node = filling.node(self.suite.node)
        if node is self.suite.node:
            return self.suite
        return Lowering(self.suite_text, self.dialect, self.dialects, self.suite_anchors).suite(node, "") or self.suite


def place_words(file: Path | None, line: int) -> str:
    """A line for the end of a sentence; with the name of the file where that is not the suite."""
    return f"line {line}" if file is None else f"{file.name}:{line}"


def runnables(
    path: Path, analysis: Analysis, options: Options | None = None, entries: Sequence[CaseEntry] | None = None
) -> list[Runnable]:
    """The cases of an analysed suite in the order of the text, or only those of `entries`.

    A case with errors in its text, or below a suite with errors, can be run and will come out unscored with the first of them.
    """
    suite = analysis.suite
    if suite is None:
        return []
    problems = problems_by_case(analysis)
    shared: dict[str, Any] = {}

    frame_text = analysis.local(0).text

    def line_at(offset: int) -> int:
        return analysis.document.position(offset).line + 1

    def entry_span(entry: CaseEntry | None) -> Callable[[Span], Span]:
        return lambda span: analysis.span_of(entry, span)

    return [
        Runnable(
            path=path, suite=suite, case=entry.case, dialect=analysis.dialect, dialects=analysis.language.dialects,
            anchors=analysis.anchors(entry.block), suite_anchors=analysis.anchors(-1), case_span=entry_span(entry), suite_span=entry_span(None),
            text=frame_text if entry.block < 0 else analysis.document.blocks[entry.block].text, suite_text=frame_text,
            line_at=line_at, problems=tuple(problems[None] + problems.get(entry, [])), options=options or Options(), shared=shared,
        )
        for entry in (analysis.cases if entries is None else entries)
    ]  # fmt: skip


def for_each_target(cases: Sequence[Runnable]) -> list[Runnable]:
    """The cases, once for each of the targets that `execution.targets` of case or suite names."""
    return [each for case in cases for each in _for_its_targets(case)]


def _for_its_targets(case: Runnable) -> list[Runnable]:
    if case.options.target is not None:
        return [case]
    for shape in (case.case, case.suite):
        execution = shape.execution
        written = execution.targets if isinstance(execution, Execution) else None
        names = [t.name if isinstance(t, TargetChoice) else t for t in written or ()]
        if names:
            return [replace(case, options=replace(case.options, target=n)) for n in names if isinstance(n, str)]
    return [case]


def problems_by_case(analysis: Analysis, file: Path | None = None) -> dict[CaseEntry | None, list[tuple[str, str]]]:
    """The errors of each case, and under None those of the suite around them, apart from those about cases in other files.

    `file` is the file that was analysed, where that is not the suite.
    """
    found: dict[CaseEntry | None, list[tuple[str, str]]] = {None: []}
    elsewhere = {each.span.start for each in analysis.external}
    for diagnostic in analysis.diagnostics:
        if diagnostic.severity == "error" and diagnostic.span.start not in elsewhere:
            line = analysis.document.position(diagnostic.span.start).line + 1
            found.setdefault(analysis.case_at(diagnostic.span.start), []).append(
                (place_words(file, line), f"{diagnostic.code}: {diagnostic.message}")
            )
    return found
