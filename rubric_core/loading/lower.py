"""Lowers a tree to shapes of a dialect. Never raises: invalid parts are left out and become issues."""

from collections.abc import Iterable
from typing import Any

from rubric_core.language.closest_name import closest
from rubric_core.language.dialect import SpellingStatus
from rubric_core.language.empty_values import may_be_left_empty
from rubric_core.language.evaluators import CodeEvaluator, Criterion, Evaluator
from rubric_core.language.file_kinds import PROVIDER_ITEM, ROOTS, FileKind
from rubric_core.language.model import CASE, Case, CaseInclude, Suite
from rubric_core.language.model.messages import ROLE
from rubric_core.language.promptfoo.assertion import Assertion
from rubric_core.language.promptfoo.case import CaseSource, PromptfooCase
from rubric_core.language.shape import FieldPlace, Key, Shape, as_list
from rubric_core.language.shape_kinds import Messages, Shaped, Shorthand, Tagged
from rubric_core.language.targets import Entry as TargetEntry
from rubric_core.language.value_kinds import Kind, ListOf, MapOf, NodeUnion, Ranges
from rubric_core.lazy_compilation import replace
from rubric_core.loading.issues import (
    ConflictingKeys,
    CutText,
    NotASuite,
    OutOfRange,
    SplitItem,
    StrayEntry,
    UnknownTag,
    WrongRoot,
    WrongType,
)  # fmt: skip
from rubric_core.loading.keys import Keys
from rubric_core.loading.read_values import HOLE
from rubric_core.loading.score_ranges import lower_ranges
from rubric_core.loading.split_items import JoinedMapping, join_split_item
from rubric_core.loading.type_match import found_words
from rubric_core.syntax.case_items import ROOT_LIST
from rubric_core.syntax.tree import Alias, Entry, Mapping, Node, Scalar, Sequence
from rubric_core.text import Span

__all__ = ["Lowering"]

# A named tuple's own constructor is a function in Python, and each mapping has a first line.
_new = tuple.__new__

#: What keeps its type as it is written. A union is made anew each time that it is written out.
_TYPED = (Evaluator, TargetEntry, Assertion)


class Lowering(Keys):
    """Lowers the nodes of one block to shapes."""

    def _ranges(self, _: Ranges, node: Node, __: str) -> Any:
        return lower_ranges(self, node)

    def root(self, root: Node | None, file: FileKind, cut_key: str) -> list[Shape]:
        """The shapes of a frame; `cut_key` is the key whose list was cut into blocks of its own, or ROOT_LIST."""
        kind = ROOTS[file]
        nothing = root is None or (isinstance(root, Scalar) and root.empty)
        branch = self._branch(kind, root) if isinstance(kind, NodeUnion) and root is not None else kind
        listed = nothing and cut_key == ROOT_LIST
        bare = file is FileKind.TARGETS and (listed or isinstance(root, Sequence))
        if bare and not self.dialect.properties.bare_targets:
            self._wrong_root(Span(0, 0) if root is None else self.at(root), file, "a list")
            return []
        if listed and isinstance(kind, NodeUnion):
            return []
        if root is None or nothing or branch is None or (isinstance(branch, Shaped) and not isinstance(root, Mapping)):
            span = Span(0, 0) if root is None else self.at(root)
            self._wrong_root(
                span, file, "a list" if listed else "nothing" if root is None or nothing else found_words(root)
            )
            return []
        if bare and isinstance(root, Sequence) and any(isinstance(i, Mapping) and i.get("label") for i in root.items):
            branch = ListOf(PROVIDER_ITEM)
        self._cut_key, self._root = cut_key, root
        made = self.value(branch, root, "")
        self.unread_duplicates(root)
        return [m for m in as_list(made) if isinstance(m, Shape)]

    def _wrong_root(self, span: Span, file: FileKind, found: str) -> None:
        if file is FileKind.SUITE:
            self.issues.append(NotASuite(span=span, found=found))
        elif found != "nothing" or file in (FileKind.TARGETS, FileKind.CASES, FileKind.TEMPLATE):
            self.issues.append(WrongRoot(span=span, found=found, kind=file))

    def suite(self, root: Node | None, cut_key: str) -> Suite | None:
        """The suite of a frame."""
        return next((s for s in self.root(root, FileKind.SUITE, cut_key) if isinstance(s, Suite)), None)

    def case(self, item: Node) -> Case | None:
        """The case of one block."""
        made = self.item(CASE, item, self.dialect.spelled(Suite, "cases") or "")
        return made if isinstance(made, Case) else None

    def item(self, kind: Kind[Any], item: Node, name: str) -> Shape | None:
        """The shape of one block."""
        made = self.value(kind, item, f"{name}[]")
        self.unread_duplicates(item)
        return made if isinstance(made, Shape) else None

    # Collections

    def _list(self, kind: ListOf, node: Node, name: str) -> Any:
        if not isinstance(node, Sequence):
            open_value = isinstance(node, Scalar) and self._open_value(node)
            return HOLE if open_value else self._wrong(kind, node, name)
        if not node.items and not kind.empty:
            return self._wrong(kind, node, name)
        items: Iterable[Node] = node.items
        if len(node.items) > 1 and not node.flow:
            items = join_split_item(node.items, kind.item, self.dialect, self.text, self.type_of)
        return [v for v in [self.value(kind.item, item, f"{name}[]") for item in items] if v is not HOLE]

    def _map(self, kind: MapOf, node: Node, name: str) -> Any:
        if not isinstance(node, Mapping):
            return self._wrong(kind, node, name)
        result: dict[str, Any] = {}
        seen: dict[str, Entry] = {}
        for entry, via in self.entries(node):
            if entry.name is None:
                continue
            if entry.name in seen and via is None:
                self.duplicate(node, entry, seen[entry.name])
            seen.setdefault(entry.name, entry)
            value = self._seen_from(via, kind.value, entry.value, entry.name)
            if value is not HOLE:
                result.setdefault(entry.name, value)
        return result

    def _seen_from(self, via: Span | None, kind: Kind[Any], node: Node, name: str) -> Any:
        outer = self.via
        self.via = outer or via
        try:
            return self.value(kind, node, name)
        finally:
            self.via = outer

    def _messages(self, kind: Messages, node: Node, name: str) -> Any:
        if not isinstance(node, Sequence):
            return self._wrong(kind, node, name)
        if kind.lenient and not any(isinstance(i, Mapping) and _speaks(i) for i in node.items):
            return node
        return [v for v in [self.value(kind.item, item, f"{name}[]") for item in node.items] if v is not HOLE]

    def _by_node(self, kind: NodeUnion, node: Node, name: str) -> Any:
        branch = self._branch(kind, node)
        if branch is kind.text and isinstance(node, Scalar) and (kind is CASE or kind is Suite.keys["cases"].kind):
            in_list = kind is CASE
            last = self.issues[-1] if self.issues else None
            if isinstance(last, UnknownTag) and last.node is node and in_list:
                self.issues[-1] = replace(last, path=True)
            else:
                self.issues.append(
                    StrayEntry(span=self.at(node), borrowed=self.via is not None, node=node, in_list=in_list)
                )
        if branch is not None:
            return self.value(branch, node, name)
        if isinstance(node, Scalar) and self._open_value(node):
            return HOLE
        return self._wrong(kind, node, name)

    @staticmethod
    def _branch(kind: NodeUnion, node: Node) -> Kind[Any] | None:
        if isinstance(node, Scalar):
            value = node.value
            if isinstance(value, str):
                return kind.text
            if isinstance(value, bool):
                return kind.boolean
            return None if value is None else kind.number
        if isinstance(node, Mapping):
            return kind.mapping
        return kind.sequence if isinstance(node, Sequence) else None

    # Shapes

    def _shaped(self, kind: Shaped, node: Node, name: str) -> Any:
        if not isinstance(node, Mapping):
            return self._wrong(kind, node, name)
        shape = kind.shape
        if shape is PromptfooCase and node.get("path") is not None:
            shape = CaseSource
        if shape.keyed and (inner := self._only(shape, node)) is not None:
            node = inner
        if shape is Case and node.get("include") is not None and self.dialect.table(CaseInclude):
            shape = CaseInclude
        return self.shape(shape, node)

    def _only(self, shape: type[Shape], node: Mapping) -> Mapping | None:
        """What stands below the only key of a mapping, where that is a name and not a key of the shape."""
        entry = node.entries[0] if len(node.entries) == 1 else None
        named = entry is not None and entry.name is not None and entry.name not in self.dialect.table(shape)
        return entry.value if entry is not None and named and isinstance(entry.value, Mapping) else None

    def _shorthand(self, kind: Shorthand, node: Node, name: str) -> Any:
        if not isinstance(node, Scalar) or not isinstance(node.value, str) or not node.text.strip():
            return self._wrong(kind, node, name)
        self.slips(node)
        made = kind.shape(self.at(node), node, **{kind.field: node.text})
        made.borrowed = self.via is not None
        made.places[kind.field] = FieldPlace(self.at(node), self.at(node), node, kind.field, made.borrowed)
        if isinstance(made, Criterion):
            made.shorthand = True
        return made

    def _tagged(self, kind: Tagged, node: Node, name: str) -> Any:
        if not isinstance(node, Mapping):
            return self._wrong(kind, node, name)
        if kind.base.nested:
            node = self.flatten(kind.base, node)
        shape, written = self.type_of(kind.base, node, report=True)
        known = self.dialect.type_of(written, kind.base)
        # Of a type that is refused only that is said, not what else it would need.
        refused = known is not None and known.fate is SpellingStatus.REJECTED and shape is not CodeEvaluator
        made = self.shape(shape, node, lenient=shape is kind.base or refused)
        if isinstance(made, _TYPED):
            made.type_name = written
        return made

    def shape(self, cls: type[Shape], node: Mapping, *, lenient: bool = False) -> Shape:
        """The mapping as a `cls`; a lenient one may have any key beside the known ones."""
        if isinstance(node, JoinedMapping):
            self.issues.append(SplitItem(span=self.via or node.dash, borrowed=self.via is not None, shape=cls))
        made = cls(self.via or self._head(node), node)
        made.borrowed = self.via is not None
        readings = self.dialect.readings(cls)
        written = self.once(node)
        for name, (entry, via) in written.items():
            reading, place = readings.get(name), self.place(entry, via)
            if reading is None:
                self.unexpected(made, entry, place, any_key=lenient or cls.open)
                continue
            spelling, declared, fine = reading
            if not fine:
                self.renamed(made, spelling, entry, place, written)
            if declared is not None and (fine or spelling.fate.read):
                self._store(made, declared, place, via)
            elif declared is not None:
                made.unread[spelling.field] = place
        for entry in node.entries if not (lenient or cls.open) else ():
            if entry.key.__class__ is not Scalar and not isinstance(entry.key, Alias):
                self.unexpected(made, entry, self.place(entry, None), any_key=False)
        if id(node) not in self._lacking:
            self.missing(made, node, lenient=lenient)
        return made

    def _store(self, made: Shape, declared: Key[Any], place: FieldPlace, via: Span | None) -> None:
        field, value = declared.field, place.node
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
        if made.nullable and isinstance(value, Scalar) and value.value is None and value.style != "hole":
            return
        made.places[field] = place
        if field in made.nested:
            return
        if place.name == self._cut_key and made.node is self._root:
            return
        if via is None:  # as for nearly every key
            read = self.value(declared.kind, value, place.name)
        else:
            read = self._seen_from(via, declared.kind, value, place.name)
        if read is not HOLE:
            vars(made)[field] = read
            return
        last = self.issues[-1] if self.issues else None
        if isinstance(last, WrongType | OutOfRange) and last.node is value:
            self.issues[-1] = replace(last, key=declared, owner=made)
        if isinstance(value, Scalar) and value.value is None and value.style != "hole":
            self._without_value(made, field, value)

    def _without_value(self, made: Shape, field: str, node: Scalar) -> None:
        """A key without a value, where a suite works without the key, counts as absent."""
        last = self.issues[-1] if self.issues else None
        idle = may_be_left_empty(self.dialect, type(made), field, in_words=bool(node.text))
        if isinstance(last, CutText | WrongType) and last.node is node and idle:
            self.issues[-1] = replace(last, idle=True)
            del made.places[field]

    def _head(self, node: Mapping) -> Span:
        """The first line of a mapping: what a message about all of it underlines."""
        text, (start, end) = self.text, node.span
        longest = end if end - start < 400 else start + 400
        at = text.find("\n", start, longest)
        if self._returns:
            feed = text.find("\r", start, longest if at < 0 else at)
            at = feed if feed >= 0 else at
        return _new(Span, (start, longest if at < 0 else start + len(text[start:at].rstrip())))

    readers = {  # noqa: RUF012  # declared in `ValueReader`
        **Keys.readers, ListOf: _list, MapOf: _map, Shaped: _shaped, Tagged: _tagged, Shorthand: _shorthand, Messages: _messages,
        NodeUnion: _by_node, Ranges: _ranges,
    }  # fmt: skip


def _speaks(item: Mapping) -> bool:
    """Whether a mapping is a message: it has a role, be its key misspelt."""
    return any(
        e.name == "role"
        or (isinstance(e.value, Scalar) and e.value.text in ROLE.names and closest(e.name or "", ("role",)))
        for e in item.entries
    )
