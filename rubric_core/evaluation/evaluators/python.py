"""Grades the answer with Python in the suite, or in a file beside it."""

from rubric_core.evaluation.evaluators.snippet import snippet
from rubric_core.language.evaluators import Python

__all__ = ["PYTHON"]

PYTHON = snippet("python", Python)
