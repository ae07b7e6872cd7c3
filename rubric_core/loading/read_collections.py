"""Reading lists, maps, messages and values of several types."""

from collections.abc import Iterable
from typing import Any

from rubric_core.language.closest_name import closest
from rubric_core.language.model import CASE, Suite
from rubric_core.language.model.messages import ROLE
from rubric_core.language.shape_kinds import Messages, OneMessage, Shaped
from rubric_core.language.value_kinds import Anything, Kind, ListOf, MapOf, NodeUnion
from rubric_core.lazy_compilation import replace
from rubric_core.loading.issues import StrayEntry, UnknownTag
from rubric_core.loading.keys import Keys
from rubric_core.loading.read_values import HOLE
from rubric_core.loading.split_items import join_split_item
from rubric_core.syntax.plain_data import key_name
from rubric_core.syntax.tree import Entry, Mapping, Node, Scalar, Sequence
from rubric_core.text import Span

__all__ = ["Collections"]


class Collections(Keys):
    """Reads values that contain other values, except shapes."""

    def _list(self, kind: ListOf, node: Node, name: str) -> Any:
        if not isinstance(node, Sequence):
            open_value = isinstance(node, Scalar) and self._open_value(node)
            return HOLE if open_value else self._wrong(kind, node, name)
        if not node.items and not kind.empty:
            return self._wrong(kind, node, name)
        items: Iterable[Node] = node.items
        if len(node.items) > 1 and not node.flow:
            items = join_split_item(node.items, kind.item, self.dialect, self.text, self.type_of)
        of_item = f"{name}[]"
        return [v for item in items if (v := self.value(kind.item, item, of_item)) is not HOLE]

    def _map(self, kind: MapOf, node: Node, name: str) -> Any:
        if not isinstance(node, Mapping) or (self.via is None and self.text.startswith("{{", node.span.start)):
            return self._wrong(kind, node, name)
        result: dict[str, Any] = {}
        seen: dict[str, Entry] = {}
        for entry, via in self.entries(node):
            if entry.name is None:
                continue
            if entry.name in seen and via is None:
                self.duplicate(node, entry, seen[entry.name])
            seen.setdefault(entry.name, entry)
            value = self.value_through(via, kind.value, entry.value, entry.name)
            if value is not HOLE:
                result.setdefault(key_name(entry.key, entry.name), value)
        return result

    def value_through(self, via: Span | None, kind: Kind[Any], node: Node, name: str) -> Any:
        """The value of a node; if it came through an alias or a merge key at `via`, its issues are reported there."""
        outer = self.via
        self.via = outer or via
        try:
            return self.value(kind, node, name)
        finally:
            self.via = outer

    def _messages(self, kind: Messages, node: Node, name: str) -> Any:
        if not isinstance(node, Sequence):
            return self._wrong(kind, node, name)
        if kind.lenient and not any(isinstance(i, Mapping) and _is_message(i) for i in node.items):
            return node
        of_item = f"{name}[]"
        return [v for item in node.items if (v := self.value(kind.item, item, of_item)) is not HOLE]

    def _one_message(self, kind: OneMessage, node: Node, name: str) -> Any:
        if not isinstance(node, Mapping):
            return self._wrong(kind, node, name)
        if not _is_message(node):
            if self.value(_CONTENT, node, name) is HOLE:
                return HOLE
            node = _from_user(node)
        value = self.value(Shaped(kind.message), node, name)
        return HOLE if value is HOLE else [value]

    def _by_node(self, kind: NodeUnion, node: Node, name: str) -> Any:
        if type(node) is Mapping and kind.mapping is not None:  # a mapping is one, whatever its content
            return self.readers[type(kind.mapping)](self, kind.mapping, node, name)
        branch = self.branch_of(kind, node)
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
    def branch_of(kind: NodeUnion, node: Node) -> Kind[Any] | None:
        """The branch of a union for the type of a node; None if the union has none."""
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

    readers = {  # noqa: RUF012  # declared in `ValueReader`
        **Keys.readers, ListOf: _list, MapOf: _map, Messages: _messages, OneMessage: _one_message, NodeUnion: _by_node,
    }  # fmt: skip


_CONTENT = MapOf(Anything())


def _from_user(content: Mapping) -> Mapping:
    """The message of the user that has this content."""
    made = Mapping(content.span, content.whole, None, None, content.flow)
    role, user, key = (
        Scalar(content.span, content.whole, None, None, each, "plain") for each in ("role", "user", "content")
    )
    made.entries = [Entry(role, user), Entry(key, content)]
    return made


def _is_message(item: Mapping) -> bool:
    """Whether a mapping is a message: it has a role, possibly misspelt."""
    return any(
        e.name == "role"
        or (isinstance(e.value, Scalar) and e.value.text in ROLE.names and closest(e.name or "", ("role",)))
        for e in item.entries
    )
