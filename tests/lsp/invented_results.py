"""Results of every kind for the cases of a suite, by turns: none of them was run, all of them could have been."""

from collections.abc import Sequence

from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.turns import TURN, turn_evaluators, turns_of
from rubric_core.evaluation.model.exchanges import Exchange, Usage
from rubric_core.evaluation.model.result import CaseResult, CriterionResult, EvaluatorResult, Verdict
from rubric_core.language.evaluators import AssertSet, Composite, Criterion, Evaluator, ScoreRanges
from rubric_core.language.model import Turn
from rubric_core.loading.grading import default_name, gather_evaluators
from rubric_core.ports import ChatMessage, Tokens
from rubric_core.validation.rubrics import criteria_of

__all__ = ["STATES", "invented_evaluator", "invented_result"]

#: What is known of a case: its result holds, is stale, is being made anew, an evaluator is newer than it, or nothing.
STATES = ("holds", "stale", "running", "newer", "holds", "")
_KINDS = ("failed", "passed", "borderline", "unscored", "broken", "repeated", "varied", "crashed")
_LONG = "because the answer names neither the window nor the receipt, and was asked for both of them twice in a row"


def invented_result(case: Runnable, number: int) -> CaseResult:
    """The result of a case, of the kind whose turn it is."""
    kind = _KINDS[number % len(_KINDS)]
    evaluators = [_turn(turn, number + n) for n, turn in enumerate(turns_of(case.case))]
    evaluators += [invented_evaluator(case, each, number + n, kind) for n, each in enumerate(case.evaluators)]
    verdicts = {
        "failed": Verdict.FAILED,
        "borderline": Verdict.BORDERLINE,
        "unscored": Verdict.UNSCORED,
        "broken": Verdict.FAILED,
    }
    verdict = verdicts.get(kind, Verdict.PASSED)
    scored = kind != "unscored"
    # Where no threshold is written and the default is 1, every check has to pass.
    default = 1.0 if case.dialect.name == "promptfoo" else 0.8
    details: dict[str, object] = {}
    if kind == "repeated":
        details = {"trials": {"passed": 2, "count": 3}, "cached_answer": True}
    elif kind == "varied":
        rows = [_variation(case.id, n) for n in range(number % 3 * 7)]
        details = {"variations": rows}
    return CaseResult(
        id=case.id,
        verdict=verdict,
        score=round(0.15 * (number % 7) + 0.05, 2) if scored else None,
        threshold=0.7 if number % 2 else default,
        threshold_from="execution.threshold" if number % 2 else "",
        evaluators=tuple(evaluators),
        reason="" if kind == "passed" else "no judge is configured" if not scored else "quality: gate: facts" if number % 2 else "",
        answer="" if kind == "unscored" else f"Within {number} days.\n| no table |",
        expected_output="Within 30 days",
        target="bot" if number % 3 else "",
        dialect=case.dialect.name,
        duration_ms=(None, 0.4, 40.0, 1_400.0, 12_000.0, 180_000.0)[number % 6],
        tokens=Tokens(input=10, output=5) if number % 2 else None,
        cost_usd=0.0125 if number % 4 == 1 else None,
        usage=(Usage(role="target", name="bot", model="m", calls=2, tokens=Tokens(input=10, output=5), cost_usd=0.01), Usage(role="judge", name="strict", calls=1)),
        exchanges=(Exchange(role="target", to="bot", kind="cli", model="m", messages=(ChatMessage("user", "Hi `there`"),), argv=("python", "bot.py")),),
        at=("2026-01-05T09:00:00+00:00", "2026-01-02T12:00:00+00:00", "")[number % 3],
        line=number,
        details=details or None,
    )  # fmt: skip


def _variation(name: str, number: int) -> dict[str, object]:
    verdict = ("passed", "failed", "unscored")[number % 3]
    score = {"passed": 1.0, "failed": 0.25}.get(verdict)
    return {
        "id": f"{name}[q={number}]",
        "target": "bot" if number % 2 else "",
        "verdict": verdict,
        "score": score,
        "reason": "x" * number,
    }


def _turn(turn: Turn, number: int) -> EvaluatorResult:
    members = [
        _plain(default_name(each), each.type_name or "", number + n) for n, each in enumerate(turn_evaluators(turn))
    ]
    verdict = Verdict.PASSED if number % 2 else Verdict.FAILED
    return EvaluatorResult(
        name=f"turn-{number}", type=TURN, verdict=verdict, score=0.5, members=tuple(members), duration_ms=5
    )


def _plain(name: str, kind: str, number: int) -> EvaluatorResult:
    """A check without criteria."""
    verdict = (Verdict.PASSED, Verdict.FAILED, Verdict.UNSCORED)[number % 3]
    score = {Verdict.PASSED: 1.0, Verdict.FAILED: 0.25 if number % 2 else 0.0}.get(verdict)
    return EvaluatorResult(
        name=name, type=kind, verdict=verdict, score=score, weight=1.0 + number % 2,
        hits=("days",) if score else (), misses=("weeks is missing", "and | a pipe") if verdict is Verdict.FAILED else (),
        reasoning="It says so." if number % 2 else "", reason="no judge" if score is None else "", duration_ms=3,
    )  # fmt: skip


def invented_evaluator(case: Runnable, config: Evaluator, number: int, kind: str = "") -> EvaluatorResult:
    """The result of one evaluator."""
    name = default_name(config)
    criteria = criteria_of(config)
    if kind == "broken" and number % 2 == 0:
        return EvaluatorResult(
            name=name,
            type=config.type_name or "",
            verdict=Verdict.UNSCORED,
            reason="exit code 2",
            error="exit code 2",
            duration_ms=1,
        )
    if kind == "crashed" and not criteria:
        return EvaluatorResult(
            name=name,
            type=config.type_name or "",
            verdict=Verdict.FAILED,
            score=0.0,
            crashed=True,
            misses=("it crashed: boom",),
        )
    if isinstance(config, Composite | AssertSet):
        members = gather_evaluators(
            case.borrowed.expanded(gather_evaluators(config.assertions or (), case.dialect)), case.dialect
        )
        inner = tuple(invented_evaluator(case, each, number + n) for n, each in enumerate(members))
        return EvaluatorResult(
            name=name,
            type=config.type_name or "",
            verdict=Verdict.FAILED,
            score=0.4,
            members=inner,
            duration_ms=2,
            gate=inner[0].name if inner else "",
        )
    if not criteria:
        return _plain(name, config.type_name or "", number)
    return _judged(config, name, [_criterion(each, number + n) for n, each in enumerate(criteria)], number)


def _judged(config: Evaluator, name: str, criteria: Sequence[CriterionResult], number: int) -> EvaluatorResult:
    failed = next((each for each in criteria if each.gate_failed), None)
    return EvaluatorResult(
        name=name, type=config.type_name or "", verdict=Verdict.FAILED if failed else Verdict.BORDERLINE if number % 2 else Verdict.PASSED,
        score=0.62, weight=2.0, criteria=tuple(criteria), gate=failed.id if failed else "", required=failed is not None,
        minimum=0.6 if failed else None, judge="recorded (gpt)" if number % 2 else "gpt-5", reasoning="All in all fine.", duration_ms=700,
        raw_replies=('{"score": 7}', "not JSON\n```"), evaluator_raw_request={"system_prompt": "Judge.", "user_prompt": "", "seed": 7},
        exchanges=(Exchange(role="judge", to="strict", kind="azure", attempt=2, because="no JSON", again=("429: slow down",), error="" if number % 2 else "timeout", tokens=Tokens(input=3, output=4), cost_usd=0.002),),
    )  # fmt: skip


def _criterion(written: Criterion, number: int) -> CriterionResult:
    ranges = written.score_ranges
    bands = (
        tuple((band.low or 0, band.high or 0, band.text) for band in ranges.bands)
        if isinstance(ranges, ScoreRanges)
        else ()
    )
    verdict = (Verdict.FAILED, Verdict.PASSED, Verdict.BORDERLINE, Verdict.UNSCORED)[number % 4]
    raw = (number * 3) % 11 if bands and verdict is not Verdict.UNSCORED else None
    band = next((text for low, high, text in bands if raw is not None and low <= raw <= high), "")
    score = (
        None
        if verdict is Verdict.UNSCORED
        else raw / 10
        if raw is not None
        else 1.0
        if verdict is Verdict.PASSED
        else 0.0
    )
    return CriterionResult(
        id=written.id or f"rubric-{number}", outcome=written.outcome or "", verdict=verdict, score=score, raw=raw,
        weight=float(written.weight), minimum=written.min_score if isinstance(written.min_score, float) else None,
        gates=verdict is Verdict.FAILED, gate_failed=verdict is Verdict.FAILED and number % 8 == 0, band=band, bands=bands,
        reasoning=_LONG if number % 3 else "", reason="the reply is cut" if score is None else "", recorded=number % 2 == 0, named=bool(written.id),
    )  # fmt: skip
