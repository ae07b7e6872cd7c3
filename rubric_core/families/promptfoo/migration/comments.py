"""The comments of a YAML text, by the values above or beside which they are written. Each is used once."""

from collections.abc import Mapping
from typing import Any

from rubric_core.families.promptfoo.migration.yaml_writer import Commented
from rubric_core.syntax.collection_edits import comments_of, line_start
from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.tree import Alias, Entry, Node, Scalar, Sequence, SyntaxTree, walk
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.text import LineIndex

__all__ = ["Comments"]


class Comments:
    """The comments of one text."""

    def __init__(self, text: str, tree: SyntaxTree | None = None) -> None:
        self._lines = LineIndex(text)
        #: Comments by line: those on lines of their own, and those after something.
        self._alone: dict[int, str] = {}
        self._behind: dict[int, str] = {}
        self._columns: dict[int, int] = {}
        self._blank = {n for n, line in enumerate(text.split("\n")) if not line.strip()}
        for span in comments_of(text, parse(text) if tree is None else tree) if "#" in text else ():
            words = text[span.start : span.end].rstrip()
            is_alone = not text[line_start(text, span.start) : span.start].strip()
            line = self._lines.line_of(span.start)
            (self._alone if is_alone else self._behind)[line] = words
            if is_alone:
                self._columns[line] = span.start - self._lines.line_start(line)

    def around(self, start: Node, value: Any, end: Node | None = None) -> Any:
        """`value` with the comments above the line of `start`, and those on that line or on the line of `end`."""
        line = self._lines.line_of(start.whole.start)
        last = self._lines.line_of(max(start.whole.start, (end or start).whole.end - 1))
        beside = self._behind.pop(line, "") or (self._behind.pop(last, "") if isinstance(end or start, Scalar) else "")
        above = self._above(line, start.whole.start - self._lines.line_start(line))
        return Commented(value, above, beside) if above or beside else value

    def _above(self, line: int, column: int) -> tuple[str, ...]:
        """The comments directly above a line; more deeply indented ones belong to the entry before."""
        found: list[str] = []
        line -= 1
        while line in self._blank or self._columns.get(line, column + 1) <= column:
            found.append(self._alone.pop(line, ""))
            self._columns.pop(line, None)
            line -= 1
        while found and not found[-1]:
            found.pop()
        while found and not found[0]:
            del found[0]
        return tuple(reversed(found))

    def remaining_within(self, node: Node) -> tuple[str, ...]:
        """The comments in the lines of a value that nothing else took."""
        first, last = self._lines.line_of(node.whole.start), self._lines.line_of(max(0, node.whole.end - 1))
        lines = [n for n in sorted({*self._alone, *self._behind}) if first <= n <= last]
        return tuple(word for n in lines if (word := self._alone.pop(n, "") or self._behind.pop(n, "")))

    def data(self, node: Node | None, value: Any, anchors: Mapping[str, Node]) -> Any:
        """`value`, converted from `node`, with the comments in it. Borrowed values have no comments."""
        if node is None or any(isinstance(each, Alias) for each in walk(node)):
            return value
        return self._data(node, value, anchors)

    def _data(self, node: Node, value: Any, anchors: Mapping[str, Node]) -> Any:
        if isinstance(node, MappingNode) and not node.flow and isinstance(value, dict):
            entries = {entry.name or "": entry for entry in node.entries}
            order = [name for name in entries if name in value] + [name for name in value if name not in entries]
            return {name: self._entry(entries.get(name), value[name], anchors) for name in order}
        if isinstance(node, Sequence) and not node.flow and plain(node, anchors) == value:
            pairs = zip(node.items, value, strict=True)
            return [self.around(item, self._data(item, each, anchors)) for item, each in pairs]
        return value

    def _entry(self, entry: Entry | None, value: Any, anchors: Mapping[str, Node]) -> Any:
        return value if entry is None else self.around(entry.key, self._data(entry.value, value, anchors), entry.value)
