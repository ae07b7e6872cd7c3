"""Fields of a JSON answer against those of the expected output."""

import json
import re
from typing import Any

from rubric_core.evaluation.evaluators.typed import TypedEvaluator
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.scoring.dates import same_day
from rubric_core.evaluation.scoring.finite_number import finite_number
from rubric_core.evaluation.scoring.json_path import MISSING, at_path, json_in, value_fits
from rubric_core.evaluation.scoring.score import weighted_mean
from rubric_core.language.evaluators import FieldAccuracy, FieldCheck
from rubric_core.lazy_compilation import dataclass

__all__ = ["FIELD_ACCURACY"]

_DUST = 1e-9
_NUMBER = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


@dataclass(frozen=True, slots=True)
class _Compared:
    """One field: whether it is correct, and its weight."""

    right: bool
    weight: float
    words: str


def _grade(config: FieldAccuracy, context: EvaluationContext) -> EvaluationScore:
    checks = [f for f in config.fields or () if isinstance(f, FieldCheck) and f.path and f.match]
    if not checks:
        raise Unscored("field-accuracy needs at least one field with a path and a match", at=config)
    try:
        answer = json_in(context.candidate)
    except ValueError:
        return EvaluationScore.check(False, "", "there is no JSON in the answer")
    expected = _expected(context)
    if expected is None:
        return EvaluationScore.check(False, "", "the case has no expected output with fields to compare")
    results = [
        _field(check, at_path(expected, check.path or ""), at_path(answer, check.path or "")) for check in checks
    ]
    score = weighted_mean((1.0 if r.right else 0.0, r.weight) for r in results)
    if config.aggregation == "all_or_nothing":
        score = 1.0 if all(r.right or r.weight == 0 for r in results) else 0.0
    return EvaluationScore(
        score=score,
        hits=tuple(r.words for r in results if r.right),
        misses=tuple(r.words for r in results if not r.right and r.weight > 0),
        expected_aspect_count=len(results),
    )


def _expected(context: EvaluationContext) -> Any:
    """The last expected message of the assistant that is an object, or a text with JSON in it."""
    for message in reversed(context.prompt_inputs.expected):
        said = isinstance(message, dict) and message.get("role") == "assistant"
        content = message.get("content") if said else None
        if isinstance(content, str):
            try:
                content = json_in(content)
            except ValueError:
                continue
        if isinstance(content, dict | list):
            return content
    return None


def _field(check: FieldCheck, expected: Any, found: Any) -> _Compared:
    path = check.path or ""
    weight = float(check.weight) if isinstance(check.weight, int | float) else 1.0
    if expected is MISSING:
        return _Compared(True, weight, f"{path}: nothing is expected")
    if found is MISSING:
        return _Compared(False, weight if check.required is not False else 0.0, f"{path}: missing")
    right = _same(check, expected, found)
    shown = f"{path}: {json.dumps(found, ensure_ascii=False)[:80]}"
    return _Compared(
        right, weight, shown if right else f"{shown}, expected is {json.dumps(expected, ensure_ascii=False)[:80]}"
    )


def _same(check: FieldCheck, expected: Any, found: Any) -> bool:
    if check.match == "date":
        return same_day(str(expected), str(found), [f for f in check.formats or () if isinstance(f, str)])
    if check.match == "numeric_tolerance":
        return _near(check, expected, found)
    return value_fits(expected, found, exact=True)


def _near(check: FieldCheck, expected: Any, found: Any) -> bool:
    wanted, given = _number(expected), _number(found)
    if wanted is None or given is None:
        return False
    allowed = float(check.tolerance or 0.0)
    if check.relative and wanted != 0:
        allowed *= abs(wanted)
    return abs(given - wanted) <= allowed + _DUST


def _number(value: Any) -> float | None:
    """A number, or the one at the start of a text: `12 kg` is 12."""
    if isinstance(value, str):
        start = _NUMBER.match(value)
        return float(start[0]) if start else None
    return finite_number(value)


FIELD_ACCURACY = TypedEvaluator("field-accuracy", FieldAccuracy, _grade)
