"""The part `dialects`: the one spelling of drills."""

from drill.shapes import Drill, DrillFile
from rubric_core.language.changes import adds
from rubric_core.language.dialect import Dialect

__all__ = ["DIALECTS"]

DIALECTS = (Dialect.first("drill-1", "1", [adds(DrillFile), adds(Drill)], engine="drill", searches_upward=False),)
