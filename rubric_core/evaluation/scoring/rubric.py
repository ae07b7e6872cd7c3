"""Rubrics: the questions to a judge about each criterion, and the scores of its replies."""

from collections.abc import Mapping, Sequence
from typing import Literal

from rubric_core.evaluation.model.criteria import CriterionCheck, CriterionItem
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.result import CriterionResult, Verdict
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.scoring.score import at_least, weighted_mean
from rubric_core.language.dialect import Dialect
from rubric_core.language.evaluators import HIGHEST, Criterion, ScoreRanges
from rubric_core.lazy_compilation import dataclass, field
from rubric_core.loading.grading import on_scale, required

__all__ = ["RubricSheet", "sheet_of"]

#: The raw score from which a criterion that needs no minimum is met, as agentv counts hits.
_MET_FROM = 7


@dataclass(frozen=True, slots=True)
class RubricSheet:
    """The criteria of one rubric, in the order of the text."""

    items: tuple[CriterionItem, ...]
    #: Whether the judge gives an integer of 0..10 for each criterion, or says whether it is met.
    ranges: bool
    #: Which raw score a required criterion without a minimum needs: more than 0, 10, or none at all.
    bare_gate: Literal["nonzero", "ten", "never"] = "nonzero"
    #: The criteria of the items.
    sources: tuple[Criterion, ...] = field(default=(), repr=False)

    def minimum(self, item: CriterionItem) -> float | None:
        """The score of 0..1 below which `item` fails the rubric, if one does."""
        if not self.ranges:
            return 1.0 if item.required else None
        if item.minimum is not None:
            return item.minimum
        if not item.required or self.bare_gate == "never":
            return None
        return 1.0 if self.bare_gate == "ten" else 1 / HIGHEST

    def judged(self, item: CriterionItem, check: CriterionCheck) -> CriterionResult:
        """The result of `item` for the judge's `check`: passed if the criterion is met, else failed.

        In a checklist the judge decides. On the scale of 0..10 a criterion is met if it reaches its minimum, written or
        that of `required`; without a minimum it is met from 7 on. It is never borderline, which is a verdict about the
        score of the rubric.
        """
        score = (1.0 if check.satisfied else 0.0) if check.score is None else check.score / HIGHEST
        minimum = self.minimum(item)
        gate_failed = minimum is not None and not at_least(score, minimum)
        if check.score is None:
            met = bool(check.satisfied)
        else:
            met = not gate_failed if minimum is not None else check.score >= _MET_FROM
        return CriterionResult(
            id=item.id, outcome=item.text, verdict=Verdict.PASSED if met else Verdict.FAILED, score=score, raw=check.score,
            weight=item.weight, minimum=minimum, gates=minimum is not None, gate_failed=gate_failed,
            band="" if check.score is None else item.band(check.score), bands=item.bands, reasoning=check.reasoning, recorded=check.recorded, named=item.named,
        )  # fmt: skip

    def unjudged(self, item: CriterionItem, reason: str) -> CriterionResult:
        """The result of `item` if it was not judged."""
        minimum = self.minimum(item)
        return CriterionResult(
            id=item.id,
            outcome=item.text,
            verdict=Verdict.UNSCORED,
            weight=item.weight,
            minimum=minimum,
            gates=minimum is not None,
            bands=item.bands,
            reason=reason,
            named=item.named,
        )

    def score(self, results: Sequence[CriterionResult]) -> EvaluationScore:
        """The score of the rubric: Σ(score · weight) / Σ weight, and which gate failed, if one did."""
        gate = next((r.id for r in results if r.gate_failed), "")
        return EvaluationScore(
            score=weighted_mean((r.score or 0.0, r.weight) for r in results),
            hits=tuple(r.outcome or r.id for r in results if r.verdict is Verdict.PASSED),
            misses=tuple(r.outcome or r.id for r in results if r.verdict is not Verdict.PASSED),
            expected_aspect_count=len(results),
            raw_aspects=tuple(r.outcome or r.id for r in results),
            criteria=tuple(results),
            gate=gate,
            details=self._details(results),
        )

    def _details(self, results: Sequence[CriterionResult]) -> Mapping[str, object] | None:
        if not self.ranges:
            return None
        return {
            "raw_scores": {r.id: r.raw for r in results},
            "normalization": "score / 10",
            "aggregation": "weighted_average",
        }


def sheet_of(criteria: Sequence[object], dialect: Dialect) -> RubricSheet:
    """The sheet of a list of criteria. Raises Unscored if there is nothing to ask a judge."""
    sources = tuple(c for c in criteria if isinstance(c, Criterion))
    items: list[CriterionItem] = []
    for position, criterion in enumerate(sources, start=1):
        item = _item(criterion, position, dialect, {i.id for i in items})
        if not item.text and not item.bands:
            raise Unscored(f"criterion {item.id if item.named else position} has no text, so there is nothing to judge")
        items.append(item)
    if not items:
        raise Unscored("the rubric has no criterion")
    return RubricSheet(tuple(items), on_scale(sources), dialect.properties.required_without_min, sources)


def _item(criterion: Criterion, position: int, dialect: Dialect, taken: set[str]) -> CriterionItem:
    name = criterion.id or f"rubric-{position}"
    while name in taken:
        name = f"{name}-{position}"
    weight = criterion.weight if isinstance(criterion.weight, int | float) else 1.0
    return CriterionItem(
        id=name, text=(criterion.outcome or "").strip(), weight=max(0.0, float(weight)), required=required(criterion, dialect),
        minimum=_minimum(criterion), bands=_bands(criterion), operator=criterion.operator or "correctness", named=bool(criterion.id),
    )  # fmt: skip


def _minimum(criterion: Criterion) -> float | None:
    """`min_score` of 0..1, else `required_min_score` of 0..10 divided by 10."""
    if criterion.min_score is not None:
        return float(criterion.min_score)
    return None if criterion.required_min_score is None else criterion.required_min_score / HIGHEST


def _bands(criterion: Criterion) -> tuple[tuple[int, int, str], ...]:
    ranges = criterion.score_ranges
    if not isinstance(ranges, ScoreRanges):
        return ()
    bands = ((b.low, b.high, b.text) for b in ranges.bands)
    return tuple(sorted((low, high, text) for low, high, text in bands if low is not None and high is not None))
