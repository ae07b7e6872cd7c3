"""`# rubric: ignore[code]`: findings that an author has looked at and wants to keep.

At the end of a line, or alone on the line above it, it covers what starts on that line; alone above a case's dash, the
whole case. `# rubric: ignore-file[code]` above the first key covers the file. Without brackets every code is covered.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from rubric_core.language.closest import closest
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence, Tree, walk
from rubric_core.text import Edit, LineIndex, Span
from rubric_core.validation.rule import Diagnostic

__all__ = ["DIRECTIVE", "UNUSED", "Ignore", "Listed", "Suppression", "UnusedIgnore", "ignores_in"]

#: The code of an ignore that covers nothing; an ignore that names it may be unused.
UNUSED = "unused-ignore"
#: Whoever asks for quiet without naming a code did not mean that the file may stop being YAML.
_NEVER_UNNAMED = frozenset({"syntax-error", "too-large", UNUSED})

#: The directive itself, and its comment up to the end of the line or to the next comment on it.
DIRECTIVE = re.compile(
    r"(?<![^\s\ufeff])(?P<directive>#[ \t]*rubric:[ \t]*ignore(?P<file>-file)?(?![\w-])(?:[ \t]*\[(?P<codes>[^\]\r\n]*)\])?)"
    r"(?P<reason>[^\r\n]*?)(?=[ \t]+#|[ \t]*(?:[\r\n]|\Z))"
)
_CODE = re.compile(r"[^\s,]+")
#: A code that stands behind the directive without brackets.
_BARE = re.compile(r"[ \t:(]*([a-z]+(?:-[a-z]+)+)\b")
_COMMENT_LINE = re.compile(r"[ \t\ufeff]*#")


class Listed(NamedTuple):
    """A code between the brackets."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Ignore:
    """One directive."""

    #: From `#` to the closing bracket.
    span: Span
    #: None: every code.
    codes: tuple[Listed, ...] | None
    reach: Literal["line", "case", "file", "comment", "nothing"]
    #: What starts here is covered, both ends included; a file's ignore covers everything.
    covers: Span
    #: What to take away with it: its line when nothing else is on it, and the spaces before it.
    whole: Span
    #: A code that was written without brackets.
    bare: Listed | None = None

    def moved(self, outer: Callable[[Span], Span]) -> "Ignore":
        """The same with every span in the whole text."""
        codes = None if self.codes is None else tuple(Listed(c.name, outer(c.span)) for c in self.codes)
        bare = None if self.bare is None else Listed(self.bare.name, outer(self.bare.span))
        return replace(
            self,
            span=outer(self.span),
            codes=codes,
            covers=outer(self.covers),
            whole=outer(self.whole),
            bare=bare,
        )

    def names(self, code: str) -> int | None:
        """The number of the listed code that covers `code`; -1 when every code is covered, None when this one is not."""
        if self.codes is None:
            return None if code in _NEVER_UNNAMED else -1
        return next((i for i, listed in enumerate(self.codes) if listed.name == code), None)


def ignores_in(text: str, tree: Tree, item_keys: Collection[str] | None) -> tuple[Ignore, ...]:
    """The ignores in one block. `item_keys` are the keys whose lists hold cases; None for the text of one case."""
    if "rubric:" not in text:
        return ()
    found = list(DIRECTIVE.finditer(text))
    if not found:
        return ()
    reader = _Reader(text, tree, item_keys)
    return tuple(reader.ignore(match) for match in found if reader.is_comment(match.start()))


class _Reader:
    def __init__(self, text: str, tree: Tree, item_keys: Collection[str] | None) -> None:
        self.text = text
        self.root = tree.root
        self.lines = LineIndex(text)
        self.scalars = [node for node in walk(tree.root) if isinstance(node, Scalar)]
        self.in_case = item_keys is None
        self.cases = {} if item_keys is None else {self._dash_line(c): c.whole for c in _cases(tree.root, item_keys)}

    def is_comment(self, offset: int) -> bool:
        """Whether the `#` there is no part of a scalar; a block scalar's first line may end in a comment."""
        return not any(self._content(s).start <= offset < s.span.end for s in self.scalars)

    def _content(self, scalar: Scalar) -> Span:
        if scalar.style not in ("literal", "folded"):
            return scalar.span
        header = self.lines.line_span(self.lines.line_of(scalar.span.start))
        return Span(min(header.end, scalar.span.end), scalar.span.end)

    def ignore(self, match: re.Match[str]) -> Ignore:
        span = Span(*match.span("directive"))
        codes = self._codes(match)
        bare = _BARE.match(match["reason"]) if codes is None else None
        listed = (
            None if bare is None else Listed(bare[1], Span(match.start("reason"), match.start("reason") + bare.end()))
        )
        reach, covers = self._file(span) if match["file"] else self._reach(span.start)
        if listed is not None:
            reach = "nothing"
        return Ignore(span, codes, reach, covers, self._whole(Span(*match.span())), listed)

    @staticmethod
    def _codes(match: re.Match[str]) -> tuple[Listed, ...] | None:
        if match["codes"] is None:
            return None
        start = match.start("codes")
        return tuple(Listed(c[0], Span(start + c.start(), start + c.end())) for c in _CODE.finditer(match["codes"]))

    def _file(self, span: Span) -> tuple[Literal["file", "nothing"], Span]:
        above = not self.in_case and (self.root is None or span.end <= self.root.whole.start)
        return ("file", Span(0, len(self.text))) if above else ("nothing", span)

    def _reach(self, offset: int) -> tuple[Literal["line", "case", "comment"], Span]:
        first = line = self.lines.line_of(offset)
        alone = _COMMENT_LINE.match(self._line(line)) is not None
        while alone and _COMMENT_LINE.match(self._line(line)):
            line += 1
        if alone and self._is_first_of_case(line):
            return "case", self.cases.get(line, Span(0, len(self.text)))
        start = self.lines.line_start(first)
        if not self._line(line).strip():
            return "comment", Span(start, self.lines.line_span(line - 1).end)
        return "line", Span(start, self._with_scalars(line).end)

    def _line(self, line: int) -> str:
        return self.text[slice(*self.lines.line_span(line))]

    def _is_first_of_case(self, line: int) -> bool:
        if not self.in_case:
            return line in self.cases
        above = (self._line(n) for n in range(line))
        return self._line(line).lstrip().startswith("-") and all(_COMMENT_LINE.match(a) or not a.strip() for a in above)

    def _with_scalars(self, line: int) -> Span:
        """The line, and the rest of the scalars that start on it: there is no room for a comment inside them."""
        start, end = self.lines.line_span(line)
        inside = (s.span.end for s in self.scalars if start <= s.span.start <= end)
        return Span(start, max(end, *inside, end))

    def _whole(self, comment: Span) -> Span:
        start, end = self.lines.line_span(self.lines.line_of(comment.start))
        before = self.text[start : comment.start].rstrip(" \t")
        if not before.strip("\ufeff") and not self.text[comment.end : end].strip():
            return Span(start + len(before), self.lines.line_start(self.lines.line_of(comment.start) + 1))
        if self.text[comment.end : end].strip():
            # Another comment stands behind this one and takes its place.
            return Span(
                comment.start,
                comment.end + len(self.text[comment.end : end]) - len(self.text[comment.end : end].lstrip()),
            )
        return Span(start + len(before), end)

    def _dash_line(self, case: Node) -> int:
        line = first = self.lines.line_of(case.whole.start)
        while line >= 0 and not self._line(line).lstrip().startswith("-"):
            line -= 1
        return line if line >= 0 else first


def _cases(root: Node | None, item_keys: Collection[str]) -> Iterable[Node]:
    if isinstance(root, Sequence):
        return root.items
    if not isinstance(root, Mapping):
        return ()
    lists = (e.value for e in root.entries if e.name in item_keys)
    return [item for each in lists if isinstance(each, Sequence) for item in each.items]


@dataclass(frozen=True, slots=True)
class UnusedIgnore:
    """An ignore, or one of its codes, that covers nothing. Spans are those of the whole text."""

    span: Span
    problem: Literal["unused", "unknown", "empty", "bare", "low", "last"]
    #: The code that it is about; empty when it is about the whole directive.
    name: str
    #: Takes the directive or the code away.
    removal: Edit
    #: The code that was probably meant, and the edit that writes it.
    meant: str | None = None
    mend: Edit | None = None


class Suppression:
    """The ignores of one version of a text, and which of them were of use."""

    def __init__(self, ignores: Iterable[tuple[int, Ignore]], block_of: Callable[[int], int]) -> None:
        """`ignores` come with the number of their block; what `block_of` gives for an offset is compared with it."""
        self._file: list[Ignore] = []
        self._near: dict[int, list[Ignore]] = {}
        for block, ignore in ignores:
            (self._file if ignore.reach == "file" else self._near.setdefault(block, [])).append(ignore)
        for near in self._near.values():
            near.sort(key=lambda i: i.reach == "case")
        self._block_of = block_of
        self._used: set[tuple[int, int]] = set()

    def __bool__(self) -> bool:
        return bool(self._file or self._near)

    def covers(self, diagnostic: Diagnostic) -> bool:
        """Whether an ignore covers it; the nearest one that does was of use."""
        at = diagnostic.span.start
        near = self._near.get(self._block_of(at), ())
        for ignore in (*(i for i in near if i.reach != "nothing" and i.covers.covers(at)), *self._file):
            number = ignore.names(diagnostic.code)
            if number is not None:
                self._used.add((ignore.span.start, number))
                return True
        return False

    def unused(self, known: Collection[str], settled: Callable[[int | None], bool]) -> Iterator[UnusedIgnore]:
        """What covered nothing so far.

        Args:
            known: Every code.
            settled: Whether block number n, or the whole text (None), could be read: a typing error hides findings.
        """
        exempt = any(i.names(UNUSED) is not None for i in self._file)
        for block, ignores in [*self._near.items(), (None, self._file)]:
            if not exempt and settled(block):
                for ignore in ignores:
                    yield from self._judge(ignore, known)

    def _judge(self, ignore: Ignore, known: Collection[str]) -> Iterator[UnusedIgnore]:
        whole = Edit(ignore.whole, "")
        if ignore.bare is not None:
            meant = ignore.bare.name if ignore.bare.name in known else closest(ignore.bare.name, known)
            mend = Edit(ignore.bare.span, f"[{meant}]") if meant else None
            yield UnusedIgnore(
                Span(ignore.span.start, ignore.bare.span.end), "bare", ignore.bare.name, whole, meant, mend
            )
        elif ignore.reach == "nothing":
            yield UnusedIgnore(ignore.span, "low", "", whole)
        elif ignore.reach == "comment" and not any(start == ignore.span.start for start, _ in self._used):
            yield UnusedIgnore(ignore.span, "last", "", whole)
        elif ignore.codes is None:
            if (ignore.span.start, -1) not in self._used:
                yield UnusedIgnore(ignore.span, "unused", "", whole)
        elif not ignore.codes:
            yield UnusedIgnore(ignore.span, "empty", "", whole)
        elif ignore.names(UNUSED) is None:
            yield from self._listed(ignore, ignore.codes, known, whole)

    def _listed(
        self, ignore: Ignore, codes: tuple[Listed, ...], known: Collection[str], whole: Edit
    ) -> Iterator[UnusedIgnore]:
        idle = [i for i in range(len(codes)) if (ignore.span.start, i) not in self._used]
        if len(idle) == len(codes) > 1 and all(codes[i].name in known for i in idle):
            yield UnusedIgnore(ignore.span, "unused", "", whole)
            return
        for i in idle:
            name, span = codes[i]
            removal = whole if len(codes) == 1 else Edit(_with_comma(codes, i), "")
            if name in known:
                yield UnusedIgnore(span, "unused", name, removal)
            else:
                meant = closest(name, known)
                yield UnusedIgnore(span, "unknown", name, removal, meant, Edit(span, meant) if meant else None)


def _with_comma(codes: tuple[Listed, ...], number: int) -> Span:
    if number + 1 < len(codes):
        return Span(codes[number].span.start, codes[number + 1].span.start)
    return Span(codes[number - 1].span.end, codes[number].span.end)
