"""Where criteria stand: in a rubric, in a judge, in a case."""

from functools import lru_cache
from typing import Any

from rubric_core.language.evaluators import Criterion, LlmJudge, Rubric
from rubric_core.language.model import Case
from rubric_core.language.shape import Shape

__all__ = ["criteria_of", "field_of"]


def field_of(shape: Shape) -> str:
    """The field in which a shape keeps criteria, or nothing."""
    cls: Any = type(shape)
    return _field_of(cls)


@lru_cache(maxsize=512)
def _field_of(cls: Any) -> str:
    if issubclass(cls, Rubric):
        return "criteria"
    return "rubrics" if issubclass(cls, LlmJudge | Case) else ""


def criteria_of(shape: Shape) -> list[Criterion]:
    """The criteria that stand together in a shape; empty for shapes without any."""
    field = field_of(shape)
    items = vars(shape).get(field) if field else None
    if isinstance(items, Criterion):
        return [items]
    return [c for c in items if isinstance(c, Criterion)] if isinstance(items, list) else []
