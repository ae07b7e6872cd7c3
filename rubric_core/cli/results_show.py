"""`rubric results show`: the cases of a stored run, or one case in full."""

import argparse
import sys
from collections.abc import Iterator

from rubric_core.cli.sanitize import StreamSanitizer
from rubric_core.evaluation.model.result import CaseResult
from rubric_core.evaluation.reporting.explain import explanation
from rubric_core.evaluation.reporting.inline_marks import SIGNS, seconds_words
from rubric_core.evaluation.reporting.transcript import transcript
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.records import RunCase, RunNotFoundError, RunRecord
from rubric_core.evaluation.results.signatures import FOREIGN

__all__ = ["show_run"]


def show_run(database: ResultDatabase, options: argparse.Namespace) -> None:
    """Print a run. Raises RunNotFoundError, also for an unknown case."""
    selector, _, name = options.run.partition("::")
    run = database.find(selector or "last")
    # For users, also through a pager or in a log: control sequences in answers have no effect.
    safe = StreamSanitizer(sys.stdout)
    for line in _cases_lines(database, run, name) if name else _run_lines(database, run):
        print(safe(line))


def _run_lines(database: ResultDatabase, run: RunRecord) -> Iterator[str]:
    yield from _head(run)
    yield from (_line(case, several=len(run.targets) > 1) for case in database.cases(run))


def _head(run: RunRecord) -> Iterator[str]:
    yield f"run       {run.id}, {run.state.value}"
    if not run.is_own:
        yield f"not yours {FOREIGN}: it decides nothing"
    yield f"started   {run.started_at}"
    if run.command:
        yield f"command   {' '.join(run.command)}"
    if run.commit:
        yield f"commit    {run.commit}{', with changes' if run.dirty else ''}"
    for name, values in (("suites", run.suites), ("targets", run.targets), ("judges", run.judges)):
        if values:
            yield f"{name:<9} {', '.join(values)}"
    if run.tokens is not None:
        yield f"tokens    {run.tokens.total:,}"
    if run.cost_usd is not None:
        yield f"cost      ${run.cost_usd:.4g}"
    yield ""


def _line(case: RunCase, *, several: bool) -> str:
    score = f"{case.summary.score:.2f}" if case.summary.score is not None else "    "
    name = f"{case.id} ({case.target})" if several else case.id
    took = seconds_words(case.summary.duration_ms)
    foreign = "" if case.is_own else "not yours"
    parts = (f"{SIGNS[case.summary.verdict]} {score}", f"{case.suite}::{name}", took, foreign)
    return "  ".join(part for part in parts if part)


def _cases_lines(database: ResultDatabase, run: RunRecord, name: str) -> Iterator[str]:
    found = False
    for case in database.cases(run):
        if case.id == name:
            found = True
            yield _line(case, several=True)
            yield from _whole(case.result)
    if not found:
        raise RunNotFoundError(f"the run {run.id} has no case {name} (`rubric results show {run.id}` lists its cases)")


def _whole(result: CaseResult) -> Iterator[str]:
    yield ""
    yield from explanation(result)
    if result.answer:
        yield ""
        yield "answer:"
        yield from (f"  {line}" for line in result.answer.splitlines())
    sent = list(transcript(result))
    if sent:
        yield ""
        yield from sent
