"""Reads the keys of mappings, and reports duplicate, unknown, renamed and missing ones."""

from collections.abc import Iterable
from collections.abc import Mapping as MappingOf
from collections.abc import Sequence as SequenceOf
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from rubric_core.language.closest_name import is_typo
from rubric_core.language.dialect import Dialect, Spelling, SpellingStatus
from rubric_core.language.model import Case, CaseExecution, EvaluateOptions, Execution, RunSettings
from rubric_core.language.shape import FieldPlace, Shape
from rubric_core.language.targets import Entry as TargetEntry
from rubric_core.language.workspace import Environment, Workspace
from rubric_core.lazy_compilation import replace
from rubric_core.loading.issues import DuplicateKey, ForeignKey, MissingKey, RenamedKey, UnknownKey
from rubric_core.loading.key_suggestions import KeySuggestions, has_entry
from rubric_core.loading.read_entries import MERGE, Merged
from rubric_core.syntax.tree import Alias, Entry, Mapping, Node, Scalar, walk
from rubric_core.text import Span

__all__ = ["Keys"]


# A named tuple's own constructor is a Python function, and each key of each text has a place.
_new = tuple.__new__
#: Characters of a key that are shown if it is not a single word.
_LONGEST = 30
#: Blocks whose keys are often written one level too far out.
_SETTINGS: tuple[tuple[str, type[Shape]], ...] = (
    ("execution", CaseExecution), ("execution", Execution), ("evaluate_options", EvaluateOptions), ("run", RunSettings),
)  # fmt: skip


#: The keys under which a suite has what these files are.
_WRAPPERS: MappingOf[type[Shape], str] = MappingProxyType({Workspace: "workspace", Environment: "environment"})


class Keys(KeySuggestions):
    """Reads the keys of mappings. Problems are added to `issues`."""

    #: The key below the root whose list was cut into blocks of its own, and the root.
    _cut_key = ""
    _root: Node | None = None

    def __init__(
        self, text: str, dialect: Dialect, dialects: SequenceOf[Dialect], anchors: MappingOf[str, Node]
    ) -> None:
        super().__init__(text, dialect, dialects, anchors)
        #: The ids of mappings that have each of their keys once.
        self._without_repeats: set[int] = set()
        #: The anchors and keys that references of the whole file lead to.
        self.referred: frozenset[str] = frozenset()

    def once(self, node: Mapping) -> dict[str, Merged]:
        """The entries of a mapping by name. Its own entries take precedence over merged ones, and the first of duplicates wins."""
        found: dict[str, Merged]
        if self.is_plain(node):
            # Nearly every mapping has each name once and no merge key: then no list of its entries is needed.
            found = {entry.key.text: (entry, None) for entry in node.entries if type(entry.key) is Scalar}
            if len(found) == len(node.entries) and MERGE not in found:
                self._without_repeats.add(id(node))
                return found
        found = {}
        begun_again = repeats = False
        for entry, via in self.entries(node):
            name = self._name_of(entry)
            if name is None:
                continue
            if name in found and via is None:
                dash = self._missing_dash(node, entry)
                # Consecutive duplicate keys are one mistake, and so are those of an item without its dash.
                if not repeats and not begun_again:
                    self.duplicate(node, entry, found[name][0], dash)
                begun_again |= dash is not None
                repeats = True
                continue
            repeats = False
            found[name] = entry, via
        return found

    def place(self, entry: Entry, via: Span | None) -> FieldPlace:
        """The place of a key and its value; for those from an alias or merge key, the place of that."""
        at = self.via or via
        key, value = entry.key, entry.value
        if at is None and isinstance(key, Scalar) and not isinstance(value, Alias):  # nearly always
            return _new(FieldPlace, (key.span, value.span, value, key.text, False, None))
        meant = self.target_of(value) if isinstance(value, Alias) else None
        return FieldPlace(at or key.span, at or value.span, value, self._name_of(entry) or "", at is not None, meant)

    def _name_of(self, entry: Entry) -> str | None:
        """The key as text, also behind an alias."""
        key = self.target_of(entry.key) if isinstance(entry.key, Alias) else entry.key
        return key.text if isinstance(key, Scalar) else None

    # Twice

    def duplicate(self, node: Mapping, entry: Entry, first: Entry, dash: Span | None = None) -> None:
        """Report a duplicate key; `dash` is the place of a missing `- ` if that is the mistake."""
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

    def unread_duplicates(self, mappings: Iterable[Mapping]) -> None:
        """Report duplicate keys in mappings that are not read otherwise: the file is rejected for these as well."""
        known = self._without_repeats
        repeating = [node for node in mappings if id(node) not in known and _may_repeat(node)]
        if not repeating:
            return
        told = {id(issue.node) for issue in self.issues if isinstance(issue, DuplicateKey)}
        for node in sorted(repeating, key=lambda each: each.span.start):
            seen: dict[str, Entry] = {}
            for entry in node.entries if id(node) not in told else ():
                if entry.name is not None and entry.name != MERGE and seen.setdefault(entry.name, entry) is not entry:
                    self.duplicate(node, entry, seen[entry.name])

    def _missing_dash(self, node: Mapping, entry: Entry) -> Span | None:
        """The place of a missing `- ` where the keys of a list item begin again: `- id: a … id: b`."""
        head = node.entries[0]
        if entry is node.entries[1] and isinstance(head.value, Scalar):
            return None  # nothing that would be an item by itself
        at, first = entry.key.whole.start, head.key.whole.start
        if node.flow or entry.name != head.name or not self.text[max(0, first - 2) : first].endswith("- "):
            return None
        return Span(at - 2, at) if at >= 2 and self.text[at - 2 : at] == "  " else None

    # Not of this dialect

    def renamed(
        self, made: Shape, spelling: Spelling, entry: Entry, place: FieldPlace, written: MappingOf[str, Merged]
    ) -> None:
        """Report a key that has another name in this dialect."""
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
        """Report a key that this dialect does not have here.

        Where any key is allowed, only keys of other dialects and misspelt known keys are reported.
        """
        if self.dialect.properties.refs and self._is_private(type(made), place.name, entry):
            return
        if place.name in made.tolerated:
            return
        others = self._foreign(type(made), place.name)
        told = made.meaning_of(place.name, entry.value, made.node, self.text)
        inside = told.inside if told is not None else self._inside(type(made), place.name)
        if others and told is None and not inside:
            own = self.dialect.spelled(type(made), others[-1][1])
            if not (any_key and own is not None and has_entry(made, own)):  # otherwise it is a setting with that name
                self._read_key_of_another_dialect(made, entry, place, others)
            return
        if told is not None:
            meant: str | None = told.meant
        else:
            meant = None if inside else self.meant_key(made, place, any_key=any_key and not type(made).watched)
            if meant is None and any_key and not inside:
                meant = self.misspelt_key(made, place)
        half_typed = any(isinstance(part, Scalar) and part.style == "hole" for part in (entry.key, entry.value))
        if (meant is not None or inside or not any_key or made.drops(place.name)) and not half_typed:
            self.issues.append(
                UnknownKey(
                    span=place.key,
                    borrowed=place.borrowed,
                    name=place.name or _shown(self.text[slice(*entry.key.span)]),
                    entry=entry,
                    shape=type(made),
                    meant=meant,
                    # The content below the key of the cut list is not in this text.
                    node=None if place.name == self._cut_key and made.node is self._root else made.node,
                    inside=inside,
                    owner=made,
                    wraps=made.node is self._root and self._wraps(made, entry),
                )
            )

    def _wraps(self, made: Shape, entry: Entry) -> bool:
        """Whether a key at the top of a file repeats its kind, so that the file as a whole is refused."""
        if entry.name != _WRAPPERS.get(type(made)) or not isinstance(entry.value, Mapping):
            return False
        # A workspace is read where it has any setting beside that key.
        beside = {each.name for each in made.node.entries} if isinstance(made.node, Mapping) else set()
        return isinstance(made, Environment) or beside.isdisjoint(self.dialect.table(Workspace))

    def _is_private(self, cls: type[Shape], name: str, entry: Entry) -> bool:
        """Whether a key is the author's own: by its name, or because references lead below it."""
        if name.startswith(("x-", "$")) or (cls.has_referable_keys and f"#/{name}" in self.referred):
            return True
        if any(is_typo(name, each) for each in self.dialect.table(cls)):
            return False
        referred = f"#/{name}/" in self.text or any(node.anchor for node in walk(entry.value))
        return cls.watched and (referred or (name.startswith(("_", "."))))

    def _inside(self, cls: type[Shape], name: str) -> str:
        """The key of the settings block that this key belongs to; empty for none."""
        own = cls.settings_blocks
        other = Execution if issubclass(cls, Case) else CaseExecution
        for field, shape in own.items() if own is not None else _SETTINGS:
            if shape is other:
                continue
            outer = self.dialect.spelled(cls, field)
            spelling = self.dialect.table(shape).get(name) if outer else None
            if outer and field in cls.keys and spelling is not None and spelling.fate is SpellingStatus.CURRENT:
                return outer
        return cls.block_of(name)

    def _foreign(self, cls: type[Shape], name: str) -> list[tuple[Dialect, str]]:
        """The other dialects that have the key, each with the field it stands for there."""
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

    def _read_key_of_another_dialect(
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
                taken=instead is not None and has_entry(made, instead),
            )
        )

    # Not there

    def missing(self, made: Shape, node: Mapping, *, lenient: bool) -> None:
        """Report the required keys that are missing."""
        if not made.unread and self.dialect.demands_met(type(made), made.places):
            return
        written = {*made.places, *made.unread} if made.unread else made.places
        if made.unread and any(field in made.unread for field in made.nested):
            return  # the missing key may be there
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
        """Mark the unknown key that is a misspelling of the required key `name`."""
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


@lru_cache(maxsize=512)
def _fields_of(cls: Any, group: str) -> tuple[str, ...]:
    """The fields of a shape that are alternatives to one another."""
    return tuple(key.field for key in cls.keys.values() if key.group == group)


def _shown(key: str) -> str:
    """A key in one line, shortened if it is not a single word."""
    words = " ".join(key.split())
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"


def _may_repeat(node: Mapping) -> bool:
    """Whether a mapping may contain a duplicate key: a quick test for every mapping of a file."""
    entries = node.entries
    return len(entries) > 1 and len({each.key.text if type(each.key) is Scalar else "" for each in entries}) < len(
        entries
    )
