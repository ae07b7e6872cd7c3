"""Two runs as the page compares them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from rubric_core.evaluation.comparison.compare import Comparison, Totals
from rubric_core.evaluation.comparison.groups import Group
from rubric_core.evaluation.comparison.pairs import CaseChange, CasePair
from rubric_core.evaluation.report_page.data import (
    ComparisonData,
    DifferenceData,
    PairData,
    SideData,
)
from rubric_core.evaluation.report_page.report_data import CaseKey, case_key, latest_of_each, run_data
from rubric_core.evaluation.reporting.comparison_report import conclusion_words, left_out_words
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.records import RunCase, RunRecord

__all__ = ["compared"]


def compared(
    database: ResultDatabase, base: RunRecord, run: RunRecord
) -> tuple[ComparisonData, Mapping[CaseKey, RunCase]]:
    """The comparison of two runs for the page, and the earlier cases whose details it shows, by the later ones."""
    earlier, later = (latest_of_each(database.cases(each)) for each in (base, run))
    found = Comparison(base, run, earlier, later)
    places = {case_key(case): place for place, case in enumerate(later)}
    data: ComparisonData = {
        "base": run_data(base, earlier),
        "words": " ".join(_sentence(each) for each in (conclusion_words(found), left_out_words(found)) if each),
        "differences": list(_differences(found)),
        "groups": [_group(each) for each in found.groups],
        "pairs": [_pair(each, places) for each in found.pairs],
    }
    return data, dict(_changed(found.pairs))


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def _changed(pairs: Sequence[CasePair]) -> Iterator[tuple[CaseKey, RunCase]]:
    """The pairs of which both sides are worth reading."""
    for pair in pairs:
        if pair.before is not None and pair.after is not None and pair.change is not CaseChange.SAME:
            yield case_key(pair.after), pair.before


def _pair(pair: CasePair, places: Mapping[CaseKey, int]) -> PairData:
    row: PairData = {"change": pair.change.value, "id": pair.case.id, "target": pair.target}
    if pair.before is not None:
        row["before"] = _side(pair.before, pair.scores[0])
    if pair.after is not None:
        row["after"] = _side(pair.after, pair.scores[1])
        place = places.get(case_key(pair.after))
        if place is not None:
            row["case"] = place
    return row


def _side(case: RunCase, score: float | None) -> SideData:
    side: SideData = {"verdict": case.summary.verdict.value}
    if score is not None:
        side["score"] = score
    return side


def _differences(found: Comparison) -> Iterator[DifferenceData]:
    flips, means, interval = found.flips, found.means, found.interval
    if flips.cases:
        yield {
            "name": "Passed", "unit": "rate", "before": flips.before / flips.cases, "after": flips.after / flips.cases,
            "p": flips.p_value, "cases": flips.cases,
        }  # fmt: skip
    if means is not None:
        score: DifferenceData = {
            "name": "Mean score", "unit": "score", "before": means[0], "after": means[1], "cases": len(found.compared),
        }  # fmt: skip
        if interval is not None:
            score["low"], score["high"] = interval
            if interval.direction:
                score["direction"] = "better" if interval.direction > 0 else "worse"
        yield score
    if found.duration_ms is not None:
        yield _total("Time of all cases", found.duration_ms, "ms")
    if found.cost_usd is not None:
        yield _total("Cost", found.cost_usd, "usd")


def _total(name: str, totals: Totals, unit: Literal["ms", "usd"]) -> DifferenceData:
    return {"name": name, "unit": unit, "before": totals.before, "after": totals.after, "cases": totals.cases}


def _group(group: Group) -> DifferenceData:
    row: DifferenceData = {
        "name": f"{group.kind} {group.name}", "unit": "score", "before": group.before, "after": group.after, "cases": group.cases,
        "p": group.adjusted_p_value,
    }  # fmt: skip
    if group.direction:
        row["direction"] = "better" if group.direction > 0 else "worse"
    return row
