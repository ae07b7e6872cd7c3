"""Scores in replies of code, programs and webhooks: a boolean, a number, or an object."""

import math
from collections.abc import Mapping
from typing import Any

from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.result import Verdict
from rubric_core.evaluation.model.unscored import GraderError
from rubric_core.evaluation.scoring.finite_number import finite_number
from rubric_core.language.shape import Shape

__all__ = ["external_score"]


def _worth(check: Mapping[str, Any]) -> float:
    """The score of a check, 0..1: its own, or whether it passes."""
    own = finite_number(check.get("score"))
    return float(check.get("pass") is True) if own is None else min(1.0, max(0.0, own))


def external_score(value: Any, threshold: float | None, at: Shape) -> EvaluationScore:
    """The score in a reply: a boolean, a number, or `{pass, score, reason, checks}`.

    A number passes from `threshold` on, or above 0 without a threshold; numbers outside 0..1 are clamped, and that
    is reported. Raises GraderError for anything else.
    """
    told: Mapping[str, Any] = value if isinstance(value, Mapping) else {"score": value}
    if isinstance(told.get("score"), bool):
        told = {**told, "pass": told.get("pass", told["score"]), "score": None}
    passes, given = told.get("pass"), finite_number(told.get("score"))
    checks = [c for c in told.get("checks") or () if isinstance(c, Mapping) and isinstance(c.get("text"), str)]
    right = [c["text"] for c in checks if c.get("pass") is True]
    wrong = [c["text"] for c in checks if c.get("pass") is not True]
    if given is None and checks:
        given = math.fsum(_worth(check) for check in checks) / len(checks)
    if given is None:
        if not isinstance(passes, bool):
            raise GraderError(f"the reply is neither true nor false, nor a number, nor has `pass` or `score`: {value!r:.200}", at=at)  # fmt: skip
        given = 1.0 if passes else 0.0
    score = min(1.0, max(0.0, given))
    said = str(told["reason"]) if told.get("reason") else None
    if threshold is not None:
        holds = given >= threshold and passes is not False
    else:
        holds = passes if isinstance(passes, bool) else given > 0
    words = said or f"scores {given:g}"
    return EvaluationScore(
        score=score,
        hits=tuple(right) if checks else (words,) if holds else (),
        misses=tuple(wrong) if checks else () if holds else (words,),
        expected_aspect_count=len(checks) or 1,
        reasoning=said,
        verdict=Verdict.PASSED if holds else Verdict.FAILED,
        details={"score_given": given} if given != score else None,
    )
