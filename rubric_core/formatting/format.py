"""The edits that format a file: each block on its own, and none that would change its meaning."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rubric_core.analysis import Analysis
from rubric_core.analysis.block_state import BlockState
from rubric_core.formatting.lines import UnusualError, line_edits
from rubric_core.formatting.meaning import keeps_meaning
from rubric_core.formatting.spacing import end_edits, inner_edits, trailing_edits
from rubric_core.formatting.style import IndentStyle, StyleCounts, style_of
from rubric_core.language.file_kinds import FileKind
from rubric_core.syntax.blocks import Document
from rubric_core.syntax.tree import SyntaxProblem, SyntaxTree
from rubric_core.text import Edit, Span

__all__ = ["format_edits", "obstacle"]


def format_edits(analysis: Analysis, within: Span | None = None, *, step: int = 2) -> list[Edit]:
    """The edits that format a text, in text order; none for a text with an `obstacle`.

    Args:
        analysis: The text.
        within: Only the lines that this range touches, without a line at whose start it ends; None: all lines.
        step: The indentation step, for a text without one of its own.
    """
    document = analysis.document
    is_yaml = type(document) is Document and not analysis.kind.is_text and analysis.kind is not FileKind.DATASET
    if not is_yaml or obstacle(analysis) is not None:
        return []
    pieces = [*_pieces(analysis)]
    is_below = document.column >= 0 and bool(analysis.frame.head.strip())
    style = style_of([p.layout.counts for p in pieces], step, [document.column] if is_below else [])
    chosen = _from_line_start(document, within) if within is not None else None
    column = style.list_offset(document.column) if is_below and within is None else document.column
    if chosen is not None:
        pieces = [piece for piece in pieces if piece.touches(chosen)]
    done = [piece.edits(style, column, chosen) for piece in pieces]
    if column != document.column and not all(moved for _, moved in done):
        # The items of one list move together or not at all.
        done = [piece.edits(style, document.column, chosen) for piece in pieces]
    return sorted(edit for edits, _ in done for edit in edits)


def obstacle(analysis: Analysis) -> SyntaxProblem | None:
    """The first reason not to format a text, such as a syntax error; None if it can be formatted."""
    found = (
        SyntaxProblem(p.kind, piece.outer(p.span), p.message)
        for piece in _pieces(analysis)
        for p in piece.tree.problems
    )
    return min(found, key=lambda problem: problem.span.start, default=None)


def _from_line_start(document: Document, within: Span) -> Span:
    start = _line_start(document, within.start)
    return Span(start, max(within.end, start + 1))


def _line_start(document: Document, offset: int) -> int:
    return document.offset(document.position(offset)._replace(character=0))


@dataclass(slots=True)
class Layout:
    """Cached formatting of a block while its text stays the same: an edit changes one block of thousands."""

    counts: StyleCounts
    #: The last edits of the block, at offsets of the block, and whether they fix every line.
    #: `made_for` are their inputs besides the text.
    made: tuple[Sequence[Edit], bool] = ((), False)
    made_for: tuple[IndentStyle, int, bool, bool] | None = None


@dataclass(frozen=True, slots=True)
class _Piece:
    """A block of a document, with offsets relative to its start."""

    analysis: Analysis
    text: str
    state: BlockState
    #: The number of the block, -1 for the text around the cases.
    number: int
    is_last: bool

    @property
    def tree(self) -> SyntaxTree:
        """The syntax tree of the block."""
        return self.state.tree

    @property
    def layout(self) -> Layout:
        """What the formatter remembers of the block; created on first use."""
        known = self.state.layout
        if not isinstance(known, Layout):
            known = self.state.layout = Layout(StyleCounts.of(self.text, self.tree))
        return known

    def edits(self, style: IndentStyle, column: int, within: Span | None) -> tuple[list[Edit], bool]:
        """The edits of the block, at offsets of the whole text, and whether every line is then formatted."""
        if within is not None:
            found, whole = self._edits(style, column, within)
        else:
            layout, key = self.layout, (style, column, self.number >= 0, self.is_last)
            if layout.made_for != key:
                layout.made, layout.made_for = self._edits(style, column, None), key
            found, whole = layout.made
        return [Edit(self.outer(e.span), e.new_text) for e in found], whole

    def _edits(self, style: IndentStyle, column: int, within: Span | None) -> tuple[Sequence[Edit], bool]:
        """The edits of the block, at offsets of the block."""
        inner = [*inner_edits(self.text, self.tree), *trailing_edits(self.text, self.tree)]
        end = [*end_edits(self.text)] if self.is_last else []
        try:
            lines = [*line_edits(self.text, self.tree, style, column if self.number >= 0 else None)]
            whole = True
        except UnusualError:
            lines, whole = [], False
        # Fewer edits if all together would change the meaning.
        for number, some in enumerate(([*lines, *inner, *end], [*lines, *inner], [*inner, *end], inner)):
            chosen = [e for e in _apart(some) if within is None or self._touches(e, within)]
            if not chosen or keeps_meaning(self.text, self.tree, chosen):
                return chosen, whole and number < 2
        return [], False

    def touches(self, within: Span) -> bool:
        """Whether a range of the whole text touches the piece; the text around the cases always counts as touched."""
        start = self.analysis.document.start(max(self.number, 0))
        return self.number < 0 or (start <= within.end and within.start <= start + len(self.text))

    def outer(self, span: Span) -> Span:
        """Convert a range of the piece to one of the whole text."""
        if self.number < 0:
            return self.analysis.frame.outer(span)
        return span.moved(self.analysis.document.start(self.number))

    def _touches(self, edit: Edit, within: Span) -> bool:
        start = self.outer(edit.span).start
        return within.start <= start and _line_start(self.analysis.document, start) < within.end


def _apart(edits: list[Edit]) -> Iterator[Edit]:
    """The edits without those inside of another: an empty line is both indentation and the end of a line.

    Of two at one place, the one that inserts text: blanks at the end of a text give way to its line break.
    """
    end = -1
    for edit in sorted(edits, key=lambda e: (e.span.start, -e.span.end, not e.new_text)):
        if edit.span.start >= end:
            yield edit
            end = edit.span.end


def _pieces(analysis: Analysis) -> Iterator[_Piece]:
    blocks, frame = analysis.document.blocks, analysis.frame.block
    yield _Piece(analysis, frame.text, analysis.states[frame], -1, not blocks[-1].key)
    for number, block in enumerate(blocks):
        if block.key:
            yield _Piece(analysis, block.text, analysis.states[block], number, number == len(blocks) - 1)
