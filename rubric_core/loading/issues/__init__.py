"""Issues of lowering. An issue is plain data; the rule of its class gives it a code, a message and fixes."""

from rubric_core.loading.issues.base import EVERYTHING, Issue
from rubric_core.loading.issues.files import NotASuite, NotYaml, StrayEntry, WrongRoot
from rubric_core.loading.issues.keys import (
    ConflictingKeys,
    DuplicateKey,
    ForeignKey,
    MergeKey,
    MissingKey,
    RenamedKey,
    SplitItem,
    UnknownKey,
)
from rubric_core.loading.issues.types import ForeignType, RenamedType, UnknownType
from rubric_core.loading.issues.values import CutText, OutOfRange, StraySign, UnknownAlias, UnknownTag, WrongType

__all__ = [
    "EVERYTHING",
    "ConflictingKeys",
    "CutText",
    "DuplicateKey",
    "ForeignKey",
    "ForeignType",
    "Issue",
    "MergeKey",
    "MissingKey",
    "NotASuite",
    "NotYaml",
    "OutOfRange",
    "RenamedKey",
    "RenamedType",
    "SplitItem",
    "StrayEntry",
    "StraySign",
    "UnknownAlias",
    "UnknownKey",
    "UnknownTag",
    "UnknownType",
    "WrongRoot",
    "WrongType",
]  # fmt: skip
