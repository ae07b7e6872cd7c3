"""JavaScript regular expressions, as Python ones that match the same texts."""

from rubric_core.evaluation.jsregex.characters import InvalidPatternError, UnsupportedPatternError
from rubric_core.evaluation.jsregex.pattern import Translation, translate

__all__ = ["InvalidPatternError", "Translation", "UnsupportedPatternError", "translate"]
