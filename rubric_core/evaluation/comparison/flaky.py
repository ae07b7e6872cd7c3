"""Cases that pass in some runs and fail in others, although nothing that they depend on has changed."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from rubric_core.evaluation.comparison.bootstrap import Interval
from rubric_core.evaluation.comparison.proportions import wilson_interval
from rubric_core.evaluation.model.result import Verdict
from rubric_core.evaluation.results.records import RunCase

__all__ = ["CaseHistory", "PastOutcome", "case_histories"]


class PastOutcome(NamedTuple):
    """The outcome of one run of a case; the score is 0..1."""

    passed: bool
    score: float | None


class CaseHistory(NamedTuple):
    """The outcomes of a case, oldest first, as long as nothing that it depends on changed. Unscored ones are left out."""

    suite: str
    id: str
    target: str
    outcomes: Sequence[PastOutcome]

    @property
    def passes(self) -> int:
        """The number of passes."""
        return sum(each.passed for each in self.outcomes)

    @property
    def is_flaky(self) -> bool:
        """Whether it passed in some runs and not in others."""
        return 0 < self.passes < len(self.outcomes)

    @property
    def interval(self) -> Interval:
        """The 95 % interval of its pass rate."""
        return wilson_interval(self.passes, len(self.outcomes))


_Key = tuple[str, str, str]


def case_histories(runs: Iterable[Iterable[RunCase]]) -> list[CaseHistory]:
    """The history of every case.

    Args:
        runs: The cases of each run, newest run first. Runs before the last change of a case do not count for it. Of a
            case that
            ran several times in a run, each time counts.
    """
    fingerprints: dict[_Key, str] = {}
    over: set[_Key] = set()
    found: dict[_Key, list[PastOutcome]] = {}
    for cases in runs:
        for key, case in _last_of_each(cases).items():
            if fingerprints.setdefault(key, case.summary.fingerprint) != case.summary.fingerprint:
                over.add(key)
            if key not in over:
                found.setdefault(key, []).extend(reversed(_outcomes(case)))
    return [CaseHistory(*key, outcomes[::-1]) for key, outcomes in found.items() if outcomes]


def _last_of_each(cases: Iterable[RunCase]) -> Mapping[_Key, RunCase]:
    return {(case.suite, case.id, case.target): case for case in cases}


def _outcomes(case: RunCase) -> list[PastOutcome]:
    if case.repeats:
        each = [(repeat.verdict, repeat.score) for repeat in case.repeats]
    else:
        each = [] if case.summary.lacks_a_verdict else [(case.summary.verdict, case.summary.score)]
    return [PastOutcome(verdict is Verdict.PASSED, score) for verdict, score in each if verdict is not Verdict.UNSCORED]
