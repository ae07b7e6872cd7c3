"""The style of a file, inferred from its majority."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from rubric_core.syntax.edit import column_of
from rubric_core.syntax.tree import Mapping, Node, Sequence, SyntaxTree, walk

__all__ = ["IndentStyle", "StyleCounts", "dash_of", "style_of"]

_STEP, _GAP = 2, 1
_WIDEST = 8
#: Distances that count wherever they occur; others count from this number of occurrences on.
_COMMON, _OFTEN = frozenset({0, 1, 2, 4}), 3
#: How often the style is determined again from the formatted file, so that formatting twice changes nothing.
_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class IndentStyle:
    """The indentation of a file, in columns."""

    #: Of the content of a mapping, relative to its key.
    step: int = _STEP
    #: Of the dashes of a list, relative to its key.
    listed: int = _STEP
    #: Of the content after a dash, relative to the dash, minus one.
    gap: int = _GAP

    def list_offset(self, offset: int) -> int:
        """The offset of a list that is at `offset` from its key: both usual offsets are accepted."""
        return offset if offset in (0, self.step) else self.listed


class StyleCounts(NamedTuple):
    """How often a block has each distance."""

    steps: tuple[tuple[int, int], ...]
    lists: tuple[tuple[int, int], ...]
    gaps: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, text: str, tree: SyntaxTree) -> "StyleCounts":
        """The counts of one block."""
        steps, lists, gaps = Counter[int](), Counter[int](), Counter[int]()
        for node in walk(tree.root):
            if isinstance(node, Mapping) and not node.flow:
                _mapping(text, node, steps, lists)
            elif isinstance(node, Sequence) and not node.flow:
                _sequence(text, node, gaps)
        return cls(*(tuple(sorted(each.items())) for each in (steps, lists, gaps)))


def style_of(pieces: Iterable[StyleCounts], default: int = _STEP, columns: Iterable[int] = ()) -> IndentStyle:
    """The style of a file; `default` is the step of one that has no mapping in a mapping.

    Args:
        pieces: What was counted in the pieces of the file.
        default: The step if the file shows none.
        columns: The columns of lists whose keys are in another block.
    """
    steps, lists, gaps = Counter[int](), Counter[int](columns), Counter[int]()
    for counts, times in Counter(pieces).items():
        for whole, some in zip((steps, lists, gaps), counts, strict=True):
            for distance, number in some:
                whole[distance] += number * times
    style = _most_used(steps, lists, gaps, default)
    for _ in range(_ROUNDS):
        # Unusual distances move to a usual one, which may then be the most frequent.
        moved = Counter[int]()
        for distance, times in lists.items():
            moved[style.list_offset(distance)] += times
        settled = _most_used(Counter({style.step: sum(steps.values())}), moved, gaps, default)
        if settled == style:
            break
        style = settled
    return style


def _most_used(steps: Counter[int], lists: Counter[int], gaps: Counter[int], default: int) -> IndentStyle:
    step = _usual(steps + Counter({n: times for n, times in lists.items() if n}), default, least=2)
    return IndentStyle(step, _usual(lists, step, least=0), _usual(gaps, _GAP, least=1))


def _usual(found: Counter[int], default: int, *, least: int) -> int:
    sound = {n: times for n, times in found.items() if least <= n <= _WIDEST and (n in _COMMON or times >= _OFTEN)}
    return max(sound, key=lambda n: (sound[n], n == default, -n)) if sound else default


def _mapping(text: str, node: Mapping, steps: Counter[int], lists: Counter[int]) -> None:
    for entry in node.entries:
        offset = column_of(text, entry.value.span.start) - column_of(text, entry.key.whole.start)
        if _is_below(text, entry.key, entry.value):
            if isinstance(entry.value, Mapping) and not entry.value.flow:
                steps[offset] += 1
            elif isinstance(entry.value, Sequence) and not entry.value.flow:
                lists[offset] += 1


def _is_below(text: str, key: Node, value: Node) -> bool:
    return "\n" in text[key.whole.end : value.span.start] or "\r" in text[key.whole.end : value.span.start]


def _sequence(text: str, node: Sequence, gaps: Counter[int]) -> None:
    at = node.span.start
    for item in node.items:
        dash = dash_of(text, node, item, at)
        between = text[dash + 1 : item.whole.start] if dash is not None else ""
        if between and not between.strip(" "):
            gaps[len(between)] += 1
        at = item.whole.end


def dash_of(text: str, node: Sequence, item: Node, after: int) -> int | None:
    """The offset of the dash of an item after `after`; None if unknown."""
    column = column_of(text, node.span.start)
    if item is node.items[0]:
        return node.span.start if text[node.span.start : node.span.start + 1] == "-" else None
    at = text.rfind("-", after, max(after, item.whole.start) + 1)
    while at >= 0 and (column_of(text, at) != column or text[at - column : at].strip(" ")):
        at = text.rfind("-", after, at)
    return at if at >= 0 else None
