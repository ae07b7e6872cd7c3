"""The shares of weights: of a rubric, of a case and of a suite."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rubric_core.analysis import Analysis
from rubric_core.language.dialect import Dialect
from rubric_core.language.evaluators import Composite, Criterion, Evaluator
from rubric_core.language.model import Case, Suite
from rubric_core.loading.grading import evaluators_of, gather_evaluators, suite_list
from rubric_core.text import Span

__all__ = ["WeightShare", "percent", "shares_of", "suite_shares"]


@dataclass(frozen=True, slots=True)
class WeightShare:
    """The shares of a criterion or evaluator, each 0..1, None if the weights sum up to 0."""

    of: Criterion | Evaluator
    #: Of its rubric or composite, else of the case.
    here: float | None
    case: float | None
    #: The part that the first share refers to.
    inside: str

    def words(self, cases: int) -> str:
        """The shares in words; `cases` is the number of cases in the suite."""
        if self.here is None:
            return ""
        parts = [f"{percent(self.here)} of this {self.inside}"]
        if self.case is not None and self.inside != "case":
            parts.append(f"{percent(self.case)} of the case")
        if self.case is not None and cases > 1:
            parts.append(f"{percent(self.case / cases)} of the suite")
        return ", ".join(parts)


def percent(share: float) -> str:
    """A share as a percentage."""
    number = share * 100
    shown = f"{number:.0f}" if number >= 10 or abs(number - round(number)) < 0.05 else f"{number:.1f}"
    return f"{shown} %"


def shares_of(analysis: Analysis, case: Case) -> Iterator[WeightShare]:
    """Every weighted part of a case, inherited ones included."""
    suite = analysis.suite or Suite(Span(0, 0))
    dialect = analysis.dialect
    yield from _of(evaluators_of(suite, case, dialect), 1.0, "case", dialect)


def suite_shares(analysis: Analysis) -> Iterator[WeightShare]:
    """Every weighted part inside the evaluators of a suite."""
    given = gather_evaluators((analysis.suite and suite_list(analysis.suite)) or (), analysis.dialect)
    inside = _of(given, None, "case", analysis.dialect)
    yield from (share for share in inside if not any(share.of is each for each in given))


def _of(
    parts: Sequence[Criterion | Evaluator], outer: float | None, inside: str, dialect: Dialect
) -> Iterator[WeightShare]:
    weights = [_weight(each) for each in parts]
    total = sum(weights)
    for each, weight in zip(parts, weights, strict=True):
        here = weight / total if total > 0 else None
        case = here * outer if here is not None and outer is not None else None
        yield WeightShare(each, here, case, inside)
        if isinstance(each, Composite):
            # An aggregator weights its members by its own table.
            yield from _of(gather_evaluators(_listed(each.assertions), dialect), None, "composite", dialect)
        else:
            criteria = [c for c in _listed(vars(each).get("criteria")) if isinstance(c, Criterion)]
            yield from _of(criteria, case, "rubric", dialect)


def _weight(each: Criterion | Evaluator) -> float:
    weight: object = each.weight
    known = isinstance(weight, int | float) and not isinstance(weight, bool) and 0 <= weight < float("inf")
    return float(weight) if known and isinstance(weight, int | float) else 0.0


def _listed(value: object) -> Iterable[object]:
    return value if isinstance(value, list) else ()
