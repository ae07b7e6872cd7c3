"""The real AgentV: installed from npm beside the checkout, run over a suite, and what it wrote read."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import npm

from .outcome import CaseOutcome, CriterionOutcome, EvaluatorOutcome, Verdict

__all__ = ["VERSION", "command", "outcomes", "run_arguments"]

#: The one release that npm has.
VERSION = "4.42.4"
_VERDICTS: Mapping[str, Verdict] = {"ok": "passed", "quality_failure": "failed", "execution_error": "unscored"}
_EVALUATOR_VERDICTS: Mapping[str, Verdict] = {
    "pass": "passed",
    "fail": "failed",
    "borderline": "failed",
    "skip": "unscored",
}


def command() -> tuple[str, ...]:
    """The words that start it, installed when it is not there yet. Raises npm.UnavailableError."""
    # Its optional dependencies are coding agents, 600 MB of them, that no suite here uses.
    package = npm.installed("agentv", VERSION, "180 MB", "--omit=optional", "--ignore-scripts")
    return ("node", str(package / "dist" / "cli.js"))


def run_arguments(suite: Path, output: Path) -> tuple[str, ...]:
    """The arguments that run a suite and leave its results in a folder."""
    return ("eval", "run", str(suite), "--output", str(output))


def outcomes(output: Path) -> list[CaseOutcome]:
    """What became of the cases of a run, in the order in which they ended."""
    index = output / "index.jsonl"
    rows = [json.loads(line) for line in index.read_text().splitlines()] if index.is_file() else []
    kept = Counter(row.get("answer_path") for row in rows)
    return [_case(row, _answer(output, row, kept)) for row in rows]


def _case(row: Mapping[str, Any], answer: str | None) -> CaseOutcome:
    return CaseOutcome(
        id=row["test_id"],
        target=row.get("target") or "",
        verdict=_VERDICTS[row["execution_status"]],
        score=row.get("score"),
        answer=answer,
        evaluators=tuple(_evaluator(scores) for scores in row.get("scores") or []),
        says=str(row.get("error") or row.get("failure_reason_code") or ""),
    )


def _answer(output: Path, row: Mapping[str, Any], kept: Counter[str]) -> str | None:
    path = row.get("answer_path")
    if path is None or kept[path] > 1:
        return None
    return (output / path).read_text(encoding="utf-8") if (output / path).is_file() else ""


def _evaluator(row: Mapping[str, Any]) -> EvaluatorOutcome:
    skipped = row.get("verdict") == "skip"
    return EvaluatorOutcome(
        name=row.get("name") or None,
        type=row.get("type") or "",
        score=None if skipped else row.get("score"),
        verdict=_EVALUATOR_VERDICTS[row["verdict"]],
        criteria={} if skipped else _criteria(row),
        members=tuple(_evaluator(member) for member in row.get("scores") or []),
        says=tuple(a.get("text", "") for a in row.get("assertions") or [] if not a.get("passed")),
    )


def _criteria(row: Mapping[str, Any]) -> dict[str, CriterionOutcome]:
    """The criteria of a rubric: met or not by its assertions, "[id] text", and their points."""
    raw = (row.get("details") or {}).get("raw_scores") or {}
    met: dict[str, bool] = {}
    if row.get("type") in ("llm-grader", "rubrics", "rubric"):
        texts = ((a.get("text", ""), a.get("passed")) for a in row.get("assertions") or [])
        met = {text[1 : text.index("]")]: passed for text, passed in texts if text.startswith("[") and "]" in text}
    return {name: CriterionOutcome(met.get(name), raw.get(name)) for name in met.keys() | raw.keys()}
