"""Text to tree. Never raises: what is no YAML becomes a problem, and everything around it stays."""

import re
from bisect import bisect_right

from rubric_core.syntax.events import Failure, build
from rubric_core.syntax.repair import COLON, LINE, RESERVED, Repair, candidates, explain
from rubric_core.syntax.tree import Problem, Scalar, Tree, walk
from rubric_core.text import Span

__all__ = ["LARGEST", "parse"]

#: Characters; a larger text is refused with a message rather than read for seconds at every keystroke.
LARGEST = 10_000_000

# Characters that libyaml refuses, or takes for line breaks as YAML 1.1 did. A stand-in of the same length keeps every
# offset right; the real character is put back into the scalars.
_FOREIGN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_HARMLESS = "\x85\u2028\u2029\x0c\x0b"
_STAND_IN = "\ue0ff"
_MOST_REPAIRS = 12
_CHARACTERS_PER_PARSE = 400_000


def parse(text: str) -> Tree:
    """The tree of `text`. Offsets refer to `text`, whatever was repaired on the way."""
    if len(text) > LARGEST:
        problem = Problem("size", Span(0, 0), f"this file has {len(text):,} characters; rubric reads up to {LARGEST:,}")
        return Tree(None, (problem,), {}, [])
    if text.startswith("\ufeff"):
        return _moved(parse(text[1:]), 1)
    foreign = [m.start() for m in _FOREIGN.finditer(text)]
    readable = _FOREIGN.sub(_STAND_IN, text) if foreign else text
    tree, failure = build(readable, _same)
    problems = list(tree.problems)
    if failure is not None:
        tree, repaired = _repair(readable, failure, tree)
        problems = [*repaired, *tree.problems]
    if foreign or failure is not None:
        _put_back(text, tree)
    problems += [
        Problem("character", Span(at, at + 1), f"the character U+{ord(text[at]):04X} is not allowed in YAML; write it as an escape in double quotes")
        for at in foreign[:20]
        if text[at] not in _HARMLESS
    ]
    return Tree(tree.root, tuple(sorted(problems, key=lambda p: p.span)), tree.anchors, tree.aliases)


def _same(offset: int) -> int:
    return offset


def _moved(tree: Tree, by: int) -> Tree:
    """`tree` with every offset moved: a byte order mark is part of the text but not of the YAML."""
    for node in walk(tree.root):
        node.span, node.whole = node.span.moved(by), node.whole.moved(by)
    problems = tuple(Problem(p.kind, p.span.moved(by), p.message) for p in tree.problems)
    return Tree(tree.root, problems, tree.anchors, tree.aliases)


def _put_back(text: str, tree: Tree) -> None:
    """Undo every stand-in: scalars hold the characters that the author wrote."""
    for node in walk(tree.root):
        if isinstance(node, Scalar) and any(c in node.text for c in (_STAND_IN, COLON, RESERVED)):
            foreign = iter(_FOREIGN.findall(text[node.span.start : node.span.end]))
            parts = node.text.split(_STAND_IN)
            restored = "".join(part + next(foreign, " ") for part in parts[:-1]) + parts[-1]
            node.text = restored.replace(COLON, ":").replace(RESERVED, text[node.span.start : node.span.start + 1])


class _Lines:
    """A text cut into lines some of which are repaired, and the way back to the original offsets."""

    def __init__(self, text: str) -> None:
        self.original = LINE.findall(text)
        self.current = list(self.original)
        self.moved: dict[int, int] = {}
        self.starts = _starts(self.original)

    def with_repair(self, repair: Repair) -> tuple[str, "_Back"]:
        current = list(self.current)
        moved = dict(self.moved)
        current[repair.line] = repair.text
        moved[repair.line] = repair.inserted
        return "".join(current), _Back(self.starts, _starts(current), [len(s) for s in self.original], moved)

    def accept(self, repair: Repair) -> None:
        self.current[repair.line] = repair.text
        self.moved[repair.line] = self.moved.get(repair.line, 0) + repair.inserted

    def line_of(self, offset: int) -> int:
        """The line of an offset in the repaired text."""
        return max(0, min(bisect_right(_starts(self.current), offset) - 1, len(self.current) - 1))


class _Back:
    """Maps offsets of a repaired text to the original one."""

    def __init__(self, old: list[int], new: list[int], lengths: list[int], moved: dict[int, int]) -> None:
        self.old, self.new, self.lengths, self.moved = old, new, lengths, moved

    def __call__(self, offset: int) -> int:
        line = min(bisect_right(self.new, offset) - 1, len(self.lengths) - 1)
        if line < 0:
            return 0
        column = offset - self.new[line]
        if line in self.moved:
            column = max(0, column - self.moved[line])
        return self.old[line] + min(column, self.lengths[line])


def _starts(lines: list[str]) -> list[int]:
    starts, at = [], 0
    for line in lines:
        starts.append(at)
        at += len(line)
    return starts


def _repair(text: str, failure: Failure, partial: Tree) -> tuple[Tree, list[Problem]]:
    """The best tree that a few changed lines give, and a problem for each of them."""
    lines = _Lines(text)
    problems: list[Problem] = []
    tries = max(8, _CHARACTERS_PER_PARSE // max(1, len(text)))
    tree = partial
    while failure is not None and len(problems) < _MOST_REPAIRS and tries > 0:
        best: tuple[int, Repair, Tree, Failure | None] | None = None
        for repair in candidates(lines.current, lines.line_of, failure):
            if tries <= 0:
                break
            tries -= 1
            repaired, back = lines.with_repair(repair)
            attempt, left = build(repaired, back)
            reached = len(repaired) + 1 if left is None else left.offset
            if best is None or reached > best[0]:
                best = (reached, repair, attempt, left)
            if left is None:
                break
        if best is None:
            break
        _, repair, tree, left = best
        start = lines.starts[repair.line]
        problems.append(explain(failure, repair, lines.current, start, len(lines.original[repair.line])))
        lines.accept(repair)
        if left is not None and left.offset <= failure.offset and left.problem == failure.problem and repair.blank and not lines.current[repair.line].strip():
            tries -= 2  # no progress: come to an end sooner
        failure = left  # type: ignore[assignment]
    if failure is not None and not problems:
        at = min(failure.offset, len(text))
        problems.append(Problem("syntax", Span(at, at), failure.problem))
    return tree, problems
