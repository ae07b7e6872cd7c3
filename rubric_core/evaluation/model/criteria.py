"""A criterion in the form a judge gets it, and the judge's reply."""

from typing import NamedTuple

from rubric_core.evaluation.model.result import criterion_label
from rubric_core.lazy_compilation import dataclass

__all__ = ["CriterionCheck", "CriterionItem"]


class CriterionCheck(NamedTuple):
    """A judge's result for one criterion: `satisfied` in a checklist, `score` 0..10 with score ranges."""

    satisfied: bool | None = None
    score: int | None = None
    reasoning: str = ""
    recorded: bool = False


@dataclass(frozen=True, slots=True)
class CriterionItem:
    """One criterion, ready to be judged."""

    #: Unique in its rubric.
    id: str
    text: str
    weight: float = 1.0
    #: Whether it is a gate without a minimum of its own.
    required: bool = False
    #: The score of 0..1 with which it passes, as its author wrote it; gates in rubrics with score ranges.
    minimum: float | None = None
    #: (lowest, highest, text), both bounds included.
    bands: tuple[tuple[int, int, str], ...] = ()
    operator: str = "correctness"
    #: Whether its author wrote the id.
    named: bool = True

    @property
    def label(self) -> str:
        """Its display name."""
        return criterion_label(self.id, self.text, named=self.named)

    def band(self, raw: int) -> str:
        """The text of the band that `raw` is in."""
        return next((text for low, high, text in self.bands if low <= raw <= high), "")
