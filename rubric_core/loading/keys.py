"""The keys of a mapping: each one once, and what is wrong with those that repeat, are not known here or are missing."""

from collections.abc import Mapping as MappingOf
from collections.abc import Sequence as SequenceOf
from dataclasses import replace
from functools import lru_cache
from typing import Any

from rubric_core.language.closest_name import closest, is_same_word
from rubric_core.language.dialect import Dialect, Spelling, SpellingStatus
from rubric_core.language.misnomers import field_called, options_called
from rubric_core.language.model import EvaluateOptions, Execution, RunSettings
from rubric_core.language.promptfoo.case import CaseOptions, PartialCase
from rubric_core.language.promptfoo.configuration import ProviderSettings, RunOptions
from rubric_core.language.shape import FieldPlace, Shape
from rubric_core.language.targets import Entry as TargetEntry
from rubric_core.language.value_kinds import Boolean, Choice, Integer, Kind, NodeUnion, Number, Text
from rubric_core.loading.issues import DuplicateKey, ForeignKey, MissingKey, RenamedKey, UnknownKey
from rubric_core.loading.read_values import Merged
from rubric_core.loading.shape_choice import Tags
from rubric_core.loading.type_match import could_be_of
from rubric_core.syntax.reindent import dash_within
from rubric_core.syntax.tree import Alias, Entry, Mapping, Node, Scalar, walk
from rubric_core.text import Span

__all__ = ["Keys"]


#: Of a key that is no word so much is shown.
_LONGEST = 30
#: Blocks whose keys are often written a step too far out.
_SETTINGS: tuple[tuple[str, type[Shape]], ...] = (
    ("execution", Execution), ("evaluate_options", EvaluateOptions), ("run", RunSettings),
    ("default_test", PartialCase), ("options", CaseOptions), ("config", ProviderSettings), ("evaluate_options", RunOptions),
)  # fmt: skip


#: The bounds of a band.
_PAIR = 2
#: The field that stood for the same before.
_BEFORE = {"assertions": "evaluators"}


class Keys(Tags):
    """Reads keys, and complains of them."""

    #: The key below the root whose list was cut into blocks of its own, and the root.
    _cut_key = ""
    _root: Node | None = None

    def __init__(
        self, text: str, dialect: Dialect, dialects: SequenceOf[Dialect], anchors: MappingOf[str, Node]
    ) -> None:
        super().__init__(text, dialect, dialects, anchors)
        #: What keys that are not known can have meant, by the shape that has them.
        self._missing_keys: dict[int, tuple[Shape, dict[str, str], dict[str, str]]] = {}
        #: Of these, the ones that can have a value, by the shape and what counts of the value.
        self._fitting_keys: dict[tuple[object, ...], tuple[dict[str, str], dict[str, str]]] = {}

    def once(self, node: Mapping) -> dict[str, Merged]:
        """The entries of a mapping by name, its own before those of merge keys; of keys that repeat, the first."""
        found: dict[str, Merged] = {}
        begun_again = repeats = False
        for entry, via in self.entries(node):
            name = entry.name
            if name is None or (begun_again and via is None):
                continue
            if name in found and via is None:
                dash = self._missing_dash(node, entry)
                begun_again = dash is not None
                if not repeats:  # keys that repeat in a row are one mistake
                    self.duplicate(node, entry, found[name][0], dash)
                repeats = True
                continue
            repeats = False
            found[name] = entry, via
        return found

    def place(self, entry: Entry, via: Span | None) -> FieldPlace:
        """Where a key and its value are; both at the reference when they came through one."""
        at = self.via or via
        value = entry.value
        meant = self.target_of(value) if isinstance(value, Alias) else None
        return FieldPlace(at or entry.key.span, at or value.span, value, entry.name or "", at is not None, meant)

    # Twice

    def duplicate(self, node: Mapping, entry: Entry, first: Entry, dash: Span | None = None) -> None:
        """Complain of a key that stands there twice; `dash` is where one is missing, if that is the mistake."""
        self.issues.append(
            DuplicateKey(
                span=self.via or entry.key.span,
                borrowed=self.via is not None,
                name=entry.name or "",
                first=first.key.span,
                entry=entry,
                node=node,
                dash=None if self.via else dash,
            )
        )

    def _missing_dash(self, node: Mapping, entry: Entry) -> Span | None:
        """Where a dash is missing, when the keys of a list's item begin again: `- id: a … id: b`."""
        head = node.entries[0]
        at, first = entry.key.whole.start, head.key.whole.start
        if node.flow or entry.name != head.name or not self.text[max(0, first - 2) : first].endswith("- "):
            return None
        return Span(at - 2, at) if at >= 2 and self.text[at - 2 : at] == "  " else None

    # Not of this dialect

    def renamed(
        self, made: Shape, spelling: Spelling, entry: Entry, place: FieldPlace, written: MappingOf[str, Merged]
    ) -> None:
        """Complain of a spelling that this dialect has another for."""
        current = self.dialect.spelled(type(made), spelling.field)
        self.issues.append(
            RenamedKey(
                span=place.key,
                borrowed=place.borrowed,
                spelling=spelling,
                entry=entry,
                owner=made,
                current=current,
                taken=current in written,
            )
        )

    def unexpected(self, made: Shape, entry: Entry, place: FieldPlace, *, any_key: bool) -> None:
        """Complain of a key that this dialect does not have here.

        Where any key may stand, only those of other dialects count, and those that are nearly a known one.
        """
        if self.dialect.properties.refs and self._is_private(type(made), place.name, entry):
            return
        others = self._foreign(type(made), place.name)
        inside = self._inside(type(made), place.name)
        if others and not inside:
            own = self.dialect.spelled(type(made), others[-1][1])
            if not (
                any_key and own is not None and _has(made, own)
            ):  # else it is a setting that happens to have the name
                self._of_another_dialect(made, entry, place, others)
            return
        meant = None if inside else self._meant(made, place, any_key=any_key and not type(made).watched)
        half_typed = isinstance(entry.value, Scalar) and entry.value.style == "hole"
        if (meant is not None or inside or not any_key) and not half_typed:
            self.issues.append(
                UnknownKey(
                    span=place.key,
                    borrowed=place.borrowed,
                    name=place.name or _shown(self.text[slice(*entry.key.span)]),
                    entry=entry,
                    shape=type(made),
                    meant=meant,
                    # What is below the key of the list that was cut does not stand in this text.
                    node=None if place.name == self._cut_key and made.node is self._root else made.node,
                    inside=inside,
                    owner=made,
                )
            )

    def _is_private(self, cls: type[Shape], name: str, entry: Entry) -> bool:
        """Whether a key is the author's own: by its name, or because others refer to what is below it."""
        if name.startswith(("x-", "$")):
            return True
        referred = f"#/{name}/" in self.text or any(node.anchor for node in walk(entry.value))
        return cls.watched and (referred or (name.startswith(("_", "."))))

    def _inside(self, cls: type[Shape], name: str) -> str:
        """The key of a block of settings that has this one."""
        for field, shape in _SETTINGS:
            outer = self.dialect.spelled(cls, field)
            spelling = self.dialect.table(shape).get(name) if outer else None
            if outer and field in cls.keys and spelling is not None and spelling.fate is SpellingStatus.CURRENT:
                return outer
        return ""

    def _foreign(self, cls: type[Shape], name: str) -> list[tuple[Dialect, str]]:
        """The other dialects that have the key, with the field that it is there."""
        found = []
        for dialect in self.dialects:
            spelling = dialect.table(cls).get(name)
            if (
                dialect is not self.dialect
                and spelling is not None
                and spelling.fate in (SpellingStatus.CURRENT, SpellingStatus.ALIAS)
            ):
                found.append((dialect, spelling.field))
        return found

    def _of_another_dialect(
        self, made: Shape, entry: Entry, place: FieldPlace, others: list[tuple[Dialect, str]]
    ) -> None:
        field = others[-1][1]
        instead = self.dialect.spelled(type(made), field)
        made.unread[field] = place
        self.issues.append(
            ForeignKey(
                span=place.key,
                borrowed=place.borrowed,
                name=place.name,
                entry=entry,
                owner=made,
                dialects=tuple(dialect.name for dialect, _ in others),
                current=instead,
                taken=instead is not None and _has(made, instead),
            )
        )

    def _meant(self, made: Shape, place: FieldPlace, *, any_key: bool) -> str | None:
        """The key that was probably meant, among those that do not exist yet; it is then not missing as well."""
        if dash_within(self.text, place.node) is not None:
            return None  # the key stands in the wrong column
        node = place.node
        value = node.value if isinstance(node, Scalar) else None
        current, _ = self._not_there_yet(made, any_key=any_key)
        older, fitting = self._fitting(made, node, value, any_key=any_key)
        meant = next((name for name in fitting if is_same_word(place.name, name)), None)
        meant = meant or self._elsewhere(made, place, fitting, any_key=any_key)
        meant = meant or closest(place.name, fitting) or closest(place.name, older)
        if meant is not None:
            made.unread.setdefault({**older, **current}[meant], place)
        return meant

    def _not_there_yet(self, made: Shape, *, any_key: bool) -> tuple[dict[str, str], dict[str, str]]:
        """The fields by the keys that a mapping does not have: those of the dialect, and older names for them."""
        known = self._missing_keys.get(id(made))
        if known is not None and known[0] is made:
            return known[1], known[2]
        current = {
            s.name: s.field
            for s, _ in self.dialect.fields(type(made))
            if not _has(made, s.name)
            and (not any_key or s.field == made.tag or self.dialect.demanded(type(made), s.field))
        }
        table = self.dialect.table(type(made)) if not any_key else {}
        names = [e.name or "" for e in made.node.entries] if isinstance(made.node, Mapping) else []
        written = {table[name].field for name in names if name in table}
        older = {s.name: s.field for s in table.values() if s.fate.read and s.field and s.field not in written}
        self._missing_keys[id(made)] = made, current, older
        return current, older

    def _fitting(
        self, made: Shape, node: Node, value: object, *, any_key: bool
    ) -> tuple[dict[str, str], dict[str, str]]:
        """Those that a value can stand under, older names first. Of many keys behind each other most have like values."""
        content = (node.text, node.style) if isinstance(node, Scalar) else None
        length = len(node.entries) if isinstance(node, Mapping) else 0
        key = (id(made), type(node), type(value), content, length)  # the shapes are kept in `_missing_keys`
        known = self._fitting_keys.get(key)
        if known is None:
            current, older = self._not_there_yet(made, any_key=any_key)
            older = {n: f for n, f in older.items() if self._fits(made, f, node, value)}
            fitting = {n: f for n, f in current.items() if self._fits(made, f, node, value)}
            known = self._fitting_keys[key] = older, fitting
        return known

    def _fits(self, made: Shape, field: str, node: Node, value: object) -> bool:
        """Whether a value can stand under a key, as far as its shape tells, and for one of a few words the word itself."""
        kind = type(made).keys[field].kind
        if field == type(made).tag and isinstance(node, Scalar):
            return True
        if field == "score_range" and isinstance(node, Mapping):
            return len(node.entries) == _PAIR  # else it is a map of all bands
        if isinstance(node, Scalar):
            if isinstance(kind, Choice):
                return node.empty or _is_nearly(node.text, kind.names)
            if node.empty or node.style == "hole":
                return True
        classes: tuple[Any, ...] = type(made), type(node), type(value)  # mypy takes no class for hashable
        return _can_stand(field, *classes)

    def _elsewhere(self, made: Shape, place: FieldPlace, current: MappingOf[str, str], *, any_key: bool) -> str | None:
        """The key that other tools call so; where any key may stand, only the one that tells the shapes apart."""
        field = field_called(type(made), place.name)
        if any_key:
            word = place.node.text if isinstance(place.node, Scalar) else ""
            field = field if field == made.tag and self.dialect.type_of(word) is not None else None
        fields = (field, _BEFORE.get(field)) if field else ()
        return next((spelled for wanted in fields for spelled, known in current.items() if known == wanted), None)

    # Not there

    def missing(self, made: Shape, node: Mapping, *, lenient: bool) -> None:
        """Complain of the keys that a shape cannot do without."""
        written = {*made.places, *made.unread} if made.unread else made.places
        if made.unread and any(field in made.unread for field in made.nested):
            return  # what is missing may stand there
        groups: dict[str, bool] = {}
        for spelling, declared in self.dialect.needed(type(made)):
            present = declared.field in written
            if declared.group:
                cls: Any = type(made)  # mypy takes no class for hashable
                groups[declared.group] = any(field in written for field in _fields_of(cls, declared.group))
            elif not present and (not lenient or declared.field == made.tag or isinstance(made, TargetEntry)):
                self._miss(made, node, declared, spelling.name)
            elif present and declared.field not in made.places:
                self._misspelt(node, spelling.name)
        for group, present in groups.items():
            names = [(s.name, d) for s, d in self.dialect.fields(type(made)) if d.group == group]
            if present and not any(declared.field in made.places for _, declared in names):
                for name, _ in names:
                    self._misspelt(node, name)
            elif not present:
                self._miss(made, node, names[0][1], names[0][0], tuple(n for n, _ in names[1:]))

    def _misspelt(self, node: Mapping, name: str) -> None:
        """Say of the key that stands for a needed one that it is the needed one."""
        for number, issue in enumerate(self.issues):
            if isinstance(issue, UnknownKey) and issue.node is node and issue.meant == name:
                self.issues[number] = replace(issue, needed=True)

    def _miss(self, made: Shape, node: Mapping, declared: Any, name: str, alternatives: tuple[str, ...] = ()) -> None:
        self.issues.append(
            MissingKey(
                span=made.span,
                borrowed=made.borrowed,
                owner=made,
                node=node,
                key=declared,
                name=name,
                alternatives=alternatives,
            )
        )


def _has(made: Shape, name: str) -> bool:
    """Whether a key is written in the mapping itself."""
    return isinstance(made.node, Mapping) and made.node.get(name) is not None


@lru_cache(maxsize=512)
def _fields_of(cls: Any, group: str) -> tuple[str, ...]:
    """The fields of a shape that are alternatives to one another."""
    return tuple(key.field for key in cls.keys.values() if key.group == group)


@lru_cache(maxsize=4_000)
def _can_stand(field: str, cls: Any, node: Any, value: Any) -> bool:
    """Whether a node of a type, with a value of a type, can stand in a field: an unknown key is held against all of them."""
    kind = cls.keys[field].kind
    simple = all(isinstance(k, Text | Number | Integer | Boolean | Choice) for k in _branches(kind))
    return (simple and issubclass(node, Scalar)) or could_be_of(node, value, kind)


@lru_cache(maxsize=1_000)
def _is_nearly(text: str, words: tuple[str, ...]) -> bool:
    """Whether a text is one of a few words, or was meant to be."""
    return closest(text, words) is not None or bool(options_called(text, words))


def _branches(kind: Kind[Any]) -> tuple[Kind[Any], ...]:
    return kind.branches if isinstance(kind, NodeUnion) else (kind,)


def _shown(key: str) -> str:
    """A key that is no word, on one line."""
    words = " ".join(key.split())
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"
