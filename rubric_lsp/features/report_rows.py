"""The report of a case's last run as plain data, for an editor that draws it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rubric_core.evaluation.model.result import CaseResult
from rubric_core.evaluation.report_page.case_data import case_data, known
from rubric_core.language.evaluators import Criterion, ScoreRanges
from rubric_core.validation.bands import sound
from rubric_core.validation.rubrics import criteria_of
from rubric_lsp.features.results import PastRun, ShownCase

if TYPE_CHECKING:
    from rubric_core.evaluation.cases.runnable import Runnable
    from rubric_core.language.shape import Shape
    from rubric_core.text import Span

__all__ = ["ReportContext", "report_row"]

Json = dict[str, Any]


@dataclass(frozen=True)
class ReportContext:
    """The parts of a report besides the result."""

    #: The id of the test.
    test: str
    uri: str
    #: The suite's own name, or that of its file.
    suite: str
    #: The command line that runs the case in a terminal.
    command: str
    markdown: str
    #: The prompt to the target; empty if it is unknown.
    prompt: str
    #: The expected answer; empty without one.
    expected: str
    #: Gives the client's range of a span of the case, or None if it is in no file.
    range_of: "Callable[[Shape | None, Span], Mapping[str, Any] | None]"


def report_row(about: ReportContext, case: "Runnable", shown: ShownCase, result: CaseResult) -> Json:
    """The report of a case that was run, without keys whose value is unknown."""
    row: Json = {**case_data(result, suite=about.suite, command=about.command, prompt=about.prompt)}
    row["suite"]["uri"] = about.uri
    _add_ranges(about, case, shown, result, row["evaluators"])
    more = {
        "testId": about.test, "range": about.range_of(None, case.case.at("id")), "stale": shown.stale, "expectedOutput": about.expected or None,
        "history": [_past(each) for each in shown.history], "markdown": about.markdown,
    }  # fmt: skip
    return {**row, **known(more)}


def _past(past: PastRun) -> Json:
    return known({"verdict": past.verdict, "score": past.score, "at": past.at})


def _add_ranges(about: ReportContext, case: "Runnable", shown: ShownCase, result: CaseResult, rows: list[Json]) -> None:
    """Add the ranges of evaluators and criteria, if the case has not changed since the run."""
    if len(case.evaluators) != len(result.evaluators) or shown.stale:
        return
    for shape, row in zip(case.evaluators, rows, strict=True):
        _put_range(row, about.range_of(shape, shape.span))
        written = criteria_of(shape)
        if len(written) == len(row["criteria"]):
            for criterion, told in zip(written, row["criteria"], strict=True):
                _add_criterion(about, criterion, told)


def _add_criterion(about: ReportContext, criterion: Criterion, row: Json) -> None:
    _put_range(row, about.range_of(criterion, criterion.at("id") if criterion.has("id") else criterion.span))
    if not row["bands"]:  # missing in a result of an earlier version
        row["bands"] = _bands(criterion, row.get("raw"))


def _put_range(row: Json, found: Mapping[str, Any] | None) -> None:
    if found is not None:
        row["range"] = found


def _bands(criterion: Criterion, raw: int | None) -> list[Json]:
    ranges = criterion.score_ranges
    if not isinstance(ranges, ScoreRanges):
        return []
    found: list[Mapping[str, Any]] = []
    for band in sound(ranges):
        low, high = band.low or 0, band.high or 0
        hit = raw is not None and low <= raw <= high
        found.append({"low": low, "high": high, "text": band.text, "hit": hit})
    return [dict(each) for each in sorted(found, key=lambda b: b["low"])]
