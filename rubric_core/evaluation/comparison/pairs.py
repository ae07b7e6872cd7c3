"""Pairs the cases of two runs: which are compared, and why the others are not."""

from collections.abc import Iterable, Iterator
from enum import Enum
from statistics import fmean
from typing import NamedTuple

from rubric_core.evaluation.model.result import Verdict
from rubric_core.evaluation.results.records import RunCase
from rubric_core.lazy_compilation import dataclass

__all__ = ["CaseChange", "CasePair", "differ", "pair_cases", "repeat_scores", "score_of"]

#: Scores that differ by less are the same.
_DUST = 1e-9


class CaseChange(str, Enum):
    """The change of a case from the first run to the second."""

    NO_LONGER_PASSES = "no_longer_passes"
    NOW_PASSES = "now_passes"
    #: Another score, or another verdict; it passed in both runs, or in none.
    MOVED = "moved"
    SAME = "same"
    #: It has a score in one run only, or in none.
    UNSCORED = "unscored"
    #: Another question, or other graders: its scores measure different things.
    TEST_CHANGED = "test_changed"
    ONLY_BEFORE = "only_before"
    ONLY_AFTER = "only_after"


@dataclass(frozen=True, slots=True)
class CasePair:
    """A case in the first run and in the second; None in a run that does not have it."""

    before: RunCase | None
    after: RunCase | None

    @property
    def case(self) -> RunCase:
        """The newer of the two."""
        found = self.after or self.before
        assert found is not None  # a pair has one of them
        return found

    @property
    def name(self) -> str:
        """`suite.eval.yaml::id`, as `rubric run` takes it."""
        return f"{self.case.suite}::{self.case.id}"

    @property
    def target(self) -> str:
        """The target: `bot`, or `bot → other` for two targets."""
        if self.before is None or self.after is None or self.before.target == self.after.target:
            return self.case.target
        return f"{self.before.target} → {self.after.target}"

    @property
    def change(self) -> CaseChange:
        """The change. A changed test takes precedence: its scores are not compared."""
        if self.before is None or self.after is None:
            return CaseChange.ONLY_AFTER if self.before is None else CaseChange.ONLY_BEFORE
        if _test_differs(self.before, self.after):
            return CaseChange.TEST_CHANGED
        if score_of(self.before) is None or score_of(self.after) is None:
            return CaseChange.UNSCORED
        return _scored_change(self.before, self.after)

    @property
    def compared(self) -> bool:
        """Whether it counts in statistics: the same test, with a score in both runs."""
        return self.change in (
            CaseChange.NO_LONGER_PASSES, CaseChange.NOW_PASSES, CaseChange.MOVED, CaseChange.SAME,
        )  # fmt: skip

    @property
    def difference(self) -> float | None:
        """The difference of the scores; None if one is missing. The scores may be of different tests."""
        before, after = self.scores
        return None if before is None or after is None else after - before

    @property
    def scores(self) -> tuple[float | None, float | None]:
        """The scores of 0..1 in both runs."""
        return (
            None if self.before is None else score_of(self.before),
            None if self.after is None else score_of(self.after),
        )


def score_of(case: RunCase) -> float | None:
    """The compared score of a case: the mean of its repeats. None without a score of the answer."""
    if case.summary.lacks_a_verdict or case.summary.score is None:
        return None
    return fmean(repeat_scores(case) or [case.summary.score])


def repeat_scores(case: RunCase) -> list[float]:
    """The scores of a case's repeats; its only score if it ran once."""
    scores = [each.score for each in case.repeats] or [case.summary.score]
    return [score for score in scores if score is not None]


def differ(one: float, other: float) -> bool:
    """Whether two scores are not the same; sums of decimal fractions miss each other a little."""
    return abs(one - other) > _DUST


def _scored_change(before: RunCase, after: RunCase) -> CaseChange:
    passed, passes = (each.summary.verdict is Verdict.PASSED for each in (before, after))
    if passed != passes:
        return CaseChange.NOW_PASSES if passes else CaseChange.NO_LONGER_PASSES
    one, other = score_of(before), score_of(after)
    same = one is not None and other is not None and not differ(one, other)
    return CaseChange.SAME if same and before.summary.verdict is after.summary.verdict else CaseChange.MOVED


def _test_differs(before: RunCase, after: RunCase) -> bool:
    """Whether both are known to be of different tests; an earlier version of rubric did not note which test it was."""
    one, other = before.summary.test_fingerprint, after.summary.test_fingerprint
    return bool(one and other) and one != other


class _Place(NamedTuple):
    suite: str
    id: str


def pair_cases(before: Iterable[RunCase], after: Iterable[RunCase]) -> list[CasePair]:
    """Every case of both runs, by suite and id.

    A case that several targets answer is paired target by target. Where a run has another target than the other one,
    and each one only, these are compared. A case that ran again within a run counts as it ran last.
    """
    earlier, later = _by_place(before), _by_place(after)
    return [pair for place in {**earlier, **later} for pair in _pairs(earlier.get(place, {}), later.get(place, {}))]


def _by_place(cases: Iterable[RunCase]) -> dict[_Place, dict[str, RunCase]]:
    found: dict[_Place, dict[str, RunCase]] = {}
    for case in cases:
        found.setdefault(_Place(case.suite, case.id), {})[case.target] = case
    return found


def _pairs(before: dict[str, RunCase], after: dict[str, RunCase]) -> Iterator[CasePair]:
    common = [target for target in before if target in after]
    yield from (CasePair(before[target], after[target]) for target in common)
    went = [case for target, case in before.items() if target not in after]
    came = [case for target, case in after.items() if target not in before]
    if len(went) == len(came) == 1 and not common:
        yield CasePair(went[0], came[0])
        return
    yield from (CasePair(case, None) for case in went)
    yield from (CasePair(None, case) for case in came)
