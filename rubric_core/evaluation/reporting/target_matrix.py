"""Cases × targets: how each target did with each case, side by side."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.lazy_compilation import dataclass, field

__all__ = ["MatrixCell", "TargetMatrix"]


class MatrixCell(NamedTuple):
    """The result of one target for one case."""

    verdict: Verdict
    #: 0..1.
    score: float | None
    cost_usd: float | None
    duration_ms: float | None


@dataclass(slots=True)
class TargetMatrix:
    """The results of a suite, by case and by target, in the order in which they come."""

    rows: dict[str, dict[str, MatrixCell]] = field(default_factory=dict)
    _targets: dict[str, None] = field(default_factory=dict)

    @classmethod
    def of(cls, results: Iterable[CaseResult]) -> "TargetMatrix":
        """The combination of several results."""
        made = cls()
        for result in results:
            made.take(result)
        return made

    def take(self, result: CaseResult) -> None:
        """Add a result."""
        cell = MatrixCell(result.verdict, result.score, result.cost_usd, result.duration_ms)
        self._targets[result.target] = None
        self.rows.setdefault(result.id, {})[result.target] = cell

    def __bool__(self) -> bool:
        """Whether there is anything side by side."""
        return len(self._targets) > 1 and any(len(row) > 1 for row in self.rows.values())

    @property
    def targets(self) -> Sequence[str]:
        """The targets, each once."""
        return list(self._targets)

    def totals(self, target: str) -> Mapping[str, Any]:
        """The totals of one target: cases by verdict, mean score, cost, mean time."""
        cells = [row[target] for row in self.rows.values() if target in row]
        counts = Counter(cell.verdict for cell in cells)
        scores = [cell.score for cell in cells if cell.score is not None]
        costs = [cell.cost_usd for cell in cells if cell.cost_usd is not None]
        times = [cell.duration_ms for cell in cells if cell.duration_ms is not None]
        return {
            **{verdict.value: counts[verdict] for verdict in Verdict},
            "mean_score": fmean(scores) if scores else None,
            "cost_usd": sum(costs) if costs else None,
            "mean_duration_ms": fmean(times) if times else None,
        }

    def as_data(self) -> dict[str, Any]:
        """The matrix as plain data."""
        cases = [
            {"id": name, "targets": {t: {"verdict": c.verdict.value, "score": c.score} for t, c in row.items()}}
            for name, row in self.rows.items()
        ]
        return {"cases": cases, "targets": {target: self.totals(target) for target in self._targets}}
