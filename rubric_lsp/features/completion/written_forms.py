"""The forms in which a value is written: on the line of its key, or as a block on the lines below."""

from typing import Literal

from rubric_core.language.shape_kinds import Messages, Shaped
from rubric_core.language.value_kinds import (
    Anything,
    Boolean,
    Choice,
    Integer,
    Kind,
    ListOf,
    MapOf,
    NodeUnion,
    Number,
    Text,
    usual,
)

__all__ = ["Form", "may_be_block", "must_be_chosen", "usual_form"]

Form = Literal["line", "list", "mapping"]
_ON_ONE_LINE = (Boolean, Choice, Integer, Number, Text)
#: What texts refer to by names that are suggested.
_SUGGESTED = frozenset({"type", "provider", "case", "target", "template", "file", "program"})


def may_be_block(kind: Kind[object] | None) -> bool:
    """Whether a list or a mapping is a value of a kind; None is the value of an unknown key."""
    kind = usual(kind)
    branches = kind.branches if isinstance(kind, NodeUnion) else (kind,)
    return not all(isinstance(usual(each), _ON_ONE_LINE) for each in branches)


def usual_form(name: str, kind: Kind[object]) -> Form:
    """How most suites write the value of the key `name`, where its kind leaves a choice."""
    kind = usual(kind) or kind
    if not isinstance(kind, NodeUnion):
        return (
            "list" if isinstance(kind, ListOf | Messages) else "mapping" if isinstance(kind, Shaped | MapOf) else "line"
        )
    plural = name.endswith("s")
    if kind.sequence is not None and (plural or kind.text is None):
        # Variables may be lists of anything, and are mappings.
        free = isinstance(kind.sequence, ListOf) and isinstance(kind.sequence.item, Anything)
        return "mapping" if free and isinstance(kind.mapping, MapOf) else "list"
    on_one_line = kind.text or kind.number or kind.boolean
    if isinstance(kind.mapping, Shaped) and (plural or on_one_line is None or _stands_for_mapping(on_one_line)):
        return "mapping"
    return "line"


def _stands_for_mapping(text: Kind[object]) -> bool:
    """Whether a text is the path of a file with the mapping, not the value itself."""
    return isinstance(text, Text) and text.refers_to == "file" and (not text.endings or ".yaml" in text.endings)


def must_be_chosen(kind: Kind[object] | None) -> bool:
    """Whether a value is one of the names or words that are known."""
    kind = usual(kind)
    branches = kind.branches if isinstance(kind, NodeUnion) else (kind,)
    return any(
        isinstance(each, Choice) or (isinstance(each, Text) and each.refers_to in _SUGGESTED) for each in branches
    )
