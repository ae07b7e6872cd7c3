"""Semantic tokens beyond a YAML grammar: evaluator types, ids, references, variables, deprecated keys."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from rubric_core.analysis import Analysis, LocalText
from rubric_core.language.shape import Shape, children
from rubric_core.language.value_kinds import Choice
from rubric_core.syntax.tree import Scalar, SyntaxTree
from rubric_core.text import Encoding, LineIndex, Span, code_units
from rubric_lsp.features.block_memo import line_in_document
from rubric_lsp.features.names import FILES, names_in

__all__ = ["MODIFIERS", "TYPES", "Coloring", "Colors"]

TYPES = ("property", "type", "variable", "parameter", "enumMember", "macro", "string")
MODIFIERS = ("deprecated", "declaration", "readonly")
_DEPRECATED, _DECLARATION = 1, 2
_NAMES = {
    "case": "variable", "criterion": "variable", "evaluator": "variable", "target": "variable", "anchor": "macro", "variable": "parameter",
    "provider": "variable", "prompt": "variable", "metric": "variable", "pointer": "macro",
}  # fmt: skip


class Token(NamedTuple):
    """A span within one line of a block, in units of the client's encoding."""

    line: int
    start: int
    length: int
    type: int
    modifiers: int


def tokens_in(local: LocalText, encoding: Encoding, struck: Collection[int] = ()) -> tuple[Token, ...]:
    """The tokens of one block, in order and without overlap; a token at an offset in `struck` is deprecated."""
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
        marks = modifiers | _DEPRECATED if span.start in struck else modifiers
        found.append(Token(line, column, length, TYPES.index(kind), marks))
    return tuple(found)


def _spans(local: LocalText) -> Iterator[tuple[Span, str, int]]:
    for root in local.shapes:
        for shape in children(root):
            yield from _shape_tokens(shape)
    for name in names_in(local):
        is_text = name.kind == "description" or (name.kind == "prompt" and " " in name.name)
        if name.kind not in FILES and not is_text:
            yield name.span, _NAMES[name.kind], _DECLARATION if name.defines else 0


def _shape_tokens(shape: Shape) -> Iterator[tuple[Span, str, int]]:
    for field, place in shape.places.items():
        if place.borrowed or place.key.start == place.key.end:
            continue
        if place.key == place.node.span:
            continue  # a plain string that represents a whole shape has no key
        yield place.key, "property", 0
        declared = type(shape).keys.get(field)
        if isinstance(place.node, Scalar) and not place.node.is_block:
            if shape.stands_for == "check" and field == "type":
                yield place.value, "type", 0
            elif declared is not None and isinstance(declared.kind, Choice):
                yield place.value, "enumMember", 0


class TokenRun(NamedTuple):
    """Adjacent tokens of one block."""

    #: The lines of the first and the last token, relative to the block.
    first: int
    last: int
    #: Five numbers for each, relative to the one before; the line of the first one, which depends on the lines above,
    #: is 0.
    numbers: tuple[int, ...]
    #: The same as sent to the client, without the line of the first one.
    text: str

    @classmethod
    def of(cls, tokens: Sequence[Token], above: int = 0) -> "TokenRun":
        """The run of one or more tokens, relative to line `above` of the block."""
        numbers: list[int] = []
        last_line, last_start = tokens[0].line, 0
        for line, start, length, kind, modifiers in tokens:
            column = start - last_start if line == last_line else start
            numbers += (line - last_line, column, length, kind, modifiers)
            last_line, last_start = line, start
        text = ",".join(map(str, numbers[1:]))
        return cls(tokens[0].line - above, last_line - above, tuple(numbers), text)

    def within(self, first: int, last: int) -> "TokenRun | None":
        """The tokens on some lines of the block."""
        line, start, found = self.first, 0, list[Token]()
        numbers = iter(self.numbers)
        for below, right, length, kind, modifiers in zip(*[numbers] * 5, strict=True):
            line, start = line + below, right if below else start + right
            if first <= line <= last:
                found.append(Token(line, start, length, kind, modifiers))
        return TokenRun.of(found) if found else None


class Coloring:
    """The tokens of a file: runs, each with its distance in lines from the last token above."""

    def __init__(self, runs: Iterable[tuple[int, TokenRun]] = ()) -> None:
        self.runs = [*runs]

    @classmethod
    def of(cls, placed: Iterable[tuple[int, TokenRun]]) -> "Coloring":
        """Runs in the order of the text, each with the first line of its block."""
        return cls(_chained(placed))

    @property
    def pieces(self) -> Iterator[str]:
        """The five numbers of each token, relative to the token before, as JSON."""
        return (f"{below},{run.text}" for below, run in self.runs)

    @property
    def numbers(self) -> list[int]:
        """The same as a list of numbers."""
        return [number for below, run in self.runs for number in (below, *run.numbers[1:])]

    def within(self, first: int, last: int) -> "Coloring":
        """The tokens on some lines."""
        placed: list[tuple[int, TokenRun]] = []
        line = 0
        for below, run in self.runs:
            start, line = line + below - run.first, line + below - run.first + run.last
            found = run.within(first - start, last - start) if start + run.first <= last and line >= first else None
            if found is not None:
                placed.append((start, found))
        return Coloring.of(placed)

    def changes(self, other: "Coloring") -> tuple[int, int, list[int]] | None:
        """The difference to `other`: the offset and number of replaced numbers, and their replacement. None if there is none. Only the runs that differ are compared."""
        start, end = _alike(self.runs, other.runs)
        before = Coloring(self.runs[start : len(self.runs) - end]).numbers
        after = Coloring(other.runs[start : len(other.runs) - end]).numbers
        first, last = _alike(before, after)
        if first == len(before) == len(after):
            return None
        above = sum(len(run.numbers) for _, run in self.runs[:start])
        return above + first, len(before) - first - last, after[first : len(after) - last]


def _chained(placed: Iterable[tuple[int, TokenRun]]) -> Iterator[tuple[int, TokenRun]]:
    last = 0
    for start, run in placed:
        yield start + run.first - last, run
        last = start + run.last


def _alike(one: Sequence[object], other: Sequence[object]) -> tuple[int, int]:
    """The lengths of the common prefix of two sequences, and of the common suffix of the rest."""
    least = min(len(one), len(other))
    start = next((n for n in range(least) if one[n] != other[n]), least)
    end = next((n for n in range(least - start) if one[-1 - n] != other[-1 - n]), least - start)
    return start, end


class Colors:
    """The tokens of one document, kept from version to version block by block.

    Args:
        encoding: How the client counts columns.
    """

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self._frame: _Around | None = None
        self._known: dict[SyntaxTree, tuple[tuple[Shape, ...], frozenset[int], TokenRun | None]] = {}
        #: How many blocks were processed: tests use it to verify that only changed ones are.
        self.looked_at = 0

    def of(self, analysis: Analysis) -> Iterator[tuple[int, TokenRun]]:
        """The runs in the order of the text, each with the first line of its block."""
        struck, kept = _struck(analysis), dict[SyntaxTree, tuple[tuple[Shape, ...], frozenset[int], TokenRun | None]]()
        around = self._frame = self._around(analysis, struck.get(-1, _NOTHING))
        if around.above is not None:
            yield 0, around.above
        for number, block in enumerate(analysis.document.blocks):
            if not block.key:
                continue
            state, old = analysis.states[block], struck.get(number, _NOTHING)
            known = self._known.get(state.tree)
            if known is None or known[0] is not state.shapes or known[1] != old:
                tokens = self._tokens(LocalText(analysis, number, block, 0), old)
                known = (state.shapes, old, TokenRun.of(tokens) if tokens else None)
            kept[state.tree] = known
            if known[2] is not None:
                yield analysis.document.first_line(number), known[2]
        self._known = kept
        if around.below is not None:
            yield line_in_document(analysis.local(0), around.end), around.below

    def _tokens(self, local: LocalText, struck: frozenset[int]) -> tuple[Token, ...]:
        self.looked_at += 1
        return tokens_in(local, self._encoding, struck)

    def _around(self, analysis: Analysis, struck: frozenset[int]) -> "_Around":
        """The runs of the text around the cases."""
        local, blocks = analysis.local(0), analysis.document.blocks
        if not local.in_frame:
            return _Around(local.tree, (), _NOTHING, 0, None, None)
        end = blocks[0].line_breaks if len(blocks) > 1 else local.block.line_breaks + 1
        known = self._frame
        if (
            known is None
            or known.shapes is not local.shapes
            or known[2:4] != (struck, end)
            or known.tree is not local.tree
        ):
            tokens = self._tokens(local, struck)
            above, below = [t for t in tokens if t.line < end], [t for t in tokens if t.line >= end]
            runs = TokenRun.of(above) if above else None, TokenRun.of(below, end) if below else None
            known = self._frame = _Around(local.tree, local.shapes, struck, end, *runs)
        return known


class _Around(NamedTuple):
    """The tokens around the cases, and their inputs."""

    tree: SyntaxTree
    shapes: tuple[Shape, ...]
    struck: frozenset[int]
    #: The line of the frame at which the text below the cases begins.
    end: int
    above: TokenRun | None
    below: TokenRun | None


_NOTHING: frozenset[int] = frozenset()


def _struck(analysis: Analysis) -> dict[int, frozenset[int]]:
    """The offsets of deprecated keys and types, by block number, -1 for the text around the cases."""
    found: dict[int, set[int]] = {}
    for number, some in analysis.found.numbered():
        starts = {each.span.start for each in some if "deprecated" in each.tags}
        if starts:
            found[number] = starts
    for start in (each.span.start for each in analysis.found.loose if "deprecated" in each.tags):
        local = analysis.local(start)
        found.setdefault(local.number, set()).add(local.offset)
    return {number: frozenset(starts) for number, starts in found.items()}
