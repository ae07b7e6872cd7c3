"""Changes from one dialect to the next: keys and types that are added, renamed or dropped."""

from typing import Any

from rubric_core.language.dialect import Change, Spelling, SpellingStatus, Tables, TypeName
from rubric_core.language.releases import NEXT, Release
from rubric_core.language.shape import Key, Shape
from rubric_core.language.value_kinds import Choice, Kind

__all__ = [
    "adds", "adds_types", "drops", "drops_types", "narrows", "prefers", "renames", "renames_type", "requires", "reserves_types", "takes", "tolerates",
    "unrequires",
]  # fmt: skip


def adds(shape: type[Shape], *fields: str, **spelled: str) -> Change:
    """`fields` under their names in the catalogue, and others under the given spelling; all own fields without any."""

    def change(tables: Tables) -> None:
        table = tables.spellings.setdefault(shape, {})
        for name in fields or (() if spelled else _own(shape)):
            declared = shape.keys[name].name
            table[declared] = Spelling(declared, name, SpellingStatus.CURRENT)
        for attribute, name in spelled.items():
            table[name] = Spelling(name, attribute, SpellingStatus.CURRENT)

    return change


def _own(shape: type[Shape]) -> list[str]:
    """The fields that a shape does not have from the first of its bases with a field of that name."""
    inherited: dict[str, Key[object]] = {}
    for base in reversed(shape.__mro__[1:]):
        inherited.update(getattr(base, "keys", {}))
    return [name for name, declared in shape.keys.items() if inherited.get(name) is not declared]


def renames(shape: type[Shape], old: str, new: str, after: SpellingStatus, note: str = "") -> Change:
    """The field `old` is now written `new`; `after` is the status of `old`."""

    def change(tables: Tables) -> None:
        table = tables.spellings.setdefault(shape, {})
        attribute = table[old].field
        table[old] = table[old]._replace(fate=after, note=note)
        table[new] = Spelling(new, attribute, SpellingStatus.CURRENT)

    return change


def takes(shape: type[Shape], kind: Kind[Any], *names: str, doc: str = "", example: str = "") -> Change:
    """From this dialect on, the keys `names` take a `kind`, whatever the catalogue declares."""

    def change(tables: Tables) -> None:
        table = tables.spellings.setdefault(shape, {})
        for name in names:
            spelling = _spelling(tables, shape, name)
            table[name] = spelling._replace(key=shape.keys[spelling.field].taking(kind, doc=doc, example=example))

    return change


def narrows(shape: type[Shape], name: str, *words: str) -> Change:
    """From here on the key written `name` takes these words only, of all those that the catalogue has for it."""

    def change(tables: Tables) -> None:
        kind = shape.keys[_spelling(tables, shape, name).field].kind
        if not isinstance(kind, Choice):
            raise TypeError(f"{name} is no choice")
        takes(shape, kind.only(*words), name)(tables)

    return change


def _spelling(tables: Tables, shape: type[Shape], name: str) -> Spelling:
    return next(t[name] for base in shape.__mro__ if name in (t := tables.spellings.get(base, {})))


def prefers(shape: type[Shape], *names: str) -> Change:
    """Older spellings that win over the current one when both are there."""

    def change(tables: Tables) -> None:
        table = tables.spellings.setdefault(shape, {})
        for name in names:
            table[name] = table[name]._replace(preferred=True)

    return change


def tolerates(
    shape: type[Shape],
    attribute: str,
    *names: str,
    fate: SpellingStatus = SpellingStatus.TOLERATED,
    note: str = "",
    refused_from: Release = NEXT,
) -> Change:
    """Further spellings of a field, none of them the one to use."""

    def change(tables: Tables) -> None:
        table = tables.spellings.setdefault(shape, {})
        for name in names:
            table[name] = Spelling(name, attribute, fate, note, refused_from=refused_from)

    return change


def drops(shape: type[Shape], *names: str, fate: SpellingStatus = SpellingStatus.IGNORED, note: str = "") -> Change:
    """Spellings that are no longer used and have no successor."""

    def change(tables: Tables) -> None:
        table = tables.spellings.setdefault(shape, {})
        for name in names:
            known = table.get(name)
            table[name] = Spelling(name, known.field if known else "", fate, note)

    return change


def requires(shape: type[Shape], *fields: str) -> Change:
    """From here on `shape` needs these fields."""
    return _demands(shape, fields, True)


def unrequires(shape: type[Shape], *fields: str) -> Change:
    """From here on `shape` does without these fields."""
    return _demands(shape, fields, False)


def _demands(shape: type[Shape], fields: tuple[str, ...], value: bool) -> Change:
    def change(tables: Tables) -> None:
        for attribute in fields:
            tables.demands[shape, attribute] = value

    return change


def adds_types(**types: type[Shape]) -> Change:
    """New evaluator types; `_` in a keyword is written as in the text."""

    def change(tables: Tables) -> None:
        for name, shape in types.items():
            tables.types[name] = TypeName(name, shape, SpellingStatus.CURRENT)

    return change


def renames_type(old: str, new: str, after: SpellingStatus, note: str = "") -> Change:
    """The type written `old` is now written `new`."""

    def change(tables: Tables) -> None:
        shape = tables.types[old].shape
        tables.types[old] = TypeName(old, shape, after, note)
        tables.types[new] = TypeName(new, shape, SpellingStatus.CURRENT)

    return change


def reserves_types(shape: type[Shape], *names: str, fate: SpellingStatus, note: str = "") -> Change:
    """Types that an author might expect, and that mean nothing."""

    def change(tables: Tables) -> None:
        for name in names:
            tables.types[name] = TypeName(name, shape, fate, note)

    return change


def drops_types(*names: str, fate: SpellingStatus = SpellingStatus.IGNORED, note: str = "") -> Change:
    """Types that the engine no longer supports."""

    def change(tables: Tables) -> None:
        for name in names:
            tables.types[name] = tables.types[name]._replace(fate=fate, note=note)

    return change
