"""Semantic tokens: what a grammar of YAML cannot see. Evaluator types, ids, references, variables, deprecated keys."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rubric_core.analysis import Analysis, LocalText
from rubric_core.language.evaluators import Evaluator
from rubric_core.language.kinds import Choice
from rubric_core.language.shape import Shape, children
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Encoding, LineIndex, Span, code_units
from rubric_lsp.features.names import FILES, names_in

__all__ = ["MODIFIERS", "TYPES", "Token", "deprecated_spans", "encoded", "tokens_in"]

TYPES = ("property", "type", "variable", "parameter", "enumMember", "macro", "string")
MODIFIERS = ("deprecated", "declaration", "readonly")
_DEPRECATED, _DECLARATION = 1, 2
_NAMES = {
    "case": "variable", "criterion": "variable", "evaluator": "variable", "target": "variable", "anchor": "macro", "variable": "parameter",
}  # fmt: skip


class Token(NamedTuple):
    """A stretch of one line of a block, in units of the client's encoding."""

    line: int
    start: int
    length: int
    type: int
    modifiers: int


def tokens_in(local: LocalText, encoding: Encoding) -> tuple[Token, ...]:
    """The tokens of one block, in order and without overlap."""
    lines = LineIndex(local.text)
    found: list[Token] = []
    end = 0
    for span, kind, modifiers in sorted(set(_spans(local))):
        if span.start < end or span.end <= span.start:
            continue
        line, column = lines.position(span.start, encoding)
        if span.end > lines.line_span(line).end:
            continue
        end = span.end
        length = code_units(local.text[span.start : span.end], encoding)
        found.append(Token(line, column, length, TYPES.index(kind), modifiers))
    return tuple(found)


def _spans(local: LocalText) -> Iterator[tuple[Span, str, int]]:
    for root in local.shapes:
        for shape in children(root):
            yield from _of_shape(shape)
    for name in names_in(local):
        if name.kind not in FILES:
            yield name.span, _NAMES[name.kind], _DECLARATION if name.defines else 0


def _of_shape(shape: Shape) -> Iterator[tuple[Span, str, int]]:
    for field, place in shape.places.items():
        if place.borrowed or place.key.start == place.key.end:
            continue
        yield place.key, "property", 0
        declared = type(shape).keys.get(field)
        if isinstance(place.node, Scalar) and not place.node.is_block:
            if isinstance(shape, Evaluator) and field == "type":
                yield place.value, "type", 0
            elif declared is not None and isinstance(declared.kind, Choice):
                yield place.value, "enumMember", 0


def deprecated_spans(analysis: Analysis) -> list[Span]:
    """The keys and types that have another name by now."""
    return [d.span for d in analysis.diagnostics if "deprecated" in d.tags]


def encoded(blocks: Sequence[tuple[int, Sequence[Token]]], struck: set[tuple[int, int]]) -> list[int]:
    """The five numbers of each token, relative to the token before.

    Args:
        blocks: Tokens with the number of the line on which their block begins, in the order of the text.
        struck: Line and column of tokens that are deprecated.
    """
    numbers: list[int] = []
    last_line = last_start = 0
    for first, tokens in blocks:
        for line, start, length, kind, modifiers in tokens:
            at = first + line
            marks = modifiers | _DEPRECATED if struck and (at, start) in struck else modifiers
            numbers += (at - last_line, start - last_start if at == last_line else start, length, kind, marks)
            last_line, last_start = at, start
    return numbers
