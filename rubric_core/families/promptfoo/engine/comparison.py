"""`select-best` and `max-score` of promptfoo, which compare the outputs of a test's rows."""

import re
from collections.abc import Sequence

from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.engine.events import ignore_event
from rubric_core.evaluation.engine.family_runner import Rows
from rubric_core.evaluation.model.exchanges import add_usage
from rubric_core.evaluation.model.result import CaseResult, EvaluatorResult, Verdict
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.families.promptfoo.cases.runnable import PromptfooRunnable
from rubric_core.families.promptfoo.engine.attempt import PENDING, PromptfooAttempt
from rubric_core.families.promptfoo.engine.environment import with_promptfoo_variables
from rubric_core.families.promptfoo.language.assertion import MAX_SCORE, SELECT_BEST
from rubric_core.families.promptfoo.model.assertion import NO_VALUE, PromptfooAssertion
from rubric_core.families.promptfoo.scoring import Ranking, ranked_by_score
from rubric_core.loading.grading import default_name
from rubric_core.ports import Ports

__all__ = ["compare_all", "compare_rows"]

#: How a judgement names the best output, counted from 1.
_BEST = re.compile(r"output ([0-9]+) ")
_TOO_FEW = "its output is compared with those of other rows, and the test has none; promptfoo stops"


async def compare_all(rows: Rows, ports: Ports) -> list[CaseResult]:
    """The results of rows in their order; those with a comparison are compared within their test and values."""
    groups: dict[object, list[int]] = {}
    for number, (case, _) in enumerate(rows):
        if case.compared_in is not None:
            groups.setdefault(case.compared_in, []).append(number)
    found = [result for _, result in rows]
    for numbers in groups.values():
        for number, result in zip(numbers, await compare_rows([rows[n] for n in numbers], ports), strict=True):
            found[number] = result
    return found


async def compare_rows(rows: Rows, ports: Ports) -> list[CaseResult]:
    """Compare the rows of a test with equal values: all but the best fail with a score of 0.

    If one of them is unscored or nothing can be compared, all of them are unscored.
    """
    results = [result for _, result in rows]
    missing = next((each for each in results if PENDING not in (each.details or {})), None)
    if missing is not None:
        words = f"its output is compared with that of {missing.id} ({missing.target}), which could not be scored"
        return [_unscored(each, words) for each in results]
    case = rows[0][0]
    if len(rows) == 1 or not isinstance(case, PromptfooRunnable):
        return [_unscored(each, _TOO_FEW) for each in results]
    try:
        return await _compared(case, [_standing(each) for each in results], ports)
    except Unscored as problem:
        where = case.blame(problem.at) if problem.at is not None else ""
        return [_unscored(each, f"{problem.reason}{where}") for each in results]


def _standing(result: CaseResult) -> CaseResult:
    """The result without a comparison."""
    details = dict(result.details or {})
    before = details.pop(PENDING)
    return replace_fields(result, **{**before, "verdict": Verdict(before["verdict"])}, details=details or None)


def _unscored(result: CaseResult, words: str) -> CaseResult:
    """A row that could not be compared. A row that was unscored before keeps its reason."""
    details = dict(result.details or {})
    if details.pop(PENDING, None) is None:
        return result
    return replace_fields(result, verdict=Verdict.UNSCORED, score=None, reason=words, details=details or None)


async def _compared(case: PromptfooRunnable, results: Sequence[CaseResult], ports: Ports) -> list[CaseResult]:
    """Raises Unscored."""
    found = list(results)
    for kind in (SELECT_BEST, MAX_SCORE):  # only the first of a kind counts
        assertion = next((each for each in case.comparing if each.type_name == kind), None)
        if assertion is not None and kind == SELECT_BEST:
            found = await _best_selected(case, assertion, found, ports)
        elif assertion is not None:
            ranking = _ranked(assertion, results)
            found = [_merged(each, ranking, number, _result(assertion)) for number, each in enumerate(found)]
    return found


def _ranked(assertion: PromptfooAssertion, results: Sequence[CaseResult]) -> Ranking:
    value = None if assertion.given_value is NO_VALUE else assertion.given_value
    try:
        return ranked_by_score([each.evaluators for each in results], value)
    except ValueError as error:
        raise Unscored(f"{assertion.type_name}: {error}", at=assertion) from None


async def _best_selected(
    case: PromptfooRunnable, assertion: PromptfooAssertion, results: Sequence[CaseResult], ports: Ports
) -> list[CaseResult]:
    """The results after a model has selected the best output. Raises Unscored."""
    attempt = PromptfooAttempt(case, await with_promptfoo_variables(case, ports), ignore_event)
    judged = await attempt.judge_outputs(assertion, [each.answer for each in results], results[0].target)
    said = _BEST.match("".join(judged.hits[:1])) if judged.verdict is not Verdict.UNSCORED else None
    if said is None:
        raise Unscored(judged.reason or "the judge selected no output")
    best = int(said[1]) - 1
    reasons = tuple(
        "the judge selected it" if n == best else "the judge selected another output" for n in range(len(results))
    )
    found = []
    for number, each in enumerate(results):
        # The request to the judge is listed once.
        own = (
            judged if number == 0 else replace_fields(judged, exchanges=(), raw_replies=(), evaluator_raw_request=None)
        )
        found.append(_merged(each, Ranking(best, reasons), number, own))
    costs = [cost for cost in (found[0].cost_usd, attempt.cost()) if cost is not None]
    usage = add_usage((*found[0].usage, *attempt.usage([judged])))
    found[0] = replace_fields(found[0], cost_usd=sum(costs) if costs else None, usage=usage)
    return found


def _result(assertion: PromptfooAssertion) -> EvaluatorResult:
    return EvaluatorResult(name=default_name(assertion), type=assertion.type_name, verdict=Verdict.PASSED)


def _merged(result: CaseResult, ranking: Ranking, number: int, own: EvaluatorResult) -> CaseResult:
    """The result of a row after a comparison; the best row keeps its score and verdict."""
    is_best, reason = number == ranking.best, ranking.reasons[number]
    own = replace_fields(
        own, verdict=Verdict.PASSED if is_best else Verdict.FAILED, score=float(is_best), hits=(reason,) if is_best else (),
        misses=() if is_best else (reason,),
    )  # fmt: skip
    result = replace_fields(result, evaluators=(*result.evaluators, own))
    if is_best:
        return result
    words = reason if result.verdict is Verdict.PASSED else result.reason
    return replace_fields(result, verdict=Verdict.FAILED, score=0.0, reason=words)
