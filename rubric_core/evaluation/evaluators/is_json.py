"""The whole answer is one JSON value."""

import json

from rubric_core.evaluation.evaluators.typed import TypedEvaluator
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.language.evaluators import IsJson

__all__ = ["IS_JSON", "strict_json"]


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def strict_json(text: str) -> object:
    """The JSON value of `text`; NaN and Infinity are invalid. Raises ValueError, and RecursionError for absurd nesting."""
    # Numbers stay text: their value does not matter here, and Python refuses to convert very long ones.
    return json.loads(text, parse_constant=_no_constant, parse_int=str, parse_float=str)


def _grade(_: IsJson, context: EvaluationContext) -> EvaluationScore:
    try:
        strict_json(context.candidate)
    except RecursionError:
        raise Unscored("the answer is nested too deeply to parse as JSON") from None
    except ValueError as error:
        return EvaluationScore.check(False, "", f"is not JSON: {error}")
    return EvaluationScore.check(True, "is JSON", "")


IS_JSON = TypedEvaluator("is-json", IsJson, _grade)
