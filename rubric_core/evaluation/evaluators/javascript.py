"""Grades the answer with JavaScript in the suite, or in a file beside it."""

from rubric_core.evaluation.evaluators.snippet import snippet
from rubric_core.language.evaluators import Javascript

__all__ = ["JAVASCRIPT"]

JAVASCRIPT = snippet("javascript", Javascript)
