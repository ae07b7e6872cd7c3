"""Refactorings: edits on request that keep the meaning. Comments, quotes and order stay as they are."""

from rubric_core.refactoring.offers import refactorings
from rubric_core.refactoring.place import Refactoring

__all__ = ["Refactoring", "refactorings"]
