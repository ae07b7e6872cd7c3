"""Explains the scores of a result, and what would change its verdict."""

from collections.abc import Iterator, Sequence

from rubric_core.evaluation.model.result import CaseResult, CriterionResult, EvaluatorResult, Verdict
from rubric_core.evaluation.reporting.inline_marks import ERROR, SIGNS, grader_words, shortened
from rubric_core.evaluation.scoring.counterfactual import to_flip
from rubric_core.evaluation.scoring.score import weighted_mean

__all__ = ["explanation"]

_WIDTH = 24


def explanation(result: CaseResult) -> list[str]:
    """Lines that show every weight, contribution and gate of a result, and what would make the case pass."""
    return list(_lines(result))


def _lines(result: CaseResult) -> Iterator[str]:
    score = "no score" if result.score is None else f"{result.score:.2f}"
    needs = f", {result.needs}{f' by {result.threshold_from}' if result.threshold_from else ''}" if result.needs else ""
    yield f"{SIGNS[result.verdict]} {result.id}  {result.verdict.value}, {score}{needs}  ({result.dialect})"
    for each in result.evaluators:
        yield from _evaluator(each, "  ")
    yield from _mean(result)
    errors = grader_words(result)
    if errors:
        yield f"  {errors}"
    if result.reason:
        yield f"  {result.reason}"
    yield from _several(result)
    flipped = to_flip(result)
    if flipped:
        yield f"  {flipped}"


def _evaluator(result: EvaluatorResult, indent: str) -> Iterator[str]:
    sign = ERROR if result.failure else SIGNS[result.verdict]
    name = f"{indent}{sign} {shortened(result.name, _WIDTH):<{_WIDTH}}"
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
    together = _together(result)
    if together:
        yield f"{indent}    {together}"


def _together(result: EvaluatorResult) -> str:
    """How the members' scores combine."""
    members = [m for m in result.members if m.score is not None]
    how = (result.details or {}).get("aggregator", "")
    if result.score is None or not members or result.crashed:
        return ""
    score = 1 - result.score if result.negated else result.score
    if how == "weighted_average":
        return _sum([(m.score or 0.0, m.weight) for m in members], score)
    if how == "threshold":
        good = round(score * len(members))
        return f"{good} of {len(members)} members passed = {score:.2f}, needs {(result.details or {}).get('threshold', 0):g}"
    return f"put together by {how}: {score:.2f}" if how else ""


def _several(result: CaseResult) -> Iterator[str]:
    """The combined runs or variations of a case."""
    details = result.details or {}
    runs = details.get("trials")
    if isinstance(runs, dict):
        low, high = runs["pass_rate_interval"]
        flaky = "flaky: " if runs.get("flaky") else ""
        yield f"  {flaky}{runs['passed']} of {runs['count']} runs passed, 95 % interval of the rate {low:.2f}–{high:.2f}; counted by {runs['strategy']}"
        scores = ", ".join("none" if r["score"] is None else f"{r['score']:.2f}" for r in runs["runs"])
        mean = f", mean {runs['mean']:.2f}" if "mean" in runs else ""
        interval = runs.get("mean_interval")
        spread = f" (95 % interval {interval[0]:.2f}–{interval[1]:.2f})" if interval else ""
        yield f"  scores {scores}{mean}{spread}; pass@{runs['count']} {runs['pass_at_k']:.2f}, pass^{runs['count']} {runs['pass_hat_k']:.2f}"
    for row in details.get("variations", ()):
        score = "no score" if row["score"] is None else f"{row['score']:.2f}"
        yield f"  {SIGNS[Verdict(row['verdict'])]} {row['id']}  {row['target']}  {score}"


def _notes(result: EvaluatorResult) -> str:
    notes = []
    if result.tally is not None and result.tally.words:
        notes.append(f"passed in {result.tally.words}")
    if result.negated:
        notes.append("negated")
    if result.required and result.minimum is not None:
        notes.append(f"required, needs {result.minimum:g}")
    if result.gate:
        notes.append(f"gate: {result.gate_label} fails the case")
    if result.weight == 0:
        notes.append("not part of the mean")
    if result.failure:
        notes.append(shortened(f"failed: {result.failure}", 100))
    return f"   {'; '.join(notes)}" if notes else ""


def _criterion(result: CriterionResult) -> str:
    name = f"{SIGNS[result.verdict]} {shortened(result.label, _WIDTH - 4):<{_WIDTH - 4}}"
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
