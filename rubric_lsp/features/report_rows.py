"""The report of a case's last run as plain data, for an editor that draws it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from rubric_core.evaluation.model.exchanges import Usage
from rubric_core.evaluation.model.result import CaseResult, CriterionResult, EvaluatorResult
from rubric_core.evaluation.reporting.transcript import SentRequest, request_text, requests_of, usage_words
from rubric_core.evaluation.scoring.counterfactual import to_pass
from rubric_core.language.evaluators import Criterion, ScoreRanges
from rubric_core.validation.bands import sound
from rubric_core.validation.rubrics import criteria_of
from rubric_lsp.features.results import PastRun, ShownCase

if TYPE_CHECKING:
    from rubric_core.evaluation.cases.runnable import Runnable
    from rubric_core.language.shape import Shape
    from rubric_core.text import Span

__all__ = ["ReportContext", "report_row"]

Json = dict[str, Any]


@dataclass(frozen=True)
class ReportContext:
    """What a report tells beside the result."""

    #: The id of the test.
    test: str
    uri: str
    #: The name of the suite, that of its file when it has none.
    suite: str
    #: The line that runs the case in a terminal.
    command: str
    markdown: str
    #: What the target was asked; empty when that cannot be told.
    prompt: str
    #: The answer that the suite expects; empty without.
    expected: str
    #: Gives a stretch of the case as a range of the client's, or None where that is in no file.
    range_of: "Callable[[Shape | None, Span], Json | None]"


def report_row(about: ReportContext, case: "Runnable", shown: ShownCase, result: CaseResult) -> Json:
    """Everything that is known of a case that was run; keys whose value is unknown are left out."""
    judges = sorted({each.judge for one in result.evaluators for each in one.flat() if each.judge})
    row = {
        "testId": about.test, "caseId": case.id, "suite": {"uri": about.uri, "name": about.suite}, "range": about.range_of(None, case.case.at("id")),
        "dialect": result.dialect, "target": result.target, "judges": judges, "verdict": result.verdict.value, "score": result.score,
        "threshold": result.threshold, "stale": shown.stale, "at": result.at, "durationMs": result.duration_ms or 0, "costUsd": result.cost_usd,
        "reason": result.reason, "graderErrors": _errors(result), "prompt": about.prompt or None, "answer": result.answer or None, "expectedOutput": about.expected or None,
        "command": about.command, "flips": _flips(result), "evaluators": _evaluators(about, case, shown, result),
        "usage": [_usage(each) for each in result.usage if each.is_told] or None, "requests": [_request(each) for each in requests_of(result)] or None,
        "history": [_past(each) for each in shown.history], "markdown": about.markdown,
    }  # fmt: skip
    return _known(row)


def _errors(result: CaseResult) -> list[Json] | None:
    return [{"evaluator": each.name, "error": each.reason} for each in result.grader_errors] or None


def _usage(usage: Usage) -> Json:
    tokens = {f.name: getattr(usage.tokens, f.name) for f in fields(usage.tokens)} if usage.tokens is not None else None
    row = {
        "role": usage.role,
        "name": usage.name,
        "model": usage.model or None,
        "calls": usage.calls,
        "recorded": usage.recorded,
        "tokens": tokens,
    }
    return _known({**row, "costUsd": usage.cost_usd, "text": usage_words(usage)})


def _request(request: SentRequest) -> Json:
    title, before, texts, after = request_text(request)
    told = {
        "title": title,
        "before": list(before),
        "texts": [{"name": n, "text": t} for n, t in texts],
        "after": list(after),
    }
    return {"role": request.exchange.role, "evaluator": request.evaluator, **told}


def _known(row: Json) -> Json:
    return {name: value for name, value in row.items() if value is not None}


def _past(past: PastRun) -> Json:
    return _known({"verdict": past.verdict, "score": past.score, "at": past.at})


def _flips(result: CaseResult) -> list[str]:
    wanted = to_pass(result)
    return [wanted] if wanted else []


def _evaluators(about: ReportContext, case: "Runnable", shown: ShownCase, result: CaseResult) -> list[Json]:
    total = sum(e.weight for e in result.evaluators)
    same = len(case.evaluators) == len(result.evaluators) and not shown.stale
    rows = []
    for number, found in enumerate(result.evaluators):
        shape = case.evaluators[number] if same else None
        rows.append(_evaluator(about, shape, found, found.weight / total if total else 0.0))
    return rows


def _evaluator(about: ReportContext, shape: "Shape | None", found: EvaluatorResult, share: float) -> Json:
    written = criteria_of(shape) if shape is not None else []
    paired: list[Criterion | None] = (
        list(written) if len(written) == len(found.criteria) else [None] * len(found.criteria)
    )
    contribution = None if found.score is None else found.score * share
    return _known({
        "name": found.name, "type": found.type, "verdict": found.verdict.value, "score": found.score, "weight": found.weight, "share": share,
        "contribution": contribution, "gate": found.gate_label or None, "reason": found.reason or None, "error": found.failure or None, "reasoning": found.reasoning or None,
        "hits": list(found.hits), "misses": list(found.misses), "minimum": found.minimum if found.required else None,
        "durationMs": found.duration_ms, "range": about.range_of(shape, shape.span) if shape is not None else None,
        "criteria": [_criterion(about, c, r) for c, r in zip(paired, found.criteria, strict=True)],
        "members": [_evaluator(about, None, member, 0.0) for member in found.members] or None,
    })  # fmt: skip


def _criterion(about: ReportContext, criterion: Criterion | None, found: CriterionResult) -> Json:
    span = None if criterion is None else criterion.at("id") if criterion.has("id") else criterion.span
    return _known({
        "id": found.id, "label": found.label, "text": found.outcome, "verdict": found.verdict.value, "score": found.score, "raw": found.raw, "weight": found.weight,
        "minimum": found.minimum, "gateFailed": found.gate_failed or None, "reasoning": found.reasoning or found.reason or None,
        "bands": _bands(criterion, found.raw), "range": about.range_of(criterion, span) if span is not None else None,
    })  # fmt: skip


def _bands(criterion: Criterion | None, raw: int | None) -> list[Json]:
    ranges = criterion.score_ranges if criterion is not None else None
    if not isinstance(ranges, ScoreRanges):
        return []
    found: list[Mapping[str, Any]] = []
    for band in sound(ranges):
        low, high = band.low or 0, band.high or 0
        hit = raw is not None and low <= raw <= high
        found.append({"low": low, "high": high, "text": band.text, "hit": hit})
    return [dict(each) for each in sorted(found, key=lambda b: b["low"])]
