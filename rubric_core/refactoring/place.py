"""The place of a refactoring, and functions that all refactorings share."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeVar

from rubric_core.analysis import Analysis
from rubric_core.language.shape import Shape, children
from rubric_core.syntax.edit import line_end, newline_of
from rubric_core.syntax.parse import parse
from rubric_core.syntax.tree import Mapping, Node, Sequence
from rubric_core.text import Edit, Span, apply_edits

__all__ = ["Kind", "Refactoring", "RefactoringPlace", "has_comment"]

#: `rewrite`: another form of the same; `extract` and `inline`: one place for several, and back.
Kind = Literal["rewrite", "extract", "inline"]
S = TypeVar("S", bound=Shape)


@dataclass(frozen=True, slots=True)
class Refactoring:
    """A titled group of edits that keep the meaning, at offsets of the whole text."""

    title: str
    kind: Kind
    edits: tuple[Edit, ...]


class RefactoringPlace:
    """A cursor, and the block that it is in; offsets are those of the block unless said otherwise."""

    def __init__(self, analysis: Analysis, offset: int) -> None:
        self.analysis = analysis
        self.dialect = analysis.dialect
        self.local = analysis.local(offset)
        self.text = self.local.text
        self.offset = self.local.offset
        self.newline = newline_of(analysis.document.blocks[0].text or self.text)
        #: Whether the block is valid YAML; incomplete text is not moved.
        self.sound = not self.local.tree.problems

    def around(self, cls: type[S]) -> Iterator[S]:
        """The shapes of a class at the cursor, the innermost first."""
        found = [s for root in self.local.shapes for s in children(root) if isinstance(s, cls) and self._holds(s)]
        return reversed(found)

    def _holds(self, shape: Shape) -> bool:
        node = shape.node
        if node is None or shape.borrowed:
            return False
        # The line of an item begins before its dash; a cursor there means the item, too.
        start = self.text.rfind("\n", 0, node.whole.start) + 1
        lead = self.text[start : node.whole.start]
        begin = start if not lead.strip(" \t-") else node.whole.start
        return begin <= self.offset <= max(node.whole.end, line_end(self.text, node.whole.start))

    def holders(self, item: Shape) -> Iterator[tuple[Shape, str, list[object]]]:
        """The shapes with a list that has `item` in it, with the field."""
        for root in self.local.shapes:
            for shape in children(root):
                for field in shape.places:
                    value = vars(shape).get(field)
                    if isinstance(value, list) and any(each is item for each in value):
                        yield shape, field, value

    def made(self, title: str, kind: Kind, edits: Iterable[Edit]) -> Iterator[Refactoring]:
        """The refactoring, unless its edits would break the block."""
        written = sorted(edits)
        try:
            after = apply_edits(self.text, written)
        except ValueError:
            return
        if after != self.text and not parse(after).problems:
            outer = self.local.outer
            yield Refactoring(title, kind, tuple(Edit(outer(e.span), e.new_text) for e in written))


def has_comment(text: str, span: Span, *nodes: Node) -> bool:
    """Whether a range contains a comment outside `nodes`."""
    at = span.start
    while (at := text.find("#", at, span.end)) >= 0:
        inside = any(n.span.start <= at < n.span.end and not isinstance(n, Mapping | Sequence) for n in nodes)
        if not inside and (at == 0 or text[at - 1] in " \t\r\n"):
            return True
        at += 1
    return False
