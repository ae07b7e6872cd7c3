"""Other ways to write the same: edits that a person asks for at a place. Comments, quotes and order stay as they are."""

from rubric_core.refactoring.offers import refactorings
from rubric_core.refactoring.place import Refactoring

__all__ = ["Refactoring", "refactorings"]
