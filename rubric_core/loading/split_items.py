"""Items that an extra dash has cut in two: `- type: contains` and, below it, `- value: x`.

The classic way to an evaluation that asserts nothing: both halves are valid YAML, and neither is an evaluator.
"""

from collections.abc import Callable, Iterator, Sequence

from rubric_core.language.dialect import Dialect
from rubric_core.language.evaluators import Criterion
from rubric_core.language.shape import Shape
from rubric_core.language.shape_kinds import Shaped, Tagged
from rubric_core.language.value_kinds import Kind, NodeUnion
from rubric_core.syntax.tree import Mapping, Node
from rubric_core.text import Span

__all__ = ["JoinedMapping", "join_split_item"]

TypeOf = Callable[[type[Shape], Mapping], tuple[type[Shape], str]]


class JoinedMapping(Mapping):
    """Two mappings read as one."""

    __slots__ = ("dash",)

    def __init__(self, first: Mapping, second: Mapping, dash: Span) -> None:
        span = Span(first.span.start, second.span.end)
        super().__init__(span, span, first.anchor, first.tag, flow=False)
        self.entries = [*first.entries, *second.entries]
        #: The extra dash.
        self.dash = dash


def join_split_item(
    items: Sequence[Node], kind: Kind[object], dialect: Dialect, text: str, type_of: TypeOf
) -> Iterator[Node]:
    """The items, with split ones joined."""
    mapping = kind.mapping if isinstance(kind, NodeUnion) else kind
    if not isinstance(mapping, Shaped | Tagged) or len(items) < 2:
        yield from items
        return
    waiting: Node | None = None
    for item in items:
        if waiting is not None:
            dash = _extra_dash(waiting, item, mapping, dialect, text, type_of)
            if dash is not None and isinstance(waiting, Mapping) and isinstance(item, Mapping):
                waiting = JoinedMapping(waiting, item, dash)
                continue
            yield waiting
        waiting = item
    if waiting is not None:
        yield waiting


def _extra_dash(
    first: Node, second: Node, kind: Shaped | Tagged, dialect: Dialect, text: str, type_of: TypeOf
) -> Span | None:
    """The dash before `second`, if the two are certainly halves of one item."""
    if not isinstance(first, Mapping) or not isinstance(second, Mapping) or first.flow or second.flow:
        return None
    if first.entries and second.entries and first.entries[0].name == second.entries[0].name:
        return None  # nearly always: each begins with the same key
    shape = type_of(kind.base, first)[0] if isinstance(kind, Tagged) else kind.shape
    head = "type" if isinstance(kind, Tagged) else _head(shape, dialect)
    names = {e.name for e in first.entries}
    others = {e.name for e in second.entries}
    known = dialect.table(shape)
    if not head or head not in names or head in others or "include" in others or others & names or "<<" in others:
        return None
    if shape is Criterion:
        texts = {s.name for s in known.values() if s.field in ("outcome", "score_ranges")}
        if names & texts:
            return None
    elif isinstance(kind, Shaped) and not _lacks(shape, names, dialect):
        return None
    if not all(name in known for name in others):
        return None
    dash = text.rfind("-", 0, second.whole.start)
    return Span(dash, dash + 1) if dash >= 0 and not text[dash + 1 : second.whole.start].strip() else None


def _head(shape: type[Shape], dialect: Dialect) -> str:
    """The key with which a mapping of this shape begins."""
    if shape is Criterion:
        return "id"
    return next((s.name for s, key in dialect.fields(shape) if dialect.demanded(shape, key.field)), "")


def _lacks(shape: type[Shape], names: set[str | None], dialect: Dialect) -> bool:
    """Whether a key is missing without which the first half has no meaning."""
    return any(
        dialect.demanded(shape, k.field) and s.name not in names and not k.group for s, k in dialect.fields(shape)
    )
