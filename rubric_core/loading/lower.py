"""Tree and dialect to shapes. Never raises: what cannot be understood is left out and becomes an issue."""

import math
import re
from collections.abc import Callable, Iterator
from collections.abc import Mapping as MappingOf
from collections.abc import Sequence as SequenceOf
from functools import lru_cache
from typing import Any

from rubric_core.language.closest import closest
from rubric_core.language.dialect import Dialect, Fate
from rubric_core.language.evaluators import Band, Criterion, Custom, Evaluator, Include, ScoreRanges
from rubric_core.language.kinds import (
    Anything,
    Boolean,
    ByNode,
    Choice,
    Integer,
    Kind,
    ListOf,
    MapOf,
    Messages,
    Number,
    Ranges,
    Shaped,
    Shorthand,
    Tagged,
    Text,
)  # fmt: skip
from rubric_core.language.model import CASE, Case, Suite
from rubric_core.language.shape import Place, Shape
from rubric_core.loading.issues import (
    ConflictingKeys,
    DuplicateKey,
    ForeignKey,
    ForeignType,
    Issue,
    MissingKey,
    NotASuite,
    OutOfRange,
    RenamedKey,
    RenamedType, SplitItem,
    UnknownAlias,
    UnknownKey,
    UnknownType,
    WrongType,
)  # fmt: skip
from rubric_core.loading.split import Joined, joined
from rubric_core.syntax.tree import Alias, Entry, Mapping, Node, Scalar, Sequence
from rubric_core.text import Span

__all__ = ["HOLE", "Lowering", "found_words"]

#: Stands for a value that could not be understood.
HOLE: Any = type("Hole", (), {"__repr__": lambda _: "HOLE"})()
_MERGE = "<<"
#: A mapping gathers at most this many entries through merge keys; shapes have far fewer keys.
_MOST_MERGED = 2_000


def found_words(node: Node) -> str:
    """What is written, with its article, as in "found a number"."""
    if isinstance(node, Mapping):
        return "a mapping"
    if isinstance(node, Sequence):
        return "a list"
    if isinstance(node, Scalar):
        value = node.value
        if value is None:
            return "nothing"
        if isinstance(value, bool):
            return f"{str(value).lower()}"
        if isinstance(value, int | float):
            return f"the number {node.text}"
        return "an empty string" if not node.text.strip() else "a string"
    return "a reference"


@lru_cache(maxsize=16)
def _pattern(expressions: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{e})" for e in expressions) or r"(?!)")


class Lowering:
    """Lowers the nodes of one block; `issues` fills up on the way."""

    def __init__(
        self, text: str, dialect: Dialect, dialects: SequenceOf[Dialect], anchors: MappingOf[str, Node]
    ) -> None:
        self.text = text
        self.dialect = dialect
        self.dialects = dialects
        self.anchors = anchors
        self.issues: list[Issue] = []
        self._cut_key = ""
        #: The span of the alias or merge key that the current node stands behind.
        self._via: Span | None = None
        self._following: list[str] = []
        self._merged: dict[int, list[tuple[Entry, Span | None]]] = {}
        self._interpolation = _pattern(dialect.properties.interpolation)
        self._by_kind: dict[type, Callable[[Any, Node, str], Any]] = {
            Text: self._text, Number: self._number, Integer: self._integer, Boolean: self._boolean, Choice: self._choice,
            Anything: self._anything, ListOf: self._list, MapOf: self._map, Shaped: self._shaped, Tagged: self._tagged,
            Shorthand: self._shorthand, Messages: self._messages, Ranges: self._ranges, ByNode: self._by_node,
        }  # fmt: skip

    def suite(self, root: Node | None, cut_key: str) -> Suite | None:
        """The suite of a frame; `cut_key` is the key whose list was cut into blocks of its own."""
        if not isinstance(root, Mapping):
            found = "nothing" if root is None or (isinstance(root, Scalar) and root.empty) else found_words(root)
            self.issues.append(NotASuite(span=Span(0, 0) if root is None else self._at(root), found=found))
            return None
        self._cut_key = cut_key
        made = self.shape(Suite, root)
        return made if isinstance(made, Suite) else None

    def case(self, item: Node) -> Case | None:
        """The case of one block."""
        made = self.value(CASE, item, f"{self.dialect.spelled(Suite, 'cases')}[]")
        return made if isinstance(made, Case) else None

    def references(self, aliases: SequenceOf[Alias]) -> None:
        """Complain of references to nothing that stand where no value was asked for, as in open mappings."""
        said = {issue.span for issue in self.issues if isinstance(issue, UnknownAlias)}
        for alias in aliases:
            if alias.name not in self.anchors and alias.span not in said:
                self.issues.append(UnknownAlias(span=alias.span, name=alias.name, recursive=False))

    def value(self, kind: Kind[Any], node: Node, name: str) -> Any:
        """The value of `node` as a `kind`, or HOLE. `name` is the key, for messages."""
        if isinstance(node, Alias):
            return self._behind(node, lambda target: self.value(kind, target, name))
        if isinstance(node, Scalar) and node.style == "hole":
            return HOLE
        return self._by_kind[type(kind)](kind, node, name)

    def _behind(self, alias: Alias, then: Callable[[Node], Any]) -> Any:
        target = self.anchors.get(alias.name)
        recursive = alias.name in self._following
        if target is None or recursive:
            self.issues.append(
                UnknownAlias(span=self._at(alias), borrowed=self._via is not None, name=alias.name, recursive=recursive)
            )
            return HOLE
        outer, self._via = self._via, self._via or alias.span
        self._following.append(alias.name)
        try:
            return then(target)
        finally:
            self._following.pop()
            self._via = outer

    def _at(self, node: Node) -> Span:
        return self._via or node.span

    # Scalars

    def _open_value(self, node: Scalar) -> bool:
        """Whether the value is only known when the suite runs."""
        return "{{" in node.text and self._interpolation.search(node.text) is not None

    def _wrong(self, kind: Kind[Any], node: Node, name: str) -> Any:
        self.issues.append(
            WrongType(
                span=self._at(node),
                borrowed=self._via is not None,
                name=name,
                kind=kind,
                found=found_words(node),
                node=node,
            )
        )
        return HOLE

    def _outside(self, kind: Kind[Any], node: Node, name: str, value: object) -> Any:
        self.issues.append(
            OutOfRange(
                span=self._at(node), borrowed=self._via is not None, name=name, kind=kind, value=value, node=node
            )
        )
        return HOLE

    def _text(self, kind: Text, node: Node, name: str) -> Any:
        if not isinstance(node, Scalar) or not isinstance(node.value, str):
            return self._wrong(kind, node, name)
        if not kind.blank and not node.text.strip():
            return self._wrong(kind, node, name)
        return node.text

    def _number(self, kind: Number, node: Node, name: str) -> Any:
        value = node.value if isinstance(node, Scalar) else None
        if isinstance(value, bool) or not isinstance(value, int | float):
            return HOLE if isinstance(node, Scalar) and self._open_value(node) else self._wrong(kind, node, name)
        if not math.isfinite(value):
            return self._outside(kind, node, name, str(value))
        low, high, above = kind.at_least, kind.at_most, kind.above
        if not kind.judged_by_rule and (
            (low is not None and value < low)
            or (high is not None and value > high)
            or (above is not None and value <= above)
        ):
            return self._outside(kind, node, name, value)
        return value

    def _integer(self, kind: Integer, node: Node, name: str) -> Any:
        value = node.value if isinstance(node, Scalar) else None
        if isinstance(value, bool) or not isinstance(value, int | float):
            return HOLE if isinstance(node, Scalar) and self._open_value(node) else self._wrong(kind, node, name)
        whole = isinstance(value, int) or (math.isfinite(value) and value.is_integer())
        if (
            not whole
            or (kind.at_least is not None and value < kind.at_least)
            or (kind.at_most is not None and value > kind.at_most)
        ):
            return self._outside(kind, node, name, value)
        return int(value)

    def _boolean(self, kind: Boolean, node: Node, name: str) -> Any:
        value = node.value if isinstance(node, Scalar) else None
        if isinstance(value, bool):
            return value
        return HOLE if isinstance(node, Scalar) and self._open_value(node) else self._wrong(kind, node, name)

    def _choice(self, kind: Choice, node: Node, name: str) -> Any:
        value = node.value if isinstance(node, Scalar) else None
        if not isinstance(value, str):
            return self._wrong(kind, node, name)
        if value in kind.names:
            return value
        return HOLE if isinstance(node, Scalar) and self._open_value(node) else self._outside(kind, node, name, value)

    def _anything(self, _: Anything, node: Node, __: str) -> Any:
        return node.value if isinstance(node, Scalar) else node

    # Collections

    def _list(self, kind: ListOf, node: Node, name: str) -> Any:
        if not isinstance(node, Sequence):
            open_value = isinstance(node, Scalar) and self._open_value(node)
            return HOLE if open_value else self._wrong(kind, node, name)
        if not node.items and not kind.empty:
            return self._wrong(kind, node, name)
        items = node.items if node.flow else joined(node.items, kind.item, self.dialect, self.text, self.type_of)
        values = (self.value(kind.item, item, f"{name}[]") for item in items)
        return [value for value in values if value is not HOLE]

    def _map(self, kind: MapOf, node: Node, name: str) -> Any:
        if not isinstance(node, Mapping):
            return self._wrong(kind, node, name)
        result: dict[str, Any] = {}
        seen: dict[str, Entry] = {}
        for entry, via in self.entries(node):
            if entry.name is None:
                continue
            if entry.name in seen and via is None:
                self._duplicate(entry, seen[entry.name])
            seen.setdefault(entry.name, entry)
            value = self._seen_from(via, kind.value, entry)
            if value is not HOLE:
                result.setdefault(entry.name, value)
        return result

    def _seen_from(self, via: Span | None, kind: Kind[Any], entry: Entry) -> Any:
        outer = self._via
        self._via = outer or via
        try:
            return self.value(kind, entry.value, entry.name or "")
        finally:
            self._via = outer

    def _messages(self, kind: Messages, node: Node, name: str) -> Any:
        if not isinstance(node, Sequence):
            return self._wrong(kind, node, name)
        if (
            kind.lenient
            and not name.endswith("_messages")
            and not any(isinstance(i, Mapping) and i.get("role") is not None for i in node.items)
        ):
            return node
        return [
            v for v in (self.value(Shaped(kind.message), item, f"{name}[]") for item in node.items) if v is not HOLE
        ]

    def _by_node(self, kind: ByNode, node: Node, name: str) -> Any:
        branch = self._branch(kind, node)
        if branch is not None:
            return self.value(branch, node, name)
        if isinstance(node, Scalar) and self._open_value(node):
            return HOLE
        return self._wrong(kind, node, name)

    @staticmethod
    def _branch(kind: ByNode, node: Node) -> Kind[Any] | None:
        if isinstance(node, Mapping):
            return kind.mapping
        if isinstance(node, Sequence):
            return kind.sequence
        if isinstance(node, Scalar):
            value = node.value
            if isinstance(value, bool):
                return kind.boolean
            if isinstance(value, int | float):
                return kind.number
            if isinstance(value, str):
                return kind.text
        return None

    def entries(self, node: Mapping) -> list[tuple[Entry, Span | None]]:
        """The entries of a mapping, its own first, then those of its merge keys with the span of the reference."""
        known = self._merged.get(id(node))
        if known is not None:
            return known
        own: list[tuple[Entry, Span | None]] = []
        merged: list[tuple[Entry, Span | None]] = []
        self._merged[id(node)] = own
        for entry in node.entries:
            if entry.name == _MERGE and isinstance(entry.key, Scalar) and entry.key.style == "plain":
                sources = entry.value.items if isinstance(entry.value, Sequence) else [entry.value]
                for source in sources:
                    merged += self._merge(source)
            else:
                own.append((entry, None))
        if merged:
            names = {entry.name for entry, _ in own}
            for entry, span in merged:
                if entry.name not in names and len(own) < _MOST_MERGED:
                    names.add(entry.name)
                    own.append((entry, span))
        return own

    def _merge(self, source: Node) -> list[tuple[Entry, Span | None]]:
        if isinstance(source, Alias):
            span = source.span

            def take(target: Node) -> Any:
                if not isinstance(target, Mapping):
                    return self._wrong(MapOf(Anything()), target, _MERGE)
                return [(entry, span) for entry, _ in self.entries(target)]

            result = self._behind(source, take)
            return [] if result is HOLE else list(result)
        if isinstance(source, Mapping):
            return [(entry, source.span) for entry, _ in self.entries(source)]
        self._wrong(MapOf(Anything()), source, _MERGE)
        return []

    # Shapes

    def _shaped(self, kind: Shaped, node: Node, name: str) -> Any:
        if not isinstance(node, Mapping):
            return self._wrong(kind, node, name)
        return self.shape(kind.shape, node)

    def _shorthand(self, kind: Shorthand, node: Node, name: str) -> Any:
        if not isinstance(node, Scalar) or not isinstance(node.value, str) or not node.text.strip():
            return self._wrong(kind, node, name)
        made = kind.shape(self._at(node), node, **{kind.field: node.text})
        made.borrowed = self._via is not None
        made.places[kind.field] = Place(self._at(node), self._at(node), node, kind.field, made.borrowed)
        if isinstance(made, Criterion):
            made.shorthand = True
        return made

    def _tagged(self, kind: Tagged, node: Node, name: str) -> Any:
        if not isinstance(node, Mapping):
            return self._wrong(kind, node, name)
        shape, written = self.type_of(kind.base, node, report=True)
        made = self.shape(shape, node, lenient=shape is kind.base)
        if isinstance(made, Evaluator):
            made.type_name = written
        return made

    def type_of(self, base: type[Shape], node: Mapping, *, report: bool = False) -> tuple[type[Shape], str]:
        """Which shape below `base` the mapping has, and the type as written; `base` itself when that is unknown."""
        at: Span | None = None
        tag: Node | None = None
        for entry, via in self.entries(node):
            if entry.name == "type":
                tag, at = entry.value, self._via or via
                break
        if isinstance(tag, Alias):
            at = at or tag.span
            tag = self.anchors.get(tag.name)
        if tag is None:
            includes = self.dialect.spelled(Include, "include") is not None and node.get("include") is not None
            return (Include, "include") if includes else (base, "")
        if (
            not isinstance(tag, Scalar)
            or not isinstance(tag.value, str)
            or not tag.text.strip()
            or self._open_value(tag)
        ):
            return base, ""
        name = tag.text
        known = self.dialect.type_of(name)
        if report:
            self._report_type(tag, at or tag.span, borrowed=at is not None)
        if known is not None:
            return known.shape, name
        return (Custom if self.dialect.properties.custom_types else base), name

    def _report_type(self, node: Scalar, span: Span, *, borrowed: bool) -> None:
        name = node.text
        known = self.dialect.type_of(name)
        if known is not None:
            if known.fate not in (Fate.CURRENT, Fate.ALIAS):
                current = self.dialect.type_name(known.shape)
                self.issues.append(
                    RenamedType(span=span, borrowed=borrowed, node=node, type_name=known, current=current)
                )
            return
        others = [
            (d, t) for d in self.dialects if (t := d.type_of(name)) is not None and t.fate in (Fate.CURRENT, Fate.ALIAS)
        ]
        if others:
            current = self.dialect.type_name(others[-1][1].shape)
            self.issues.append(
                ForeignType(
                    span=span,
                    borrowed=borrowed,
                    node=node,
                    name=name,
                    dialects=tuple(d.name for d, _ in others),
                    current=current,
                )
            )
            return
        names = tuple(t.name for t in self.dialect.types.values() if t.fate is Fate.CURRENT)
        self.issues.append(
            UnknownType(
                span=span,
                borrowed=borrowed,
                node=node,
                name=name,
                known=names,
                custom=self.dialect.properties.custom_types,
            )
        )

    def shape(self, cls: type[Shape], node: Mapping, *, lenient: bool = False) -> Shape:
        """The mapping as a `cls`; a lenient one may have any key beside the known ones."""
        if isinstance(node, Joined):
            self.issues.append(SplitItem(span=self._via or node.dash, borrowed=self._via is not None, shape=cls))
        made = cls(self._via or self._head(node), node)
        made.borrowed = self._via is not None
        table = self.dialect.table(cls)
        seen: dict[str, Entry] = {}
        for entry, via in self.entries(node):
            name = entry.name
            if name is None:
                continue
            if name in seen and via is None:
                self._duplicate(entry, seen[name])
                continue
            seen[name] = entry
            spelling = table.get(name)
            reference = self._via or via
            place = Place(
                reference or entry.key.span,
                reference or self._value_span(entry),
                entry.value,
                name,
                reference is not None,
            )
            if spelling is None:
                self._unexpected(made, node, entry, place, any_key=lenient or cls.open)
                continue
            if spelling.fate not in (Fate.CURRENT, Fate.ALIAS):
                current = self.dialect.spelled(cls, spelling.field)
                self.issues.append(
                    RenamedKey(
                        span=place.key,
                        borrowed=place.borrowed,
                        spelling=spelling,
                        entry=entry,
                        owner=made,
                        current=current,
                        taken=current in seen or (current is not None and node.get(current) is not None),
                    )
                )
            if spelling.field and spelling.fate.read:
                self._store(made, spelling.field, place, via, entry)
            elif spelling.field:
                made.unread[spelling.field] = place
        self._missing(made, node, lenient=lenient)
        return made

    def _store(self, made: Shape, field: str, place: Place, via: Span | None, entry: Entry) -> None:
        if field in made.places:
            table = self.dialect.table(type(made))
            used, idle = made.places[field], place
            if table[idle.name].rank > table[used.name].rank:
                used, idle = idle, used
            self.issues.append(
                ConflictingKeys(
                    span=idle.key, borrowed=idle.borrowed, first=used.key, name=idle.name, used=used.name, owner=made
                )
            )
            if idle is place:
                return
        made.places[field] = place
        if field == "cases" and isinstance(made, Suite) and place.name == self._cut_key:
            return
        value = self._seen_from(via, type(made).keys[field].kind, entry)
        if value is not HOLE:
            vars(made)[field] = value

    def _missing(self, made: Shape, node: Mapping, *, lenient: bool) -> None:
        groups: dict[str, bool] = {}
        for spelling, declared in self.dialect.fields(type(made)):
            if not self.dialect.demanded(type(made), declared.field):
                continue
            present = declared.field in made.places or declared.field in made.unread
            if declared.group:
                groups[declared.group] = groups.get(declared.group, False) or present
            elif not present and (not lenient or declared.field == "type"):
                self._miss(made, node, declared, spelling.name)
        for group, present in groups.items():
            if not present:
                names = [(s.name, d) for s, d in self.dialect.fields(type(made)) if d.group == group]
                self._miss(made, node, names[0][1], names[0][0], tuple(n for n, _ in names[1:]))

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

    def _duplicate(self, entry: Entry, first: Entry) -> None:
        self.issues.append(
            DuplicateKey(
                span=self._via or entry.key.span,
                borrowed=self._via is not None,
                name=entry.name or "",
                first=first.key.span,
                entry=entry,
            )
        )

    def _foreign(self, cls: type[Shape], name: str) -> list[tuple[Dialect, str]]:
        found = []
        for dialect in self.dialects:
            spelling = dialect.table(cls).get(name)
            if dialect is not self.dialect and spelling is not None and spelling.fate in (Fate.CURRENT, Fate.ALIAS):
                found.append((dialect, spelling.field))
        return found

    def _unexpected(self, made: Shape, node: Mapping, entry: Entry, place: Place, *, any_key: bool) -> None:
        """A key that this dialect does not have here. Where any key may stand, only those of other dialects count."""
        name = place.name
        others = self._foreign(type(made), name)
        if others:
            field = others[-1][1]
            instead = self.dialect.spelled(type(made), field)
            names = tuple(dialect.name for dialect, _ in others)
            made.unread[field] = place
            self.issues.append(
                ForeignKey(
                    span=place.key,
                    borrowed=place.borrowed,
                    name=name,
                    entry=entry,
                    owner=made,
                    dialects=names,
                    current=instead,
                    taken=instead is not None and node.get(instead) is not None,
                )
            )
            return
        free = {
            s.name: s.field
            for s, _ in self.dialect.fields(type(made))
            if node.get(s.name) is None and (s.field == "type" or not any_key)
        }
        meant = closest(name, free)
        if meant is not None:
            # What is misspelt is not missing as well.
            made.unread.setdefault(free[meant], place)
        half_typed = isinstance(entry.value, Scalar) and entry.value.style == "hole"
        if (meant is not None or not any_key) and not half_typed:
            self.issues.append(
                UnknownKey(
                    span=place.key, borrowed=place.borrowed, name=name, entry=entry, shape=type(made), meant=meant
                )
            )

    def _value_span(self, entry: Entry) -> Span:
        """The value, or the end of the key when nothing is written."""
        return entry.value.span

    def _head(self, node: Mapping) -> Span:
        """The first line of a mapping: what a message about all of it underlines."""
        start, end = node.span
        for at in range(start, min(end, start + 400)):
            if self.text[at] in "\r\n":
                return Span(start, start + len(self.text[start:at].rstrip()))
        return Span(start, min(end, start + 400))

    # Score ranges

    def _ranges(self, _: Ranges, node: Node, __: str) -> Any:
        made = ScoreRanges(self._at(node), node)
        made.borrowed = self._via is not None
        made.bands = []
        if isinstance(node, Sequence):
            made.style = "list"
            made.bands = list(self._listed_bands(node))
        elif isinstance(node, Mapping):
            made.style = "map"
            made.bands = list(self._mapped_bands(node))
        else:
            made.style = "other"
        return made

    def _listed_bands(self, node: Sequence) -> Iterator[Band]:
        for item in node.items:
            target = self.anchors.get(item.name) if isinstance(item, Alias) else item
            if not isinstance(target, Mapping):
                band = Band(self._at(item), item)
                band.borrowed = self._via is not None
                yield band
                continue
            band = self.value(Shaped(Band), item, "")
            if not isinstance(band, Band):
                continue
            pair = band.places["score_range"].node if "score_range" in band.places else None
            if isinstance(pair, Sequence) and len(pair.items) == 2:
                band.low, band.high = _whole(pair.items[0]), _whole(pair.items[1])
            band.text = band.outcome if isinstance(band.outcome, str) else ""
            yield band

    def _mapped_bands(self, node: Mapping) -> Iterator[Band]:
        bands: list[Band] = []
        seen: dict[str, Entry] = {}
        for entry, via in self.entries(node):
            at = self._via or via
            band = Band(at or entry.key.span, entry.value)
            band.borrowed = at is not None
            if entry.name is not None and entry.name in seen and via is None:
                self._duplicate(entry, seen[entry.name])
                continue
            seen[entry.name or ""] = entry
            band.low = _whole(entry.key)
            band.places["score_range"] = Place(
                at or entry.key.span, at or entry.key.span, entry.key, "", at is not None
            )
            band.places["outcome"] = Place(
                at or entry.key.span, at or entry.value.span, entry.value, "", at is not None
            )
            if isinstance(entry.value, Scalar) and isinstance(entry.value.value, str):
                band.text = entry.value.text.strip() and entry.value.text
                band.outcome = entry.value.text
            bands.append(band)
        lows = sorted(b.low for b in bands if b.low is not None)
        for band in bands:
            if band.low is not None:
                above = [low for low in lows if low > band.low]
                band.high = above[0] - 1 if above else 10
        yield from bands


def _whole(node: Node) -> int | None:
    """A whole number as a bound, also one written as text; None for everything else."""
    if not isinstance(node, Scalar):
        return None
    value = node.value
    if isinstance(value, bool):
        return None
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return int(value)
    return int(node.text) if isinstance(value, str) and re.fullmatch(r"[0-9]{1,3}", node.text) else None
