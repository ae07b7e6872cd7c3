"""The cursor in terms of the language: its shape, and the kind of value that is allowed there."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rubric_core.language.dialect import Dialect, SpellingStatus, TypeName
from rubric_core.language.evaluators import Band, Evaluator, Include
from rubric_core.language.shape import Key, Shape
from rubric_core.language.shape_kinds import Messages, Shaped, Tagged
from rubric_core.language.value_kinds import Kind, ListOf, MapOf, NodeUnion, Ranges, usual
from rubric_core.lazy_compilation import dataclass
from rubric_core.syntax.cursor import ITEM, Cursor, Step

__all__ = ["CursorPlace", "history", "mapping_shape", "place_of"]


@dataclass(frozen=True, slots=True)
class CursorPlace:
    """A cursor, and its place in the language."""

    cursor: Cursor
    #: The shape of the mapping at the cursor, if it has one.
    shape: type[Shape] | None
    #: The kind of the value at the cursor: of the key before it, or of the list item.
    kind: Kind[Any] | None
    #: The key whose value the cursor is in.
    key: Key[Any] | None = None


def place_of(cursor: Cursor, dialect: Dialect, root: Kind[Any], around: Sequence[type[Shape]] = ()) -> CursorPlace:
    """Follow the path to the cursor through the catalogue, from the `root` of the text.

    `around` are the shapes that begin before the cursor, the nearest last: they give the shape of a mapping whose tag
    is unknown.
    """
    kind: Kind[Any] | None = root
    shape: type[Shape] | None = None
    declared: Key[Any] | None = None
    last = len(cursor.path) - 1
    for number, step in enumerate(cursor.path):
        inner = cursor.siblings if number == last and cursor.role == "value" else {}
        shape, declared, kind = _follow(kind, step, dialect, inner, around)
        if kind is None:
            return CursorPlace(cursor, None, None)
    if cursor.role == "key":
        return CursorPlace(cursor, mapping_shape(kind, cursor.siblings, dialect), kind, declared)
    return CursorPlace(cursor, shape, kind, declared)


def mapping_shape(kind: Kind[Any] | None, siblings: Mapping[str, str], dialect: Dialect) -> type[Shape] | None:
    """The shape of a mapping of that kind, given the keys that it has already."""
    for each in _mappings(kind):
        if isinstance(each, Shaped):
            return each.shape
        if isinstance(each, Tagged):
            known = _tagged(each, siblings, dialect)
            return known.shape if known is not None else each.base
        if isinstance(each, Ranges):
            return Band
    return None


def _tagged(kind: Tagged, siblings: Mapping[str, str], dialect: Dialect) -> TypeName | None:
    """The shape by the tag of a mapping, if the tag is known."""
    spelled = dialect.spelled(kind.base, kind.base.tag) or kind.base.tag
    written = siblings.get(spelled, "").strip("\"'")
    return dialect.type_of(written, kind.base) if written else None


def _mappings(kind: Kind[Any] | None) -> Iterator[Kind[Any]]:
    if isinstance(kind, NodeUnion):
        yield from _mappings(kind.mapping)
    elif kind is not None:
        yield usual(kind) or kind


def _follow(
    kind: Kind[Any] | None, step: Step, dialect: Dialect, siblings: Mapping[str, str], around: Sequence[type[Shape]]
) -> tuple[type[Shape] | None, Key[Any] | None, Kind[Any] | None]:
    if step == ITEM:
        return None, None, _item(kind)
    for each in _mappings(kind):
        if isinstance(each, MapOf):
            return None, None, each.value
        for shape in _shapes(each, step, dialect, siblings, around):
            spelling = dialect.table(shape).get(step)
            if spelling is not None and spelling.field:
                declared = dialect.declared(shape, spelling)
                return shape, declared, declared.kind
    return None, None, None


def _shapes(
    kind: Kind[Any], step: Step, dialect: Dialect, siblings: Mapping[str, str], around: Sequence[type[Shape]]
) -> Iterator[type[Shape]]:
    """The shapes that a mapping of this kind can have; every type that knows the key where the type is not in sight."""
    if isinstance(kind, Shaped):
        yield kind.shape
    elif isinstance(kind, Tagged):
        known = _tagged(kind, siblings, dialect)
        if known is not None:
            yield known.shape
        else:
            yield from (shape for shape in reversed(around) if issubclass(shape, kind.base))
        yield kind.base
        if kind.base is Evaluator:
            yield Include
        types = dialect.types_of(kind.base).values()
        yield from (t.shape for t in types if t.fate is SpellingStatus.CURRENT and step in dialect.table(t.shape))


def _item(kind: Kind[Any] | None) -> Kind[Any] | None:
    if isinstance(kind, NodeUnion):
        kind = kind.sequence
    kind = usual(kind)
    if isinstance(kind, ListOf):
        return kind.item
    if isinstance(kind, Messages):
        return Shaped(kind.message)
    return Shaped(Band) if isinstance(kind, Ranges) else None


def history(dialects: tuple[Dialect, ...], shape: type[Shape], attribute: str) -> list[tuple[str, str]]:
    """The spellings of a field: (dialect, spelling), one entry for each change, oldest first."""
    changes: list[tuple[str, str]] = []
    for dialect in dialects:
        name = dialect.spelled(shape, attribute)
        if name is not None and (not changes or changes[-1][1] != name):
            changes.append((dialect.name, name))
    return changes
