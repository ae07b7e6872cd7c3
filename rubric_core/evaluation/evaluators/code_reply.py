"""The reply of a grading program: the score in its JSON, by the keys of the dialect."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.result import Verdict
from rubric_core.evaluation.scoring.finite_number import finite_number
from rubric_core.language.properties import ReplyStyle

__all__ = ["score_of_reply"]

_SHOWN = 500
_MISSING = {
    "hits": "has no numeric `score`",
    "assertions": "has neither a numeric `score` nor `assertions`",
    "checks": "has neither a numeric `score`, nor `checks` with `text`, `pass` and `reason`, nor `pass`",
}


class _Check(NamedTuple):
    text: str
    holds: bool
    #: 0..1.
    score: float


def score_of_reply(stdout: str, program: str, request: Mapping[str, Any], style: ReplyStyle) -> EvaluationScore:
    """The score in the output of a program; a reply without a score is a crash.

    Args:
        stdout: What it printed.
        program: The program, for messages.
        request: What was started, for results.
        style: Which keys count: a `score` alone, or `assertions`, or `checks` and `pass` as well.
    """
    try:
        reply = json.loads(stdout)
    except (ValueError, RecursionError):
        return EvaluationScore.crash(f"{program}: did not print JSON: {stdout[:_SHOWN] or '(nothing)'}", request)
    if not isinstance(reply, dict):
        return EvaluationScore.crash(f"{program}: printed JSON that is not an object", request)
    checks = _checks(reply.get("checks")) if style == "checks" else _assertions(reply.get("assertions"))
    passes = reply.get("pass") if style == "checks" and isinstance(reply.get("pass"), bool) else None
    score = finite_number(reply.get("score"))
    if score is None and style != "hits" and not _is_no_score(reply.get("score")):
        score = _mean(checks) if checks else None if passes is None else float(passes)
    if score is None:
        return EvaluationScore.crash(f"{program}: its reply {_MISSING[style]}", request)
    hits = (*_texts(reply.get("hits")), *(each.text for each in checks if each.holds))
    misses = (*_texts(reply.get("misses")), *(each.text for each in checks if not each.holds))
    details = reply.get("details") if isinstance(reply.get("details"), dict) else None
    if not 0 <= score <= 1:
        details = {**(details or {}), "score_given": score}  # clamped to 0..1 as AgentV does, and reported
    reasoning = reply.get("reasoning", reply.get("reason"))
    return EvaluationScore(
        score=_within(score), hits=hits, misses=misses, expected_aspect_count=len(hits) + len(misses) or 1,
        reasoning=reasoning if isinstance(reasoning, str) else None, evaluator_raw_request=request, details=details,
        unmet=tuple(each.text for each in checks if not each.holds),
        verdict=None if passes is None else Verdict.PASSED if passes else Verdict.FAILED,
    )  # fmt: skip


def _is_no_score(value: object) -> bool:
    """Whether a program wrote a number that JSON does not have, such as the mean of nothing: AgentV cannot read the reply at all."""
    return isinstance(value, float) and not math.isfinite(value)


def _assertions(listed: object) -> list[_Check]:
    found = [(item["text"], item.get("passed", item.get("pass")) is True) for item in _with_text(listed)]
    return [_Check(text, holds, float(holds)) for text, holds in found]


def _checks(listed: object) -> list[_Check]:
    """The checks of agentv-5; the score of a check, if it has one, takes precedence over `pass`.

    AgentV drops checks without `pass` and `reason`. So does rubric, except for checks that fail: dropping them would hide them.
    """
    found: list[_Check] = []
    for item in _with_text(listed):
        passes, score = item.get("pass"), finite_number(item.get("score"))
        if isinstance(passes, bool) and isinstance(item.get("reason"), str):
            found.append(_Check(item["text"], passes, _within(float(passes) if score is None else score)))
        elif passes is not True:
            found.append(_Check(item["text"], False, 0.0))
    return found


def _with_text(listed: object) -> list[Mapping[str, Any]]:
    items = listed if isinstance(listed, list) else []
    return [item for item in items if isinstance(item, dict) and isinstance(item.get("text"), str)]


def _mean(checks: Sequence[_Check]) -> float:
    return math.fsum(each.score for each in checks) / len(checks)


def _within(score: float) -> float:
    return min(1.0, max(0.0, score))


def _texts(value: object) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()
