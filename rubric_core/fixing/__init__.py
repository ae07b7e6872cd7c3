"""Verified fixes: the effect of each is checked before it is offered or applied."""

from rubric_core.fixing.apply_fixes import FixedText, apply_safe_fixes
from rubric_core.fixing.fix_choice import non_overlapping, safe_fix
from rubric_core.fixing.gate import Gate

__all__ = ["FixedText", "Gate", "apply_safe_fixes", "non_overlapping", "safe_fix"]
