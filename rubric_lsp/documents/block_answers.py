"""Answers about a whole file, assembled from answers of its blocks. Only new blocks are visited.

A feature is a function that computes one block's part of the answer. Lines in it are relative to the block, so that the
part stays valid when the block moves. A part is cached under all of its inputs: the tree of
the block, its shapes (another dialect makes others of the same tree), and a key for inputs outside of the text.
"""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from operator import ne
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from rubric_core.analysis import Analysis, LocalText
from rubric_core.analysis.finding_list import shared_ends
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.blocks import Document
from rubric_core.syntax.tree import SyntaxTree
from rubric_core.text import Encoding, Position, Span
from rubric_lsp.features.block_memo import line_in_document
from rubric_lsp.protocol.json_array import JsonArray, json_text

if TYPE_CHECKING:
    from rubric_lsp.protocol.wire_types.diagnostics import Diagnostic
    from rubric_lsp.protocol.wire_types.documents import Range
    from rubric_lsp.protocol.wire_types.features import CodeLens, DocumentSymbol, FoldingRange, SymbolInformation

__all__ = ["AnswerParts", "BlockAnswer", "RelativePlaces", "Write"]

#: The items that answers about a whole file consist of.
Item: TypeAlias = "CodeLens | Diagnostic | DocumentSymbol | FoldingRange | SymbolInformation"
#: The members that hold line numbers. In a text with the same characters, the quotes would be escaped.
_LINES = pattern(r'"(line|startLine|endLine)":(\d+)')


class RelativePlaces:
    """Positions relative to a block: lines count from the first line of the block, or of the file for the frame."""

    def __init__(self, local: LocalText, encoding: Encoding, first_line: int = 0) -> None:
        self._local = local
        self._encoding = encoding
        self._first_line = first_line

    def range(self, span: Span) -> "Range":
        """A span of the block."""
        local = self._local
        if not local.in_frame:
            start, end = local.block.index.range(span, self._encoding)
            return _range(start, end)
        start, end = local.analysis.document.range(local.outer(span), self._encoding)
        return _range(start.below(self._first_line), end.below(self._first_line))

    def line(self, line: int) -> int:
        """A line of the block."""
        return line_in_document(self._local, line) + self._first_line if self._local.in_frame else line


def _range(start: Position, end: Position) -> "Range":
    return {
        "start": {"line": start.line, "character": start.character},
        "end": {"line": end.line, "character": end.character},
    }


#: Gives the items of one block. They depend only on the block, on its key, and on `about`.
Write = Callable[[LocalText, RelativePlaces, Any, Any], Iterable[Item]]


class _Part:
    """The items of one block, independent of its line."""

    __slots__ = ("_first", "_lines", "_template", "_text")

    def __init__(self, items: Iterable[Item]) -> None:
        written = ",".join(map(json_text, items))
        self._lines = tuple(int(found[2]) for found in _LINES.finditer(written))
        self._template = _LINES.sub(r'"\1":%d', written.replace("%", "%%"))
        self._first, self._text = 0, written

    def at(self, first: int) -> str:
        """The items of a block that begins at line `first`."""
        if first != self._first:
            self._text = self._template % tuple([first + line for line in self._lines])
            self._first = first
        return self._text


class AnswerParts(NamedTuple):
    """An answer in its parts: the items of the text around the cases, above them and below, and those of the cases."""

    above: list[Item]
    #: One for each block, empty for a block without items.
    cases: list[str]
    below: list[Item]

    @property
    def in_order(self) -> JsonArray:
        """The items in the order of the text."""
        return JsonArray((*map(json_text, self.above), *self.cases, *map(json_text, self.below)))

    @property
    def frame_first(self) -> JsonArray:
        """The items of the text around the cases, then those of the cases."""
        return JsonArray((*map(json_text, chain(self.above, self.below)), *self.cases))


class _Known(NamedTuple):
    """The items of a block, and the inputs that they depend on."""

    tree: SyntaxTree
    shapes: tuple[Shape, ...]
    key: object
    part: _Part


class _Around(NamedTuple):
    """The items of the text around the cases, and the inputs that they depend on."""

    tree: SyntaxTree
    shapes: tuple[Shape, ...]
    made_from: tuple[object, ...]
    items: list[Item]


class _Version(NamedTuple):
    """The answer about one version, block by block."""

    document: Document
    keys: Sequence[object] | None
    #: If it is equal and not None, equal blocks have equal shapes.
    judged_in: object
    #: The inputs that the items of all blocks depend on, and the line of the file at which the text begins.
    about: tuple[object, int]
    known: list[_Known | None]
    cases: list[str]


class BlockAnswer:
    """One feature's answer about a document, kept from version to version.

    Args:
        write: Gives the part of one block.
        encoding: How the client counts columns.
    """

    def __init__(self, write: Write, encoding: Encoding) -> None:
        self._write = write
        self._encoding = encoding
        self._last: _Version | None = None
        self._frame: _Around | None = None
        #: How many blocks were computed, and how many were checked for changes: tests use these to verify that
        #: only changed blocks are visited.
        self.looked_at = self.compared = 0

    def of(
        self,
        analysis: Analysis,
        first_line: int = 0,
        keys: Sequence[object] | None = None,
        framed: object = None,
        about: object = None,
    ) -> AnswerParts:
        """The answer for a version.

        Args:
            analysis: The version.
            first_line: The line of the file at which it begins.
            keys: For each block, the inputs of its items besides the text; a block with an empty key has no items.
                None: every block has items, which depend on the text alone.
            framed: The same for the text around the cases.
            about: Further inputs of the items of all blocks.
        """
        now = _Version(analysis.document, keys, analysis.judged_in, (about, first_line), [], [])
        start, end = self._unchanged_ends(now)
        last = self._last
        known, cases = (last.known, last.cases) if last is not None else ([], [])
        behind, first_behind = len(known) - end, len(now.document.blocks) - end
        now.known.extend(known[:start])
        now.cases.extend(cases[:start])
        changed = {each.tree: each for each in known[start:behind] if each is not None}
        for number in range(start, first_behind):
            found = self._part(analysis, number, now, changed)
            now.known.append(found)
            now.cases.append(found.part.at(now.document.first_line(number) + first_line) if found is not None else "")
        now.known.extend(known[behind:])
        if last is not None and end and last.document.first_line(behind) == now.document.first_line(first_behind):
            now.cases.extend(cases[behind:])
        else:
            lines = (now.document.first_line(n) + first_line for n in range(first_behind, len(now.known)))
            for line, each in zip(lines, known[behind:], strict=True):
                now.cases.append(each.part.at(line) if each is not None else "")
        self._last = now
        above, below = self._around(analysis, first_line, (framed, about), none=keys is not None and not framed)
        return AnswerParts(above, now.cases, below)

    def _unchanged_ends(self, now: _Version) -> tuple[int, int]:
        """The numbers of unchanged blocks at the start and at the end."""
        last = self._last
        if last is None or now.judged_in is None or (last.judged_in, last.about) != (now.judged_in, now.about):
            return 0, 0
        start, end = shared_ends(last.document.blocks, now.document.blocks)
        if last.keys is not None and now.keys is not None:
            first, behind = shared_ends(last.keys, now.keys, ne)
            start, end = min(start, first), min(end, behind)
        elif last.keys is not now.keys:
            return 0, 0
        return start, min(end, min(len(last.known), len(now.document.blocks)) - start)

    def _part(
        self, analysis: Analysis, number: int, now: _Version, changed: Mapping[SyntaxTree, _Known]
    ) -> _Known | None:
        """The part of a block, None if it has none."""
        self.compared += 1
        block, key = now.document.blocks[number], now.keys[number] if now.keys is not None else None
        if not block.key or not block.text or (now.keys is not None and not key):
            return None
        about = now.about[0]
        state = analysis.states[block]
        found = changed.get(state.tree)
        if found is None or found.shapes is not state.shapes or found.key != (key, about):
            local = LocalText(analysis, number, block, 0)
            items = self._items(local, RelativePlaces(local, self._encoding), key, about)
            found = _Known(state.tree, state.shapes, (key, about), _Part(items))
        return found

    def _around(
        self, analysis: Analysis, first_line: int, key: tuple[object, object], *, none: bool
    ) -> tuple[list[Item], list[Item]]:
        """The items of the text around the cases: those above the cases, and those below."""
        local, document = analysis.local(0), analysis.document
        if not local.in_frame or none:
            return [], []
        number = len(document.blocks) - 1
        # If the last block is a case, there is no text below the cases.
        below = document.first_line(number) if number and not document.blocks[number].key else sys.maxsize
        made_from = (key, len(analysis.frame.head), below, first_line)
        known = self._frame
        if (
            known is None
            or (known.tree, known.made_from) != (local.tree, made_from)
            or known.shapes is not local.shapes
        ):
            items = self._items(local, RelativePlaces(local, self._encoding, first_line), *key)
            known = self._frame = _Around(local.tree, local.shapes, made_from, items)
        last = first_line + below
        return [each for each in known.items if _line(each) < last], [i for i in known.items if _line(i) >= last]

    def _items(self, local: LocalText, places: RelativePlaces, key: object, about: object) -> list[Item]:
        self.looked_at += 1
        return list(self._write(local, places, key, about))


def _line(item: Item) -> int:
    """The line at which an item begins."""
    has: Mapping[str, Any] = item  # whichever of the two members it has
    line: int = has["startLine"] if "startLine" in has else has.get("location", has)["range"]["start"]["line"]
    return line
