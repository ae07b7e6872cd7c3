"""Searches for keywords of the expected answer: how the first releases graded without a model."""

import re
from itertools import pairwise

from rubric_core.evaluation.evaluators.typed import TypedEvaluator
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.language.evaluators import Evaluator

__all__ = ["HEURISTIC", "Heuristic"]

_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+(.*)$")
_ADVICE = re.compile(r"^\s*(?:use|avoid|prefer|replace|consider|ensure|remove|add)\b.*$", re.IGNORECASE)
_WORD = re.compile(r"[a-z0-9_]+")
_STOP = frozenset(
    ["the", "a", "an", "and", "or", "but", "for", "with", "from", "that", "this", "these", "those", "are", "was", "were", "been", "being", "have", "has", "had", "not", "its", "into", "than", "then", "when", "where", "which", "who", "will", "would", "can", "could", "should", "may", "might", "must", "you", "your", "our", "their", "his", "her", "they", "them", "there", "here", "also", "such", "very", "more", "most", "some", "any", "all"]
)  # fmt: skip
_ERRORS = ("error", "failed", "exception")
_MOST_TERMS = 5


class Heuristic(Evaluator):
    """A heuristic: `grader: heuristic` of agentv-0.1, which has no settings."""


def _aspects(expected: str) -> list[str]:
    """Bulleted and numbered lines, and lines that give advice."""
    found = []
    for line in expected.splitlines():
        bullet = _BULLET.match(line)
        if bullet or _ADVICE.match(line):
            found.append((bullet[1] if bullet else line).strip())
    return [aspect for aspect in found if aspect]


def _terms(aspect: str) -> list[str]:
    words = [w for w in _WORD.findall(aspect.lower()) if len(w) > 2 and w not in _STOP]
    return list(dict.fromkeys(words))[:_MOST_TERMS]


def _hit(aspect: str, answer: str) -> bool:
    terms = _terms(aspect)
    if not terms:
        return aspect.lower() in answer
    said = set(_WORD.findall(answer))
    if 2 * sum(term in said for term in terms) >= len(terms):
        return True
    return any(f"{one} {other}" in answer for one, other in pairwise(terms))


def _grade(_: Heuristic, context: EvaluationContext) -> EvaluationScore:
    answer = context.candidate.lower()
    aspects = _aspects(context.prompt_inputs.reference_answer)
    if not aspects:
        failed = answer.lstrip().startswith(_ERRORS)
        return EvaluationScore.check(not failed, "no text is expected", "the answer is an error")
    hits = tuple(aspect for aspect in aspects if _hit(aspect, answer))
    return EvaluationScore(
        score=len(hits) / len(aspects), hits=hits, misses=tuple(a for a in aspects if a not in hits),
        expected_aspect_count=len(aspects), raw_aspects=tuple(aspects),
    )  # fmt: skip


HEURISTIC = TypedEvaluator("heuristic", Heuristic, _grade)
