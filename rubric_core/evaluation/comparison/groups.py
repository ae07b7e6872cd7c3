"""Breaks a difference down: by evaluator, criterion, tag, target and suite.

Among many rows, some look uneven by chance. So each row counts the cases in which it is better or worse, and is called
so only if the exact sign test is significant after Holm's adjustment for all rows.
"""

from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import Literal

from rubric_core.evaluation.comparison.exact_tests import holm, sign_test
from rubric_core.evaluation.comparison.pairs import CasePair, differ
from rubric_core.evaluation.results.records import EvaluatorScore, RunCase
from rubric_core.lazy_compilation import dataclass, field

__all__ = ["SIGNIFICANT", "Group", "GroupKind", "groups_of"]

GroupKind = Literal["evaluator", "criterion", "tag", "target", "suite"]
#: A p-value below this is called no chance.
SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Some of the scores of a comparison, with their means of 0..1 in both runs."""

    kind: GroupKind
    name: str
    #: The type of an evaluator, else empty.
    type: str = ""
    #: How many cases have a score in both runs.
    cases: int
    before: float
    after: float
    better: int
    worse: int
    #: Of the exact sign test, and adjusted for all groups of the comparison.
    p_value: float
    adjusted_p_value: float

    @property
    def difference(self) -> float:
        """The difference of the means."""
        return self.after - self.before

    @property
    def direction(self) -> int:
        """1 if significantly better, -1 if worse, else 0."""
        if self.adjusted_p_value >= SIGNIFICANT:
            return 0
        return 1 if self.better > self.worse else -1


@dataclass(slots=True)
class _Scores:
    before: list[float] = field(default_factory=list)
    after: list[float] = field(default_factory=list)

    def count(self, sign: int) -> int:
        """In how many cases the score rose (1) or fell (-1)."""
        pairs = zip(self.before, self.after, strict=True)
        return sum(differ(before, after) and sign * (after - before) > 0 for before, after in pairs)


_Key = tuple[GroupKind, str, str]


def groups_of(pairs: Iterable[CasePair]) -> tuple[Group, ...]:
    """The groups of the compared cases. Targets and suites are left out if there is only one."""
    found: dict[_Key, _Scores] = {}
    for pair in pairs:
        for key, before, after in _scores(pair):
            scores = found.setdefault(key, _Scores())
            scores.before.append(before)
            scores.after.append(after)
    return tuple(_groups(_without_lonely(found)))


def _without_lonely(found: dict[_Key, _Scores]) -> dict[_Key, _Scores]:
    """Leave out a single target or suite, which repeats the whole comparison."""
    several = {kind for kind in ("target", "suite") if sum(key[0] == kind for key in found) > 1}
    return {key: scores for key, scores in found.items() if key[0] not in ("target", "suite") or key[0] in several}


def _groups(found: dict[_Key, _Scores]) -> Iterator[Group]:
    counts = [(scores.count(1), scores.count(-1)) for scores in found.values()]
    p_values = [sign_test(*each) for each in counts]
    rows = zip(found.items(), counts, p_values, holm(p_values), strict=True)
    for ((kind, name, kind_of_evaluator), scores), (better, worse), p_value, adjusted in rows:
        yield Group(
            kind=kind, name=name, type=kind_of_evaluator, cases=len(scores.before), before=fmean(scores.before),
            after=fmean(scores.after), better=better, worse=worse, p_value=p_value, adjusted_p_value=adjusted,
        )  # fmt: skip


def _scores(pair: CasePair) -> Iterator[tuple[_Key, float, float]]:
    before, after = pair.scores
    if pair.before is None or pair.after is None or before is None or after is None:
        return
    yield from _evaluator_scores(pair.before, pair.after)
    for tag in dict.fromkeys(pair.after.tags):
        yield ("tag", tag, ""), before, after
    yield ("target", pair.target, ""), before, after
    yield ("suite", pair.after.suite, ""), before, after


def _evaluator_scores(before: RunCase, after: RunCase) -> Iterator[tuple[_Key, float, float]]:
    """The evaluators of both runs by name, without those that lack a score in one of them."""
    earlier = _by_key(before.scores)
    for key, score in _by_key(after.scores).items():
        if key in earlier:
            yield key, earlier[key], score


def _by_key(scores: Sequence[EvaluatorScore]) -> dict[_Key, float]:
    """The scores by name; of several of one name and type their mean."""
    found: dict[_Key, list[float]] = {}
    for each in scores:
        if each.score is not None:
            kind: GroupKind = "criterion" if each.kind == "criterion" else "evaluator"
            found.setdefault((kind, each.path, each.type), []).append(each.score)
    return {key: fmean(values) for key, values in found.items()}
