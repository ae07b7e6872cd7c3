"""What became of a case, in one form for both programs."""

from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["CaseOutcome", "CriterionOutcome", "EvaluatorOutcome", "SuiteOutcome", "keyed"]

Verdict = Literal["passed", "failed", "unscored"]


@dataclass(frozen=True)
class CriterionOutcome:
    """A criterion: whether it is shown as met, where the program says so, and its points of 10, where it has bands."""

    met: bool | None = None
    raw: float | None = None


@dataclass(frozen=True)
class EvaluatorOutcome:
    """An evaluator of a case, with its members where it is made of others."""

    #: None where the program gives members no name.
    name: str | None
    type: str
    score: float | None
    verdict: Verdict
    criteria: dict[str, CriterionOutcome] = field(default_factory=dict)
    members: tuple["EvaluatorOutcome", ...] = ()
    #: What it says about a score that is not full; to be read, not compared.
    says: tuple[str, ...] = ()


@dataclass(frozen=True)
class CaseOutcome:
    """A case of a suite, for one target."""

    id: str
    target: str
    verdict: Verdict
    score: float | None
    #: None where it cannot be told: agentv keeps one answer for a case that ran for several targets.
    answer: str | None
    evaluators: tuple[EvaluatorOutcome, ...]
    #: Why it has no score; to be read, not compared.
    says: str = ""


@dataclass(frozen=True)
class SuiteOutcome:
    """A run of a suite: its cases by `id`, or by `id@target` where one ran for several; and what a person was told."""

    cases: dict[str, CaseOutcome]
    #: Programs that the run started, by label, each call in its order: see `payloads.py`.
    captured: dict[str, list[dict[str, Any]]]
    seconds: float
    said: str


def keyed(outcomes: list[CaseOutcome]) -> dict[str, CaseOutcome]:
    """Cases by their ids, with their target where they ran for several.

    Of cases that share an id the first one counts: agentv does not always report the others.
    """
    targets: dict[str, set[str]] = {}
    for outcome in outcomes:
        targets.setdefault(outcome.id, set()).add(outcome.target)
    found: dict[str, CaseOutcome] = {}
    for outcome in outcomes:
        found.setdefault(f"{outcome.id}@{outcome.target}" if len(targets[outcome.id]) > 1 else outcome.id, outcome)
    return found
