"""How the numbers of a result came about, and what would change its verdict."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rubric_core.evaluation.marks import SIGNS, shortened
from rubric_core.evaluation.result import CaseResult, CriterionResult, EvaluatorResult, Verdict
from rubric_core.evaluation.score import at_least, case_outcome, weighted_mean
from rubric_core.language.dialect import Properties
from rubric_core.language.dialects import DIALECTS

__all__ = ["explanation", "to_pass"]

_WIDTH = 24


def explanation(result: CaseResult) -> list[str]:
    """Lines that show every weight, contribution and gate of a result, and what would make the case pass."""
    return list(_lines(result))


def _lines(result: CaseResult) -> Iterator[str]:
    score = "no score" if result.score is None else f"{result.score:.2f}"
    yield f"{SIGNS[result.verdict]} {result.id}  {result.verdict.value}, {score}, needs {result.threshold:.2f}  ({result.dialect})"
    for each in result.evaluators:
        yield from _evaluator(each, "  ")
    yield from _mean(result)
    if result.reason:
        yield f"  {result.reason}"
    wanted = to_pass(result)
    if wanted:
        yield f"  To pass: {wanted}"


def _evaluator(result: EvaluatorResult, indent: str) -> Iterator[str]:
    name = f"{indent}{SIGNS[result.verdict]} {shortened(result.name, _WIDTH):<{_WIDTH}}"
    if result.score is None:
        yield f"{name} no score: {result.reason}"
    else:
        yield f"{name} {result.score:.2f} × {result.weight:g} = {result.score * result.weight:.2f}{_notes(result)}"
    for criterion in result.criteria:
        yield f"{indent}    {_criterion(criterion)}"
    if result.criteria and result.score is not None and not result.negated:
        yield f"{indent}    {_sum([(c.score or 0.0, c.weight) for c in result.criteria], result.score)}"
    for member in result.members:
        yield from _evaluator(member, f"{indent}    ")


def _notes(result: EvaluatorResult) -> str:
    notes = []
    if result.negated:
        notes.append("negated")
    if result.required and result.minimum is not None:
        notes.append(f"required, needs {result.minimum:g}")
    if result.gate:
        notes.append(f"gate: {result.gate} fails the case")
    if result.weight == 0:
        notes.append("not part of the mean")
    if result.crashed and result.misses:
        notes.append(shortened(result.misses[0], 100))
    return f"   {'; '.join(notes)}" if notes else ""


def _criterion(result: CriterionResult) -> str:
    name = f"{SIGNS[result.verdict]} {shortened(result.id, _WIDTH - 4):<{_WIDTH - 4}}"
    if result.score is None:
        return f"{name} no score: {shortened(result.reason, 100)}"
    raw = f"{result.raw}/10 → " if result.raw is not None else ""
    band = f"  {shortened(result.band, 40)}" if result.band else ""
    minimum = ""
    if result.minimum is not None:
        minimum = f"  needs {result.minimum * 10:g}" if result.raw is not None else "  required"
        minimum += " ← not met, fails the case" if result.gate_failed else ""
    return f"{name} {raw}{result.score:.2f} × {result.weight:g}{minimum}{band}"


def _mean(result: CaseResult) -> Iterator[str]:
    scored = [(e.score, e.weight) for e in result.evaluators if e.score is not None]
    how = (result.details or {}).get("aggregation", "mean")
    if result.score is None or len(scored) != len(result.evaluators) or len(scored) < 2:
        return
    yield (
        f"  {_sum(scored, weighted_mean(scored))}" if how == "mean" else f"  the {how} of the turns: {result.score:.2f}"
    )


def _sum(pairs: Sequence[tuple[float, float]], total: float) -> str:
    terms = " + ".join(f"{score:.2f}·{weight:g}" for score, weight in pairs)
    weights = sum(weight for _, weight in pairs)
    return f"({terms}) / {weights:g} = {total:.2f}"


# What would change the verdict


@dataclass(frozen=True, slots=True)
class _Change:
    """Something that could have gone better, in words, and the results if it had."""

    words: str
    results: tuple[EvaluatorResult, ...]


def to_pass(result: CaseResult) -> str:
    """What would have made the case pass: the smallest change, else several together. Empty when it did, or has no score."""
    if result.verdict in (Verdict.PASSED, Verdict.UNSCORED) or result.score is None or not result.evaluators:
        return ""
    if any(e.score is None for e in result.evaluators) or (result.details or {}).get("trials"):
        return ""
    properties = next((d.properties for d in DIALECTS if d.name == result.dialect), DIALECTS[-1].properties)
    single = [c for c in _changes(result.evaluators) if _passes(c.results, properties, result.threshold)]
    if single:
        best = min(single, key=lambda change: _distance(result.evaluators, change.results))
        score = case_outcome(best.results, properties, result.threshold).score
        return f"{best.words} (the score would be {score:.2f})"
    return " and ".join(_together(result, properties))


def _passes(results: Sequence[EvaluatorResult], properties: Properties, threshold: float) -> bool:
    return case_outcome(results, properties, threshold).verdict is Verdict.PASSED


def _distance(before: Sequence[EvaluatorResult], after: Sequence[EvaluatorResult]) -> float:
    return sum(((b.score or 0.0) - (a.score or 0.0)) * b.weight for a, b in zip(before, after, strict=True))


def _together(result: CaseResult, properties: Properties) -> list[str]:
    """Changes that do it together: gates first, then what weighs most."""
    results, words = tuple(result.evaluators), list[str]()
    while not _passes(results, properties, result.threshold):
        options = list(_changes(results, whole=True))
        if not options:
            return words
        best = max(options, key=lambda c: (_gates(results) - _gates(c.results), _distance(results, c.results)))
        if best.words in words:
            return words
        words.append(best.words)
        results = best.results
    return words


def _gates(results: Sequence[EvaluatorResult]) -> int:
    short = sum(r.required and r.minimum is not None and not at_least(r.score or 0.0, r.minimum) for r in results)
    return short + sum(c.gate_failed for r in results for c in r.criteria)


def _changes(results: Sequence[EvaluatorResult], *, whole: bool = False) -> Iterator[_Change]:
    """Every single thing that could be better; `whole` takes each to its best at once."""
    for position, each in enumerate(results):
        for words, better in _better(each, whole=whole):
            yield _Change(words, (*results[:position], better, *results[position + 1 :]))


def _better(result: EvaluatorResult, *, whole: bool) -> Iterator[tuple[str, EvaluatorResult]]:
    if result.criteria and not result.negated:
        for position, criterion in enumerate(result.criteria):
            for words, better in _better_criterion(criterion, whole=whole):
                criteria = (*result.criteria[:position], better, *result.criteria[position + 1 :])
                gate = next((c.id for c in criteria if c.gate_failed), "")
                score = weighted_mean((c.score or 0.0, c.weight) for c in criteria)
                yield words, replace(result, criteria=criteria, gate=gate, score=score)
    elif result.score is not None and result.score < 1:
        yield f"{result.name} at 1", replace(result, score=1.0, gate="")


def _better_criterion(result: CriterionResult, *, whole: bool) -> Iterator[tuple[str, CriterionResult]]:
    if result.raw is None:
        if result.score == 0:
            yield f"{result.id} met", replace(result, score=1.0, gate_failed=False)
        return
    for raw in [10] if whole and result.raw < 10 else range(result.raw + 1, 11):
        failed = result.minimum is not None and not at_least(raw / 10, result.minimum)
        words = f"{result.id} at {raw} or more" if raw < 10 else f"{result.id} at 10"
        yield words, replace(result, raw=raw, score=raw / 10, gate_failed=failed)
