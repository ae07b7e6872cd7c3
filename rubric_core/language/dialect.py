"""A dialect: its spelling of every key and type, and the status of older spellings.

Each dialect is written as the changes since the one before it (`rubric_core.language.changes`), so that its history can
be read from its file.
"""

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any, NamedTuple, TypeVar, cast

from rubric_core.family import FAMILIES
from rubric_core.language.properties import Properties
from rubric_core.language.releases import NEWEST, NEXT, Release, Releases
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
    #: Read by the release that counts, but refused by later ones.
    LEAVING = "leaving"
    #: Read by earlier releases, and refused by the one that counts; rubric reads and reports it.
    REFUSED = "refused"
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
    #: The first release that refuses it, where earlier ones of the dialect read it.
    refused_from: Release = NEXT

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
    #: See `Spelling`.
    refused_from: Release = NEXT


@dataclass(frozen=True)
class Dialect:
    """A version's spelling of the language, as one release reads it."""

    name: str
    #: The releases that read it, in words.
    releases: str
    #: The release that decides what is refused: the newest of the dialect, unless another one is asked for (see `at`).
    release: Release
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
    _at: "dict[Release, Dialect]" = field(default_factory=dict, repr=False, compare=False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dialect) and (self.name, self.release) == (other.name, other.release)

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Any, ...]:
        # Copied and pickled by name: a dialect is large and holds generated classes.
        from rubric_core.language.dialects import dialect_named  # noqa: PLC0415  # they are made of this class

        return (
            (dialect_named, (self.name, self.release))
            if any(self.name in family.dialects for family in FAMILIES)
            else cast("tuple[Any, ...]", super().__reduce__())
        )

    @property
    def first_release(self) -> Release:
        """The first release that reads it."""
        known = Releases.of(self.releases.partition("–")[0])
        return known.first if known is not None else NEWEST

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
        known = Releases.of(releases.rpartition("–")[2])
        own = replace(self.properties, **properties)  # type: ignore[arg-type]  # `replace` refuses what is no property
        return _made(name, releases, known.first if known else NEWEST, own, tables)

    def at(self, release: Release) -> "Dialect":
        """The dialect as that release reads it: what is refused from an earlier one on is refused."""
        if release == self.release:
            return self
        found = self._at.get(release)
        if found is None:
            tables = Tables(*({**each} for each in (self.spellings, self.types, self.demands, self.families)))
            found = self._at[release] = _made(self.name, self.releases, release, self.properties, tables)
        return found

    @classmethod
    def first(cls, name: str, releases: str, changes: "Iterable[Change]", **properties: object) -> "Dialect":
        """A dialect with no predecessor."""
        return cls("", "", NEWEST, Properties(), {}, {}, {}).successor(name, releases, changes, **properties)


class Tables(NamedTuple):
    """The tables of a dialect in the making."""

    spellings: dict[type[Shape], dict[str, Spelling]]
    types: dict[str, TypeName]
    demands: dict[tuple[type[Shape], str], bool]
    families: dict[type[Shape], dict[str, TypeName]]


#: One difference to the dialect before.
Change = Callable[[Tables], None]

_Known = TypeVar("_Known", Spelling, TypeName)


def _at(release: Release, known: Mapping[str, _Known]) -> dict[str, _Known]:
    """What is read and what is refused by a release."""
    return {
        name: each._replace(fate=SpellingStatus.REFUSED if release >= each.refused_from else SpellingStatus.LEAVING)
        if each.fate in (SpellingStatus.LEAVING, SpellingStatus.REFUSED)
        else each
        for name, each in known.items()
    }


def _made(name: str, releases: str, release: Release, properties: Properties, tables: Tables) -> Dialect:
    return Dialect(
        name, releases, release, properties, {shape: _at(release, table) for shape, table in tables.spellings.items()},
        _at(release, tables.types), tables.demands, {base: _at(release, names) for base, names in tables.families.items()},
    )  # fmt: skip
