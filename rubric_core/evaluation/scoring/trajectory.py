"""Tool calls that were made against those that were expected."""

from collections.abc import Mapping, Sequence
from typing import Any

from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.scoring.json_path import MISSING, at_path, value_fits
from rubric_core.lazy_compilation import dataclass, field
from rubric_core.ports import ToolUse

__all__ = ["ExpectedStep", "Tally", "compare_trajectory"]


@dataclass(frozen=True, slots=True)
class ExpectedStep:
    """One expected call."""

    tool: str
    #: None for any arguments.
    args: Mapping[str, Any] | None = None
    #: exact, ignore, subset, superset, or a list of paths to compare.
    match: Any = "exact"
    max_duration_ms: float | None = None

    def fits(self, use: ToolUse) -> bool:
        """Whether the arguments of a call are the expected ones."""
        if self.args is None or self.match == "ignore":
            return True
        if use.input is None or self.match == "exact":
            return value_fits(self.args, use.input, exact=True)
        named = use.input if isinstance(use.input, Mapping) else {}
        if isinstance(self.match, list):
            wanted = ((at_path(self.args, str(path)), at_path(named, str(path))) for path in self.match)
            return all(one is MISSING or value_fits(one, other, exact=True) for one, other in wanted)
        if self.match == "superset":
            return _within(self.args, named)
        return _within(named, self.args) and bool(named) == bool(use.input)


def _within(some: Mapping[str, Any], all_of: Mapping[str, Any]) -> bool:
    return all(name in all_of and value_fits(value, all_of[name], exact=True) for name, value in some.items())


@dataclass
class Tally:
    """Counts met and missed expectations."""

    hits: list[str] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)
    #: Worth saying, but not counted.
    notes: list[str] = field(default_factory=list)

    def count(self, holds: bool, hit: str, miss: str) -> None:
        """One check."""
        if holds:
            self.hits.append(hit)
        else:
            self.misses.append(miss)

    def score(self, empty: float = 1.0) -> EvaluationScore:
        """The share of checks that hold; `empty` when there was none."""
        checked = len(self.hits) + len(self.misses)
        return EvaluationScore(
            score=len(self.hits) / checked if checked else empty,
            hits=tuple(self.hits),
            misses=(*self.misses, *self.notes),
            expected_aspect_count=checked,
        )


def compare_trajectory(mode: str, steps: Sequence[ExpectedStep], uses: Sequence[ToolUse]) -> EvaluationScore:
    """The score of a mode: in_order, exact, subset or superset."""
    if not steps:
        return _nothing_expected(mode, uses)
    return {"in_order": _in_order, "exact": _exact, "superset": _superset, "subset": _subset}[mode](steps, uses).score()


def _nothing_expected(mode: str, uses: Sequence[ToolUse]) -> EvaluationScore:
    holds = mode != "subset" or not uses
    return EvaluationScore.check(holds, "no calls are expected", f"{len(uses)} calls where none is allowed")


def _timed(tally: Tally, step: ExpectedStep, use: ToolUse | None) -> None:
    """A limit on the duration of a call. It does not apply to a call that was not made as expected; an unmeasured duration does not count."""
    if step.max_duration_ms is None:
        return
    if use is None:
        tally.count(
            False,
            "",
            f"{step.tool}: its limit of {step.max_duration_ms:g} ms was not checked, because there was no such call",
        )
    elif use.duration_ms is None:
        tally.notes.append(f"{step.tool}: its duration is unknown, so its limit was not checked")
    else:
        took = f"{step.tool} took {use.duration_ms:g} ms"
        tally.count(use.duration_ms <= step.max_duration_ms, took, f"{took}, the limit is {step.max_duration_ms:g}")


def _in_order(steps: Sequence[ExpectedStep], uses: Sequence[ToolUse]) -> Tally:
    tally, start = Tally(), 0
    for step in steps:
        # The search for a missing call continues to the end: as in AgentV, nothing is found after it.
        at = next((i for i in range(start, len(uses)) if uses[i].tool == step.tool), len(uses))
        start = at + 1
        use = uses[at] if at < len(uses) else None
        fits = use is not None and step.fits(use)
        miss = f"{step.tool} was {'not called in order' if use is None else 'called with other arguments'}"
        tally.count(fits, f"{step.tool} was called", miss)
        _timed(tally, step, use if fits else None)
    return tally


def _exact(steps: Sequence[ExpectedStep], uses: Sequence[ToolUse]) -> Tally:
    tally = Tally()
    for position, step in enumerate(steps):
        use = uses[position] if position < len(uses) else None
        place = f"call {position + 1}"
        if use is None or use.tool != step.tool:
            tally.count(False, "", f"{place} is {use.tool if use else 'missing'}, expected is {step.tool}")
            _timed(tally, step, None)
            continue
        fits = step.fits(use)
        tally.count(fits, f"{place} is {step.tool}", f"{place} is {step.tool} with other arguments")
        _timed(tally, step, use if fits else None)
    if len(uses) > len(steps):
        tally.notes.append(f"{len(uses) - len(steps)} calls more than expected")
    return tally


def _superset(steps: Sequence[ExpectedStep], uses: Sequence[ToolUse]) -> Tally:
    tally, left = Tally(), list(uses)
    for step in steps:
        found = next((use for use in left if use.tool == step.tool and step.fits(use)), None)
        if found is not None:
            left.remove(found)
        tally.count(found is not None, f"{step.tool} was called", f"{step.tool} was not called as expected")
    return tally


def _subset(steps: Sequence[ExpectedStep], uses: Sequence[ToolUse]) -> Tally:
    tally = Tally()
    for use in uses:
        allowed = any(step.tool == use.tool and step.fits(use) for step in steps)
        tally.count(allowed, f"{use.tool} is allowed", f"{use.tool} was called and is not among the expected calls")
    return tally
