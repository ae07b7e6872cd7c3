"""The labelled answers: English samples, labelled by one person."""

import json
from collections.abc import Iterator
from importlib import resources
from typing import Any

from rubric_core.evaluation.model.criteria import CriterionItem
from rubric_core.evaluation.scoring.rubric import RubricSheet
from rubric_core.lazy_compilation import dataclass

__all__ = ["GradedItem", "YesNoItem", "graded_items", "yes_items"]

_BANDS = (
    (0, 3, "Does not do what the criterion asks for"),
    (4, 6, "Does it in part"),
    (7, 10, "Does it well"),
)


@dataclass(frozen=True, slots=True)
class YesNoItem:
    """An answer that meets a criterion, or does not; half of them do."""

    id: str
    question: str
    answer: str
    sheet: RubricSheet
    met: bool


@dataclass(frozen=True, slots=True)
class GradedItem:
    """An answer and the band of 0..10 that its score belongs in; a third of them each are bad, middling and good."""

    id: str
    #: The same for the answers to one question.
    group: str
    question: str
    answer: str
    sheet: RubricSheet
    band: tuple[int, int]


def _read() -> Any:
    return json.loads(resources.files(__package__).joinpath("items.json").read_text(encoding="utf-8"))


def yes_items() -> Iterator[YesNoItem]:
    """Every criterion with each of the two answers to its question, of which exactly one meets it."""
    for scenario in _read()["scenarios"]:
        for number, criterion in enumerate(scenario["criteria"], 1):
            sheet = RubricSheet((CriterionItem(id="criterion", text=criterion["outcome"]),), ranges=False)
            for name, answer in scenario["answers"].items():
                met = criterion["satisfied_by"] == name
                yield YesNoItem(f"{scenario['id']}/{number}/{name}", scenario["question"], answer, sheet, met)


def graded_items() -> Iterator[GradedItem]:
    """Every graded answer."""
    for row in _read()["graded"]:
        sheet = RubricSheet((CriterionItem(id="criterion", text=row["criterion"], bands=_BANDS),), ranges=True)
        group, band = row["id"].partition("/")[0], (row["band"][0], row["band"][1])
        yield GradedItem(row["id"], group, row["question"], row["answer"], sheet, band)
