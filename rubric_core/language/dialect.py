"""A dialect: its spelling of every key and type, and the status of older spellings.

Each dialect is written as the changes since the one before it (`rubric_core.language.changes`), so that its history can
be read from its file.
"""

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any, NamedTuple, cast

from rubric_core.language.properties import Properties
from rubric_core.language.shape import Key, Shape
from rubric_core.lazy_compilation import dataclass, field, replace

__all__ = ["Change", "Dialect", "Spelling", "SpellingStatus", "Tables", "TypeName"]


class SpellingStatus(Enum):
    """The status of a spelling in a dialect."""

    CURRENT = "current"
    #: Read, and nothing is wrong with it.
    ALIAS = "alias"
    #: Read, with a warning: a later release will not.
    DEPRECATED = "deprecated"
    #: Read by existing releases, but rejected by the next one.
    LEAVING = "leaving"
    #: Silently ignored by the engine; rubric reads and reports it.
    TOLERATED = "tolerated"
    #: Not read, without a message.
    IGNORED = "ignored"
    #: The file or the case is refused.
    REJECTED = "rejected"

    @property
    def read(self) -> bool:
        """Whether rubric takes the value."""
        return self not in (SpellingStatus.IGNORED, SpellingStatus.REJECTED)


#: What is read, and nothing is wrong with it.
_FINE = (SpellingStatus.CURRENT, SpellingStatus.ALIAS)


class Spelling(NamedTuple):
    """A key as it may be written in one dialect."""

    name: str
    #: The attribute of the shape; empty for a key that is known and means nothing.
    field: str
    fate: SpellingStatus
    #: What the engine does with it, for the reader of a message.
    note: str = ""
    #: Whether the engine accepts it beside the current spelling.
    preferred: bool = False
    #: Its kind here, if that differs from the catalogue.
    key: Key[Any] | None = None

    @property
    def rank(self) -> int:
        """Orders spellings of one field: the higher one takes precedence."""
        return 2 if self.preferred else 1 if self.fate is SpellingStatus.CURRENT else 0


class Reading(NamedTuple):
    """How to handle a key; cached for each shape, because every key of every text is looked up."""

    spelling: Spelling
    #: What it takes; None for a key that means nothing.
    declared: Key[Any] | None
    #: Whether nothing is wrong with it.
    fine: bool


class TypeName(NamedTuple):
    """An evaluator type, or a kind of provider, as it may be written in one dialect."""

    name: str
    shape: type[Shape]
    fate: SpellingStatus
    note: str = ""


@dataclass(frozen=True)
class Dialect:
    """A version's spelling of the language."""

    name: str
    #: The releases that read it, in words.
    releases: str
    properties: Properties = field(repr=False)
    #: By shape, then by the spelling in the text.
    spellings: Mapping[type[Shape], Mapping[str, Spelling]] = field(repr=False)
    types: Mapping[str, TypeName] = field(repr=False)
    #: Fields that must (True) or need not (False) be there, where the dialect differs from the catalogue.
    demands: Mapping[tuple[type[Shape], str], bool] = field(repr=False)
    #: The tags of other shapes, by their base: the kinds of providers.
    families: Mapping[type[Shape], Mapping[str, TypeName]] = field(default_factory=dict, repr=False)
    _tables: dict[type[Shape], dict[str, Spelling]] = field(default_factory=dict, repr=False, compare=False)
    _spelled: dict[type[Shape], dict[str, str]] = field(default_factory=dict, repr=False, compare=False)
    _fields: "dict[type[Shape], list[tuple[Spelling, Key[object]]]]" = field(
        default_factory=dict, repr=False, compare=False
    )
    _needed: "dict[type[Shape], list[tuple[Spelling, Key[object]]]]" = field(
        default_factory=dict, repr=False, compare=False
    )
    _demanded: "dict[type[Shape], tuple[frozenset[str], tuple[frozenset[str], ...]]]" = field(
        default_factory=dict, repr=False, compare=False
    )
    _readings: "dict[type[Shape], dict[str, Reading]]" = field(default_factory=dict, repr=False, compare=False)

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Any, ...]:
        # Copied and pickled by name: a dialect is large and holds generated classes.
        from rubric_core.language.dialects import (  # noqa: PLC0415  # they are made of this class
            DIALECTS,
            PROMPTFOO,
            dialect_named,
        )

        return (
            (dialect_named, (self.name,))
            if self in (*DIALECTS, PROMPTFOO)
            else cast("tuple[Any, ...]", super().__reduce__())
        )

    def table(self, shape: type[Shape]) -> Mapping[str, Spelling]:
        """Every spelling that `shape` may have in this dialect, inherited ones included."""
        table = self._tables.get(shape)
        if table is None:
            table = {}
            for base in reversed(shape.__mro__):
                table.update(self.spellings.get(base, {}))
            self._tables[shape] = table
        return table

    def spelled(self, shape: type[Shape], attribute: str) -> str | None:
        """The dialect's current spelling of a field, or None if it has no such field."""
        spelled = self._spelled.get(shape)
        if spelled is None:
            current = [s for s in self.table(shape).values() if s.fate is SpellingStatus.CURRENT]
            spelled = self._spelled[shape] = {s.field: s.name for s in reversed(current)}
        return spelled.get(attribute)

    def declared(self, shape: type[Shape], spelling: Spelling) -> Key[Any]:
        """The kind of a key in this dialect. Raises KeyError for an unknown spelling."""
        return spelling.key or shape.keys[spelling.field]

    def readings(self, shape: type[Shape]) -> "Mapping[str, Reading]":
        """How to handle each key of `shape` in this dialect."""
        found = self._readings.get(shape)
        if found is None:
            found = self._readings[shape] = {
                name: Reading(s, self.declared(shape, s) if s.field else None, s.fate in _FINE)
                for name, s in self.table(shape).items()
            }
        return found

    def fields(self, shape: type[Shape]) -> list[tuple[Spelling, Key[object]]]:
        """The keys that an author should use, with their declarations, in the order of the catalogue."""
        found = self._fields.get(shape)
        if found is None:
            current = {s.field: s for s in self.table(shape).values() if s.fate is SpellingStatus.CURRENT}
            found = [(current[name], self.declared(shape, current[name])) for name in shape.keys if name in current]
            self._fields[shape] = found
        return found

    def needed(self, shape: type[Shape]) -> list[tuple[Spelling, Key[object]]]:
        """The required fields of `shape`, including groups of which one is required."""
        found = self._needed.get(shape)
        if found is None:
            found = self._needed[shape] = [each for each in self.fields(shape) if self.demanded(shape, each[1].field)]
        return found

    def demands_met(self, shape: type[Shape], written: Mapping[str, object]) -> bool:
        """Whether the fields that are `written` are all that `shape` needs."""
        found = self._demanded.get(shape)
        if found is None:
            keys = [key for _, key in self.needed(shape)]
            groups = {key.group for key in keys if key.group}
            any_of = (frozenset(k.field for k in shape.keys.values() if k.group == group) for group in groups)
            found = self._demanded[shape] = frozenset(key.field for key in keys if not key.group), tuple(any_of)
        fields, alternatives = found
        # Written out: every shape of every text comes by here, and most need one field or none.
        for name in fields:
            if name not in written:
                return False
        return not alternatives or not any(map(written.keys().isdisjoint, alternatives))

    def demanded(self, shape: type[Shape], attribute: str) -> bool:
        """Whether `shape` needs the field here."""
        for base in shape.__mro__:
            if (base, attribute) in self.demands:
                return self.demands[base, attribute]
        return shape.keys[attribute].required

    def types_of(self, base: type[Shape]) -> Mapping[str, TypeName]:
        """Every possible tag of a shape below `base`."""
        return self.families.get(base, self.types)

    def type_of(self, name: str, base: type[Shape] | None = None) -> TypeName | None:
        """The evaluator type with this name, or another tag below `base`."""
        family = self.families.get(base) if base is not None else None
        if family is not None:
            # What follows the colon is the model: `openai:gpt-5-mini`.
            return family.get(name) or family.get(name.partition(":")[0])
        found = self.types.get(name)
        if found is None and self.properties.folds_type_names and "_" in name:
            found = self.types.get(name.replace("_", "-"))
            if found is not None and found.fate is SpellingStatus.CURRENT:
                found = found._replace(fate=SpellingStatus.ALIAS)
        return found

    def type_name(self, shape: type[Shape]) -> str | None:
        """The dialect's current name of the evaluator type, or kind of provider, `shape`."""
        family = next((f for base, f in self.families.items() if issubclass(shape, base)), self.types)
        for known in family.values():
            if known.shape is shape and known.fate is SpellingStatus.CURRENT:
                return known.name
        return None

    def successor(self, name: str, releases: str, changes: "Iterable[Change]", **properties: object) -> "Dialect":
        """The next dialect, after `changes` to this one."""
        families = {base: dict(names) for base, names in self.families.items()}
        tables = Tables({s: dict(t) for s, t in self.spellings.items()}, dict(self.types), dict(self.demands), families)
        for change in changes:
            change(tables)
        return Dialect(name, releases, replace(self.properties, **properties), *tables)  # type: ignore[arg-type]  # `replace` refuses what is no property

    @classmethod
    def first(cls, name: str, releases: str, changes: "Iterable[Change]", **properties: object) -> "Dialect":
        """A dialect with no predecessor."""
        return cls("", "", Properties(), {}, {}, {}).successor(name, releases, changes, **properties)


class Tables(NamedTuple):
    """The tables of a dialect in the making."""

    spellings: dict[type[Shape], dict[str, Spelling]]
    types: dict[str, TypeName]
    demands: dict[tuple[type[Shape], str], bool]
    families: dict[type[Shape], dict[str, TypeName]]


#: One difference to the dialect before.
Change = Callable[[Tables], None]
