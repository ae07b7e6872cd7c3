"""The metadata that a case inherits from its suite."""

import json
from collections.abc import Mapping
from typing import Any

from rubric_core.language.model import Suite
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.tree import Node

__all__ = ["metadata_of_suite", "with_inherited"]


def metadata_of_suite(suite: Suite, anchors: Mapping[str, Node]) -> Mapping[str, Any]:
    """The metadata for every case of a suite: its `metadata`, with its `governance` in there."""
    found: Any = plain(suite.metadata, anchors) if suite.metadata else {}
    governance = plain(suite.governance, anchors) if suite.governance else None
    known = found if isinstance(found, dict) else {}
    return {**known, "governance": governance} if isinstance(governance, dict) else known


def with_inherited(own: Mapping[str, Any], inherited: Mapping[str, Any]) -> Mapping[str, Any]:
    """The metadata of a case and its suite: lists are joined, mappings merged, other values are the case's."""
    result = dict(own)
    for name, outer in inherited.items():
        inner = result.get(name)
        if isinstance(outer, list) and isinstance(inner, list):
            result[name] = _each_once([*outer, *inner])
        elif isinstance(outer, dict) and isinstance(inner, dict):
            result[name] = with_inherited(inner, outer)
        elif name not in result:
            result[name] = outer
    return result


def _each_once(values: list[Any]) -> list[Any]:
    found: dict[str, Any] = {}
    for value in values:
        found.setdefault(json.dumps(value, default=str), value)
    return list(found.values())
