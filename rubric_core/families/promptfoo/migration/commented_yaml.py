"""Plain data with comments as block YAML, and the comments of a YAML text by the values that they belong to."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rubric_core.lazy_compilation import dataclass, pattern
from rubric_core.syntax.collection_edits import comments_of, line_start
from rubric_core.syntax.edit import plain_or_quoted, quoted
from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.tree import Alias, Entry, Node, Scalar, SyntaxTree, walk
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.syntax.tree import Sequence as SequenceNode
from rubric_core.text import LineIndex

__all__ = ["Commented", "Comments", "bare", "write_yaml"]

#: A text that a literal block can hold verbatim; a first line that is indented would need an indicator.
_BLOCK = pattern(r"[^\s\x00-\x1f\x7f](?:[^\x00-\x08\x0b-\x1f\x7f\x85\u2028\u2029\ufeff]*[^\s\x00-\x1f\x7f])?\n?\Z")
#: A text of words on one line, which can be folded anywhere.
_WORDS = pattern(r"\S+(?: \S+)*\n?\Z")
_WIDTH = 100
_STEP = "  "


@dataclass(frozen=True, slots=True)
class Commented:
    """A value with its comments, each with its `#`; an empty text above is a blank line."""

    value: Any
    above: tuple[str, ...] = ()
    beside: str = ""


def bare(value: Any) -> Any:
    """The value without its own comments; those inside it stay."""
    return value.value if isinstance(value, Commented) else value


def write_yaml(data: Mapping[str, Any]) -> str:
    """A mapping as YAML text, with blank lines between large parts. Values are plain data or `Commented`."""
    parts = ["".join(f"{line}\n" for line in _mapping({name: value}, "")) for name, value in data.items()]
    large = [part.count("\n") > 1 for part in parts]
    return "".join(f"\n{part}" if n and (large[n] or large[n - 1]) else part for n, part in enumerate(parts))


def _mapping(data: Mapping[str, Any], margin: str) -> Iterator[str]:
    for name, written in data.items():
        above, beside = _comments(written)
        yield from (f"{margin}{line}" if line else "" for line in above)
        yield from _entry(f"{margin}{plain_or_quoted(name)}:", bare(written), beside, margin)


def _sequence(items: Sequence[Any], margin: str) -> Iterator[str]:
    for written in items:
        above, beside = _comments(written)
        yield from (f"{margin}{line}" if line else "" for line in above)
        value = bare(written)
        if isinstance(value, dict) and value:
            inner = list(_mapping(value, margin + _STEP))
            first = next(n for n, line in enumerate(inner) if line and not line.lstrip().startswith("#"))
            # Comments of the first key would come between the dash and the key.
            yield from (line[len(_STEP) :] if line else "" for line in inner[:first])
            yield f"{margin}- {inner[first][len(margin) + len(_STEP) :]}{_side(beside)}"
            yield from inner[first + 1 :]
        elif isinstance(value, list) and value:
            inner = list(_sequence(value, margin + _STEP))
            yield f"{margin}- {inner[0][len(margin) + len(_STEP) :]}{_side(beside)}"
            yield from inner[1:]
        else:
            yield from _entry(f"{margin}-", value, beside, margin)


def _entry(head: str, value: Any, beside: str, margin: str) -> Iterator[str]:
    """A key or a dash with its value."""
    if isinstance(value, dict) and value:
        yield f"{head}{_side(beside)}"
        yield from _mapping(value, margin + _STEP)
    elif isinstance(value, list) and value:
        yield f"{head}{_side(beside)}"
        yield from _sequence(value, margin + _STEP)
    elif isinstance(value, str) and "\n" in value.removesuffix("\n") and _BLOCK.match(value):
        yield f"{head} |{'' if value.endswith(chr(10)) else '-'}{_side(beside)}"
        yield from (f"{margin}{_STEP}{line}" if line else "" for line in value.removesuffix("\n").split("\n"))
    elif isinstance(value, str) and len(value) > _WIDTH and _BLOCK.match(value) and _WORDS.match(value):
        yield f"{head} >{'' if value.endswith(chr(10)) else '-'}{_side(beside)}"
        yield from (f"{margin}{_STEP}{line}" for line in _folded(value.split()))
    else:
        yield f"{head} {_scalar(value)}{_side(beside)}"


def _folded(words: Sequence[str]) -> Iterator[str]:
    line = words[0]
    for word in words[1:]:
        if len(line) + len(word) >= _WIDTH:
            yield line
            line = word
        else:
            line += f" {word}"
    yield line


def _scalar(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, float) and 0 < abs(value) < 1:
        short = f"{value:.8f}".rstrip("0")
        return short if float(short) == value else repr(value)
    if isinstance(value, float):
        return repr(value).replace("inf", ".inf").replace("nan", ".nan")
    if isinstance(value, int):
        return str(value)
    if isinstance(value, dict | list):
        return "{}" if isinstance(value, dict) else "[]"
    return plain_or_quoted(str(value)) if "\n" not in str(value) else quoted(str(value))


def _comments(written: Any) -> tuple[tuple[str, ...], str]:
    return (written.above, written.beside) if isinstance(written, Commented) else ((), "")


def _side(comment: str) -> str:
    return f"  {comment}" if comment else ""


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
        if isinstance(node, SequenceNode) and not node.flow and plain(node, anchors) == value:
            pairs = zip(node.items, value, strict=True)
            return [self.around(item, self._data(item, each, anchors)) for item, each in pairs]
        return value

    def _entry(self, entry: Entry | None, value: Any, anchors: Mapping[str, Node]) -> Any:
        return value if entry is None else self.around(entry.key, self._data(entry.value, value, anchors), entry.value)
