"""The draft of a migration: its tree, and every mapping in it that the catalogue knows.

Both dialects are read at once, so that steps can be made one after the other, in the spelling of either.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from rubric_core.cached_properties import cached_property
from rubric_core.language.dialect import Dialect, Spelling, SpellingStatus
from rubric_core.language.evaluators import Band, Custom, Evaluator, Include
from rubric_core.language.file_kinds import FileKind, item_of, root_of
from rubric_core.language.model import Case, Suite
from rubric_core.language.shape import Shape
from rubric_core.language.shape_kinds import Messages, Shaped, Tagged
from rubric_core.language.value_kinds import Kind, ListOf, MapOf, NodeUnion, Ranges
from rubric_core.syntax.collection_edits import comments_of
from rubric_core.syntax.edit import newline_of
from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.tree import Alias, Entry, Mapping, Node, Scalar, Sequence, SyntaxTree
from rubric_core.text import Span

__all__ = ["Draft", "Reader", "ShapedMapping"]

#: Returns the text of a file that the suite refers to, or None if it cannot be read.
Reader = Callable[[str], str | None]
T = TypeVar("T")
_MERGE = "<<"


class ShapedMapping:
    """A mapping in the text and the shape that it has."""

    def __init__(
        self, draft: "Draft", shape: type[Shape], node: Mapping, parent: "ShapedMapping | None", field: str
    ) -> None:
        self.draft = draft
        self.shape = shape
        self.node = node
        self.parent = parent
        #: The field of the parent that holds it.
        self.field = field
        #: Mappings that are merged into this one, the nearest first.
        self.merged: list[Mapping] = []
        #: In the order of the text, each once.
        self.children: dict[ShapedMapping, None] = {}

    def field_of(self, entry: Entry) -> str:
        """The field for which a key of this mapping stands; empty if neither dialect reads it."""
        return self.draft.field_of(self.shape, entry.name or "")

    def own(self, field: str) -> Entry | None:
        """The mapping's own entry for a field. Of several spellings, the one that is read."""
        return self._own.get(field)

    @cached_property
    def _own(self) -> dict[str, Entry]:
        best: dict[str, Entry] = {}
        for entry in self.node.entries:
            if entry.name is not None:
                known = best.setdefault(self.field_of(entry), entry)
                if known is not entry and self._rank(entry) > self._rank(known):
                    best[self.field_of(entry)] = entry
        return best

    def entry(self, field: str) -> Entry | None:
        """The entry for a field, from a merged mapping if not from this one."""
        merged = (e for node in self.merged for e in node.entries if e.name is not None and self.field_of(e) == field)
        return self.own(field) or next(merged, None)

    def _rank(self, entry: Entry) -> int:
        spelling = self.draft.source.table(self.shape).get(entry.name or "")
        return spelling.rank if spelling is not None else 0

    def value(self, field: str) -> Node | None:
        """The node of a field's value, with aliases resolved."""
        entry = self.entry(field)
        return self.draft.followed(entry.value) if entry is not None else None

    def plain(self, field: str) -> Any:
        """The value of a field as plain data; None without the field."""
        entry = self.entry(field)
        return plain(entry.value, self.draft.tree.anchors) if entry is not None else None

    def under(self, field: str) -> list["ShapedMapping"]:
        """The mappings below a field, in the order of the text."""
        return self._under.get(field, [])

    @cached_property
    def _under(self) -> dict[str, list["ShapedMapping"]]:
        found: dict[str, list[ShapedMapping]] = {}
        for child in self.children:
            found.setdefault(child.field, []).append(child)
        return found

    def key(self, field: str) -> str | None:
        """The spelling of a field of this shape in the target dialect."""
        return self.draft.target.spelled(self.shape, field)

    @property
    def type_at(self) -> int:
        """The offset of its type, or its own start if it has none."""
        tag = self.own(self.shape.tag)
        return tag.value.span.start if tag is not None else self.node.span.start

    @property
    def type_name(self) -> str:
        """The value of its type key."""
        tag = self.value(self.shape.tag)
        return tag.text if isinstance(tag, Scalar) else ""


class Draft:
    """One state of the text."""

    def __init__(
        self,
        text: str,
        kind: FileKind,
        source: Dialect,
        target: Dialect,
        read: Reader = lambda _: None,
        tree: SyntaxTree | None = None,
    ) -> None:
        self.text = text
        self.kind = kind
        self.source = source
        self.target = target
        #: Reads a file that the suite refers to.
        self.read = read
        self.tree = tree if tree is not None else parse(text)
        self.newline = newline_of(text)
        self.sites: list[ShapedMapping] = []
        self._following: list[str] = []
        self._seen: dict[tuple[int, type[Shape]], ShapedMapping] = {}
        self._fields: dict[tuple[type[Shape], str], str] = {}
        self._of: dict[type[Shape], list[ShapedMapping]] = {}
        self._comments: list[Span] | None = None
        root = self.tree.root
        item, whole = item_of(kind), root_of(kind)
        if root is not None and whole is not None:
            self._visit(ListOf(item) if isinstance(root, Sequence) and item is not None else whole, root, None, "")

    @property
    def comments(self) -> list[Span]:
        """Every comment."""
        if self._comments is None:
            self._comments = comments_of(self.text, self.tree)
        return self._comments

    @property
    def suite(self) -> ShapedMapping | None:
        """The suite, or file of cases, when the root is a mapping."""
        return next(iter(self.of(Suite)), None)

    @property
    def cases(self) -> list[ShapedMapping]:
        """Every case, including those from merge keys."""
        return self.of(Case)

    def of(self, shape: type[Shape]) -> list[ShapedMapping]:
        """Every mapping of that shape or of a subclass."""
        known = self._of.get(shape)
        if known is None:
            known = self._of[shape] = [site for site in self.sites if issubclass(site.shape, shape)]
        return known

    @cached_property
    def merged_into(self) -> dict[Mapping, list[ShapedMapping]]:
        """The cases that a mapping is merged into."""
        found: dict[Mapping, list[ShapedMapping]] = {}
        for case in self.cases:
            for node in case.merged:
                found.setdefault(node, []).append(case)
        return found

    def followed(self, node: Node) -> Node | None:
        """The target of an alias; any other node itself."""
        return self.tree.anchors.get(node.name) if isinstance(node, Alias) else node

    def written(self, span: Span) -> str:
        """The text at `span`."""
        return self.text[span.start : span.end]

    def field_of(self, shape: type[Shape], name: str) -> str:
        """The field for which a key stands in the source dialect, else in the target; empty if neither reads it."""
        known = self._fields.get((shape, name))
        if known is None:
            old, new = self.source.table(shape).get(name), self.target.table(shape).get(name)
            known = _read(old) or (
                new.field if new is not None and new.fate in (SpellingStatus.CURRENT, SpellingStatus.ALIAS) else ""
            )
            self._fields[shape, name] = known
        return known

    def shape_of(self, base: type[Shape], node: Mapping) -> type[Shape]:
        """The subclass of `base` that is the shape of a mapping."""
        tag = self._tag(base, node)
        if tag is None:
            return Include if base is Evaluator and node.get("include") is not None else base
        old, new = self.source.type_of(tag, base), self.target.type_of(tag, base)
        known = old if old is not None and old.fate.read else new or old
        if known is not None:
            return known.shape
        programs = self.source.properties.custom_types or self.target.properties.custom_types
        return Custom if base is Evaluator and programs else base

    def _tag(self, base: type[Shape], node: Mapping) -> str | None:
        for dialect in (self.source, self.target):
            value = node.get(dialect.spelled(base, base.tag) or base.tag)
            tag = self.followed(value) if value is not None else None
            if isinstance(tag, Scalar) and isinstance(tag.value, str):
                return tag.text
        return None

    def _visit(self, kind: Kind[Any] | None, node: Node, parent: ShapedMapping | None, field: str) -> None:
        if isinstance(node, Alias):
            if node.name in self._following:
                return
            self._following.append(node.name)
            self._visit_node(kind, self.tree.anchors.get(node.name), parent, field)
            self._following.pop()
        else:
            self._visit_node(kind, node, parent, field)

    def _visit_node(self, kind: Kind[Any] | None, node: Node | None, parent: ShapedMapping | None, field: str) -> None:
        branch = _branch(kind, node)
        if isinstance(node, Mapping):
            if isinstance(branch, Shaped | Tagged):
                self._enter(branch, node, parent, field)
            elif isinstance(branch, MapOf):
                for entry in node.entries:
                    self._visit(branch.value, entry.value, parent, field)
        elif isinstance(node, Sequence):
            inner = _item(branch, node)
            for item in node.items if inner is not None else ():
                self._visit(inner, item, parent, field)

    def _enter(self, kind: "Shaped | Tagged", node: Mapping, parent: ShapedMapping | None, field: str) -> None:
        shape = self.shape_of(kind.base, node) if isinstance(kind, Tagged) else kind.shape
        known = self._seen.get((id(node), shape))
        if known is not None:
            if parent is not None:
                parent.children.setdefault(known)
            return
        site = self._seen[id(node), shape] = ShapedMapping(self, shape, node, parent, field)
        self.sites.append(site)
        if parent is not None:
            parent.children.setdefault(site)
        for entry in node.entries:
            if entry.name == _MERGE:
                self._merge(site, entry.value)
                continue
            name = site.field_of(entry)
            if name:
                self._visit(shape.keys[name].kind, entry.value, site, name)

    def _merge(self, site: ShapedMapping, value: Node) -> None:
        """Give mappings that are merged into a site its shape; they are visited where they are written."""
        for source in value.items if isinstance(value, Sequence) else [value]:
            node = self.followed(source)
            if isinstance(node, Mapping):
                site.merged.append(node)
                if (id(node), site.shape) not in self._seen:
                    self._enter(Shaped(site.shape), node, site.parent, site.field)


def _read(spelling: Spelling | None) -> str:
    return spelling.field if spelling is not None and spelling.fate.read else ""


def _branch(kind: Kind[Any] | None, node: Node | None) -> Kind[Any] | None:
    if isinstance(kind, NodeUnion):
        if isinstance(node, Mapping):
            return kind.mapping
        return kind.sequence if isinstance(node, Sequence) else kind.text
    return kind


def _item(kind: Kind[Any] | None, node: Sequence) -> Kind[Any] | None:
    if isinstance(kind, ListOf):
        return kind.item
    if isinstance(kind, Messages):
        first = node.items[0] if node.items else None
        spoken = isinstance(first, Mapping) and first.get("role") is not None
        return Shaped(kind.message) if spoken or not kind.lenient else None
    return Shaped(Band) if isinstance(kind, Ranges) else None
