"""Writes `# rubric: ignore[code]` for a finding: the quick fix that every diagnostic has."""

from bisect import bisect_right
from collections.abc import Callable, Sequence

from rubric_core.syntax.blocks import Block, Document
from rubric_core.syntax.edit import newline_of
from rubric_core.syntax.line_document import LineDocument, PlainDocument
from rubric_core.syntax.parse import parse
from rubric_core.syntax.tree import Scalar, SyntaxTree, walk
from rubric_core.text import Edit, Span
from rubric_core.validation.ignore_comments import DIRECTIVE
from rubric_core.validation.rule import Diagnostic

__all__ = ["Suppressions"]


class Suppressions:
    """Places `ignore` comments for findings in one text. Its multi-line values are computed once.

    Args:
        document: The text.
        trees: The known trees of its blocks.
    """

    def __init__(self, document: Document, trees: Callable[[Block], SyntaxTree | None] = lambda _: None) -> None:
        self._document = document
        self._trees = trees
        self._of_blocks: dict[int, list[Scalar]] = {}

    def edit(self, diagnostic: Diagnostic) -> Edit | None:
        """The edit that adds a comment covering `diagnostic`; None for formats without comments.

        The code is added to an existing comment; a value over several lines gets its comment at its start.
        """
        if isinstance(self._document, LineDocument | PlainDocument):
            return None
        number = self._document.block_at(diagnostic.span.start)
        block, start = self._document.blocks[number], self._document.start(number)
        if number not in self._of_blocks:
            self._of_blocks[number] = _multiline_scalars(block, self._trees(block) or parse(block.text))
        edit = _edit(block, self._of_blocks[number], diagnostic.span.start - start, diagnostic.code)
        return Edit(edit.span.moved(start), edit.new_text)


def _multiline_scalars(block: Block, tree: SyntaxTree) -> list[Scalar]:
    """The values that span several lines, in document order."""
    lines = block.index
    scalars = (n for n in walk(tree.root) if isinstance(n, Scalar))
    long = (n for n in scalars if n.span.end > lines.line_span(lines.line_of(n.span.start)).end)
    return sorted(long, key=lambda n: n.span)


def _edit(block: Block, values: Sequence[Scalar], offset: int, code: str) -> Edit:
    text, lines = block.text, block.index
    line = lines.line_of(offset)
    end = lines.line_span(line).end
    number = bisect_right(values, end, key=lambda v: v.span.start) - 1
    around = values[number] if number >= 0 and end < values[number].span.end else None
    if around is not None:
        line = lines.line_of(around.span.start)
    start, end = lines.line_span(line)
    for match in DIRECTIVE.finditer(text, start, end):
        if match["codes"] is not None and not match["file"]:
            return _added(match.end("codes"), code, empty=not match["codes"].strip())
    if around is not None and not around.is_block:
        indent = text[start : start + len(text[start:end]) - len(text[start:end].lstrip(" "))]
        return Edit(Span(start, start), f"{indent}# rubric: ignore[{code}]{newline_of(text)}")
    content = start + len(text[start:end].rstrip(" \t"))
    gap = "  " if content > start else ""
    return Edit(Span(content, end), f"{gap}# rubric: ignore[{code}]")


def _added(at: int, code: str, *, empty: bool) -> Edit:
    return Edit(Span(at, at), code if empty else f", {code}")
