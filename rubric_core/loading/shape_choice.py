"""Selects the shape of a mapping: by the `type` of an evaluator, or the kind of a provider."""

from rubric_core.language.dialect import SpellingStatus, TypeName
from rubric_core.language.evaluators import Custom, Evaluator, Include
from rubric_core.language.shape import Shape
from rubric_core.language.targets import Provider
from rubric_core.loading.issues import ForeignType, RenamedType, UnknownType
from rubric_core.loading.read_entries import MERGE, EntryReader, Merged
from rubric_core.syntax.tree import Alias, Entry, Mapping, Node, Scalar
from rubric_core.text import Span

__all__ = ["Tags"]

#: The statuses of a type without a problem.
_FINE = (SpellingStatus.CURRENT, SpellingStatus.ALIAS)
#: The prefix of a provider kind that is a program of the author's.
_ELSEWHERE = ("file://", "package:")


class Tags(EntryReader):
    """Reads the tags that select shapes."""

    def type_of(self, base: type[Shape], node: Mapping, *, report: bool = False) -> tuple[type[Shape], str]:
        """The shape below `base` for the mapping, and the tag as written; `base` itself if that is unknown."""
        at: Span | None = None
        tag: Node | None = None
        key = self.dialect.spelled(base, base.tag) or base.tag
        if self.is_plain(node) and node.entry(MERGE) is None:  # nearly always: then no list of its entries is needed
            tag, at = node.get(key), self.via
        else:
            for entry, via in self.entries(node):
                if entry.name == key:
                    tag, at = entry.value, self.via or via
                    break
        if isinstance(tag, Alias):
            at = at or tag.span
            tag = self.target_of(tag)
        if tag is None:
            return (Include, "include") if self._includes(base, node) else (base, "")
        if not isinstance(tag, Scalar) or not isinstance(tag.value, str) or not tag.text.strip():
            return base, ""
        if self._open_value(tag):
            if report and not base.may_be_filled_in(tag.text):
                self._report_unknown(base, node, tag, at or tag.span)
            return base, ""
        known = self.dialect.type_of(tag.text, base)
        if report and (known is None or known.fate not in _FINE):
            self._report_type(base, node, tag, at or tag.span, known)
        if known is not None:
            return known.shape, tag.text
        return (Custom if issubclass(base, Evaluator) and self.dialect.properties.custom_types else base), tag.text

    def _includes(self, base: type[Shape], node: Mapping) -> bool:
        """Whether the mapping names a template instead of a type."""
        known = issubclass(base, Evaluator) and self.dialect.table(Include).get("include") is not None
        return known and node.get("include") is not None

    def _report_type(
        self, base: type[Shape], mapping: Mapping, node: Scalar, span: Span, known: TypeName | None
    ) -> None:
        if known is None:
            self._report_unknown(base, mapping, node, span)
        else:
            current = self._current(known, base)
            self.issues.append(
                RenamedType(
                    span=span,
                    borrowed=span != node.span,
                    node=node,
                    mapping=mapping,
                    type_name=known,
                    current=current,
                )
            )

    def _report_unknown(self, base: type[Shape], mapping: Mapping, node: Scalar, span: Span) -> None:
        name, borrowed = node.text, span != node.span
        if name.startswith(self.dialect.properties.free_types or "\0"):
            return
        others = [(d, t) for d in self.dialects if (t := d.type_of(name, base)) is not None and t.fate in _FINE]
        if others:
            self.issues.append(
                ForeignType(
                    span=span,
                    borrowed=borrowed,
                    node=node,
                    mapping=mapping,
                    name=name,
                    dialects=tuple(d.name for d, _ in others),
                    current=self._current(others[-1][1], base),
                    shape=others[-1][1].shape,
                )
            )
            return
        properties = self.dialect.properties
        if issubclass(base, Provider) and properties.custom_providers and name.startswith(_ELSEWHERE):
            return  # a program of the author's
        names = tuple(t.name for t in self.dialect.types_of(base).values() if t.fate is SpellingStatus.CURRENT)
        custom = properties.custom_types if issubclass(base, Evaluator) else properties.custom_providers
        self.issues.append(
            UnknownType(
                span=span,
                borrowed=borrowed,
                node=node,
                mapping=mapping,
                name=name,
                known=names,
                custom=custom,
                base=base,
            )
        )

    def _current(self, known: TypeName, base: type[Shape]) -> str | None:
        """The current spelling of the type in this dialect; None if it is ambiguous."""
        names = [
            t.name
            for t in self.dialect.types_of(base).values()
            if t.shape is known.shape and t.fate is SpellingStatus.CURRENT
        ]
        return names[0] if names and (issubclass(base, Evaluator) or len(names) == 1) else None

    def flatten(self, base: type[Shape], node: Mapping) -> Mapping:
        """The mapping with the keys of the nested fields of `base` beside its own."""
        node = _keyed(base, node)
        table = self.dialect.table(base)
        nested = {name for name, s in table.items() if s.field in base.nested and s.fate.read}
        own = self.entries(node)
        names = {entry.name for entry, _ in own}
        inner = [each for entry, via in own if entry.name in nested for each in self._inner(entry.value, via)]
        self._merged[id(node)] = [*own, *((e, via) for e, via in inner if e.name not in names)]
        return node

    def _inner(self, node: Node, via: Span | None) -> list[Merged]:
        if isinstance(node, Alias):
            via = via or node.span
            node = self.target_of(node) or node
        return [(e, via or v) for e, v in self.entries(node)] if isinstance(node, Mapping) else []


def _keyed(base: type[Shape], node: Mapping) -> Mapping:
    """`{openai: {label: bot}}` is short for `{id: openai, label: bot}`."""
    only = node.entries[0] if len(node.entries) == 1 else None
    if base is not Provider or only is None or only.name in (None, "id") or not isinstance(only.value, Mapping):
        return node
    made = Mapping(node.span, node.whole, node.anchor, node.tag, flow=node.flow)
    name = Scalar(only.key.span, only.key.whole, None, None, "id", "plain")
    made.entries = [Entry(name, only.key), *only.value.entries]
    return made
