"""A text cut into blocks: one per item of the case list, and the frame around them.

A case list is the value of a top-level key, so an item starts at a dash in the list's own column and ends before the
next such dash or the next top-level key: YAML 1.2 allows no scalar or flow collection of an item to have lines there.
That is why blocks can be cut without parsing, and why one broken case cannot take its neighbours down.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from rubric_core.syntax.parse import LARGEST, parse
from rubric_core.syntax.tree import Tree
from rubric_core.text import Edit, Encoding, LineIndex, Position, Span, TextRange

__all__ = ["FRAME", "ROOT_LIST", "Block", "Document"]

#: The name of the block that holds everything but the cases.
FRAME = ""
#: In place of a key, for items of a list that is the whole text.
ROOT_LIST = "-"

_BREAKS = re.compile(r"\r\n?|\n")
# In a repeated group a break must match in one way only: two ways for each of 30 empty lines are a day's work.
_BREAK = r"(?:\r\n|\r(?!\n)|\n)"
_BLANK = rf"[ \t]*(?:#[^\r\n]*)?{_BREAK}"
_MARKER = re.compile(r"^(?:---|\.\.\.)(?=[ \t\r\n]|\Z)", re.MULTILINE)
_ROOT_LIST = re.compile(rf"\ufeff?(?:{_BLANK}|---[ \t]*{_BREAK})*( *)-(?=[ \t\r\n]|\Z)")
_MARKERS = r"(?:---|\.\.\.)(?=[ \t\r\n]|\Z)"
#: An item that begins with its id, and one that has nothing else.
_HEAD = re.compile(r" *- +[\"']?id[\"']?[ \t]*:")
_LONE_HEAD = re.compile(rf" *- +[\"']?id[\"']?[ \t]*:[^\r\n]*{_BREAK}(?:{_BLANK})*")
#: How a line begins that ends a list: at any column of its dashes, and at column 0, where a dash goes on with it.
_STOP = rf"(?:(?![ \t\r\n#-]|\Z)|{_MARKERS}|-(?=[ \t\r\n]|\Z))"
_STOP_AT_ZERO = rf"(?:(?![ \t\r\n#-]|\Z)|{_MARKERS}|-(?![ \t\r\n]|\Z))"


class Block:
    """A stretch of the text with its own line index; equal texts may share analysis, so it knows no offset."""

    __slots__ = ("_index", "key", "line_breaks", "text")

    def __init__(self, text: str, key: str) -> None:
        self.text = text
        #: The top-level key whose list the block is an item of, or FRAME.
        self.key = key
        self.line_breaks = len(_BREAKS.findall(text)) if "\r" in text else text.count("\n")
        self._index: LineIndex | None = None

    @property
    def index(self) -> LineIndex:
        """The lines of the block."""
        if self._index is None:
            self._index = LineIndex(self.text)
        return self._index


@dataclass(frozen=True, slots=True)
class _Items:
    """Where the case list is: its key, the column of its dashes, and the offsets of its blocks."""

    key: str
    column: int
    starts: tuple[int, ...]
    end: int


class Document:
    """One immutable version of a text, cut into blocks."""

    __slots__ = ("_lines", "_starts", "_text", "blocks", "column", "frame", "item_keys")

    def __init__(
        self, blocks: Sequence[Block], column: int, item_keys: frozenset[str], text: str | None = None
    ) -> None:
        #: In the order of the text. The pieces of the frame are among them, each under the key FRAME.
        self.blocks = blocks
        self.column = column
        self.item_keys = item_keys
        self._starts = [0, *accumulate(len(b.text) for b in blocks)]
        self._lines: list[int] | None = None
        self._text = text

    @classmethod
    def of(cls, text: str, item_keys: frozenset[str] = frozenset()) -> "Document":
        """Cut `text`; the lists under the top-level keys `item_keys` hold the cases, with ROOT_LIST also one without a key."""
        # Too large a text is one block, which the parser refuses with a message.
        items = _find_items(text, item_keys) if len(text) <= LARGEST else None
        if items is None:
            return cls([Block(text, FRAME)], -1, item_keys, text)
        bounds = [*items.starts, items.end]
        blocks = [Block(text[: bounds[0]], FRAME)]
        blocks += [Block(text[a:b], items.key) for a, b in pairwise(bounds)]
        if items.end < len(text):
            blocks.append(Block(text[items.end :], FRAME))
        return cls(blocks, items.column, item_keys, text)

    @staticmethod
    def parse(text: str) -> Tree:
        """The tree of one block."""
        return parse(text)

    @property
    def text(self) -> str:
        """The whole text."""
        if self._text is None:
            self._text = "".join(b.text for b in self.blocks)
        return self._text

    def __len__(self) -> int:
        return self._starts[-1]

    def start(self, block: int) -> int:
        """The offset at which block number `block` starts."""
        return self._starts[block]

    def block_at(self, offset: int) -> int:
        """The number of the block that holds `offset`; the end of the text belongs to the last one."""
        return max(0, min(bisect_right(self._starts, offset) - 1, len(self.blocks) - 1))

    def _first_lines(self) -> list[int]:
        if self._lines is None:
            self._lines = [0, *accumulate(b.line_breaks for b in self.blocks)]
        return self._lines

    @property
    def line_count(self) -> int:
        """Number of lines, an empty last one included."""
        return self._first_lines()[-1] + 1

    def first_line(self, block: int) -> int:
        """The number of the line at which block number `block` starts."""
        return self._first_lines()[block]

    def position(self, offset: int, encoding: Encoding = "utf-16") -> Position:
        """Where `offset` is."""
        number = self.block_at(offset)
        line, column = self.blocks[number].index.position(offset - self._starts[number], encoding)
        return Position(self._first_lines()[number] + line, column)

    def offset(self, position: Position, encoding: Encoding = "utf-16") -> int:
        """The offset of `position`, clamped to its line and to the text."""
        lines = self._first_lines()
        if position.line > lines[-1]:
            return len(self)
        number = max(0, min(bisect_right(lines, position.line) - 1, len(self.blocks) - 1))
        local = Position(position.line - lines[number], position.character)
        return self._starts[number] + self.blocks[number].index.offset(local, encoding)

    def range(self, span: Span, encoding: Encoding = "utf-16") -> TextRange:
        """`span` as two positions."""
        return TextRange(self.position(span.start, encoding), self.position(span.end, encoding))

    def edited(self, edit: Edit) -> "Document":
        """The document after `edit`, sharing every block that the edit cannot have changed."""
        first = self.block_at(edit.span.start)
        last = self.block_at(max(edit.span.start, edit.span.end))
        # One neighbour on each side: a comment or a line break at the seam may change hands.
        low, high = max(1, first - 1), min(len(self.blocks) - 1, last + 1)
        if self.column >= 0 and first >= 1 and self.blocks[first].key and self.blocks[last].key:
            if not self.blocks[high].key:
                high -= 1
            again = self._recut(low, high, edit)
            if again is not None:
                return Document([*self.blocks[:low], *again, *self.blocks[high + 1 :]], self.column, self.item_keys)
        text = self.text
        return self.sharing(
            Document.of(text[: edit.span.start] + edit.new_text + text[edit.span.end :], self.item_keys)
        )

    def _recut(self, low: int, high: int, edit: Edit) -> list[Block] | None:
        """The items `low`…`high` with `edit` made, cut again; None when the list itself may have changed."""
        base = self._starts[low]
        old = "".join(b.text for b in self.blocks[low : high + 1])
        new = old[: edit.span.start - base] + edit.new_text + old[edit.span.end - base :]
        if high + 1 < len(self.blocks) and not new.endswith(("\n", "\r")):
            return None
        if high + 1 < len(self.blocks) and new.endswith("\r") and self.blocks[high + 1].text.startswith("\n"):
            return None
        starts, end = _cut(new, 0, self.column)
        if end != len(new) or not starts or starts[0] != 0 or not old:
            return None
        tail = new[starts[-1] :]
        # Comments at the very end would belong to the item behind them.
        if high + 1 < len(self.blocks) and _leading_start(tail, len(tail), self.column) != len(tail):
            return None
        if low == 1 and not _LIST_LINE(self.column).match(new):
            return None
        key = self.blocks[low].key
        bounds = [*starts, len(new)]
        cut = [new[a:b] for a, b in pairwise(bounds)]
        kept = _Kept(self.blocks[low : high + 1])
        return [kept.take(text, key) or Block(text, key) for text in cut]

    def sharing(self, other: "Document") -> "Document":
        """`other` with blocks of this document wherever their text is the same."""
        kept = _Kept(self.blocks)
        blocks = [kept.take(b.text, b.key) or b for b in other.blocks]
        return Document(blocks, other.column, other.item_keys, other.text)


class _Kept:
    """Blocks to use again. Each is given once, since what a block means depends on where it stands."""

    def __init__(self, blocks: Iterable[Block]) -> None:
        self._blocks: dict[tuple[str, str], list[Block]] = {}
        for block in blocks:
            self._blocks.setdefault((block.text, block.key), []).append(block)

    def take(self, text: str, key: str) -> Block | None:
        """A block with this text that was not given yet, in the order of the document."""
        found = self._blocks.get((text, key))
        return found.pop(0) if found else None


def _LIST_LINE(column: int) -> "re.Pattern[str]":  # noqa: N802  # reads as the pattern that it gives
    return re.compile(rf"(?:{_BLANK})*? {{{column}}}-(?=[ \t\r\n]|\Z)")


def _find_items(text: str, item_keys: frozenset[str]) -> _Items | None:
    if not item_keys or len(text) > LARGEST:
        return None
    second = _second_document(text)
    keys = "|".join(sorted(map(re.escape, item_keys - {ROOT_LIST})))
    head = re.compile(rf"(?:^|(?<=[\r\n]))(?:\ufeff)?(?:\"|'|)({keys})(?:\"|'|)[ \t]*:{_BLANK}")
    for found in head.finditer(text, 0, second):
        first = re.compile(rf"(?:{_BLANK})*( *)-(?=[ \t\r\n]|\Z)").match(text, found.end())
        if first is None or first.end() > second:
            continue
        column = len(first[1])
        dash = first.start(1)
        starts, end = _cut(text, dash, column, second)
        start = _leading_start(text, dash, column, found.end())
        return _Items(found[1], column, (start, *starts[1:]), end)
    return _root_items(text, second) if ROOT_LIST in item_keys else None


def _root_items(text: str, second: int) -> _Items | None:
    """The items of a list that has the text to itself."""
    first = _ROOT_LIST.match(text)
    if first is None or first.end() > second:
        return None
    column = len(first[1])
    starts, end = _cut(text, first.start(1), column, second)
    if end < second:
        return None
    return _Items(ROOT_LIST, column, (_leading_start(text, first.start(1), column), *starts[1:]), end)


def _second_document(text: str) -> int:
    """Where a second document starts, or the end of the text."""
    seen = False
    for found in _MARKER.finditer(text):
        if (
            text[found.start()] == "-"
            and not seen
            and not re.sub(r"(?m)^[ \t]*(?:#.*|%.*)?$|\ufeff", "", text[: found.start()]).strip()
        ):
            seen = True
            continue
        return found.start()
    return len(text)


def _cut(text: str, begin: int, column: int, limit: int | None = None) -> tuple[list[int], int]:
    """Offsets of the items from `begin` on, comments before an item included, and where the list ends."""
    limit = len(text) if limit is None else limit
    end = limit
    end = next(_lines(_STOP_AT_ZERO if column == 0 else _STOP, text, begin, limit), limit)
    starts: list[int] = []
    head = 0
    for at in _lines(rf" {{{column}}}-(?=[ \t\r\n]|\Z)", text, begin, end):
        if starts and _LONE_HEAD.fullmatch(text, head, at) and not _HEAD.match(text, at):
            # What stands behind the next dash most likely belongs to this item: both are looked at together.
            head = at
            continue
        head = at
        starts.append(_leading_start(text, at, column, starts[-1] + 1 if starts else begin))
    return starts, end


def _lines(pattern: str, text: str, begin: int, limit: int) -> Iterator[int]:
    """Where lines that begin so start, from the line at `begin` on."""
    if re.compile(pattern).match(text, begin, limit):
        yield begin
    # A search for line breaks is one for a character; to try at each character whether a line begins there takes long.
    below = re.compile(("[\\r\\n]" if "\r" in text else "\\n") + pattern)
    for found in below.finditer(text, begin, limit):
        yield found.start() + 1


def _leading_start(text: str, dash_line: int, column: int, floor: int = 0) -> int:
    """The start of the comment lines directly above `dash_line`; only those no deeper than the dash, so never scalar content."""
    at = dash_line
    while at > floor:
        end = at - 1 if text[at - 1] in "\r\n" else at
        if end > floor and text[end] == "\n" and text[end - 1] == "\r":
            end -= 1
        start = max(text.rfind("\n", 0, end), text.rfind("\r", 0, end)) + 1
        line = text[start:end]
        body = line.lstrip(" ")
        if start < floor or not body.startswith("#") or len(line) - len(body) > column:
            break
        at = start
    return at
