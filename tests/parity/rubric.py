"""rubric's own command line, run over a suite, and what it prints as JSON read."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .outcome import CaseOutcome, CriterionOutcome, EvaluatorOutcome, Verdict

__all__ = ["command", "outcomes", "run_arguments"]

_VERDICTS: Mapping[str, Verdict] = {
    "passed": "passed",
    "failed": "failed",
    "borderline": "failed",
    "unscored": "unscored",
}


def command() -> tuple[str, ...]:
    """The words that start it: with the Python that runs this."""
    return (str(Path(sys.executable).with_name("rubric")),)


def run_arguments(suite: Path) -> tuple[str, ...]:
    """The arguments that run a suite and print its results as JSON."""
    return ("run", "--format", "json", str(suite))


def outcomes(printed: str) -> list[CaseOutcome]:
    """What became of the cases of a run; none where it printed no JSON."""
    try:
        result = json.loads(printed)
    except ValueError:
        return []
    suites = result.get("suites", [result])
    return [_case(case) for suite in suites for case in suite.get("cases", [])]


def _case(row: Mapping[str, Any]) -> CaseOutcome:
    return CaseOutcome(
        id=row["id"],
        target=row.get("target") or "",
        verdict=_VERDICTS[row["verdict"]],
        score=row.get("score"),
        answer=row.get("answer") or "",
        evaluators=tuple(_evaluator(each) for each in row.get("evaluators") or []),
        says=row.get("reason") or "",
    )


def _evaluator(row: Mapping[str, Any]) -> EvaluatorOutcome:
    says = [row["reason"]] if row.get("reason") else row.get("misses") or []
    return EvaluatorOutcome(
        name=row["name"],
        type=row["type"],
        score=row.get("score"),
        verdict=_VERDICTS[row["verdict"]],
        criteria={each["id"]: _criterion(each) for each in row.get("criteria") or []},
        members=tuple(_evaluator(member) for member in row.get("members") or []),
        says=tuple(says),
    )


def _criterion(row: Mapping[str, Any]) -> CriterionOutcome:
    return CriterionOutcome(None if row.get("score") is None else row.get("verdict") == "passed", row.get("raw_score"))
