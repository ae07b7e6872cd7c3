"""The part `language`: the one kind of file, and what is in it."""

from drill.shapes import DRILLS, Drill, DrillFile
from rubric_core.language.file_kinds import FamilyLanguage
from rubric_core.language.shape_kinds import Shaped

__all__ = ["LANGUAGE"]

LANGUAGE = FamilyLanguage(
    kinds={DRILLS.name: DRILLS},
    roots={DRILLS: Shaped(DrillFile)},
    items={},
    cases={DRILLS: Shaped(Drill)},
    schemas={"suite": DRILLS},
)
