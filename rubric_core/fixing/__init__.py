"""Fixes that hold up: what each would make of the text is looked at before it is offered or made."""

from rubric_core.fixing.apply_fixes import FixedText, apply_safe_fixes
from rubric_core.fixing.fix_choice import safe_fix
from rubric_core.fixing.gate import Gate

__all__ = ["FixedText", "Gate", "apply_safe_fixes", "safe_fix"]
