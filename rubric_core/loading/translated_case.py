"""Cases of another family in AgentV's model, at the places where they are written."""

import json
from collections.abc import Mapping
from typing import TypeAlias

from rubric_core.language.dialects import DIALECTS
from rubric_core.language.dialects.agentv_3 import AGENTV_3
from rubric_core.language.model import Case
from rubric_core.language.shape import FieldPlace, Shape
from rubric_core.loading.lower import Lowering
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.tree import Entry, Node, Scalar
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.syntax.tree import Sequence as SequenceNode
from rubric_core.text import Span

__all__ = ["TRANSLATION_DIALECT", "Translation", "translated_case"]

#: The dialect of cases that `translated_case` makes: the newest in which a case has an input of its own, and no prompt.
TRANSLATION_DIALECT = AGENTV_3
#: The value of a key of AgentV: a field of the family's shape, which keeps its place, or what the text does not spell.
Translation: TypeAlias = "FieldPlace | str | float | Mapping[str, Translation] | list[Translation]"


def translated_case(shape: Shape, keys: Mapping[str, Translation], text: str, anchors: Mapping[str, Node]) -> Case:
    """The case of a family's shape with these keys of `TRANSLATION_DIALECT`; what a run says of it has the places of the text.

    A mapping or a list stands where the first field in it does, and any other value where what it is in does.

    Args:
        shape: What stands for a case in the family's text.
        keys: The keys of the case, with their values.
        text: The text of the block of the shape.
        anchors: The anchors to which aliases in the text can refer.

    Raises ValueError for a key that no case has.
    """
    if unknown := keys.keys() - TRANSLATION_DIALECT.table(Case).keys():
        raise ValueError(f"a case has no keys {', '.join(sorted(unknown))}")
    # The node of what is behind an alias is that of another block.
    at = _point(shape.span) if shape.borrowed or shape.node is None else shape.node
    node = _Tree(anchors).mapping(keys, at)
    made = Lowering(text, TRANSLATION_DIALECT, DIALECTS, anchors).case(node)
    return made if made is not None else Case(at.span, node)


class _Tree:
    """Makes nodes of translations."""

    def __init__(self, anchors: Mapping[str, Node]) -> None:
        self._anchors = anchors

    def mapping(self, keys: Mapping[str, Translation], at: Node) -> MappingNode:
        made = MappingNode(at.span, at.whole, None, None, flow=True)
        for name, value in keys.items():
            field = _first(value)
            key = _point(field.key) if field is not None else at
            made.entries.append(Entry(Scalar(key.span, key.whole, None, None, name, "plain"), self._node(value, at)))
        return made

    def _node(self, value: Translation, at: Node) -> Node:
        if isinstance(value, FieldPlace):
            # The spans of what is behind an alias are those of another block.
            return self._node(plain(value.node, self._anchors), _point(value.value)) if value.borrowed else value.node
        if isinstance(value, str):
            return Scalar(at.span, at.whole, None, None, value, "double")
        field = _first(value)
        at = _point(field.value) if field is not None else at
        if isinstance(value, Mapping):
            return self.mapping(value, at)
        if isinstance(value, list):
            made = SequenceNode(at.span, at.whole, None, None, flow=True)
            made.items = [self._node(item, at) for item in value]
            return made
        return Scalar(at.span, at.whole, None, None, json.dumps(value), "plain")


def _point(span: Span) -> Node:
    return Node(span, span, None, None)


def _first(value: Translation) -> FieldPlace | None:
    """The first field in a value."""
    if isinstance(value, FieldPlace):
        return value
    if isinstance(value, Mapping):
        return next((found for each in value.values() if (found := _first(each)) is not None), None)
    if isinstance(value, list):
        return next((found for each in value if (found := _first(each)) is not None), None)
    return None
