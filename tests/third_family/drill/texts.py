"""The part `texts`: drills as cases of AgentV's model."""

from drill.shapes import Drill, DrillFile
from rubric_core.analysis.analyzed_text import AnalyzedText
from rubric_core.analysis.family_texts import FamilyTexts
from rubric_core.analysis.suite_cases import case_entries
from rubric_core.language.model import Case
from rubric_core.language.shape import Shape
from rubric_core.loading.translated_case import Translation, translated_case
from rubric_core.validation.entry_lists import CaseEntry

__all__ = ["TEXTS"]


class _DrillTexts(FamilyTexts):
    def cases(self, text: AnalyzedText) -> tuple[CaseEntry, ...]:
        def case_of(shape: Shape, block: int) -> Case | None:
            if not isinstance(shape, Drill):
                return None
            if shape.as_case is None:  # an unchanged drill is the same object, and so is its case
                written = text.frame.block.text if block < 0 else text.document.blocks[block].text
                shape.as_case = translated_case(shape, _keys(shape), written, text.anchors(block))
            return shape.as_case

        listed = text.settings.drills if isinstance(text.settings, DrillFile) else None
        return case_entries(text, listed or (), case_of)


def _keys(drill: Drill) -> dict[str, Translation]:
    """What a drill is among AgentV's keys."""
    at = drill.places
    if not {"ask", "expect"} <= at.keys():  # which is reported
        return {}
    check: dict[str, Translation] = {"type": drill.match, "value": at["expect"]}
    if "points" in at:
        check["weight"] = at["points"]
    return {"input": at["ask"], "assertions": [check]}


TEXTS = _DrillTexts()
