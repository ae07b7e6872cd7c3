"""The forms in which a value is written: on the line of its key, or as a block on the lines below."""

from rubric_core.language.value_kinds import Boolean, Choice, Integer, Kind, NodeUnion, Number, Text, usual

__all__ = ["may_be_block"]

_ON_ONE_LINE = (Boolean, Choice, Integer, Number, Text)


def may_be_block(kind: Kind[object] | None) -> bool:
    """Whether a list or a mapping is a value of a kind; None is the value of an unknown key."""
    kind = usual(kind)
    branches = kind.branches if isinstance(kind, NodeUnion) else (kind,)
    return not all(isinstance(usual(each), _ON_ONE_LINE) for each in branches)
