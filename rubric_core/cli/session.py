"""One run of suites, one after another, with progress."""

import argparse
import asyncio
import gc
import signal
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from rubric_core.cli.export import RunExports
from rubric_core.cli.json_output import JsonReport, JsonRows
from rubric_core.cli.live_table import Live
from rubric_core.cli.plan import SuitePlan
from rubric_core.cli.result_files import ResultFiles
from rubric_core.cli.run_cluster import RunCluster
from rubric_core.cli.run_limits import RunLimits
from rubric_core.cli.run_report import SuiteReport, Volume, listed
from rubric_core.cli.selection import is_partial, resume_command
from rubric_core.cli.stored_run import StoredRun
from rubric_core.cli.suite_run import Ending, ResultDisplay, SuiteRun
from rubric_core.cluster.errors import ClusterError, SchedulerLostError
from rubric_core.evaluation.model.result import Verdict
from rubric_core.evaluation.results.records import RunState
from rubric_core.validation.wording import count

__all__ = ["CliSession"]

#: New objects between two garbage collections during a run: results stay, and little else of a case is in circles.
_NEW = 5_000


class CliSession:
    """Runs a plan.

    Args:
        plans: The suites with their cases.
        options: The command line.
        out: The destination of results.
        several: Whether several suites were requested, even if only one has something to run.
    """

    def __init__(self, plans: Sequence[SuitePlan], options: argparse.Namespace, out: TextIO, *, several: bool) -> None:
        self._options = options
        self._plans = deque(plans)
        self._names = options.suites if several else [str(plan.suite.path) for plan in plans]
        self._count = sum(len(plan.cases) for plan in plans)
        self._done = 0
        #: Whether results, recordings or files of `output_path` could not be written.
        self.lossy = False
        #: The verdicts of all cases, including those skipped by `--resume`.
        self.verdicts: set[Verdict] = set()
        #: Whether an evaluator could not run or crashed.
        self.grader_errors = False
        #: The limits that end the run early.
        self.limits = RunLimits(options)
        #: The ids of the cases that were not run because the run ended early.
        self.not_run: list[str] = []
        #: The exit code of an interrupted run: 128 plus the signal; 0 without interruption.
        self.interrupt_code = 0
        text = options.format == "text"
        volume: Volume = "quiet" if options.quiet else "verbose" if options.verbose else "normal"
        whole = (
            text and volume == "normal" and not several and not any(SuiteReport.is_listed(plan.suite) for plan in plans)
        )
        self._live = Live(out, self._count, plain=whole, whole=whole)
        suites = [plan.suite.path for plan in plans]
        partial = options.resume or any(is_partial(plan.suite, plan.cases) for plan in plans)
        self._stored = StoredRun(
            ("rubric", *options.invocation), suites, self._live.say, stores=not options.no_store, partial=partial
        )
        self._exports = RunExports(
            options.output, ("rubric", *options.invocation), suites, prompts=options.show_prompts
        )
        self._cluster = RunCluster(options, self._live)
        #: Whether the cluster failed.
        self.unusable = False
        self._shown: ResultDisplay
        if text:
            allows = options.allow_grader_errors
            self._shown = SuiteReport(
                out, self._live, several=several, explain=options.explain, show_prompts=options.show_prompts,
                allows_errors=allows, volume=volume,
            )  # fmt: skip
        elif options.format == "json":
            self._shown = JsonReport(self._live, several=several, prompts=options.show_prompts)
        else:
            self._shown = JsonRows(self._live, prompts=options.show_prompts)

    @property
    def stored(self) -> StoredRun:
        """What was stored."""
        return self._stored

    def run(self) -> None:
        """Run all suites, and report."""
        began = time.monotonic()
        try:
            with self._cluster:
                while self._plans and not self.interrupt_code and not self.limits.reason:
                    self._run(self._plans.popleft())
        except ClusterError as error:
            self._end_cluster(error)
        except KeyboardInterrupt:  # while processes of a cluster were started or ended
            self.interrupt_code = 128 + signal.SIGINT
        finally:
            self._end_stored()
        if not self.interrupt_code:
            self.not_run += [case.id for plan in self._plans for case in plan.cases]
        resume_hint = resume_command(self._options, self._names, "failed")
        self._shown.finish(Ending(time.monotonic() - began, resume_hint, bool(self.interrupt_code), self.not_run))
        self._live.close()
        for words in filter(None, (self.limits.note, self._words())):
            print(f"rubric: {words}", file=sys.stderr)

    def _end_cluster(self, error: ClusterError) -> None:
        """Stop the workers from starting further cases."""
        self.limits.end(str(error))
        self.unusable = self.unusable or not isinstance(error, SchedulerLostError)

    def _end_stored(self) -> None:
        state = RunState.STOPPED if self.interrupt_code or self._plans or self.not_run else RunState.DONE
        try:
            self._stored.end(state)
        except OSError as error:
            self.lossy = True
            self._live.say(f"rubric: the end of the run could not be stored: {error}")
        for trouble in self._exports.write(state):
            self.lossy = True
            self._live.say(f"rubric: {trouble}")

    def _run(self, plan: SuitePlan) -> None:
        outputs = ResultFiles(plan.suite)
        run = SuiteRun(
            plan.suite,
            plan.cases,
            self._options,
            self._live,
            self._shown,
            self.limits,
            self._stored,
            self._exports,
            outputs.take,
            self._cluster.executor(plan.suite),
        )
        try:
            with _seldom_collected():
                asyncio.run(run.results())
        except (KeyboardInterrupt, asyncio.CancelledError):
            self.interrupt_code = 128 + (run.signal or signal.SIGINT)
            run.done.interrupted = True
        except ClusterError as error:
            self._end_cluster(error)
        self._shown.end(run.done)
        for trouble in outputs.end(run.done):
            self._live.say(f"rubric: {trouble}")
        self.lossy = self.lossy or run.lossy or outputs.failed
        self._done += len(run.done.results)
        self.not_run += run.done.not_run
        self._count -= run.done.before.total()
        self.grader_errors = self.grader_errors or run.done.grader_errors > 0
        self.verdicts |= {*run.done.before, *(result.verdict for result in run.done.results)}

    @property
    def _keeps_all(self) -> bool:
        """Whether every result is stored."""
        return not (self._options.no_store or self._stored.waiting)

    def _words(self) -> str:
        """A message after a run that ended early, with the command that continues; empty after a complete one."""
        # Cases that pass now are no longer among the failed ones; those that failed again are among the finished ones.
        resume_hint = resume_command(
            self._options, self._options.suites, "failed" if self._options.failed else "resume"
        )
        if self.interrupt_code:
            kept = f"; {self._done} of {self._count} cases are done and kept" if self._keeps_all else ""
            return f"stopped{kept}; {resume_hint} runs the others"
        if self.not_run:
            left = f"{len(self.not_run)} of {count(self._count, 'case')} not run"
            return f"stopped, {self.limits.reason}; {left}: {listed(self.not_run)}; {resume_hint} runs the others"
        return ""


@contextmanager
def _seldom_collected() -> Iterator[None]:
    """Collect garbage seldom, and none of what is loaded: it stays until its suite is over."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_NEW, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
