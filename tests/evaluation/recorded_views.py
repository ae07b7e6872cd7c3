"""Everything that is made of results for people and programs, as checksums: one line for each suite.

A checksum that changes alone says which view to look at: what the view shows is in the record of the results.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from types import SimpleNamespace
from typing import Any

from record import checksum
from recorded_world import World

from rubric_core.evaluation.cases.case_labels import metadata_of, tags_of
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.comparison.compare import Comparison
from rubric_core.evaluation.exporting.formats import ExportFormat, exported
from rubric_core.evaluation.exporting.run_cases import ExportedRun
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.report_page.comparison_data import compared
from rubric_core.evaluation.report_page.report_data import latest_of_each, report_data, stored_case
from rubric_core.evaluation.reporting.comparison_report import comparison_lines, comparison_markdown, comparison_row
from rubric_core.evaluation.reporting.explain import explanation
from rubric_core.evaluation.reporting.failure_lines import failure_lines
from rubric_core.evaluation.reporting.inline_marks import marks_of
from rubric_core.evaluation.reporting.rows import case_row, evaluation_row
from rubric_core.evaluation.reporting.transcript import transcript
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.records import RunCase, RunInfo, RunRecord, RunState

__all__ = ["store", "texts", "views"]

NOW = datetime(2026, 11, 22, tzinfo=timezone.utc)
_EXPORTS: tuple[ExportFormat, ...] = ("csv", "json", "jsonl", "junit", "markdown", "promptfoo")
#: What would change the verdict of a case takes long to find where it has very many evaluators.
_MOST = 20


def views(world: World, cases: Sequence[Runnable], results: Sequence[CaseResult]) -> Iterator[str]:
    """Lines with the checksum of each view."""
    found = texts(world, cases, results)
    yield f"views: {' '.join(f'{name} {checksum(world.normal(text))}' for name, text in found.items())}"


def texts(world: World, cases: Sequence[Runnable], results: Sequence[CaseResult]) -> Mapping[str, str]:
    """Each view as text."""
    by_id = {case.id: case for case in cases}
    database = ResultDatabase(world.folder, world.folder / "results.db")
    record, stored = store(database, by_id, results)
    run = ExportedRun(record, lambda: iter(stored), prompts=True)
    after, others = store(database, by_id, list(_changed(results)))
    comparison = Comparison(record, after, stored, others)
    runs: Any = SimpleNamespace(cases=lambda each: stored if each is record else others)
    shown = latest_of_each(stored)
    return {
        "explain": _joined(line for each in results if len(each.evaluators) < _MOST for line in explanation(each)),
        "failures": _joined(line for each in results for line in failure_lines(each)),
        "transcript": _joined(line for each in results for line in transcript(each)),
        "marks": _joined(str(mark) for each in results if each.id in by_id for mark in marks_of(by_id[each.id], each)),
        "rows": _joined(_json([case_row(each), evaluation_row(each, grader_raw_request=True)]) for each in results),
        "page": _json(report_data(record, shown, now=NOW, trend=[record])),
        "details": _json([stored_case(each, record, before=each) for each in shown if len(each.scores) < _MOST]),
        "cut": _json([stored_case(each, record, longest=40) for each in shown if len(each.scores) < _MOST]),
        "compared": _joined([*comparison_lines(comparison), comparison_markdown(comparison)]),
        "comparison": _json([comparison_row(comparison), compared(runs, record, after)[0]]),
        "stored": _joined(str(each) for each in [record, *stored]),
        **{form: "".join(exported(run, form)) for form in _EXPORTS},
    }


def _changed(results: Sequence[CaseResult]) -> Iterator[CaseResult]:
    """What another run might have given: some cases are better, some worse, some gone, and all took longer."""
    for number, each in enumerate(results):
        took, cost = 2 * (each.duration_ms or 0.0) + 1, (each.cost_usd or 0.0) + 0.01
        if number % 3 == 0:
            yield replace(each, verdict=Verdict.FAILED, score=0.25, duration_ms=took, cost_usd=cost)
        elif number % 7 != 1:
            yield replace(each, verdict=Verdict.PASSED, score=1.0, duration_ms=took, evaluators=each.evaluators[:1])


def store(
    database: ResultDatabase, cases: Mapping[str, Runnable], results: Sequence[CaseResult]
) -> tuple[RunRecord, list[RunCase]]:
    """A run as it is read again from a database; what was stored is what is read."""
    suites = list(dict.fromkeys(case.path for case in cases.values()))
    writer = database.begin(RunInfo(command=("rubric", "run"), suites=suites, rubric_version="1"))
    for each in results:
        case = cases[each.id]
        writer.add(each, suite=case.path, tags=tags_of(case), metadata=metadata_of(case))
    writer.end(RunState.DONE)
    (record, *_) = database.runs()
    stored = list(database.cases(record))
    for each, read in zip(results, stored, strict=True):
        assert read.result == replace(each, runs=())
    times = {"id": "20261121-120000-0000", "started_at": "2026-11-21T12:00:00Z", "ended_at": "2026-11-21T12:01:00Z"}
    return replace(record, **times, duration_ms=60_000.0), stored


def _json(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False, default=str)


def _joined(lines: Iterable[str]) -> str:
    return "\n".join(lines)
