"""Fixes that hold up: what each would make of the text is looked at before it is offered or made."""

from rubric_core.fixing.applying import Fixed, fixed
from rubric_core.fixing.choice import safe_fix
from rubric_core.fixing.gate import Gate

__all__ = ["Fixed", "Gate", "fixed", "safe_fix"]
