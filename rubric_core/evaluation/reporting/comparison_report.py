"""A comparison of two runs for readers: in a terminal, as Markdown, and as plain data."""

from collections.abc import Iterator, Sequence
from typing import Any

from rubric_core.control_characters import mask
from rubric_core.evaluation.comparison.bootstrap import Interval
from rubric_core.evaluation.comparison.compare import Comparison, Conclusion, Totals
from rubric_core.evaluation.comparison.groups import Group
from rubric_core.evaluation.comparison.pairs import CaseChange, CasePair
from rubric_core.evaluation.reporting.inline_marks import seconds_words, shortened
from rubric_core.evaluation.results.records import RunRecord
from rubric_core.language.markdown import plain, table
from rubric_core.validation.wording import count

__all__ = ["comparison_lines", "comparison_markdown", "comparison_row", "conclusion_words", "left_out_words"]

#: Cases that are named below a heading, and groups of each kind; the rest are counted.
_MOST_CASES = 20
_MOST_GROUPS = 12
_LONGEST_NAME = 80
_HEADINGS = {
    CaseChange.NO_LONGER_PASSES: "✘ no longer passes",
    CaseChange.NOW_PASSES: "✔ now passes",
    CaseChange.MOVED: "◐ moved",
    CaseChange.UNSCORED: "○ has a score in one run only, or in none",
    CaseChange.TEST_CHANGED: "≠ the test itself changed: its scores are not compared",
    CaseChange.ONLY_AFTER: "+ not in the first run",
    CaseChange.ONLY_BEFORE: "- not in the second run",
}
_COMMIT = 9


def conclusion_words(comparison: Comparison) -> str:
    """The conclusion as a sentence: `better`, or why there is none."""
    cases = count(len(comparison.compared), "case")
    interval = comparison.interval
    if comparison.conclusion is Conclusion.NOTHING:
        return "nothing to compare: no case has a score in both runs"
    if comparison.conclusion is Conclusion.SAME:
        return f"the same: every score is what it was ({cases})"
    if comparison.conclusion is Conclusion.TOO_FEW or interval is None:
        return f"too few cases to tell ({cases}, of which {comparison.differing} have another score)"
    if comparison.conclusion is Conclusion.NOISE:
        return f"not distinguishable from noise ({cases}, 95 % {_interval(interval)})"
    return f"{comparison.conclusion.value} ({cases}, 95 % {_interval(interval)})"


def left_out_words(comparison: Comparison) -> str:
    """The number of cases that the second run did not select, as a sentence; empty for none."""
    cases, some = count(comparison.left_out, "case"), comparison.left_out > 1
    return f"{cases} of the first run {'were' if some else 'was'} not part of the second" if comparison.left_out else ""


def comparison_lines(comparison: Comparison) -> Iterator[str]:
    """The comparison for a terminal."""
    yield f"  {_run(comparison.before)}"
    yield f"→ {_run(comparison.after)}"
    yield ""
    yield conclusion_words(comparison)
    yield from (f"    {line}" for line in _advice(comparison))
    if comparison.left_out:
        yield left_out_words(comparison)
    yield ""
    for name, before, after, more in _totals(comparison):
        yield f"{name:8}{before:>9} → {after:<9} {more}".rstrip()
    for change, heading in _HEADINGS.items():
        yield from _cases(comparison.with_change(change), heading)
    yield from _group_lines(comparison.groups)


def comparison_markdown(comparison: Comparison) -> str:
    """The comparison as Markdown, for a comment on a pull request. Nothing of a name is rendered."""
    lines = [f"## {_sign(comparison)} rubric: {conclusion_words(comparison)}", ""]
    lines += [f"{line}  " for line in (*_advice(comparison), left_out_words(comparison)) if line]
    lines += [f"{plain(_run(comparison.before))} → {plain(_run(comparison.after))}", ""]
    rows = [[name, before, after, more] for name, before, after, more in _totals(comparison)]
    lines.append(table(["", "Before", "After", ""], rows))
    for change, heading in _HEADINGS.items():
        pairs = comparison.with_change(change)
        if pairs:
            lines += ["", f"### {heading} ({len(pairs)})", ""]
            lines += [f"- {plain(_name(pair))} {_scores(pair)}" for pair in _sorted(pairs)[:_MOST_CASES]]
            lines += [f"- … and {len(pairs) - _MOST_CASES} more"] if len(pairs) > _MOST_CASES else []
    groups = [each for each in comparison.groups if each.before != each.after][:_MOST_GROUPS]
    if groups:
        head = ["", "", "Cases", "Before", "After", "Difference", ""]
        cells = [
            [each.kind, plain(shortened(mask(each.name), _LONGEST_NAME)), str(each.cases), f"{each.before:.2f}", f"{each.after:.2f}",
             f"{each.difference:+.2f}", _direction(each)]
            for each in groups
        ]  # fmt: skip
        lines += ["", "### Where it comes from", "", table(head, cells)]
    return "\n".join(lines) + "\n"


def comparison_row(comparison: Comparison) -> dict[str, Any]:
    """The comparison as plain data (`rubric compare --format json`): scores are 0..1, null is unknown."""
    flips, spread, means = comparison.flips, comparison.spread, comparison.means
    return {
        "before": comparison.before.id, "after": comparison.after.id, "conclusion": comparison.conclusion.value,
        "regressed": comparison.regressed, "cases": len(comparison.compared), "differing": comparison.differing,
        "left_out": comparison.left_out,
        "score": {
            "before": means[0] if means else None, "after": means[1] if means else None, "difference": comparison.difference,
            "interval": _bounds(comparison.interval),
        },
        "passed": {
            "before": flips.before, "after": flips.after, "now_pass": flips.now_pass, "no_longer_pass": flips.no_longer_pass,
            "p_value": flips.p_value,
        },
        "needed": {
            "cases": spread.cases_needed if spread else None, "repeats": spread.repeats_needed if spread else None,
            "detectable": spread.detectable if spread else None,
        },
        "cost_usd": _totals_row(comparison.cost_usd), "duration_ms": _totals_row(comparison.duration_ms),
        "changes": {
            change.value: [_pair_row(pair) for pair in _sorted(comparison.with_change(change))]
            for change in CaseChange if change is not CaseChange.SAME
        },
        "groups": [_group_row(each) for each in comparison.groups],
    }  # fmt: skip


def _advice(comparison: Comparison) -> Iterator[str]:
    """How many cases or repeats would be enough, if these are not."""
    spread = comparison.spread
    if spread is None or comparison.conclusion not in (Conclusion.NOISE, Conclusion.TOO_FEW):
        return
    ways = [f"some {spread.cases_needed:,} cases like these"] if spread.cases_needed else []
    ways += [f"{spread.repeats_needed} repeats of each in both runs"] if spread.repeats_needed else []
    if ways:
        yield f"to tell a difference of {comparison.difference or 0.0:+.2f}: {', or '.join(ways)}"
    if spread.variance and comparison.conclusion is Conclusion.NOISE:
        yield f"as many cases find a difference of {spread.detectable:.2f} or more in four of five comparisons"


def _totals(comparison: Comparison) -> Iterator[tuple[str, str, str, str]]:
    means, flips = comparison.means, comparison.flips
    if means is not None:
        interval = f" (95 % {_interval(comparison.interval)})" if comparison.interval is not None else ""
        yield "score", f"{means[0]:.2f}", f"{means[1]:.2f}", f"{comparison.difference or 0.0:+.2f}{interval}"
    if flips.cases:
        flipped = flips.now_pass + flips.no_longer_pass
        test = f" (McNemar's exact test: p = {flips.p_value:.2g})" if flipped else ""
        words = f"{flips.now_pass} now pass, {flips.no_longer_pass} no longer pass{test}" if flipped else "none flipped"
        yield "passed", f"{flips.before}/{flips.cases}", f"{flips.after}/{flips.cases}", words
    if (cost := comparison.cost_usd) is not None:
        yield "cost", f"${cost.before:.4f}", f"${cost.after:.4f}", _growth(cost)
    if (took := comparison.duration_ms) is not None:
        yield "time", seconds_words(took.before) or "0s", seconds_words(took.after) or "0s", _growth(took)


def _growth(totals: Totals) -> str:
    return "" if totals.growth is None else f"{totals.growth:+.0%}".replace("%", " %")


def _cases(pairs: Sequence[CasePair], heading: str) -> Iterator[str]:
    if not pairs:
        return
    yield ""
    yield f"{heading} ({len(pairs)})"
    for pair in _sorted(pairs)[:_MOST_CASES]:
        yield f"    {_name(pair)}  {_scores(pair)}".rstrip()
    if len(pairs) > _MOST_CASES:
        yield f"    … and {len(pairs) - _MOST_CASES} more"


def _sorted(pairs: Sequence[CasePair]) -> list[CasePair]:
    """The largest differences first."""
    return sorted(pairs, key=lambda pair: -abs(pair.difference or 0.0))


def _name(pair: CasePair) -> str:
    target = f" ({pair.target})" if pair.target and "→" in pair.target else ""
    return f"{shortened(mask(pair.name), _LONGEST_NAME)}{target}"


def _scores(pair: CasePair) -> str:
    before, after = (("–" if score is None else f"{score:.2f}") for score in pair.scores)
    if pair.before is None or pair.after is None:
        return after if pair.before is None else before
    return f"{before} → {after}"


def _group_lines(groups: Sequence[Group]) -> Iterator[str]:
    """The groups that differ, kind by kind, the largest difference first."""
    for kind in dict.fromkeys(each.kind for each in groups):
        moved = sorted((e for e in groups if e.kind == kind and e.better + e.worse), key=lambda e: -abs(e.difference))
        if not moved:
            continue
        yield ""
        yield f"by {kind}"
        widest = min(_LONGEST_NAME, max(len(shortened(mask(each.name), _LONGEST_NAME)) for each in moved))
        for each in moved[:_MOST_GROUPS]:
            name = shortened(mask(each.name), _LONGEST_NAME)
            counts = f"{each.better} higher, {each.worse} lower of {each.cases}"
            line = f"    {name:{widest}}  {each.before:.2f} → {each.after:.2f}  {each.difference:+.2f}  {counts}  {_direction(each)}"
            yield line.rstrip()
        if len(moved) > _MOST_GROUPS:
            yield f"    … and {len(moved) - _MOST_GROUPS} more"


def _direction(group: Group) -> str:
    """Whether a group is better or worse beyond chance, all groups taken together (Holm)."""
    return {1: "better", -1: "worse"}.get(group.direction, "")


def _run(run: RunRecord) -> str:
    commit = f"commit {run.commit[:_COMMIT]}{'*' if run.dirty else ''}" if run.commit else ""
    return "  ".join(part for part in (run.id, commit, ", ".join(run.targets), ", ".join(run.suites[:3])) if part)


def _sign(comparison: Comparison) -> str:
    return {Conclusion.BETTER: "✔", Conclusion.WORSE: "✘"}.get(comparison.conclusion, "◌")


def _interval(interval: Interval) -> str:
    return f"{interval.low:+.2f}…{interval.high:+.2f}".replace("-", "−")


def _bounds(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]


def _totals_row(totals: Totals | None) -> dict[str, Any] | None:
    return None if totals is None else {"before": totals.before, "after": totals.after, "cases": totals.cases}


def _pair_row(pair: CasePair) -> dict[str, Any]:
    before, after = pair.scores
    return {
        "suite": pair.case.suite, "id": pair.case.id, "target": pair.target,
        "before": None if pair.before is None else {"verdict": pair.before.summary.verdict.value, "score": before},
        "after": None if pair.after is None else {"verdict": pair.after.summary.verdict.value, "score": after},
    }  # fmt: skip


def _group_row(group: Group) -> dict[str, Any]:
    return {
        "kind": group.kind, "name": group.name, "type": group.type or None, "cases": group.cases, "before": group.before, "after": group.after,
        "better": group.better, "worse": group.worse, "p_value": group.p_value, "adjusted_p_value": group.adjusted_p_value,
    }  # fmt: skip
