"""Finds the criteria of a rubric, a judge or a case."""

import re
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Any

from rubric_core.language.dialect import Dialect
from rubric_core.language.evaluators import HIGHEST, Criterion, LlmJudge, Rubric
from rubric_core.language.model import Case
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.edit import as_mapping, plain_or_quoted
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit
from rubric_core.validation.rule import Context

__all__ = ["ENOUGH", "NUMBERED", "as_object", "criteria_fields", "criteria_of", "field_of", "id_of", "minimum_of"]

#: The raw score (0..10) to suggest for a criterion without bands: agentv counts a hit from here.
ENOUGH = 7

#: An id without meaning, such as "check1", "r2", "criterion-3": a number with a generic word.
NUMBERED = pattern(r"(?i)(?:check|crit|criterion|item|test|rule|point|[a-z])?[-_ ]?\d+\Z")

#: Words without meaning in an id, and how many other words make one.
_LITTLE = frozenset(
    {"a", "an", "and", "at", "by", "for", "in", "is", "it", "of", "on", "or", "that", "the", "to", "with"}
)
_WORDS = 4


def field_of(shape: Shape) -> str:
    """The name of the field in which a shape keeps criteria; empty if it has none."""
    cls: Any = type(shape)
    return _field_of(cls)


def criteria_fields(visited: type) -> tuple[str, ...]:
    """The field in which a class keeps criteria, so that rules can skip shapes without any."""
    field = _field_of(visited)
    return (field,) if field else ()


@lru_cache(maxsize=512)
def _field_of(cls: Any) -> str:
    if issubclass(cls, Rubric):
        return "criteria"
    return "rubrics" if issubclass(cls, LlmJudge | Case) else ""


def criteria_of(shape: Shape) -> list[Criterion]:
    """The list of criteria in a shape; empty for shapes without any."""
    cls: Any = type(shape)
    field = _field_of(cls)
    items = vars(shape).get(field) if field else None
    if isinstance(items, list):
        return [c for c in items if isinstance(c, Criterion)]
    return [items] if isinstance(items, Criterion) else []


def id_of(outcome: str, taken: Collection[str | None] = ()) -> str:
    """The first words of a criterion as a unique id; empty if they have no meaning."""
    words = [w for w in re.findall(r"[a-z0-9]+", outcome.lower()) if w not in _LITTLE]
    name, number = "-".join(words[:_WORDS]), 2
    if NUMBERED.match(name):
        return ""
    if name in taken:
        while f"{name}-{number}" in taken:
            number += 1
        return f"{name}-{number}"
    return name


def as_object(
    criterion: Criterion, others: Collection[Criterion], entries: Iterable[str], context: Context
) -> tuple[Edit, ...]:
    """The edits that turn a plain string into a mapping with further entries, and an id if its format requires one; empty for other nodes."""
    outcome = context.dialect.spelled(Criterion, "outcome")
    if criterion.borrowed or outcome is None or not isinstance(criterion.node, Scalar):
        return ()
    name = id_of(criterion.outcome or "", [c.id for c in others])
    ids = (f"id: {plain_or_quoted(name)}",) if name and context.dialect.properties.criteria_need_ids else ()
    return as_mapping(context.text, criterion.node, outcome, ids, entries)


def minimum_of(dialect: Dialect, raw: int) -> tuple[str, str]:
    """The dialect's notation for a minimum of `raw` of 10: key and value."""
    share = dialect.spelled(Criterion, "min_score")
    return (share, f"{raw / HIGHEST:g}") if share else ("required_min_score", str(raw))
