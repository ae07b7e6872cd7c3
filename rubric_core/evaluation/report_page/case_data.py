"""A result as the page shows it: every evaluator, criterion, reply and request, with texts that may be cut."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, cast

from rubric_core.evaluation.model.exchanges import Usage
from rubric_core.evaluation.model.result import CaseResult, CriterionResult, EvaluatorResult, Tally
from rubric_core.evaluation.report_page.data import (
    BandData,
    CaseData,
    CriterionData,
    EvaluatorData,
    RequestData,
    TokenData,
    UsageData,
)
from rubric_core.evaluation.reporting.transcript import SentRequest, request_text, requests_of, usage_words
from rubric_core.evaluation.scoring.counterfactual import to_pass

__all__ = ["Cutter", "case_data", "known", "whole"]

#: Gives a text for display, which may be shortened.
Cut = Callable[[str], str]


class Cutter:
    """Cuts texts to a length, and counts the omitted characters."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        #: Characters left out so far.
        self.left_out = 0

    def __call__(self, text: str) -> str:
        """The text, or its beginning and how much is left out."""
        more = len(text) - self._longest
        if more <= 0:
            return text
        self.left_out += more
        return f"{text[: self._longest]}\n… and {more:,} more characters"


def whole(text: str) -> str:
    """The full text."""
    return text


def known(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row without the keys whose value is not known."""
    return {name: value for name, value in row.items() if value is not None}


def case_data(result: CaseResult, *, suite: str, command: str, prompt: str = "", cut: Cut = whole) -> CaseData:
    """The data of a result for the page.

    Args:
        result: The result.
        suite: The name of its suite.
        command: The command line that runs the case in a terminal.
        prompt: The prompt to the target; empty if unknown.
        cut: Cuts texts.
    """
    judges = sorted({each.judge for one in result.evaluators for each in one.flat() if each.judge})
    wanted = to_pass(result)
    row = {
        "caseId": result.id, "suite": {"name": suite}, "dialect": result.dialect, "target": result.target, "judges": judges,
        "verdict": result.verdict.value, "score": result.score, "threshold": result.threshold if result.has_threshold else None, "at": result.at,
        "durationMs": result.duration_ms or 0, "costUsd": result.cost_usd, "reason": cut(result.reason),
        "graderErrors": [{"evaluator": each.name, "error": cut(each.reason)} for each in result.grader_errors] or None,
        "prompt": cut(prompt) or None, "answer": cut(result.answer) or None,
        "expectedOutput": cut(result.expected_output) or None, "command": command, "flips": [wanted] if wanted else [],
        "evaluators": _evaluators(result, cut), "usage": [_usage(each) for each in result.usage if each.has_usage] or None,
        "requests": [_request(each, cut) for each in requests_of(result)] or None, "history": [],
    }  # fmt: skip
    return cast("CaseData", known(row))


def _evaluators(result: CaseResult, cut: Cut) -> list[EvaluatorData]:
    total = sum(each.weight for each in result.evaluators)
    return [_evaluator(each, each.weight / total if total else 0.0, cut) for each in result.evaluators]


def _evaluator(found: EvaluatorResult, share: float, cut: Cut) -> EvaluatorData:
    row = {
        "name": found.name, "type": found.type, "verdict": found.verdict.value, "score": found.score, "weight": found.weight, "share": share,
        "contribution": None if found.score is None else found.score * share, "gate": found.gate_label or None, "reason": cut(found.reason) or None,
        "error": cut(found.failure) or None, "reasoning": cut(found.reasoning) or None, "hits": [cut(each) for each in found.shown_hits],
        "misses": [cut(each) for each in found.shown_misses], "minimum": found.minimum if found.required else None, "judge": found.judge or None,
        "replies": [cut(each) for each in found.raw_replies] or None, "durationMs": found.duration_ms,
        "criteria": [_criterion(each, cut) for each in found.criteria],
        "members": [_evaluator(member, 0.0, cut) for member in found.members] or None, **_tally(found.tally),
    }  # fmt: skip
    return cast("EvaluatorData", known(row))


def _tally(tally: Tally | None) -> dict[str, str]:
    """In how many rows or runs a part passed, and which of them is shown; empty if it passed in all."""
    return {"passes": tally.words, "shown": tally.shown} if tally is not None and tally.words else {}


def _criterion(found: CriterionResult, cut: Cut) -> CriterionData:
    row = {
        "id": found.id, "label": found.label, "text": cut(found.outcome), "verdict": found.verdict.value, "score": found.score,
        "raw": found.raw, "weight": found.weight, "minimum": found.minimum, "gateFailed": found.gate_failed or None,
        "reasoning": cut(found.reasoning or found.reason) or None, "bands": [_band(each, found.raw, cut) for each in found.bands],
        **_tally(found.tally),
    }  # fmt: skip
    return cast("CriterionData", known(row))


def _band(band: tuple[int, int, str], raw: int | None, cut: Cut) -> BandData:
    low, high, text = band
    return {"low": low, "high": high, "text": cut(text), "hit": raw is not None and low <= raw <= high}


def _usage(usage: Usage) -> UsageData:
    tokens = usage.tokens
    told = None if tokens is None else cast("TokenData", {f.name: getattr(tokens, f.name) for f in fields(tokens)})
    row = {
        "role": usage.role, "name": usage.name, "model": usage.model or None, "calls": usage.calls, "recorded": usage.recorded,
        "tokens": told, "costUsd": usage.cost_usd, "text": usage_words(usage),
    }  # fmt: skip
    return cast("UsageData", known(row))


def _request(request: SentRequest, cut: Cut) -> RequestData:
    title, before, texts, after = request_text(request)
    return {
        "role": request.exchange.role,
        "evaluator": request.evaluator,
        "title": title,
        "before": list(before),
        "texts": [{"name": name, "text": cut(text)} for name, text in texts],
        "after": list(after),
    }
