"""Formats indentation and spacing, and nothing else.

A file keeps its own style: its indentation step, the offset of its lists, its quotes, its blank lines and its aligned
columns. Only deviations from that are changed, and only if the meaning of the text stays the same.
"""

from rubric_core.formatting.format import format_edits, obstacle
from rubric_core.formatting.style import IndentStyle

__all__ = ["IndentStyle", "format_edits", "obstacle"]
