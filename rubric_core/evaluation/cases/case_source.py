"""The source of a case: its texts, its file, and the places of its parts there and in the suite."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from rubric_core.cached_properties import cached_property
from rubric_core.evaluation.cases.errors import place_words
from rubric_core.evaluation.cases.suite_facts import SuiteFacts
from rubric_core.language.evaluators import Rubric
from rubric_core.language.model import Case, Suite
from rubric_core.language.shape import Shape, children
from rubric_core.lazy_compilation import dataclass, field
from rubric_core.syntax.tree import Node
from rubric_core.text import Span

__all__ = ["CaseSource"]


@dataclass(frozen=True, kw_only=True)
class CaseSource:
    """A case with its suite, and where both are written. For readers that show places, such as marks, reports and trees of tests."""

    path: Path
    suite: Suite
    case: Case
    #: The anchors for aliases in the case, and those in the suite.
    anchors: Mapping[str, Node] = field(default_factory=dict)
    suite_anchors: Mapping[str, Node] = field(default_factory=dict)
    #: The texts that the spans of case and suite refer to.
    text: str = ""
    suite_text: str = ""
    #: Map spans of the case and of the suite to spans of the whole text.
    case_span: Callable[[Span], Span] = lambda span: span
    suite_span: Callable[[Span], Span] = lambda span: span
    #: The line of an offset in the whole text, from 1; in the suite, if the case is in its own file.
    line_at: Callable[[int], int] = lambda _: 1
    suite_line_at: Callable[[int], int] | None = None
    #: The file of the case, if that is not the suite.
    file: Path | None = None
    #: The id of a case that sets none: the name of its directory.
    named: str = ""
    #: The name of a case whose id is taken by an earlier one.
    renamed: str = ""
    #: Facts shared with the other cases of its suite.
    facts: SuiteFacts = field(default_factory=SuiteFacts, repr=False, compare=False)

    @cached_property
    def directory(self) -> Path:
        """The directory of the suite."""
        known = self.facts.directory
        # Shared by copies of the case and by cases in other files.
        if known is None or known[0] != self.path:
            known = self.facts.directory = (self.path, self.path.absolute().parent)
        return known[1]

    @property
    def file_name(self) -> str:
        """The file of the case, relative to the directory of the suite; empty when that is the suite."""
        return "" if self.file is None else Path(os.path.relpath(self.file, self.directory)).as_posix()

    @property
    def line(self) -> int:
        """The line on which the case begins, from 1."""
        return self.line_at(self.case_span(self.case.at("id")).start)

    def case_line(self, span: Span) -> int:
        """The line of a span of the case, from 1."""
        return self.line_at(self.case_span(span).start)

    def suite_line(self, span: Span) -> int:
        """The line of a span of the suite, from 1."""
        return (self.suite_line_at or self.line_at)(self.suite_span(span).start)

    def case_place(self, span: Span) -> str:
        """The file and the line of a span of the case: `cases.yaml:7`."""
        return place_words(self.file or self.path, self.case_line(span))

    def suite_place(self, span: Span) -> str:
        """The same for a span of the suite."""
        return place_words(self.path, self.suite_line(span))

    @property
    def _suite_keys(self) -> frozenset[int]:
        """The parts of the suite outside its cases; computed once for all of them."""
        known = self.facts.shapes
        if known is None or known[0] is not self.suite:
            inside = frozenset(id(shape) for shape in children(self.suite, leave_out=("cases", "scenarios")))
            known = self.facts.shapes = (self.suite, inside)
        return known[1]

    def inherits(self, shape: Shape) -> bool:
        """Whether a part of the case is written in the suite, for every case."""
        if shape.node is None and isinstance(shape, Rubric):
            # Made of plain strings, which carry their spans.
            return any(id(criterion) in self._suite_keys for criterion in shape.criteria or ())
        return id(shape) in self._suite_keys

    def span_of(self, shape: Shape, span: Span | None = None) -> Span:
        """The span of a part of the case, or of an inherited part, in the whole text of its file."""
        outer = self.suite_span if self.inherits(shape) else self.case_span
        return outer(shape.span if span is None else span)
