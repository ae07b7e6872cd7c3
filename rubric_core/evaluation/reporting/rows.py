"""Results as plain data for other programs: the rows of `rubric run --format json`, and those of docs/requirements.md."""

from typing import Any

from rubric_core.evaluation.model.exchanges import Usage
from rubric_core.evaluation.model.jsonable import jsonable
from rubric_core.evaluation.model.result import CaseResult, CriterionResult, EvaluatorResult
from rubric_core.evaluation.reporting.transcript import SentRequest
from rubric_core.evaluation.results.records import RunRecord
from rubric_core.evaluation.scoring.score import ungraded_words

__all__ = ["case_row", "evaluation_row", "request_row", "run_row", "usage_row"]


def case_row(result: CaseResult) -> dict[str, Any]:
    """A case in `rubric run --format json`: every key is present, `reason` says why there is no score."""
    return {
        "id": result.id, "verdict": result.verdict.value, "score": result.score,
        "threshold": result.threshold if result.has_threshold else None, "reason": result.reason or None,
        "target": result.target, "answer": result.answer, "file": result.file or None, "line": result.line, "duration_ms": result.duration_ms, "cost_usd": result.cost_usd,
        "token_usage": jsonable(result.tokens), "at": result.at, "fingerprint": result.fingerprint,
        "usage": [usage_row(each) for each in result.usage],
        "grader_errors": [{"evaluator": each.name, "error": each.reason} for each in result.grader_errors],
        "evaluators": [_evaluator_row(each) for each in result.evaluators],
        **({"details": jsonable(result.details)} if result.details else {}),
    }  # fmt: skip


def run_row(run: RunRecord) -> dict[str, Any]:
    """The facts about a run as a whole; null if unknown."""
    return {
        "id": run.id, "started_at": run.started_at, "ended_at": run.ended_at, "state": run.state.value, "commit": run.commit or None,
        "dirty": run.dirty, "command": list(run.command), "suites": list(run.suites), "dialects": list(run.dialects),
        "targets": list(run.targets), "judges": list(run.judges), "counts": {verdict.value: n for verdict, n in run.counts.items()},
        "grader_errors": run.grader_errors, "token_usage": jsonable(run.tokens), "cost_usd": run.cost_usd,
        "duration_ms": run.duration_ms, "rubric_version": run.rubric_version,
    }  # fmt: skip


def usage_row(usage: Usage) -> dict[str, Any]:
    """The usage of a target or a judge; null if unknown."""
    return {
        "role": usage.role, "name": usage.name, "model": usage.model or None, "calls": usage.calls, "recorded": usage.recorded,
        "token_usage": jsonable(usage.tokens), "cost_usd": usage.cost_usd,
    }  # fmt: skip


def _evaluator_row(result: EvaluatorResult) -> dict[str, Any]:
    row: dict[str, Any] = {
        "name": result.name, "type": result.type, "verdict": result.verdict.value, "score": result.score, "weight": result.weight,
        "hits": list(result.hits), "misses": list(result.misses), "reasoning": result.reasoning or None, "reason": result.reason or None,
        "error": result.failure or None, "required": result.required, "min_score": result.minimum, "negated": result.negated, "gate": result.gate or None, "judge": result.judge or None,
        "duration_ms": result.duration_ms, "token_usage": jsonable(result.tokens), "cost_usd": result.cost_usd,
    }  # fmt: skip
    if result.criteria:
        row["criteria"] = [_criterion_row(each) for each in result.criteria]
    if result.tally is not None:
        row["tally"] = jsonable(result.tally)
    if result.members:
        row["members"] = [_evaluator_row(each) for each in result.members]
    if result.details:
        row["details"] = jsonable(result.details)
    if result.evaluator_raw_request is not None:
        row["evaluator_raw_request"] = jsonable(result.evaluator_raw_request)
    if result.raw_replies:
        row["raw_replies"] = list(result.raw_replies)
    return row


def request_row(request: SentRequest) -> dict[str, Any]:
    """A request as plain data; keys whose value is unknown are left out."""
    row = {"evaluator": request.evaluator, "run": request.run or None, **jsonable(request.exchange)}
    defaults = {"attempt": 1, "recorded": False, "turn": 0}
    if "tokens" in row:
        row["token_usage"] = row.pop("tokens")
    return {k: v for k, v in row.items() if v not in (None, "") and not (k in defaults and v == defaults[k])}


def _criterion_row(result: CriterionResult) -> dict[str, Any]:
    tally = {"tally": jsonable(result.tally)} if result.tally is not None else {}
    return {
        "id": result.id, "outcome": result.outcome, "verdict": result.verdict.value, "score": result.score, "raw_score": result.raw,
        "weight": result.weight, "min_score": result.minimum, "gate_failed": result.gate_failed, "band": result.band or None,
        "reasoning": result.reasoning or None, "reason": result.reason or None, **tally,
    }  # fmt: skip


def evaluation_row(result: CaseResult, *, grader_raw_request: bool = False) -> dict[str, Any]:
    """The row of docs/requirements.md#row-of-one, in snake_case and ready for JSON; `score` is 0..1, or None with the reason under `error`.

    One evaluator: `evaluator_raw_request` and no `evaluator_results`. Several: the list, and the score is their mean.

    Args:
        result: A case that was run.
        grader_raw_request: Also write the deprecated `grader_raw_request`, for readers of the first releases.
    """
    several = len(result.evaluators) > 1
    hits = [hit for each in result.evaluators for hit in each.hits]
    misses = [miss for each in result.evaluators for miss in each.misses]
    row: dict[str, Any] = {
        "eval_id": result.id, "score": result.score, "hits": hits, "misses": misses, "candidate_answer": result.answer, "target": result.target,
        "timestamp": result.at, "expected_aspect_count": len(hits) + len(misses),
    }  # fmt: skip
    reasoning = "\n".join(each.reasoning for each in result.evaluators if each.reasoning)
    if reasoning:
        row["reasoning"] = reasoning
    error = result.reason or ungraded_words(result.grader_errors)
    if error:
        row["error"] = error
    if several:
        return {**row, "evaluator_results": [_evaluation_result(each) for each in result.evaluators]}
    request = jsonable(result.evaluators[0].evaluator_raw_request) if result.evaluators else None
    if request is not None:
        row["evaluator_raw_request"] = request
        if grader_raw_request:
            row["grader_raw_request"] = request
    return row


def _evaluation_result(result: EvaluatorResult) -> dict[str, Any]:
    row: dict[str, Any] = {
        "name": result.name,
        "type": result.type,
        "score": result.score,
        "hits": list(result.hits),
        "misses": list(result.misses),
    }
    if result.reasoning:
        row["reasoning"] = result.reasoning
    if result.evaluator_raw_request is not None:
        row["evaluator_raw_request"] = jsonable(result.evaluator_raw_request)
    if result.reason or result.failure:
        row["error"] = result.reason or result.failure
    return row
