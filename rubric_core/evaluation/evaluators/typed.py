"""Evaluators that grade by their own configuration alone: one function each, with its kind and shape."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Generic, TypeVar

from rubric_core.evaluation.model.context import EvaluationContext, config_as
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.result import EvaluatorResult
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.language.evaluators import AnyOf, Comparison, Evaluator
from rubric_core.lazy_compilation import dataclass
from rubric_core.syntax.plain_data import plain

__all__ = [
    "TypedEvaluator",
    "is_inverse",
    "js_trim",
    "quoted_excerpt",
    "required_setting",
    "score_with_members",
    "text_of",
    "texts_of",
    "value_of",
]  # fmt: skip

C = TypeVar("C", bound=Evaluator)
T = TypeVar("T")
_SHOWN = 60
# What JavaScript trims: its white space and line terminators differ slightly from Python's.
_SPACE = "\t\n\v\f\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"


@dataclass(frozen=True, slots=True)
class TypedEvaluator(Generic[C]):
    """One evaluator type: its kind, the shape of its configuration, and the function that grades by it."""

    kind: str
    shape: type[C]
    grade: Callable[[C, EvaluationContext], EvaluationScore | Awaitable[EvaluationScore]]

    def evaluate(self, context: EvaluationContext) -> EvaluationScore | Awaitable[EvaluationScore]:
        """The score of the answer by the configuration in `context`."""
        return self.grade(config_as(self.shape, context), context)


def text_of(config: Comparison) -> str:
    """The text to compare with. Raises Unscored without one: every text contains the empty text, and that must not pass."""
    if not config.value:
        raise Unscored(f"{config.type_name or 'this check'} has no `value` to compare with")
    return config.value


def texts_of(config: AnyOf) -> list[str]:
    """The texts to compare with. Raises Unscored without any."""
    if not config.value:
        raise Unscored(f"{config.type_name or 'this check'} has no `value` to compare with")
    return config.value


def required_setting(value: T | None, config: Evaluator, key: str) -> T:
    """A setting that the evaluator requires. Raises Unscored when it is missing."""
    if value is None:
        raise Unscored(f"{config.type_name or 'this check'} has no `{key}`", at=config)
    return value


def value_of(config: Evaluator, context: EvaluationContext) -> Any:
    """The `value` of an evaluator as plain data. Raises Unscored without one."""
    return required_setting(plain(vars(config).get("value"), context.anchors), config, "value")


def is_inverse(config: Evaluator) -> bool:
    """Whether the type has the prefix `not-`."""
    return config.type_name.startswith("not-")


def score_with_members(results: Sequence[EvaluatorResult], score: float) -> EvaluationScore:
    """A score with the results of the members."""
    return EvaluationScore(
        score=score,
        hits=tuple(f"{r.name}: {hit}" for r in results for hit in r.shown_hits),
        misses=tuple(f"{r.name}: {miss}" for r in results for miss in r.shown_misses),
        expected_aspect_count=sum(len(r.hits) + len(r.misses) for r in results),
    )


def js_trim(text: str) -> str:
    """`text` without the white space around it, as JavaScript trims it."""
    return text.strip(_SPACE)


def quoted_excerpt(text: str) -> str:
    """`text` in quotes for a message, truncated when it is long."""
    return f'"{text[: _SHOWN - 1]}…"' if len(text) > _SHOWN else f'"{text}"'
