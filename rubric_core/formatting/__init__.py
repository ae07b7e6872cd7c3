"""Formats indentation and spacing, and nothing else.

A file keeps its own style: the step of its indentation, where its lists stand, its quotes, its blank lines and its aligned
columns. Only what is out of line with that is changed, and only where the text means the same afterwards.
"""

from rubric_core.formatting.format import format_edits, obstacle
from rubric_core.formatting.style import IndentStyle

__all__ = ["IndentStyle", "format_edits", "obstacle"]
