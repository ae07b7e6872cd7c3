"""Metrics computed from other metrics: `derived_metrics: [{name: f1, value: 2 * p * r / (p + r)}]`.

In a suite, a metric is the sum of the scores of the evaluators with its name over all cases; `__count` is the number of
cases. In a matrix it is computed for each column, that is, a prompt with a provider, and assertions
count by their weights.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from rubric_core.evaluation.model.result import ROW, CaseResult, EvaluatorResult, Verdict
from rubric_core.evaluation.scoring.formula import formula_value
from rubric_core.language.model import DerivedMetric, Suite

__all__ = ["DerivedMetrics", "DerivedValue", "MetricTotals", "derived_values"]

#: The longest name of a column that is shown, in characters.
_LONGEST_COLUMN = 60
_COUNT = "__count"
#: The key of `CaseResult.details` that a case which was run several times has.
_TRIALS = "trials"


class DerivedValue(NamedTuple):
    """A number that was computed, or why it was not."""

    name: str
    value: float | None = None
    reason: str = ""


class _Column(NamedTuple):
    """A prompt with a provider, and its place among those of a configuration; all are the same in a suite."""

    place: int = 0
    provider: str = ""
    prompt: str = ""


class MetricTotals:
    """The sums of the named scores of one column of a matrix, or of a suite."""

    def __init__(self) -> None:
        self.sums: dict[str, float] = {}
        #: How many rows or cases there were.
        self.count = 0
        #: Whether the scores of a row that was run several times are not known run by run.
        self.is_incomplete = False

    def add(self, name: str, score: float) -> None:
        """Add to a sum."""
        self.sums[name] = self.sums.get(name, 0.0) + score

    def take_row(self, result: CaseResult) -> None:
        """Count a row, or each run of it. One without a score counts without metrics."""
        self.is_incomplete |= not result.runs and _TRIALS in (result.details or {})
        for each in result.runs or (result,):
            self.count += 1
            details = each.details or {}
            weights = details.get(ROW, {}).get("named_score_weights", {})
            for name, score in (
                (details.get("named_scores") or {}).items() if each.verdict is not Verdict.UNSCORED else ()
            ):
                self.add(name, score * weights.get(name, 1.0))


class DerivedMetrics:
    """Collects the results of a run as they come, and computes the derived metrics of its suite at the end."""

    def __init__(self, suite: Suite | None) -> None:
        written = suite.derived_metrics if suite is not None else None
        self._formulas = [
            (each.name, each.value or "") for each in written or () if isinstance(each, DerivedMetric) and each.name
        ]
        self._columns: dict[_Column, MetricTotals] = {}

    def __bool__(self) -> bool:
        """Whether there is anything to compute."""
        return bool(self._formulas)

    def take(self, result: CaseResult) -> None:
        """Count a case, or each of its variations, as each counts where they are run one by one."""
        if not self._formulas:
            return
        for variation in result.variations:
            self.take(variation)
        if result.variations:
            return
        row = (result.details or {}).get(ROW)
        column = _Column(row["column"], result.target, row["prompt"]["label"]) if row else _Column()
        totals = self._columns.setdefault(column, MetricTotals())
        if row:
            totals.take_row(result)
            return
        totals.count += 1
        for each in result.evaluators:
            _add_evaluator(totals, each)

    def values(self) -> list[DerivedValue]:
        """The derived metrics, of each column; each may use those before it."""
        columns = self._columns or {_Column(): MetricTotals()}
        return [
            each._replace(name=f"{each.name}{_suffix(column, list(columns))}")
            for column, totals in sorted(columns.items(), key=lambda item: item[0])
            for each in derived_values(self._formulas, totals)
        ]

    def words(self) -> str:
        """The numbers in one sentence."""
        parts = (f"{n} {v:.4g}" if v is not None else f"{n} cannot be computed: {why}" for n, v, why in self.values())
        return f"derived metrics: {', '.join(parts)}"


def derived_values(formulas: Sequence[tuple[str, str]], totals: MetricTotals) -> list[DerivedValue]:
    """The derived metrics over some sums; a metric that cannot be computed has a reason and no number.

    Args:
        formulas: The name and the formula of each.
        totals: The sums.
    """
    if totals.is_incomplete:
        return [
            DerivedValue(name, reason="the scores of repeated tests are not kept run by run") for name, _ in formulas
        ]
    known = {**totals.sums, _COUNT: float(totals.count)}
    made = [_derived(name, formula, known) for name, formula in formulas]
    return [each if each.name not in totals.sums else _is_taken(each.name) for each in made]


def _derived(name: str, formula: str, known: dict[str, float]) -> DerivedValue:
    """One of them, which the next ones then know."""
    try:
        value = formula_value(formula, known)
    except ZeroDivisionError:
        return DerivedValue(name, reason="division by zero")
    except (ArithmeticError, ValueError, TypeError, RecursionError) as error:
        return DerivedValue(name, reason=str(error))
    if not math.isfinite(value):
        return DerivedValue(name, reason="the result is not a number")
    known[name] = value
    return DerivedValue(name, value)


def _is_taken(name: str) -> DerivedValue:
    return DerivedValue(name, reason="an assertion has a metric with this name, too")


def _add_evaluator(totals: MetricTotals, result: EvaluatorResult) -> None:
    if result.score is not None:
        totals.add(result.name, result.score)
    for member in result.members:
        _add_evaluator(totals, member)


def _suffix(column: _Column, columns: Sequence[_Column]) -> str:
    """The distinction of a column: its provider, its prompt, or both; empty for the only one."""
    several = (len({each.provider for each in columns}) > 1, len({each.prompt for each in columns}) > 1)
    differing = [part for part, is_shown in zip(column[1:], several, strict=True) if is_shown]
    words = " ".join(", ".join(differing).split())
    short = words if len(words) <= _LONGEST_COLUMN else f"{words[: _LONGEST_COLUMN - 1]}…"
    return f" [{short}]" if differing else ""
