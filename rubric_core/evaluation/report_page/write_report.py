"""Writes the report of a run into one file."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import dropwhile
from pathlib import Path

from rubric_core.evaluation.report_page.data import CaseData, ComparisonData
from rubric_core.evaluation.report_page.document import html_document, packed
from rubric_core.evaluation.report_page.report_data import (
    DETAILS_PER_PIECE,
    CaseKey,
    case_key,
    latest_of_each,
    report_data,
    stored_case,
)
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.journal import write_atomically
from rubric_core.evaluation.results.records import RunCase, RunRecord, are_own

__all__ = ["earlier_runs", "report_pieces", "write_report"]

#: Runs in a trend at most, and how many of the cases of the run that is shown they have at least.
_TREND, _SHARE = 30, 0.5
#: Characters that the details of cases may take: of any report, and of each case beyond the first thousand.
_ROOM, _ROOM_PER_CASE, _CASES = 1_000_000, 800, 1000
#: Characters of a text: the first of these with which the details have room.
_LENGTHS = (20_000, 6_000, 2_000, 800, 300, 100)


def earlier_runs(database: ResultDatabase, run: RunRecord) -> list[RunRecord]:
    """Runs of the same suites up to this one, oldest first, without runs of only a few cases, or of somebody else."""
    until = dropwhile(lambda each: each.id != run.id, database.runs(suites=run.suites))
    alike = [each for each in until if set(each.suites) == set(run.suites)]
    enough = [each for each in alike if each.id == run.id or (each.is_own and each.cases >= _SHARE * run.cases)]
    return enough[:_TREND][::-1]


def report_pieces(
    run: RunRecord,
    cases: Sequence[RunCase],
    *,
    now: datetime,
    trend: Sequence[RunRecord] = (),
    comparison: ComparisonData | None = None,
    before: Mapping[CaseKey, RunCase] | None = None,
) -> Iterator[str]:
    """The page of a run as text, piece by piece.

    Args:
        run: The run.
        cases: Its cases; of a repeated one, the last counts.
        now: The time of the report.
        trend: Runs of the trend, oldest first, including this one.
        comparison: The comparison with another run.
        before: The cases of that run, by the cases that they are compared with.
    """
    shown = latest_of_each(cases)
    data = report_data(run, shown, now=now, trend=trend, is_foreign=not are_own(run, cases))
    if comparison is not None:
        data["comparison"] = comparison
    yield from html_document(data, _details(shown, run, before or {}))


def write_report(
    path: Path, database: ResultDatabase, run: RunRecord, *, base: RunRecord | None = None, now: datetime
) -> None:
    """Write the page of a run, compared with `base` if there is one. Raises OSError, and ResultStoreError for the database."""
    comparison, before = None, None
    if base is not None:
        from rubric_core.evaluation.report_page.comparison_data import compared  # noqa: PLC0415  # statistics

        comparison, before = compared(database, base, run)
    cases, trend = list(database.cases(run)), earlier_runs(database, run)
    write_atomically(path, report_pieces(run, cases, now=now, trend=trend, comparison=comparison, before=before))


def _details(cases: Sequence[RunCase], run: RunRecord, before: Mapping[CaseKey, RunCase]) -> Iterator[str]:
    """The details in packed pieces. If they are too large, texts are cut, which each case reports."""
    room = float(_ROOM + _ROOM_PER_CASE * max(0, len(cases) - _CASES))
    for start in range(0, len(cases), DETAILS_PER_PIECE):
        some = cases[start : start + DETAILS_PER_PIECE]
        share = room * len(some) / (len(cases) - start)
        piece = next(_fitting(some, run, before, share))
        room -= len(piece)
        yield piece


def _fitting(cases: Sequence[RunCase], run: RunRecord, before: Mapping[CaseKey, RunCase], room: float) -> Iterator[str]:
    """The piece with the longest texts that fits; with the shortest when none does."""
    for longest in _LENGTHS:
        made: list[CaseData] = [
            stored_case(case, run, before=before.get(case_key(case)), longest=longest) for case in cases
        ]
        piece = packed(made)
        if len(piece) <= room or longest == _LENGTHS[-1]:
            yield piece
