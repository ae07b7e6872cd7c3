"""Writing `# rubric: ignore[code]` where it covers a finding: the quick fix that every diagnostic has."""

from rubric_core.syntax.blocks import Block, Document
from rubric_core.syntax.edit import newline_of
from rubric_core.syntax.line_document import LineDocument, PlainDocument
from rubric_core.syntax.parse import parse
from rubric_core.syntax.tree import Scalar, walk
from rubric_core.text import Edit, Span
from rubric_core.validation.ignores import DIRECTIVE
from rubric_core.validation.rule import Diagnostic

__all__ = ["suppression_edit"]


def suppression_edit(document: Document, diagnostic: Diagnostic) -> Edit | None:
    """The edit after which a comment on its line covers `diagnostic`; None where comments are no part of the format.

    A comment that is there already takes the code in; a value over several lines gets its comment where it begins.
    """
    if isinstance(document, LineDocument | PlainDocument):
        return None
    number = document.block_at(diagnostic.span.start)
    start = document.start(number)
    edit = _edit(document.blocks[number], diagnostic.span.start - start, diagnostic.code)
    return Edit(edit.span.moved(start), edit.new_text)


def _edit(block: Block, offset: int, code: str) -> Edit:
    text, lines = block.text, block.index
    line = lines.line_of(offset)
    scalars = [n for n in walk(parse(text).root) if isinstance(n, Scalar)]
    around = next((s for s in scalars if s.span.start <= lines.line_span(line).end < s.span.end), None)
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
