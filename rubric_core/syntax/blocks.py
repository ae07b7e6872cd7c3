"""A text cut into blocks: one per item of the case list, and the frame around them.

A case list is the value of a top-level key, so an item starts at a dash in the list's own column and ends before the
next such dash or the next top-level key: YAML 1.2 allows no scalar or flow collection of an item to have lines there.
That is why blocks can be cut without parsing, and why one broken case cannot take its neighbours down.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise

from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.case_items import (
    ROOT_LIST,
    begins_item,
    cut_items,
    find_items,
    has_second_document,
    leading_start,
)
from rubric_core.syntax.parse import LARGEST, parse
from rubric_core.syntax.tree import SyntaxTree
from rubric_core.text import Edit, Encoding, LineIndex, Position, Span, TextRange, apply_edits

__all__ = ["FRAME", "Block", "Document", "UnreadBlock"]

#: The name of the block that holds everything but the cases.
FRAME = ""
_BREAKS = pattern(r"\r\n?|\n")
#: Above this number of edits, all are applied at once and the whole text is cut into blocks again.
_FEW = 8


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


class UnreadBlock(Block):
    """The part of a long text that is not parsed while somebody edits it."""

    __slots__ = ()


class Document:
    """One immutable version of a text, cut into blocks."""

    __slots__ = ("_lines", "_starts", "_text", "blocks", "column", "frame", "item_keys", "most")

    def __init__(
        self,
        blocks: Sequence[Block],
        column: int,
        item_keys: frozenset[str],
        text: str | None = None,
        most: int = LARGEST,
    ) -> None:
        #: In the order of the text. The pieces of the frame are among them, each under the key FRAME.
        self.blocks = blocks
        self.column = column
        self.item_keys = item_keys
        #: Characters of which the items are read when a text is cut.
        self.most = most
        self._starts = [0, *accumulate(len(b.text) for b in blocks)]
        self._lines: list[int] | None = None
        self._text = text

    @classmethod
    def of(cls, text: str, item_keys: frozenset[str] = frozenset(), most: int = LARGEST) -> "Document":
        """Cut `text`; the lists under the top-level keys `item_keys` hold the cases, with ROOT_LIST also one without a key.

        The items that end behind the first `most` characters are one `UnreadBlock`; so is a longer text without items.
        """
        # Too large a text is one block, which the parser refuses with a message.
        items = find_items(text, item_keys) if len(text) <= LARGEST else None
        if items is None:
            whole = UnreadBlock if most < len(text) <= LARGEST else Block
            return cls([whole(text, FRAME)], -1, item_keys, text, most)
        bounds = [*items.starts, items.end]
        blocks = [Block(text[: bounds[0]], FRAME)]
        read = bisect_right(bounds, most) - 1 if bounds[-1] > most else len(bounds) - 1
        blocks += [Block(text[a:b], items.key) for a, b in pairwise(bounds[: max(0, read) + 1])]
        if bounds[max(0, read)] < items.end:
            blocks.append(UnreadBlock(text[bounds[max(0, read)] : items.end], items.key))
        if items.end < len(text):
            blocks.append(Block(text[items.end :], FRAME))
        return cls(blocks, items.column, item_keys, text, most)

    @staticmethod
    def parse(text: str) -> SyntaxTree:
        """The tree of one block."""
        return parse(text)

    @property
    def text(self) -> str:
        """The whole text."""
        if self._text is None:
            self._text = "".join(b.text for b in self.blocks)
        return self._text

    @property
    def head(self) -> str:
        """The beginning of the text, including every comment above its first content."""
        # Comments above a list that is the whole text belong to its first item.
        first = self.blocks[0].text
        return first if first.strip() or len(self.blocks) == 1 else first + self.blocks[1].text

    def __len__(self) -> int:
        return self._starts[-1]

    @property
    def is_whole(self) -> bool:
        """Whether every part of the text is read."""
        return not any(isinstance(block, UnreadBlock) for block in self.blocks)

    def slice(self, start: int, end: int) -> str:
        """The text from `start` to `end`, without joining the blocks outside that range."""
        if self._text is not None:
            return self._text[max(0, start) : end]
        first, last = self.block_at(start), self.block_at(end)
        base = self._starts[first]
        return "".join(b.text for b in self.blocks[first : last + 1])[max(0, start - base) : end - base]

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
        """The line and character of `offset`."""
        number = self.block_at(offset)
        line, column = self.blocks[number].index.position(offset - self._starts[number], encoding)
        return Position(self._first_lines()[number] + line, column)

    def line_of(self, offset: int) -> int:
        """The number of the line that holds `offset`."""
        number = self.block_at(offset)
        index = self.blocks[number].index
        return self._first_lines()[number] + index.line_of(min(offset - self._starts[number], len(index.text)))

    def offset(self, position: Position, encoding: Encoding = "utf-16") -> int:
        """The offset of `position`, clamped to the end of its line and of the text."""
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
        # Include one neighbour on each side: a comment or line break at the boundary may move to another block.
        low, high = max(1, first - 1), min(len(self.blocks) - 1, last + 1)
        if self.column >= 0 and first >= 1 and self.blocks[first].key and self.blocks[last].key:
            if isinstance(self.blocks[first], UnreadBlock) and first == last:
                return self._with([*self.blocks[:first], self._unread(first, edit), *self.blocks[first + 1 :]])
            while high > last and (not self.blocks[high].key or isinstance(self.blocks[high], UnreadBlock)):
                high -= 1
            again = None if isinstance(self.blocks[last], UnreadBlock) else self._recut(low, high, edit)
            if again is not None:
                return self._with([*self.blocks[:low], *again, *self.blocks[high + 1 :]])
        head = self._with_head(edit) if self.column >= 0 and last == 0 else None
        if head is not None:
            return self._with([head, *self.blocks[1:]])
        text = self.text
        return self.sharing(
            Document.of(text[: edit.span.start] + edit.new_text + text[edit.span.end :], self.item_keys, self.most)
        )

    def _unread(self, number: int, edit: Edit) -> UnreadBlock:
        """The unread block `number` with `edit` made."""
        old = self.blocks[number]
        start, end = (at - self._starts[number] for at in (edit.span.start, edit.span.end))
        return UnreadBlock(old.text[:start] + edit.new_text + old.text[end:], old.key)

    def _with(self, blocks: Sequence[Block]) -> "Document":
        return Document(blocks, self.column, self.item_keys, most=self.most)

    def revised(self, edits: Iterable[Edit]) -> "Document":
        """The document after several edits of this one. Raises ValueError when two of them overlap."""
        ordered = sorted(edits, key=lambda e: e.span)
        if any(a.span.end > b.span.start for a, b in pairwise(ordered)):
            raise ValueError("edits overlap")
        if len(ordered) > _FEW:
            return self.sharing(self.of(apply_edits(self.text, ordered), self.item_keys, self.most))
        document = self
        for edit in reversed(ordered):
            document = document.edited(edit)
        return document

    def _recut(self, low: int, high: int, edit: Edit) -> list[Block] | None:
        """The items `low`…`high` with `edit` made, cut again; None when the list itself may have changed."""
        base = self._starts[low]
        old = "".join(b.text for b in self.blocks[low : high + 1])
        new = old[: edit.span.start - base] + edit.new_text + old[edit.span.end - base :]
        if high + 1 < len(self.blocks) and not new.endswith(("\n", "\r")):
            return None
        if high + 1 < len(self.blocks) and new.endswith("\r") and self.blocks[high + 1].text.startswith("\n"):
            return None
        starts, end = cut_items(new, 0, self.column)
        if end != len(new) or not starts or starts[0] != 0 or not old:
            return None
        tail = new[starts[-1] :]
        # Comments at the very end would belong to the item after them.
        if high + 1 < len(self.blocks) and leading_start(tail, len(tail), self.column) != len(tail):
            return None
        if low == 1 and not begins_item(new, self.column):
            return None
        key = self.blocks[low].key
        bounds = [*starts, len(new)]
        pieces = [new[a:b] for a, b in pairwise(bounds)]
        kept = _Kept(self.blocks[low : high + 1])
        return [kept.take(text, key) or Block(text, key) for text in pieces]

    def _with_head(self, edit: Edit) -> Block | None:
        """The text above the list with `edit` made; None when the list may begin elsewhere or end elsewhere.

        Where its items begin and end depends on nothing above them, except for a second document.
        """
        old, first = self.blocks[0].text, self.blocks[1]
        new = old[: edit.span.start] + edit.new_text + old[edit.span.end :]
        if edit.span.end >= len(old) or first.key == ROOT_LIST or len(self) - len(old) + len(new) > LARGEST:
            return None
        if has_second_document(old) or has_second_document(new):
            return None
        items = find_items(new + first.text, self.item_keys)
        same = items is not None and (items.key, items.column, items.starts) == (first.key, self.column, (len(new),))
        return Block(new, FRAME) if same else None

    def sharing(self, other: "Document") -> "Document":
        """`other`, reusing the blocks of this document wherever the text is equal."""
        kept = _Kept(self.blocks)
        blocks = [b if isinstance(b, UnreadBlock) else kept.take(b.text, b.key) or b for b in other.blocks]
        return type(other)(blocks, other.column, other.item_keys, other.text, other.most)


class _Kept:
    """Blocks to reuse. Each is handed out once, because the meaning of a block depends on its position."""

    def __init__(self, blocks: Iterable[Block]) -> None:
        self._blocks: dict[tuple[str, str], list[Block]] = {}
        for block in blocks:
            if not isinstance(block, UnreadBlock):
                self._blocks.setdefault((block.text, block.key), []).append(block)

    def take(self, text: str, key: str) -> Block | None:
        """The next unused block with this text, in document order."""
        found = self._blocks.get((text, key))
        return found.pop(0) if found else None
