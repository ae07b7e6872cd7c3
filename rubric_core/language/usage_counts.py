"""Counts how often keys and values are used in suites, and after which others. Completions are ordered by these counts.

The file of each family (`Family.usage`) holds the counts of suites in general. AgentV's come from the examples in its
repository, releases 0.1 to 5.3. Each example counts once, however many suites it has: one that checks a hundred cases
alike says no more about the next author than one with two. A test counts them again where these suites are at hand.
Those of other families come from configurations of public projects, counted in the same way.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from rubric_core.family import FAMILIES
from rubric_core.language.evaluators import Custom, Evaluator, LlmRubric, Rubrics
from rubric_core.language.shape import Shape
from rubric_core.language.value_kinds import Boolean, Choice, Kind, ListOf, NodeUnion, Text

__all__ = ["ANY", "NAMES", "Counts", "count", "front_at", "general_usage", "likelihoods", "lineage", "type_word"]

#: How often a word was seen, by where it stands and what is in front of it. Where: a shape for its keys, `Message.role`
#: for values, `target` for the names of targets. In front: the key or list item before; "" at the beginning, `ANY` in all.
Counts = Counter[tuple[str, str, str]]

ANY = "*"
#: What texts refer to by names that each project makes for itself.
NAMES = frozenset({"target", "template"})
_TYPES = frozenset({"type", "provider"})
#: Said of a field whose words are those of the language.
_CLOSED = "closed"
#: The weight of more general counts: of a key anywhere, of one after another.
_ANYWHERE, _BEHIND = 5.0, 1.0
#: A mapping that is still being typed ends at its last key: the cursor may be this many characters after it.
_FARTHEST = 500


def lineage(shape: type[Shape]) -> tuple[str, ...]:
    """The name of a shape, after that of its most general base."""
    cls: Any = shape  # a class with keys of its own is still hashable
    return _lineage(cls)


@lru_cache(maxsize=512)
def _lineage(shape: Any) -> tuple[str, ...]:
    every = [cls.__name__ for cls in reversed(shape.__mro__) if issubclass(cls, Shape) and cls is not Shape]
    return tuple(dict.fromkeys((*every[:1], *every[-1:])))


def type_word(shape: type[Shape], name: str) -> str:
    """The word by which the type `name` is counted: the same in every dialect."""
    if shape is Custom or not issubclass(shape, Evaluator):
        return name
    # The newest dialect calls a rubric `llm-rubric`.
    return (Rubrics if shape is LlmRubric else shape).__name__


def count(shapes: Iterable[Shape]) -> Counts:
    """The keys and values of shapes, each after the one that contains it."""
    found = Counts()
    behind: dict[int, Shape | str] = {}
    for shape in shapes:
        behind |= {id(item): front for item, front in _items(shape)}
        if not shape.borrowed:
            found.update(_shape_usages(shape, behind.get(id(shape), "")))
    return found


def _items(shape: Shape) -> Iterator[tuple[Shape, Shape | str]]:
    """The shapes in the lists of a shape, each with its predecessor; the first with the name of the list."""
    for field in shape.places:
        value = vars(shape).get(field)
        front: Shape | str = f"{field}[]"
        for item in value if isinstance(value, list) else ():
            if isinstance(item, Shape):
                yield item, front
                front = item


def front_at(shapes: Iterable[Shape], offset: int, shape: type[Shape], field: str, *, fresh: bool) -> str:
    """The predecessor of the value of `field` in the list item at `offset`; `fresh` for an item that does not exist yet."""
    base = lineage(shape)[:1]
    nearest: tuple[int, Shape, Shape | str] | None = None
    around = (s for s in shapes if s.node is None or s.node.whole.start <= offset <= s.node.whole.end + _FARTHEST)
    for item, front in (each for shape_around in around for each in _items(shape_around)):
        start = item.node.span.start if item.node is not None else offset
        if start < offset and lineage(type(item))[:1] == base and (nearest is None or start >= nearest[0]):
            nearest = start, item, front
    return "" if nearest is None else _word(nearest[1] if fresh else nearest[2], field)


def _word(front: Shape | str, field: str) -> str:
    return front if isinstance(front, str) else next(iter(_words(front, field)), "")


def _shape_usages(shape: Shape, behind: Shape | str) -> Iterator[tuple[str, str, str]]:
    names = lineage(type(shape))
    places = sorted((p.key.start, f) for f, p in shape.places.items() if not p.borrowed and p.key.start < p.key.end)
    before = ""
    for _, field in places:
        yield from ((name, front, field) for name in names for front in (before, ANY))
        before = field
        yield from _value_usages(shape, field, names, _word(behind, field))


def _value_usages(shape: Shape, field: str, names: Sequence[str], front: str) -> Iterator[tuple[str, str, str]]:
    cls: Any = type(shape)
    where = _counted(cls).get(field)
    if where is None:
        return
    # The name of a type says nothing about the types next to it; that depends on the base.
    places = [f"{name}.{field}" for name in (names[:1] if field == cls.tag else names)]
    for word in _words(shape, field):
        yield from ((place, each, word) for place in (places if where == _CLOSED else [where]) for each in (front, ANY))


def _words(shape: Shape, field: str) -> Iterator[str]:
    """The value of a field as words that can be compared between dialects."""
    if isinstance(shape, Evaluator) and field == "type":
        yield type_word(type(shape), shape.type_name)
        return
    value = vars(shape).get(field)
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, bool):
            yield "true" if each else "false"
        elif isinstance(each, str):
            yield each


@lru_cache(maxsize=512)
def _counted(cls: Any) -> Mapping[str, str]:
    """The fields of a shape with an enumeration (`_CLOSED`), or a name (of which kind)."""
    found = {name: where for name, declared in cls.keys.items() if (where := _closed(declared.kind))}
    return {**found, "type": _CLOSED} if issubclass(cls, Evaluator) else found


def _closed(kind: Kind[Any]) -> str:
    if isinstance(kind, Choice | Boolean):
        return _CLOSED
    if isinstance(kind, Text):
        return _CLOSED if kind.refers_to in _TYPES else kind.refers_to if kind.refers_to in NAMES else ""
    inner = (kind.item,) if isinstance(kind, ListOf) else kind.branches if isinstance(kind, NodeUnion) else ()
    free = any(isinstance(each, Text) and not each.refers_to for each in inner)
    return "" if free else next((where for each in inner if (where := _closed(each))), "")


@lru_cache(maxsize=1)
def general_usage() -> Counts:
    """The counts of suites in general."""
    found = Counts()
    for family in (each for each in FAMILIES if each.usage):
        known = json.loads((Path(__file__).parents[1] / family.usage).read_text(encoding="utf-8"))
        for where, fronts in known.items():
            for front, words in fronts.items():
                for word, times in words.items():
                    found[where, front, word] = times
    return found


def likelihoods(
    sources: Sequence[Counts], where: Sequence[str], before: str, words: Sequence[str]
) -> Mapping[str, float]:
    """The probability of each of the words at a place; they add up to 1.

    Args:
        sources: What is known, the most general first.
        where: The places that count, the most general first.
        before: What is in front.
        words: Those that are possible.
    """
    found = dict.fromkeys(words, 1 / len(words)) if words else {}
    for source in sources:
        for front, weight in ((ANY, _ANYWHERE), (before, _BEHIND)):
            for place in where:
                seen = {word: source.get((place, front, word), 0) for word in found}
                every = sum(seen.values())
                known = every / (every + weight)
                if every:
                    found = {w: (1 - known) * share + known * seen[w] / every for w, share in found.items()}
    return found
