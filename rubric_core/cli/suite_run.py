"""One run of one suite: what is done is told and kept at once, whatever becomes of the rest."""

import argparse
import asyncio
import gc
import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, TextIO

from rubric_core.adapters import system_ports
from rubric_core.cli.chosen import again, still_to_do
from rubric_core.cli.report import Report
from rubric_core.cli.told import ToldToEnd
from rubric_core.evaluation.attempt import targets_of
from rubric_core.evaluation.derived import DerivedMetrics
from rubric_core.evaluation.events import CaseDone, Event
from rubric_core.evaluation.result import CaseResult, Verdict
from rubric_core.evaluation.rows import case_row
from rubric_core.evaluation.run import save_recordings
from rubric_core.evaluation.runnable import Runnable
from rubric_core.evaluation.schedule import run_cases
from rubric_core.evaluation.store import ResultStore
from rubric_core.evaluation.suites import LoadedSuite
from rubric_core.evaluation.writing import json_text

__all__ = ["Done", "SuiteRun"]


class Done(NamedTuple):
    """A suite that was run."""

    suite: LoadedSuite
    results: Sequence[CaseResult]
    derived: DerivedMetrics
    #: How those cases ended that `--resume` left out.
    before: Counter[Verdict]


class SuiteRun:
    """One run: what is done is kept at once, whatever becomes of the rest."""

    def __init__(self, suite: LoadedSuite, cases: list[Runnable], options: argparse.Namespace, out: TextIO) -> None:
        self._suite = suite
        self._options = options
        self._again = again(options, [str(suite.path)], "failed")
        self._report = Report(suite, cases, options.format, out, self._again, explain=options.explain)
        self._out = out
        self._began = time.monotonic()
        self._told = ToldToEnd()
        self._cases = cases
        self._store = ResultStore.of(suite.path)
        #: The results so far.
        self._done: list[CaseResult] = []
        #: How those cases ended that `--resume` left out.
        self._before: Counter[Verdict] = Counter()
        self._derived = DerivedMetrics(suite.analysis.suite)
        #: Results that could not be stored yet.
        self._unkept: list[CaseResult] = []

    @property
    def signal(self) -> int:
        """The signal that broke it off; 0 for none."""
        return self._told.signal

    def to_end(self) -> Done:
        """Run, put what is done in its place, and report; also when this is broken off, which it raises."""
        text = self._options.format == "text"
        gc.freeze()  # what was read stays until the end: no need to look through it again and again
        try:
            results = asyncio.run(self._told_to_end())
        except (KeyboardInterrupt, asyncio.CancelledError):
            if text and self._done:
                self._report.finish(self._done, time.monotonic() - self._began, inline=False)
            raise
        gc.unfreeze()
        if text:
            took = time.monotonic() - self._began
            self._report.finish(results, took, explain=self._options.explain, before=self._before)
        return Done(self._suite, results, self._derived, self._before)

    async def _told_to_end(self) -> list[CaseResult]:
        with self._told.cancels_this_task():
            return await self._results()

    async def _results(self) -> list[CaseResult]:
        async with system_ports() as ports:
            if self._options.resume:
                self._cases, self._before = still_to_do(self._cases, ports)
                self._report = Report(
                    self._suite,
                    self._cases,
                    self._options.format,
                    self._out,
                    self._again,
                    explain=self._options.explain,
                )
            try:
                async with self._report.live.drawing():
                    return await run_cases(self._cases, ports, self._heard, self._options.workers, self._report.kept)
            finally:
                self._keep()
                for note in dict.fromkeys(note for case in self._cases for note in targets_of(case, ports).notes):
                    print(f"rubric: {note}", file=sys.stderr)

    def broken_off(self, *, several: bool) -> str:
        """What there is after a run that was broken off, and how to go on."""
        which = f" of {self._suite.path}" if several else ""
        kept = f"; {len(self._done)} of {len(self._cases)} cases{which} are done and kept" if not self._unkept else ""
        # What did not pass before and did now is not among the failed any more; what failed again is among what is done.
        goes_on = again(self._options, self._options.suites, "failed" if self._options.failed else "resume")
        return f"stopped{kept}; {goes_on} runs the others"

    def _heard(self, event: Event) -> None:
        if isinstance(event, CaseDone):
            self._done.append(self._report.kept(event.result))
            self._derived.take(event.result)
            self._note(event.result)
            if self._options.format == "jsonl":
                head = {"suite": str(self._suite.path), "dialect": self._suite.analysis.dialect.name}
                print(json_text({**head, **case_row(event.result)}), file=self._out, flush=True)
        self._report.heard(event)

    def _note(self, result: CaseResult) -> None:
        try:
            self._store.note(result)
        except OSError as error:
            if not self._unkept:
                self._report.live.clear()
                print(f"rubric: results cannot be stored: {error}", file=sys.stderr)
            self._unkept.append(result)

    def _keep(self) -> None:
        """Put what is done in its place; what could not be stored before may be now."""
        name, dialect = self._suite.path.name, self._suite.analysis.dialect.name
        try:
            if self._unkept:
                self._store.add(self._unkept, name, dialect)
                print("rubric: now they are stored", file=sys.stderr)
                self._unkept.clear()
            else:
                self._store.settle(name, dialect)
            save_recordings(self._cases)
        except OSError as error:
            if not self._unkept:
                print(f"rubric: the results could not be stored: {error}", file=sys.stderr)
