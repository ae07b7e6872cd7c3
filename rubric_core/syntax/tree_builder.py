"""Builds the tree of the first document from events. Iterative, so that deep nesting cannot exhaust the stack."""

from collections.abc import Callable
from sys import intern
from typing import Any

from rubric_core.syntax.libyaml import yaml
from rubric_core.syntax.scalars import CORE, YAML_1_1, resolve_1_1
from rubric_core.syntax.strict_layout import misplaced_lines
from rubric_core.syntax.tree import (
    BLOCK_STYLES,
    QUOTED_STYLES,
    Alias,
    Entry,
    Mapping,
    Node,
    Scalar,
    Sequence,
    Style,
    SyntaxProblem,
    SyntaxTree,
    walk,
)
from rubric_core.text import Span

__all__ = ["DEEPEST", "ENDS", "GIVEN_UP", "STARTS", "TooDeepError", "TreeBuilder"]

#: Collections nested deeper than this are removed; no real suite comes near it.
DEEPEST = 200
#: This many levels below the limit, reading stops: libyaml takes longer for each bracket the more are open.
GIVEN_UP = 700

_STYLES: dict[str | None, Style] = {"'": "single", '"': "double", "|": "literal", ">": "folded"}
_SCALAR, _MAPPING, _SEQUENCE = yaml.ScalarEvent, yaml.MappingStartEvent, yaml.SequenceStartEvent
STARTS = frozenset({_MAPPING, _SEQUENCE})
ENDS = frozenset({yaml.MappingEndEvent, yaml.SequenceEndEvent})
_PROPERTY_END = " \t\r\n"


class TooDeepError(Exception):
    """Raised to stop libyaml; with the offsets of `Failure.deep`."""

    def __init__(self, outermost: int, deepest: int) -> None:
        super().__init__(outermost, deepest)
        self.deep = (outermost, deepest)


class _Open:
    """A collection that is still open, and the key whose value comes next."""

    __slots__ = ("entries", "items", "key", "node", "property_start")

    def __init__(self, node: Mapping | Sequence, property_start: int) -> None:
        self.node = node
        self.property_start = property_start
        self.key: Node | None = None
        # Asking for the class of a node at every event would take longer. Of a list there are only items.
        self.entries = node.entries if isinstance(node, Mapping) else []
        self.items = node.items if isinstance(node, Sequence) else None


class TreeBuilder:
    """Builds a tree from events, one after the other.

    Args:
        text: What libyaml reads.
        original: Maps an offset in `text` to the offset that the tree shall name; None: they are the same.
    """

    def __init__(self, text: str, original: Callable[[int], int] | None) -> None:
        self.text = text
        self.original = original or _same
        self.moves = original is not None
        self.root: Node | None = None
        self.stack: list[_Open] = []
        self.too_deep = 0
        self.deep_at = 0
        self.problems: list[SyntaxProblem] = []
        self.anchors: dict[str, Node] = {}
        self.aliases: list[Alias] = []
        self.documents = 0
        #: Whether the text says `%YAML 1.1`, where more words and numbers are no strings.
        self.is_yaml_1_1 = False

    def run(self, get_event: Callable[[], Any]) -> None:
        """Add every event of the first document."""
        # The time that a text takes to be read for the first time is spent here: most events are scalars, most of these plain.
        scalar, add, take, stack, simple = self._scalar, self._add, self._take, self.stack, not self.moves
        while True:
            event = get_event()
            if type(event) is not _SCALAR:
                if not take(event):
                    return
                continue
            if self.too_deep:
                continue
            if simple and not event.style and event.anchor is None and event.tag is None:
                span = Span(event.start_mark.index, event.end_mark.index)  # type: ignore[union-attr]  # libyaml gives marks
                node = Scalar(span, span, None, None, event.value, "plain")
            else:
                node = scalar(event)
            top = stack[-1] if stack else None
            if top is None:
                add(node)
            elif top.items is not None:
                top.items.append(node)
            elif top.key is None:
                add(node)
            else:
                top.entries.append(Entry(top.key, node))
                top.key = None

    def _take(self, event: Any) -> bool:
        """Handle an event that is not a scalar; returns whether to continue."""
        kind = type(event)
        if kind in STARTS:
            self._open(event)
        elif kind in ENDS:
            self._close(event.end_mark.index)
        elif kind is yaml.AliasEvent:
            if not self.too_deep:
                span = self._span(event.start_mark.index, event.end_mark.index)
                recursive = any(o.node.anchor == event.anchor for o in self.stack)
                alias = Alias(span, event.anchor, self.anchors.get(event.anchor), recursive=recursive)
                self.aliases.append(alias)
                self._add(alias)
        elif kind is yaml.DocumentStartEvent:
            self.documents += 1
            self.is_yaml_1_1 |= event.version == (1, 1)
            if self.documents > 1:
                at = self.original(event.start_mark.index)
                self.problems.append(SyntaxProblem("documents", Span(at, at + 3), "a second document starts here"))
                return False
        return kind is not yaml.StreamEndEvent

    def finish(self) -> SyntaxTree:
        """The tree so far; collections that are still open end where their last child does."""
        while self.stack:
            self._close(None)
        if self.is_yaml_1_1 and self.root is not None:
            _mark_older_values(self.root)
        return SyntaxTree(self.root, tuple(self.problems), self.anchors, self.aliases)

    def _span(self, start: int, end: int) -> Span:
        return Span(self.original(start), self.original(end))

    def _skip_properties(self, start: int) -> int:
        """The start of the value itself, after `&anchor` and `!tag`."""
        text, at = self.text, start
        while at < len(text) and text[at] in "&!":
            while at < len(text) and text[at] not in _PROPERTY_END:
                at += 1
            while at < len(text) and text[at] in _PROPERTY_END:
                at += 1
        return at

    def _scalar(self, event: Any) -> Scalar:
        start, end = event.start_mark.index, event.end_mark.index
        style = _STYLES.get(event.style, "plain")
        if event.anchor is None and event.tag is None and not self.moves and style not in BLOCK_STYLES:
            span = Span(start, end)
            if style in QUOTED_STYLES and (
                event.end_mark.line != event.start_mark.line or self.text[end : end + 1] == "#"
            ):
                self._look_at(span, flow=False)
            return Scalar(span, span, None, None, event.value, style)
        inner = start
        if event.anchor is not None or event.tag is not None:
            inner = min(self._skip_properties(start), end)
        if style in BLOCK_STYLES:
            end = inner + len(self.text[inner:end].rstrip())
        node = Scalar(self._span(inner, end), self._span(start, end), event.anchor, event.tag, event.value, style)
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        return node

    def _open(self, event: Any) -> None:
        if self.too_deep or len(self.stack) >= DEEPEST:
            if not self.too_deep:
                self.deep_at = event.start_mark.index
                at = self.original(self.deep_at)
                self.problems.append(
                    SyntaxProblem(
                        "nesting", Span(at, at + 1), f"nested deeper than {DEEPEST} levels; what is inside is not read"
                    )
                )
                self._add(Scalar(Span(at, at), Span(at, at), None, None, "", "plain"))
            self.too_deep += 1
            if self.too_deep > GIVEN_UP:
                outermost = next((o.property_start for o in self.stack if o.node.flow), self.deep_at)
                raise TooDeepError(outermost, self.deep_at)
            return
        start, end = event.start_mark.index, event.end_mark.index
        anchor, tag = event.anchor, event.tag
        inner = start if anchor is None and tag is None else self._skip_properties(start)
        kind = Mapping if type(event) is _MAPPING else Sequence
        whole = self._span(start, end) if self.moves else Span(start, end)
        span = whole if inner == start else self._span(inner, end)
        node = kind(span, whole, anchor, tag, bool(event.flow_style))
        if anchor is not None:
            self.anchors[anchor] = node
        self.stack.append(_Open(node, whole.start))

    def _close(self, end: int | None) -> None:
        if self.too_deep and end is not None:
            self.too_deep -= 1
            return
        opened = self.stack.pop()
        node = opened.node
        first, last = node.span
        if opened.items is None:
            if opened.key is not None:
                at = opened.key.whole.end
                opened.entries.append(Entry(opened.key, Scalar(Span(at, at), Span(at, at), None, None, "", "plain")))
            if opened.entries:
                first, last = opened.entries[0].key.whole.start, opened.entries[-1].span.end
        elif opened.items:
            first, last = opened.items[0].whole.start, opened.items[-1].whole.end
        start = node.span.start
        if node.flow:
            node.span = Span(start, self.original(end) if end is not None else last)
            if end is not None and not self.moves:
                self._look_at(node.span, flow=True)
        else:
            node.span = Span(min(first, start), max(last, first))
        begin = min(opened.property_start, node.span.start)
        node.whole = node.span if begin == node.span.start else Span(begin, node.span.end)
        self._add(node)

    def _look_at(self, span: Span, *, flow: bool) -> None:
        """Report layout problems of a value about to be added; inside brackets, the outermost collection decides."""
        top = self.stack[-1] if self.stack else None
        parent = None if top is None or top.node.flow else top.node
        self.problems += misplaced_lines(self.text, span, parent, top.key if top is not None else None, flow=flow)

    def _add(self, node: Node) -> None:
        if not self.stack:
            self.root = node
            return
        top = self.stack[-1]
        if top.items is not None:
            top.items.append(node)
        elif top.key is None:
            top.key = node
            # libyaml takes `{?id: a}` for `{? id: a}`; in YAML 1.2 the sign is a part of the key.
            at = node.whole.start - 1
            if top.node.flow and not self.moves and self.text[at : at + 1] == "?" and isinstance(node, Scalar):
                node.text = f"?{node.text}"
                node.span = node.whole = Span(at, node.span.end)
            if type(node) is Scalar:
                node.text = intern(node.text)  # thousands of cases have the same few keys
        else:
            top.entries.append(Entry(top.key, node))
            top.key = None


def _same(offset: int) -> int:
    return offset


def _mark_older_values(root: Node) -> None:
    """Give each scalar that YAML 1.1 may read as another type a tag that says so."""
    for node in walk(root):
        if isinstance(node, Scalar) and (node.tag is not None or node.style == "plain"):
            if node.tag is None and resolve_1_1(node.text) != node.value:
                node.tag = YAML_1_1
            elif node.tag is not None and node.tag.startswith(CORE):
                node.tag = f"{YAML_1_1}{node.tag[len(CORE) :]}"
