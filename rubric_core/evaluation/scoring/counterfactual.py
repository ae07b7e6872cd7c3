"""Counterfactuals: the smallest change that would have changed a verdict."""

import math
from collections.abc import Iterator, Sequence

from rubric_core.evaluation.model.result import CaseResult, CriterionResult, EvaluatorResult, Verdict
from rubric_core.evaluation.scoring.score import at_least, case_outcome, weighted_mean
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.properties import Properties
from rubric_core.lazy_compilation import dataclass, replace

__all__ = ["to_fail", "to_flip", "to_pass"]

#: Details of combined results of several runs, for which no single change can be computed.
_SEVERAL = frozenset(("trials", "variations", "aggregation"))


def to_flip(result: CaseResult) -> str:
    """What would have changed the verdict of a case, as a sentence; empty without a score."""
    wanted = to_pass(result)
    if wanted:
        return f"To pass: {wanted}"
    feared = to_fail(result)
    return f"It would not pass with {feared}" if feared else ""


@dataclass(frozen=True, slots=True)
class _Change:
    """Something that could have gone better, in words, and the results if it had."""

    words: str
    results: tuple[EvaluatorResult, ...]
    #: What is changed: the number of the evaluator, and of its member or criterion in it.
    subject: tuple[int, ...] = ()


def to_pass(result: CaseResult) -> str:
    """What would have made the case pass: the smallest change, else several together.

    Empty if it passed, or has no score.
    """
    if result.verdict in (Verdict.PASSED, Verdict.UNSCORED) or result.score is None or not result.evaluators:
        return ""
    if result.ungraded or set(result.details or {}) & _SEVERAL:
        return ""
    properties = _properties(result)
    single = [c for c in _changes(result.evaluators) if _passes(c.results, properties, result.threshold)]
    if single:
        best = min(single, key=lambda change: _distance(result.evaluators, change.results))
        score = case_outcome(best.results, properties, result.threshold).score
        return f"{best.words} (the score would be {score:.2f})"
    several = _together(result, properties)
    if not several:
        return ""
    score = case_outcome(several[-1].results, properties, result.threshold).score
    return f"{' and '.join(each.words for each in several)} (the score would be {score:.2f})"


def to_fail(result: CaseResult) -> str:
    """The smallest change with which a case that passed would not have; empty when no single one does that."""
    if result.verdict is not Verdict.PASSED or result.score is None or not result.evaluators:
        return ""
    if result.ungraded or set(result.details or {}) & _SEVERAL:
        return ""
    properties = _properties(result)
    single = [c for c in _declines(result.evaluators) if not _passes(c.results, properties, result.threshold)]
    if not single:
        return ""
    best = min(single, key=lambda change: _distance(change.results, result.evaluators))
    score = case_outcome(best.results, properties, result.threshold).score
    return f"{best.words} (the score would be {score:.2f})"


def _properties(result: CaseResult) -> Properties:
    return next((d.properties for d in DIALECTS if d.name == result.dialect), DIALECTS[-1].properties)


def _passes(results: Sequence[EvaluatorResult], properties: Properties, threshold: float) -> bool:
    return case_outcome(results, properties, threshold).verdict is Verdict.PASSED


def _distance(before: Sequence[EvaluatorResult], after: Sequence[EvaluatorResult]) -> float:
    return sum(((b.score or 0.0) - (a.score or 0.0)) * b.weight for a, b in zip(before, after, strict=True))


def _together(result: CaseResult, properties: Properties) -> list[_Change]:
    """Changes that suffice together: gates first, then the largest weights, each as small as possible."""
    results, chosen = tuple(result.evaluators), list[_Change]()
    while not _passes(results, properties, result.threshold):
        options = list(_changes(results, whole=True))
        best = max(
            options, key=lambda c: (_gates(results) - _gates(c.results), _distance(results, c.results)), default=None
        )
        if best is None or best.subject in [each.subject for each in chosen]:
            return []
        chosen.append(best)
        results = best.results
    return _least(result, chosen, properties)


def _least(result: CaseResult, chosen: Sequence[_Change], properties: Properties) -> list[_Change]:
    """The same changes, one after the other made as small as the others allow."""
    found = list(chosen)
    for number in reversed(range(len(found))):
        others = found[:number] + found[number + 1 :]
        base = _applied(result.evaluators, others)
        smaller = [
            c
            for c in _changes(base)
            if c.subject == found[number].subject and _passes(c.results, properties, result.threshold)
        ]
        if smaller:
            found[number] = min(smaller, key=lambda change: _distance(base, change.results))
    # Each knows of those before it, so that the last one has the score of all.
    made: list[_Change] = []
    for each in found:
        base = made[-1].results if made else tuple(result.evaluators)
        made.append(_again(base, each))
    return made


def _applied(results: Sequence[EvaluatorResult], changes: Sequence[_Change]) -> tuple[EvaluatorResult, ...]:
    made = tuple(results)
    for each in changes:
        made = _again(made, each).results
    return made


def _again(results: Sequence[EvaluatorResult], change: _Change) -> _Change:
    """The same change of other results."""
    every = (*_changes(results), *_changes(results, whole=True))
    return next(c for c in every if (c.subject, c.words) == (change.subject, change.words))


def _gates(results: Sequence[EvaluatorResult]) -> int:
    short = sum(r.required and r.minimum is not None and not at_least(r.score or 0.0, r.minimum) for r in results)
    return short + sum(c.gate_failed for r in results for c in r.criteria)


def _changes(results: Sequence[EvaluatorResult], *, whole: bool = False) -> Iterator[_Change]:
    """Every single thing that could be better; `whole` takes each to its best at once."""
    for position, each in enumerate(results):
        for words, better, inside in _better(each, whole=whole):
            yield _Change(words, (*results[:position], better, *results[position + 1 :]), (position, *inside))


def _better(result: EvaluatorResult, *, whole: bool) -> Iterator[tuple[str, EvaluatorResult, tuple[int, ...]]]:
    """Possible improvements: in words, the resulting score, and the criterion or member."""
    if result.criteria and not result.negated:
        for position, criterion in enumerate(result.criteria):
            for words, better in _better_criterion(criterion, whole=whole):
                criteria = (*result.criteria[:position], better, *result.criteria[position + 1 :])
                gate = next((c.id for c in criteria if c.gate_failed), "")
                score = weighted_mean((c.score or 0.0, c.weight) for c in criteria)
                yield words, replace(result, criteria=criteria, gate=gate, score=score), (position,)
    elif _is_mean(result):
        for position, member in enumerate(result.members):
            for words, better_member, inside in _better(member, whole=whole):
                members = (*result.members[:position], better_member, *result.members[position + 1 :])
                gate = next((f"{m.name} / {m.gate}" for m in members if m.gate), "")
                score = weighted_mean((m.score or 0.0, m.weight) for m in members)
                better_whole = replace(result, members=members, gate=gate, score=score)
                yield f"{result.name} / {words}", better_whole, (position, *inside)
    elif result.score is not None and result.score < 1:
        for score in _above(result) if not whole else (1.0,):
            words = f"{result.name} at {score:.2f} or more" if score < 1 else f"{result.name} at 1"
            yield words, replace(result, score=score, gate=""), ()


def _is_mean(result: EvaluatorResult) -> bool:
    """Whether its score is the weighted mean of its members, as that of most composites."""
    return (
        (result.details or {}).get("aggregator") == "weighted_average" and bool(result.members) and not result.negated
    )


def _above(result: EvaluatorResult) -> Iterator[float]:
    """The scores that an evaluator could have had, upward: of two decimals, in steps of a member, or nothing but 1."""
    score = result.score or 0.0
    if _is_graded(result):
        yield from _hundredths_above(score)
    elif (result.details or {}).get("aggregator") == "threshold" and result.members and not result.negated:
        amount = len(result.members)
        yield from (n / amount for n in range(round(score * amount) + 1, amount + 1))
    else:
        yield 1.0


def _is_graded(result: EvaluatorResult) -> bool:
    """Whether its score may be anything from 0 to 1, as that of a judge without criteria; not that of a check that holds or does not."""
    if result.members:
        return (result.details or {}).get("aggregator") in ("a judge", "a program")
    return not result.criteria and (result.score not in (0.0, 1.0) or result.was_judged)


def _hundredths_above(score: float) -> Iterator[float]:
    """The scores of two decimals above one, upward."""
    return (n / 100 for n in range(math.floor(score * 100 + 1e-9) + 1, 101))


def _below(score: float) -> Iterator[float]:
    """The scores of two decimals below one, downward."""
    return (n / 100 for n in range(math.ceil(score * 100 - 1e-9) - 1, -1, -1))


def _better_criterion(result: CriterionResult, *, whole: bool) -> Iterator[tuple[str, CriterionResult]]:
    if result.raw is None:
        if result.score == 0:
            yield f"{result.label} met", replace(result, score=1.0, gate_failed=False)
        return
    for raw in [10] if whole and result.raw < 10 else range(result.raw + 1, 11):
        failed = result.minimum is not None and not at_least(raw / 10, result.minimum)
        words = f"{result.label} at {raw} or more" if raw < 10 else f"{result.label} at 10"
        yield words, replace(result, raw=raw, score=raw / 10, gate_failed=failed)


def _declines(results: Sequence[EvaluatorResult]) -> Iterator[_Change]:
    """Every single thing that could have been worse."""
    for position, each in enumerate(results):
        for words, worse in _worse(each):
            yield _Change(words, (*results[:position], worse, *results[position + 1 :]))


def _worse(result: EvaluatorResult) -> Iterator[tuple[str, EvaluatorResult]]:
    if result.criteria and not result.negated:
        for position, criterion in enumerate(result.criteria):
            for words, worse in _worse_criterion(criterion):
                criteria = (*result.criteria[:position], worse, *result.criteria[position + 1 :])
                gate = next((c.id for c in criteria if c.gate_failed), "")
                score = weighted_mean((c.score or 0.0, c.weight) for c in criteria)
                yield words, replace(result, criteria=criteria, gate=gate, score=score)
    elif result.score is not None and result.score > 0:
        for score in _below(result.score) if _is_graded(result) else (0.0,):
            words = f"{result.name} at {score:.2f} or less" if score > 0 else f"{result.name} at 0"
            yield words, replace(result, score=score)


def _worse_criterion(result: CriterionResult) -> Iterator[tuple[str, CriterionResult]]:
    if result.raw is None:
        if result.score == 1:
            yield f"{result.label} not met", replace(result, score=0.0, gate_failed=result.gates)
        return
    for raw in range(result.raw - 1, -1, -1):
        failed = result.minimum is not None and not at_least(raw / 10, result.minimum)
        words = f"{result.label} at {raw}{' or less' if raw else ''}"
        yield words, replace(result, raw=raw, score=raw / 10, gate_failed=failed)
