"""Texts that are not YAML: data sets with one JSON object per line, one JSON value, and plain text."""

import json
from collections.abc import Iterable

from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.blocks import FRAME, Block, Document, UnreadBlock
from rubric_core.syntax.case_items import ROOT_LIST
from rubric_core.syntax.json_text import parse_json
from rubric_core.syntax.parse import LARGEST
from rubric_core.syntax.tree import SyntaxTree
from rubric_core.text import Edit, apply_edits

__all__ = ["JsonDocument", "LineDocument", "PlainDocument", "is_still_json"]

_LINE = pattern(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+\Z")


class LineDocument(Document):
    """One immutable version of a text, cut into lines. The frame is empty."""

    __slots__ = ()

    @classmethod
    def of(cls, text: str, item_keys: frozenset[str] = frozenset(), most: int = LARGEST) -> "LineDocument":
        """Cut `text` at its line breaks; what stands behind the first `most` characters stays one `UnreadBlock`."""
        read = len(text) if len(text) <= most or most >= LARGEST else text.rfind("\n", 0, most) + 1
        blocks = [Block("", FRAME), *(Block(line, ROOT_LIST) for line in _LINE.findall(text[:read]))]
        return cls([*blocks, *([UnreadBlock(text[read:], ROOT_LIST)] if text[read:] else [])], 0, item_keys, text, most)

    @staticmethod
    def parse(text: str) -> SyntaxTree:
        """The tree of one line."""
        return parse_json(text)

    def edited(self, edit: Edit) -> "LineDocument":
        """The document after `edit`, sharing every line that the edit does not touch."""
        first, last = max(1, self.block_at(edit.span.start) - 1), self.block_at(edit.span.end) + 1
        if isinstance(self.blocks[-1], UnreadBlock) and last >= len(self.blocks) - 1:
            return self.of(apply_edits(self.text, [edit]), self.item_keys, self.most)
        touched = self.blocks[first : last + 1]
        base = self.start(first) if first < len(self.blocks) else len(self)
        old = "".join(b.text for b in touched)
        new = old[: edit.span.start - base] + edit.new_text + old[edit.span.end - base :]
        kept = {b.text: b for b in touched}
        lines: list[str] = _LINE.findall(new)
        again = [kept.pop(line) if line in kept else Block(line, ROOT_LIST) for line in lines]
        return LineDocument([*self.blocks[:first], *again, *self.blocks[last + 1 :]], 0, self.item_keys, most=self.most)


class PlainDocument(Document):
    """One immutable version of a text that is not parsed."""

    __slots__ = ()

    @classmethod
    def of(cls, text: str, item_keys: frozenset[str] = frozenset(), most: int = LARGEST) -> "PlainDocument":
        """The text as one block."""
        return cls([Block(text, FRAME)], -1, item_keys, text, most)

    @staticmethod
    def parse(text: str) -> SyntaxTree:  # noqa: ARG004  # the signature of its base
        """An empty tree: plain text has no structure."""
        return SyntaxTree(None, (), {}, [])

    def edited(self, edit: Edit) -> "PlainDocument":
        """The document after `edit`."""
        return PlainDocument.of(apply_edits(self.text, [edit]), self.item_keys, self.most)


class JsonDocument(PlainDocument):
    """One JSON value as one block."""

    __slots__ = ()

    @staticmethod
    def parse(text: str) -> SyntaxTree:
        """The tree of the value."""
        return parse_json(text)


def is_still_json(text: str, edits: Iterable[Edit]) -> bool:
    """Whether a line is still valid JSON after `edits`, which were written for YAML."""
    try:
        json.loads(apply_edits(text, edits))
    except (ValueError, RecursionError):
        return False
    return True
