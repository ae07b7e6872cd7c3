"""`rubric run --watch`: reruns the cases whose suites, prompts, targets or files change."""

import argparse
import gc
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from itertools import chain
from pathlib import Path
from typing import NamedTuple, TextIO

from rubric_core.cli.plan import RunPlan, SuitePlan, plan_run
from rubric_core.cli.sanitize import StreamSanitizer
from rubric_core.cli.selection import WrongUseError, with_needed_variations
from rubric_core.cli.session import CliSession
from rubric_core.cli.watch import LOOK, stamp
from rubric_core.disk import DiskFiles
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.target_choice import shared_targets
from rubric_core.evaluation.engine.attempt import requested_fields
from rubric_core.evaluation.engine.fingerprint import files_of, fingerprint
from rubric_core.validation.wording import count

__all__ = ["RunWatch"]

#: The stamp of a file that was read before it was first checked: it may have changed meanwhile, so it is read again.
_NOT_LOOKED_AT = "not looked at"
_WRONG_USE = 2
#: Options that apply to the first round only: later ones run what has changed.
_FIRST = ("failed", "changed", "resume")


class _CaseName(NamedTuple):
    """Identifies a case."""

    suite: Path
    id: str
    target: str


class RunWatch:
    """Runs the selected cases, and then those that change.

    Args:
        options: The command line.
        out: The destination of results.
        pause: Seconds between two checks of the files.
    """

    def __init__(self, options: argparse.Namespace, out: TextIO, pause: float = LOOK) -> None:
        if options.format == "json":
            raise WrongUseError("--watch has no end, and --format json is one document; use jsonl")
        if options.baseline or options.fail_on != "case":
            raise WrongUseError("--watch runs what changed, and --baseline compares a whole run; use one of them")
        self._options = options
        self._later = copy(options)
        for name in _FIRST:
            setattr(self._later, name, False)
        self._out = out
        self._pause = pause
        self._ran: dict[_CaseName, str] = {}
        self._stamps: dict[Path, object] = {}
        self._told: Sequence[str] = ()

    def run(self) -> int:
        """Run until Ctrl-C. Returns the exit code: 0, that of a run that was stopped, 2 if there is nothing to run. Raises WrongUseError."""
        code = self.begin()
        try:
            while not code:
                time.sleep(self._pause)
                code = self.look()
        except KeyboardInterrupt:
            return 0
        return code

    def begin(self) -> int:
        """The first round. Returns the exit code if it cannot continue, else 0. Raises WrongUseError."""
        first = plan_run(self._options)
        if any(getattr(self._options, name) for name in _FIRST):
            self._note(plan_run(self._later).plans)  # cases that are left out now have not changed either
        self._tell(first.failures)
        if first.failures and not first.plans:
            return _WRONG_USE
        return self._round(first, self._options)

    def look(self) -> int:
        """Run what has changed since the last check. Returns the exit code of a run that was stopped, else 0."""
        return self._again(self._later) if self._touched() else 0

    def _again(self, options: argparse.Namespace) -> int:
        """Load everything again, and run what has changed. Returns the exit code of a run that was stopped, else 0."""
        gc.unfreeze()  # objects of earlier rounds may be freed
        try:
            planned = plan_run(options)
        except WrongUseError as error:
            planned = RunPlan([], [str(error)], several=False)
        self._tell(planned.failures)
        self._watch(planned.plans)
        plans = [plan for plan in map(self._different, planned.plans) if plan.cases]
        if not plans:
            return 0
        self._say(f"\n{time.strftime('%H:%M:%S')}  {count(sum(len(plan.cases) for plan in plans), 'case')} changed")
        return self._round(planned._replace(plans=plans), options)

    def _different(self, plan: SuitePlan) -> SuitePlan:
        changed = [case for case in plan.cases if self._ran.get(_name(case)) != _state(case)]
        return SuitePlan(plan.suite, with_needed_variations(changed, plan.suite.cases) if changed else [])

    def _round(self, planned: RunPlan, options: argparse.Namespace) -> int:
        """Run, and record the inputs. Returns the exit code of a run that was stopped, else 0."""
        self._watch(planned.plans)
        self._note(planned.plans)
        session = CliSession(planned.plans, options, self._out, several=planned.several)
        session.run()
        left = set(session.not_run)
        self._ran = {name: state for name, state in self._ran.items() if name.id not in left}
        if not session.interrupt_code:
            self._say("Waiting for changes; Ctrl-C ends")
        return session.interrupt_code

    def _note(self, plans: Iterable[SuitePlan]) -> None:
        """Record the inputs of the cases; later changes make them run again."""
        self._ran.update((_name(case), _state(case)) for plan in plans for case in plan.cases)

    def _tell(self, failures: Sequence[str]) -> None:
        for failure in failures:
            if failure not in self._told:
                self._say(f"rubric: {failure}")
        self._told = failures

    def _say(self, words: str) -> None:
        safe = StreamSanitizer(sys.stderr)
        print(safe(safe.style.paint(words, "dim")), file=sys.stderr, flush=True)

    # Watched files

    def _watch(self, plans: Iterable[SuitePlan]) -> None:
        named = (Path(name.partition("::")[0]).absolute() for name in self._options.suites)
        files = (path for suite, cases in plans for path in chain(suite.files, *map(_paths, cases)))
        for path in chain(named, files):
            self._stamps.setdefault(path, _NOT_LOOKED_AT)

    def _touched(self) -> bool:
        """Whether something has changed since the last check."""
        now: Mapping[Path, object] = {path: stamp(path) for path in self._stamps}
        touched = now != self._stamps
        self._stamps = dict(now)
        return touched


def _name(case: Runnable) -> _CaseName:
    return _CaseName(case.path.absolute(), case.id, str(requested_fields(case, case.files)["target"]))


def _state(case: Runnable) -> str:
    files = DiskFiles()
    return fingerprint(case, files, shared_targets(case, files))


def _paths(case: Runnable) -> Iterator[Path]:
    """The files that a case depends on, and their folders, in which missing files may appear."""
    files = DiskFiles()
    targets = shared_targets(case, files)
    found = [case.path.absolute(), *files_of(case, files, targets), *case.borrowed_files]
    if targets.file is not None:
        found.append(targets.file.path)
    for path in found:
        yield path
        yield path.parent
    for folder in case.path.absolute().parents:
        yield folder / ".agentv"
