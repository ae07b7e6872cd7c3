"""From libyaml's events to a tree. Iterative, so that no nesting is deep enough to end the process."""

from collections.abc import Callable
from typing import Any

import yaml

from rubric_core.syntax.tree import Alias, Entry, Mapping, Node, Problem, Scalar, Sequence, Style, Tree
from rubric_core.text import Span

__all__ = ["DEEPEST", "Failure", "build", "stumble"]

#: Collections nested deeper than this are cut off; no suite comes near it.
DEEPEST = 200

# libyaml where it is there: ten times as fast as the loader in Python, and the same events.
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_STYLES: dict[str | None, Style] = {"'": "single", '"': "double", "|": "literal", ">": "folded"}
_PROPERTY_END = " \t\r\n"


class Failure:
    """Why libyaml stopped: offsets into the text it was given, its words, and whether an earlier place is to blame."""

    __slots__ = ("context", "context_offset", "offset", "problem")

    def __init__(self, error: yaml.MarkedYAMLError, length: int) -> None:
        self.problem = str(error.problem or error)
        self.context = str(error.context or "")
        self.offset = error.problem_mark.index if error.problem_mark else length
        self.context_offset = error.context_mark.index if error.context_mark else None


def build(text: str, original: Callable[[int], int]) -> tuple[Tree, Failure | None]:
    """The tree of the first document in `text`, as far as libyaml gets, and why it stopped.

    `original` maps an offset in `text` to the offset that the tree shall name.
    """
    builder = _Builder(text, original)
    loader = _Loader(text)
    failure = None
    try:
        while builder.take(loader.get_event()):
            pass
    except yaml.MarkedYAMLError as error:
        failure = Failure(error, len(text))
    except yaml.YAMLError as error:
        failure = Failure(yaml.MarkedYAMLError(problem=str(error)), len(text))
    finally:
        loader.dispose()
    return builder.finish(), failure


def stumble(text: str) -> Failure | None:
    """Why libyaml stops in the first document of `text`; None when it does not. Several times as fast as `build`."""
    loader = _Loader(text)
    documents = 0
    try:
        while True:
            kind = type(loader.get_event())
            documents += kind is yaml.DocumentStartEvent
            if kind is yaml.StreamEndEvent or documents > 1:
                return None
    except yaml.MarkedYAMLError as error:
        return Failure(error, len(text))
    except yaml.YAMLError as error:
        return Failure(yaml.MarkedYAMLError(problem=str(error)), len(text))
    finally:
        loader.dispose()


class _Open:
    """A collection that is not closed yet, and the key that waits for its value."""

    __slots__ = ("key", "node", "property_start")

    def __init__(self, node: Mapping | Sequence, property_start: int) -> None:
        self.node = node
        self.property_start = property_start
        self.key: Node | None = None


class _Builder:
    def __init__(self, text: str, original: Callable[[int], int]) -> None:
        self.text = text
        self.original = original
        self.root: Node | None = None
        self.stack: list[_Open] = []
        self.too_deep = 0
        self.problems: list[Problem] = []
        self.anchors: dict[str, Node] = {}
        self.aliases: list[Alias] = []
        self.documents = 0

    def take(self, event: Any) -> bool:
        """Add one event; whether more are wanted."""
        kind = type(event)
        if kind is yaml.ScalarEvent:
            if not self.too_deep:
                self._add(self._scalar(event))
        elif kind in (yaml.MappingStartEvent, yaml.SequenceStartEvent):
            self._open(event)
        elif kind in (yaml.MappingEndEvent, yaml.SequenceEndEvent):
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
            if self.documents > 1:
                at = self.original(event.start_mark.index)
                self.problems.append(Problem("documents", Span(at, at + 3), "a second document starts here"))
                return False
        return kind is not yaml.StreamEndEvent

    def finish(self) -> Tree:
        """The tree so far; collections that are still open end where their last child does."""
        while self.stack:
            self._close(None)
        return Tree(self.root, tuple(self.problems), self.anchors, self.aliases)

    def _span(self, start: int, end: int) -> Span:
        return Span(self.original(start), self.original(end))

    def _skip_properties(self, start: int) -> int:
        """Where the value itself starts, behind `&anchor` and `!tag`."""
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
        inner = start
        if event.anchor is not None or event.tag is not None:
            inner = min(self._skip_properties(start), end)
        if style in ("literal", "folded"):
            end = inner + len(self.text[inner:end].rstrip())
        node = Scalar(self._span(inner, end), self._span(start, end), event.anchor, event.tag, event.value, style)
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        return node

    def _open(self, event: Any) -> None:
        if self.too_deep or len(self.stack) >= DEEPEST:
            if not self.too_deep:
                at = self.original(event.start_mark.index)
                self.problems.append(
                    Problem(
                        "nesting", Span(at, at + 1), f"nested deeper than {DEEPEST} levels; what is inside is not read"
                    )
                )
                self._add(Scalar(Span(at, at), Span(at, at), None, None, "", "plain"))
            self.too_deep += 1
            return
        start, end = event.start_mark.index, event.end_mark.index
        inner = start
        if event.anchor is not None or event.tag is not None:
            inner = self._skip_properties(start)
        kind = Mapping if isinstance(event, yaml.MappingStartEvent) else Sequence
        node = kind(self._span(inner, end), self._span(start, end), event.anchor, event.tag, bool(event.flow_style))
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        self.stack.append(_Open(node, self.original(start)))

    def _close(self, end: int | None) -> None:
        if self.too_deep and end is not None:
            self.too_deep -= 1
            return
        opened = self.stack.pop()
        node = opened.node
        if isinstance(node, Mapping):
            if opened.key is not None:
                at = opened.key.whole.end
                node.entries.append(Entry(opened.key, Scalar(Span(at, at), Span(at, at), None, None, "", "plain")))
            first = node.entries[0].key.whole.start if node.entries else node.span.start
            last = node.entries[-1].span.end if node.entries else node.span.end
        else:
            first = node.items[0].whole.start if node.items else node.span.start
            last = node.items[-1].whole.end if node.items else node.span.end
        if node.flow:
            node.span = Span(node.span.start, self.original(end) if end is not None else last)
        else:
            node.span = Span(min(first, node.span.start), max(last, first))
        node.whole = Span(min(opened.property_start, node.span.start), node.span.end)
        self._add(node)

    def _add(self, node: Node) -> None:
        if not self.stack:
            self.root = node
            return
        top = self.stack[-1]
        if isinstance(top.node, Sequence):
            top.node.items.append(node)
        elif top.key is None:
            top.key = node
        else:
            top.node.entries.append(Entry(top.key, node))
            top.key = None
