"""Lowers a tree to shapes of a dialect. Never raises: invalid parts are left out and become issues."""

from collections.abc import Iterable
from typing import Any

from rubric_core.language.detect_file_dialect import is_provider_list
from rubric_core.language.dialect import SpellingStatus
from rubric_core.language.empty_values import may_be_left_empty
from rubric_core.language.evaluators import CodeEvaluator, Criterion
from rubric_core.language.file_kinds import PROVIDER_ITEM, FileKind, root_of
from rubric_core.language.model import CASE, Case, CaseInclude, Suite
from rubric_core.language.shape import FieldPlace, Key, Shape, as_list
from rubric_core.language.shape_kinds import Shaped, Shorthand, Tagged
from rubric_core.language.value_kinds import Kind, ListOf, NodeUnion, Ranges
from rubric_core.lazy_compilation import replace
from rubric_core.loading.issues import (
    ConflictingKeys,
    CutText,
    NotASuite,
    OutOfRange,
    SplitItem,
    WrongRoot,
    WrongType,
)  # fmt: skip
from rubric_core.loading.read_collections import Collections
from rubric_core.loading.read_values import HOLE
from rubric_core.loading.score_ranges import lower_ranges
from rubric_core.loading.split_items import JoinedMapping
from rubric_core.loading.type_match import found_words
from rubric_core.syntax.case_items import ROOT_LIST
from rubric_core.syntax.tree import Alias, Mapping, Node, Scalar, Sequence, mappings_in
from rubric_core.text import Span

__all__ = ["Lowering"]

# A named tuple's own constructor is a Python function, and each mapping has a first line.
_new = tuple.__new__


class Lowering(Collections):
    """Lowers the nodes of one block to shapes."""

    def _ranges(self, _: Ranges, node: Node, __: str) -> Any:
        return lower_ranges(self, node)

    def root(self, root: Node | None, file: FileKind, cut_key: str) -> list[Shape]:
        """The shapes of a frame; `cut_key` is the key whose list was cut into blocks, or ROOT_LIST."""
        kind = root_of(file)
        if kind is None:
            return []
        nothing = root is None or (isinstance(root, Scalar) and root.empty)
        branch = self.branch_of(kind, root) if isinstance(kind, NodeUnion) and root is not None else kind
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
        if bare and is_provider_list(root):
            branch = ListOf(PROVIDER_ITEM)
        self._cut_key, self._root = cut_key, root
        made = self.value(branch, root, "")
        self.unread_duplicates(mappings_in(root))
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

    def item(self, kind: Kind[Any], item: Node, name: str, mappings: Iterable[Mapping] | None = None) -> Shape | None:
        """The shape of one block; `mappings` are all of the item, if known."""
        made = self.value(kind, item, f"{name}[]")
        self.unread_duplicates(mappings_in(item) if mappings is None else mappings)
        return made if isinstance(made, Shape) else None

    # Shapes

    def _shaped(self, kind: Shaped, node: Node, name: str) -> Any:
        if not isinstance(node, Mapping):
            return self._wrong(kind, node, name)
        shape = kind.shape.chosen(node)
        if shape.keyed and (inner := self._only(shape, node)) is not None:
            self._lacking.add(id(inner))  # its id is the key
            node = inner
        if shape is Case and node.get("include") is not None and self.dialect.table(CaseInclude):
            shape = CaseInclude
        return self.shape(shape, node)

    def _only(self, shape: type[Shape], node: Mapping) -> Mapping | None:
        """The content of a mapping's only key, if that is a name and not a key of the shape."""
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
        # Of a rejected type, only that is reported, not its missing keys.
        refused = known is not None and known.fate is SpellingStatus.REJECTED and shape is not CodeEvaluator
        made = self.shape(shape, node, lenient=shape is kind.base or refused)
        made.type_name = written
        return made

    def shape(self, cls: type[Shape], node: Mapping, *, lenient: bool = False) -> Shape:
        """The mapping as a `cls`; a lenient one may have other keys besides the known ones."""
        if isinstance(node, JoinedMapping):
            self.issues.append(SplitItem(span=self.via or node.dash, borrowed=self.via is not None, shape=cls))
        made = cls(self.via or self._head(node), node)
        made.borrowed = self.via is not None
        readings, behind = self.dialect.readings(cls), made.borrowed
        written = self.once(node)
        for name, (entry, via) in written.items():
            reading, value = readings.get(name), entry.value
            if behind or via is not None or type(value) is Alias:
                place = self.place(entry, via)
            else:  # nearly always
                place = _new(FieldPlace, (entry.key.span, value.span, value, name, False, None))
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
            read = self.value_through(via, declared.kind, value, place.name)
        if read is not HOLE:
            vars(made)[field] = read
            return
        last = self.issues[-1] if self.issues else None
        if isinstance(last, WrongType | OutOfRange) and last.node is value:
            self.issues[-1] = replace(last, key=declared, owner=made)
        if isinstance(value, Scalar) and value.value is None and value.style != "hole":
            self._without_value(made, field, value)

    def _without_value(self, made: Shape, field: str, node: Scalar) -> None:
        """A key without a value, if a suite works without the key, counts as absent."""
        last = self.issues[-1] if self.issues else None
        idle = may_be_left_empty(self.dialect, type(made), field, in_words=bool(node.text))
        if isinstance(last, CutText | WrongType) and last.node is node and idle:
            self.issues[-1] = replace(last, idle=True)
            del made.places[field]

    def _head(self, node: Mapping) -> Span:
        """The first line of a mapping, which findings about the whole mapping underline."""
        text, (start, end) = self.text, node.span
        longest = end if end - start < 400 else start + 400
        at = text.find("\n", start, longest)
        if self._returns:
            feed = text.find("\r", start, longest if at < 0 else at)
            at = feed if feed >= 0 else at
        return _new(Span, (start, longest if at < 0 else start + len(text[start:at].rstrip())))

    readers = {  # noqa: RUF012  # declared in `ValueReader`
        **Collections.readers, Shaped: _shaped, Tagged: _tagged, Shorthand: _shorthand, Ranges: _ranges,
    }  # fmt: skip
