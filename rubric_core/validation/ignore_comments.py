"""`# rubric: ignore[code]`: findings that an author has reviewed and accepted.

At the end of a line, or alone on the line above it, it covers findings that start on that line; alone above a case's dash, the whole case. `# rubric: ignore-file[code]` above the first key covers the file. Without brackets every code is covered.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator
from typing import Literal, NamedTuple

from rubric_core.lazy_compilation import dataclass, pattern, replace
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence, SyntaxTree, walk
from rubric_core.text import LineIndex, Span

__all__ = ["DIRECTIVE", "UNUSED", "Ignore", "IgnoredCode", "Reach", "ignores_in"]

#: The code reported for an ignore that covers nothing. An ignore that lists this code may itself be unused.
UNUSED = "unused-ignore"
#: Codes that an ignore without a list does not cover: invalid YAML should not be hidden.
_NEVER_UNNAMED = frozenset({"syntax-error", "too-large", UNUSED})

#: The directive itself, and its comment up to the end of the line or to the next comment on it.
DIRECTIVE = pattern(
    # A list ends where another directive begins: otherwise each of thousands without a `]` would scan the rest of the
    # line.
    r"(?<![^\s\ufeff])(?P<directive>#[ \t]*rubric:[ \t]*ignore(?P<file>-file)?(?![\w-])"
    r"(?:[ \t]*\[(?P<codes>(?:(?!#[ \t]*rubric:)[^\]\r\n])*)\])?)"
    r"(?P<reason>(?:[^ \t\r\n]+|[ \t]+(?=[^ \t\r\n#]))*)"
)
_CODE = pattern(r"[^\s,]+")
#: Codes after the directive without brackets, or after one that does not close.
_NAME = r"(?:[a-z]+/[a-z]+(?:-[a-z]+)*|[a-z]+(?:-[a-z]+)+)"
_BARE = pattern(rf"[ \t:(\[]*((?:{_NAME},[ \t]*)*{_NAME})\b")
_OPENED = pattern(r"[ \t]*\[")
_COMMENT_LINE = pattern(r"[ \t\ufeff]*#")

#: What an ignore covers: a line, a case, the file, only its own comment, or nothing.
Reach = Literal["line", "case", "file", "comment", "nothing"]


class IgnoredCode(NamedTuple):
    """A code between the brackets."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Ignore:
    """One directive."""

    #: From `#` to the closing bracket.
    span: Span
    #: None: every code.
    codes: tuple[IgnoredCode, ...] | None
    reach: Reach
    #: Findings that start in this range, both ends included, are covered; an ignore for the file covers everything.
    covers: Span
    #: The text to remove with the comment: its whole line if nothing else is on it, else the spaces before it.
    whole: Span
    #: Codes that were written without brackets, separated by commas.
    bare: IgnoredCode | None = None

    def moved(self, outer: Callable[[Span], Span]) -> "Ignore":
        """The same ignore with spans of the whole text."""
        codes = None if self.codes is None else tuple(IgnoredCode(c.name, outer(c.span)) for c in self.codes)
        bare = None if self.bare is None else IgnoredCode(self.bare.name, outer(self.bare.span))
        return replace(
            self, span=outer(self.span), codes=codes, covers=outer(self.covers), whole=outer(self.whole), bare=bare
        )

    def names(self, code: str, group: str = "") -> int | None:
        """The number of the listed code that covers `code` or its group; -1 when every code is covered, None when this one is not."""
        if self.codes is None:
            return None if code in _NEVER_UNNAMED else -1
        return next((i for i, listed in enumerate(self.codes) if listed.name in (code, group)), None)


def ignores_in(text: str, tree: SyntaxTree, item_keys: Collection[str] | None) -> tuple[Ignore, ...]:
    """The ignores in one block. `item_keys` are the keys whose lists hold cases; None for the text of one case."""
    if "rubric:" not in text:
        return ()
    found = list(DIRECTIVE.finditer(text))
    if not found:
        return ()
    reader = _Reader(text, tree, item_keys)
    return tuple(reader.ignore(match) for match in found if reader.is_comment(match.start()))


class _Reader:
    def __init__(self, text: str, tree: SyntaxTree, item_keys: Collection[str] | None) -> None:
        self.text = text
        self.root = tree.root
        self.lines = LineIndex(text)
        scalars = (n for n in walk(tree.root) if isinstance(n, Scalar) and n.span.start < n.span.end)
        self.scalars = sorted(scalars, key=lambda s: s.span)
        self.in_case = item_keys is None
        #: The case that begins on a line.
        self.cases = {} if item_keys is None else dict(self._cases(tree.root, item_keys))

    def is_comment(self, offset: int) -> bool:
        """Whether the `#` begins a comment rather than being part of a scalar; a block scalar's header may end in a comment."""
        at = bisect_right(self.scalars, offset, key=lambda s: s.span.start) - 1
        if at < 0 or offset >= self.scalars[at].span.end:
            return True
        scalar = self.scalars[at]
        header = self.lines.line_span(self.lines.line_of(scalar.span.start))
        return scalar.is_block and offset < header.end

    def ignore(self, match: re.Match[str]) -> Ignore:
        span = Span(*match.span("directive"))
        codes = None if match["codes"] is None else tuple(_listed(match["codes"], match.start("codes")))
        bare = _bare(match) if codes is None else None
        if codes is None and bare is None and _OPENED.match(match["reason"]):
            codes = ()  # an opening bracket shows that not every code is meant
        reach, covers = self._file(span) if match["file"] else self._reach(span.start)
        return Ignore(span, codes, "nothing" if bare else reach, covers, self._whole(Span(*match.span())), bare)

    def _file(self, span: Span) -> tuple[Reach, Span]:
        above = not self.in_case and (self.root is None or span.end <= self.root.whole.start)
        return ("file", Span(0, len(self.text))) if above else ("nothing", span)

    def _reach(self, offset: int) -> tuple[Reach, Span]:
        first = line = self.lines.line_of(offset)
        alone = self._is_comment_line(line)
        while alone and self._is_comment_line(line):
            line += 1
        if alone and self._begins_case(line):
            # The end of a case's text is where the next one starts.
            return "case", self.cases.get(line, Span(0, len(self.text) - 1))
        start = self.lines.line_start(first)
        if not self._line(line).strip():
            return "comment", Span(start, self.lines.line_span(line - 1).end)
        return "line", Span(start, self._end_of_values(line))

    def _line(self, line: int) -> str:
        return self.text[slice(*self.lines.line_span(line))]

    def _is_comment_line(self, line: int) -> bool:
        return _COMMENT_LINE.match(self._line(line)) is not None

    def _begins_case(self, line: int) -> bool:
        if not self.in_case:
            return line in self.cases
        above = (n for n in range(line) if self._line(n).strip())
        return self._line(line).lstrip().startswith("-") and all(map(self._is_comment_line, above))

    def _end_of_values(self, line: int) -> int:
        """The end of the line, or of the scalar that starts on it: there is no room for a comment inside that."""
        start, end = self.lines.line_span(line)
        low = bisect_left(self.scalars, start, key=lambda s: s.span.start)
        high = bisect_right(self.scalars, end, key=lambda s: s.span.start)
        return max(end, *(s.span.end for s in self.scalars[low:high]), end)

    def _whole(self, comment: Span) -> Span:
        line = self.lines.line_of(comment.start)
        start, end = self.lines.line_span(line)
        before, behind = self.text[start : comment.start].rstrip(" \t"), self.text[comment.end : end]
        if behind.strip():
            # Another comment follows and takes the place of this one.
            return Span(comment.start, end - len(behind.lstrip()))
        if before.strip("\ufeff"):
            return Span(start + len(before), end)
        return Span(start + len(before), self.lines.line_start(line + 1))

    def _cases(self, root: Node | None, item_keys: Collection[str]) -> Iterator[tuple[int, Span]]:
        entries = root.entries if isinstance(root, Mapping) else ()
        lists = [root] if isinstance(root, Sequence) else [e.value for e in entries if e.name in item_keys]
        for each in lists:
            for item in each.items if isinstance(each, Sequence) else ():
                line = self.lines.line_of(item.whole.start)
                while line > 0 and isinstance(each, Sequence) and not each.flow and self._is_below_dash(line):
                    line -= 1
                yield line, item.whole

    def _is_below_dash(self, line: int) -> bool:
        """Whether the dash of the item that starts on the line is alone on a line above."""
        above = self._line(line - 1).strip()
        return not self._line(line).lstrip().startswith("-") and (above in ("", "-") or above.startswith(("#", "- #")))


def _listed(codes: str, start: int) -> Iterator[IgnoredCode]:
    return (IgnoredCode(found[0], Span(*found.span()).moved(start)) for found in _CODE.finditer(codes))


def _bare(match: re.Match[str]) -> IgnoredCode | None:
    found = _BARE.match(match["reason"])
    start = match.start("reason")
    return None if found is None else IgnoredCode(found[1], Span(start, start + found.end()))
