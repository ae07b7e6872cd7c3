"""Parses any text: with libyaml, and with repairs if it is invalid YAML."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.depth import cut_deep_nesting
from rubric_core.syntax.events import build, stumble
from rubric_core.syntax.failure import Failure
from rubric_core.syntax.repair import LINE, Repair
from rubric_core.syntax.repair_candidates import candidates
from rubric_core.syntax.repair_messages import explain
from rubric_core.syntax.stand_ins import BACKSLASH, COLON, FOREIGN, HARMLESS, HOLE, QUOTE, RESERVED, STAND_IN, TAB
from rubric_core.syntax.tabs import replace_idle_tabs
from rubric_core.syntax.tree import Scalar, Style, SyntaxFix, SyntaxProblem, SyntaxTree, walk
from rubric_core.text import Edit, Span

__all__ = ["parse_fully"]

#: Half of a pair of surrogates as an escape, as programs write an emoji in JSON. The engines read it; libyaml refuses it.
_HALF = pattern(r"(?<!\\)(?P<before>(?:\\\\)*)\\u(?P<half>[dD][89a-fA-F][0-9a-fA-F]{2})")
_HALF_REFUSED = "found invalid Unicode character escape code"
#: The originals of stand-ins in double quotes: a lone surrogate, or a character that libyaml rejects.
_STANDS_IN = pattern(rf"(?<!\\)(?:\\\\)*\\u([dD][89a-fA-F][0-9a-fA-F]{{2}})|{FOREIGN.pattern}")
#: As long as such an escape. libyaml reads it as the stand-in, and only in double quotes.
_STAND_IN_ESCAPE = f"\\u{ord(STAND_IN):04x}"
_MOST_REPAIRS = 12
_MOST_CUTS = 5
_CHARACTERS_PER_PARSE = 500_000
_FEWEST_TRIES = 12
#: The most invalid characters that are reported for one text.
_MOST_FORBIDDEN = 20


def parse_fully(text: str, foreign: Sequence[int]) -> SyntaxTree:
    """The tree of `text`, which has characters that libyaml refuses at the offsets `foreign`."""
    read = _read(FOREIGN.sub(STAND_IN, text) if foreign else text)
    tree, failure = read.tree, read.failure
    told = {p.span for p in tree.problems}
    problems = [p for p in read.deep if p.span not in told]
    if failure is not None:
        tree, repaired = _repair(read.text, failure, tree)
        problems += repaired
    problems += tree.problems
    if read.halves or foreign or HOLE in read.text or failure is not None or TAB in read.text:
        _put_back(text, tree, halves=read.halves)
    problems += [_forbidden(text, at) for at in foreign[:_MOST_FORBIDDEN] if text[at] not in HARMLESS]
    return SyntaxTree(tree.root, tuple(sorted(problems, key=lambda p: p.span)), tree.anchors, tree.aliases)


class _Read(NamedTuple):
    """The result of libyaml for a text whose wrongly rejected characters are replaced."""

    tree: SyntaxTree
    failure: Failure | None
    #: The text that libyaml read, of the same length as the original.
    text: str
    #: The places where too deeply nested parts were removed.
    deep: list[SyntaxProblem]
    #: Whether escaped halves of surrogate pairs were replaced.
    halves: bool


def _read(readable: str) -> _Read:
    tree, failure = build(readable)
    deep: list[SyntaxProblem] = []
    while failure is not None and failure.deep is not None:
        deep += [p for p in tree.problems if p.kind == "nesting"]
        readable = cut_deep_nesting(readable, *failure.deep, rest=len(deep) > _MOST_CUTS)
        tree, failure = build(readable)
    halves = failure is not None and failure.problem == _HALF_REFUSED and _HALF.search(readable) is not None
    if halves:
        readable = _HALF.sub(lambda found: f"{found['before']}{_STAND_IN_ESCAPE}", readable)
        tree, failure = build(readable)
    if failure is not None and "\t" in readable:
        readable, left = replace_idle_tabs(readable, failure)
        if left is None:
            tree, failure = build(readable)
        else:
            failure = left
    return _Read(tree, failure, readable, deep, halves)


def _forbidden(text: str, at: int) -> SyntaxProblem:
    words = f"the character U+{ord(text[at]):04X} is not allowed in YAML; write it as an escape in double quotes"
    return SyntaxProblem(
        "character", Span(at, at + 1), words, SyntaxFix("remove it", (Edit(Span(at, at + 1), ""),), safe=False)
    )


def _unescaped_halves(read: str, style: Style, written: str) -> str:
    """A scalar with its escaped surrogates: a pair makes a character, a lone one does not; without double quotes they are text."""
    if style == "double":
        characters = (chr(int(found[1], 16)) if found[1] else found[0] for found in _STANDS_IN.finditer(written))
        return _filled(read, STAND_IN, characters).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _filled(read, _STAND_IN_ESCAPE, (f"\\u{found['half']}" for found in _HALF.finditer(written)))


def _filled(text: str, gap: str, fillings: Iterator[str]) -> str:
    """The text with each stand-in replaced by its original character."""
    first, *parts = text.split(gap)
    return "".join((first, *(f"{next(fillings, ' ')}{part}" for part in parts)))


def _put_back(text: str, tree: SyntaxTree, *, halves: bool) -> None:
    """Undo every stand-in, so that scalars have the author's characters."""
    for node in walk(tree.root):
        if not isinstance(node, Scalar):
            continue
        written = text[node.span.start : node.span.end]
        halved = halves and _HALF.search(written) is not None
        if node.text.isascii() and not halved:
            continue
        if node.text == HOLE:
            node.text, node.style = "", "hole"
            continue
        quote = "'" if node.style == "single" else '"'
        restored = node.text.replace(COLON, ":").replace(QUOTE, quote).replace(BACKSLASH, "\\").replace(TAB, "\t")
        restored = restored.replace(RESERVED, written[:1])
        if halved:
            restored = _unescaped_halves(restored, node.style, written)
        elif STAND_IN in restored:
            restored = _filled(restored, STAND_IN, iter(FOREIGN.findall(written)))
        node.text = restored


class _Lines:
    """A text as lines, some of them repaired, with a map back to the original offsets."""

    def __init__(self, text: str) -> None:
        self.original = LINE.findall(text)
        self.current = list(self.original)
        self.starts = _starts(self.original)
        #: By line, in the order in which they were made: the column and the number of characters put in there.
        self._inserted: dict[int, list[tuple[int, int]]] = {}

    def with_repair(self, repair: Repair) -> str:
        """The text with one more repair applied."""
        return "".join(self._repaired(repair)[0])

    def result(self) -> tuple[str, "_Back"]:
        """The text with all accepted repairs, and the map back to the original offsets."""
        lengths = [len(line) for line in self.original]
        return "".join(self.current), _Back(self.starts, _starts(self.current), lengths, self._inserted)

    def accept(self, repair: Repair) -> None:
        """Keep a repair."""
        self.current, self._inserted = self._repaired(repair)

    def _repaired(self, repair: Repair) -> tuple[list[str], dict[int, list[tuple[int, int]]]]:
        current, inserted = list(self.current), dict(self._inserted)
        for line, text, at, by in (
            (repair.line, repair.text, repair.at, repair.inserted),
            *((n, t, 0, by) for n, t, by in repair.others),
        ):
            current[line] = text
            if by:
                inserted[line] = [*inserted.get(line, []), (at, by)]
        return current, inserted

    def line_of(self, offset: int) -> int:
        """The line of an offset in the repaired text."""
        return max(0, min(bisect_right(_starts(self.current), offset) - 1, len(self.current) - 1))


class _Back:
    """Maps offsets of a repaired text to the original one."""

    def __init__(
        self, old: list[int], new: list[int], lengths: list[int], inserted: dict[int, list[tuple[int, int]]]
    ) -> None:
        self.old, self.new, self.lengths, self.inserted = old, new, lengths, inserted

    def __call__(self, offset: int) -> int:
        line = min(bisect_right(self.new, offset) - 1, len(self.lengths) - 1)
        if line < 0:
            return 0
        column = offset - self.new[line]
        for at, by in reversed(self.inserted.get(line, ())):
            column = column - by if column >= at + by else min(column, at)
        return self.old[line] + max(0, min(column, self.lengths[line]))


def _starts(lines: list[str]) -> list[int]:
    starts, at = [], 0
    for line in lines:
        starts.append(at)
        at += len(line)
    return starts


def _repair(text: str, first: Failure, partial: SyntaxTree) -> tuple[SyntaxTree, list[SyntaxProblem]]:
    """The best tree found by changing a few lines, and a problem for each changed line."""
    lines = _Lines(text)
    problems: list[SyntaxProblem] = []
    tries = max(_FEWEST_TRIES, _CHARACTERS_PER_PARSE // max(1, len(text)))
    failure: Failure | None = first
    while failure is not None and len(problems) < _MOST_REPAIRS and tries > 0:
        best: tuple[int, Repair, Failure | None] | None = None
        for repair in _few(candidates(lines.current, lines.line_of, failure), tries):
            tries -= 1
            repaired = lines.with_repair(repair)
            left = stumble(repaired)
            # How far the parser got is counted from the end, since a repair can make the text longer.
            reached = 1 if left is None else left.offset - len(repaired)
            if best is None or reached > best[0]:
                best = (reached, repair, left)
            if left is None:
                break
        if best is None:
            break
        _, repair, left = best
        again = lines.current[repair.line] != lines.original[repair.line]
        problems.append(explain(failure, repair, lines.original, lines.starts, again=again))
        lines.accept(repair)
        if left is not None and left.problem == failure.problem and not lines.current[repair.line].strip():
            tries -= 2  # little progress: come to an end sooner
        failure = left
    if not problems:
        at = min(first.offset, len(text))
        return partial, [SyntaxProblem("syntax", Span(at, at), f"this is not valid YAML: {first.problem}")]
    return build(*lines.result())[0], problems


def _few(repairs: Iterator[Repair], most: int) -> Iterator[Repair]:
    """The first candidates up to the limit, always including the last resort, which drops the line.

    They are computed one after the other: more often than not the first one does.
    """
    first: list[Repair] = []
    for repair in islice(repairs, most - 1):
        first.append(repair)
        yield repair
    rest = list(repairs)
    if len(rest) > 1:
        yield next((r for r in (*first, *rest) if r.kind == "lost" and not r.text.strip()), rest[-1])
    else:
        yield from rest
