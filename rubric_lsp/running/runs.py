"""Running cases from the editor: one task per command, with progress, cancellable."""

import asyncio
import itertools
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

from rubric_core.lazy_compilation import replace
from rubric_lsp.host import Host
from rubric_lsp.protocol.notices import WARNING
from rubric_lsp.protocol.progress import Progress, ProgressBoard
from rubric_lsp.protocol.uris import path_of
from rubric_lsp.running.explorer_states import TestStates
from rubric_lsp.running.known_results import KnownResults
from rubric_lsp.running.result_watch import ResultWatch
from rubric_lsp.running.run_request import RunRequest
from rubric_lsp.running.virtual_documents import VirtualDocuments

if TYPE_CHECKING:
    from rubric_core.evaluation.engine.events import Event
    from rubric_core.evaluation.model.result import CaseResult
    from rubric_core.ports import Ports, Processes
    from rubric_lsp.running.job import Job, ProgressText
    from rubric_lsp.running.permission_prompt import Plans
    from rubric_lsp.running.selection import SelectedCases

__all__ = ["PermittedCase", "RunManager"]

#: The minimum seconds between two refreshes of the client during runs. Start and end are reported at once.
_REFRESH = 0.15


class PermittedCase(NamedTuple):
    """A case that may run."""

    part: "SelectedCases"
    #: Those of its run.
    ports: "Ports"
    #: Makes other processes refuse what the run would refuse.
    guard: "Callable[[Processes], Processes]"


class RunManager:
    """Every run of the conversation.

    Args:
        host: The server.
        known: The known results, to which those of runs are added.
        states: Reports the states of tests.
        shown: The open documents about results.
        due: Called with the URI of a document that has to be checked again.
    """

    def __init__(  # one argument for each part that is notified of runs
        self,
        host: Host,
        known: KnownResults,
        states: TestStates,
        shown: VirtualDocuments,
        due: Callable[[str], None],
    ) -> None:
        self._host, self._known, self._states, self._shown, self._due = host, known, states, shown, due
        self.stored = ResultWatch(host, known, states.loaded, self.changed)
        self._board = ProgressBoard(host.protocol)
        self._jobs: set[Job] = set()
        self._numbers = itertools.count(1)
        self._last: dict[str, RunRequest] = {}
        #: The open questions, and the runs that may follow.
        self._asked: dict[RunRequest, asyncio.Task[Job | None]] = {}
        self._outside = AsyncExitStack()
        self._ports: Ports | None = None
        self._refreshing: asyncio.TimerHandle | None = None
        #: The documents whose shown results have changed since the last refresh.
        self._changed: set[str] = set()

    def files_changed(self) -> None:
        """Files on disk have changed: results may be stale, or valid again."""
        self._known.record.files_changed()
        for snapshot in self._host.documents.all():
            if self._known.results(snapshot):
                self.changed(snapshot.uri)

    # -- commands -----------------------------------------------------------------------------------------------------

    async def start(self, order: RunRequest, *, wait: bool = False) -> "Job | None":
        """Start a run; None if no case lacks a pass, or the user has to allow it first. Raises RequestFailedError.

        With `wait`, returns after the user has answered: None if they refused.
        """
        from rubric_lsp.running.selection import select_cases  # noqa: PLC0415  # httpx and pydantic, when something is run

        if order.by_results:
            await self.read_results(order)
        parts = select_cases(order, self._host.documents, self._known.at, self._known.results)
        if not parts:
            return None
        plans = await self._settled(parts)
        if plans is not None:
            return self._begin(parts, order, plans)
        asked = self._asked.get(order)
        if asked is None:  # pressing twice asks only once
            asked = self._asked[order] = self._host.keep(self._ask(parts, order))
        return await asyncio.shield(asked) if wait else None

    async def _settled(self, parts: "list[SelectedCases]") -> "Plans | None":
        """The plans of suites that may run as they are; None if somebody has to be asked."""
        if not all(self._host.permission.allows(part.path) for part in parts):
            return None
        from rubric_lsp.running.permission_prompt import settled_plans  # noqa: PLC0415

        plans, new = await settled_plans(self._host.permission, parts, await self._outside_world())
        return None if new else plans

    async def permitted(self, order: RunRequest) -> "PermittedCase | None":
        """One case of a request with the ports of its run, after the user was asked if a run would ask; None if they refuse.

        Nothing runs. Raises RequestFailedError.
        """
        from rubric_core.evaluation.engine.guard import guarded  # noqa: PLC0415
        from rubric_core.evaluation.model.plan import Plan  # noqa: PLC0415
        from rubric_lsp.running.permission_prompt import ask_permission  # noqa: PLC0415
        from rubric_lsp.running.run_files import run_files  # noqa: PLC0415
        from rubric_lsp.running.selection import select_cases  # noqa: PLC0415

        parts = select_cases(order, self._host.documents, self._known.at, self._known.results)
        outside = await self._outside_world()
        plans = await self._settled(parts)
        if plans is None:
            plans = await ask_permission(self._host, self._shown, parts, outside)
        if plans is None:
            return None
        part, plan = parts[0], reduce(Plan.joined, plans)
        ports = guarded(outside, plan)
        ports = replace(ports, files=run_files(part.texts, ports.files))
        return PermittedCase(part, ports, lambda inner: guarded(replace(outside, processes=inner), plan).processes)

    async def read_results(self, order: RunRequest) -> None:
        """Read the results of a suite that is not open, if nobody has yet."""
        for wanted in order.wanted:
            path = path_of(wanted.uri)
            if path is not None and not self._known.record.is_known(wanted.uri):
                await self.stored.load(wanted.uri, path)

    async def again(self, uri: str) -> "Job | None":
        """Repeat the last run of a suite, or run all of it if there was none. Raises RequestFailedError."""
        return await self.start(self._last.get(uri, RunRequest.of(uri)))

    async def _ask(self, parts: "list[SelectedCases]", order: RunRequest) -> "Job | None":
        from rubric_lsp.running.permission_prompt import ask_permission  # noqa: PLC0415

        try:
            plans = await ask_permission(self._host, self._shown, parts, await self._outside_world())
        finally:
            self._asked.pop(order, None)
        return self._begin(parts, order, plans) if plans is not None else None

    def _begin(self, parts: "list[SelectedCases]", order: RunRequest, plans: "Plans") -> "Job":
        from rubric_lsp.running.job import Job  # noqa: PLC0415
        from rubric_lsp.running.selection import unsaved  # noqa: PLC0415

        for part in parts:
            self.cancel(part.uri, {case.id for case in part.cases})
            self._last[part.uri] = order
        job = Job(f"run-{next(self._numbers)}", parts, order, self._host)
        for part in parts:
            for case in part.cases:
                self._known.record.running(part.uri, case.id, "waiting")
        self._jobs.add(job)
        self._states.began(job)
        self._changed_now(job)
        files = unsaved(parts, self._host.documents)
        if files:
            names = ", ".join(path.name for path in files)
            verb = "is" if len(files) == 1 else "are"
            self._host.say(f"rubric: {names} {verb} not saved: this run uses the text on disk", WARNING)
        self._host.keep(self._run(job, plans))
        return job

    def cancel(self, uri: str | None = None, names: set[str] | None = None) -> None:
        """Cancel running cases: all, those of a suite, or some of them."""
        for job in list(self._jobs):
            self._stop(job, uri, names)

    def cancel_run(self, name: str) -> None:
        """Cancel a run; ignored if it is over."""
        for job in [j for j in self._jobs if j.name == name]:
            self._stop(job)

    def _stop(self, job: "Job", uri: str | None = None, names: set[str] | None = None) -> None:
        for suite, name in job.cancel(uri, names):
            self._case_cancelled(job, suite, name)

    def _case_cancelled(self, job: "Job", uri: str, name: str) -> None:
        self._known.record.running(uri, name, "")
        self._states.case_cancelled(job, uri, name)
        self.changed(uri)

    def cancel_token(self, token: object) -> None:
        """The client has cancelled the work of a token."""
        self._board.cancel(token)

    def clear(self, uri: str) -> None:
        """Clear the shown results of a suite."""
        self._known.record.clear(uri)
        self._states.cleared(uri)
        self.changed(uri)

    async def stop(self) -> None:
        """End all runs, including their programs."""
        for job in list(self._jobs):
            job.cancel()
        await asyncio.gather(*(job.over.wait() for job in list(self._jobs)))
        self.stored.stop()
        await self._outside.aclose()

    # -- running ------------------------------------------------------------------------------------------------------

    async def _run(self, job: "Job", plans: "Plans") -> None:
        from rubric_core.evaluation.engine.guard import guarded  # noqa: PLC0415
        from rubric_core.evaluation.model.plan import Plan  # noqa: PLC0415
        from rubric_lsp.running.job import steps_of, tally  # noqa: PLC0415
        from rubric_lsp.running.run_files import run_files  # noqa: PLC0415

        progress = Progress(self._host.protocol, None)
        begun = time.monotonic()
        try:
            shown = self._host.client.progress
            progress = await self._board.begin(job.title, lambda: self._stop(job), shown=shown)
            ports = guarded(await self._outside_world(), reduce(Plan.joined, plans))
            texts = {path: text for part in job.parts for path, text in part.texts.items()}
            ports = replace(ports, files=run_files(texts, ports.files))
            steps = steps_of(job)
            await job.run(ports, lambda part, event: self._on_event(job, part, event, steps, progress))
        finally:
            self._jobs.discard(job)
            for part in job.parts:
                for name in sorted(job.waiting(part.uri)):
                    self._case_cancelled(job, part.uri, name)
            self._known.record.files_changed()
            self._changed_now(job)
            token = progress.token
            progress.end(tally(job.results, job.amount))
            self._board.ended(token)
            took = (time.monotonic() - begun) * 1000
            try:
                await self._settle(job)
            finally:
                # Last, because those who are notified may compare the run or read its report.
                self._states.ended(job, took)
                job.over.set()

    async def _settle(self, job: "Job") -> None:
        """Store the results and recordings of a job."""
        from rubric_core.evaluation.results.records import RunState  # noqa: PLC0415

        state = RunState.STOPPED if job.cancelled else RunState.DONE
        await job.stored.end(state, recordings=job.order.record)

    def _on_event(
        self,
        job: "Job",
        part: "SelectedCases",
        event: "Event",
        steps: "dict[tuple[str, str], ProgressText]",
        progress: Progress,
    ) -> None:
        from rubric_core.evaluation.cases.variations import base_id  # noqa: PLC0415
        from rubric_core.evaluation.engine.events import CaseDone, CaseStarted, EvaluatorDone, Noted  # noqa: PLC0415

        name = event.case_id
        if (part.uri, name) not in steps:
            name = base_id(name)  # a variation of a case reports for itself
        if isinstance(event, Noted):
            self._states.noted(job, event.message)
            self._host.say(f"rubric: {event.message}")
        if name not in job.waiting(part.uri):
            return
        tests = self._states
        if isinstance(event, CaseStarted):
            tests.started(job, part, name)
        if isinstance(event, CaseDone):
            job.done(part.uri, event.result)
            self._done(job, part, event.result)
        else:
            step = steps[part.uri, name]
            newer = step.take(event)
            if newer is not None:
                self._known.record.part(part.uri, name, *newer)
                if isinstance(event, EvaluatorDone) and not event.turn:
                    tests.evaluated(job, part, name, step.evaluator, event.result)
            self._known.record.running(part.uri, name, step.words)
            progress.report(step.progress, round(100 * len(job.results) / job.amount))
        self.changed(part.uri)

    def _done(self, job: "Job", part: "SelectedCases", result: "CaseResult") -> None:
        from rubric_core.evaluation.cases.turns import turn_results  # noqa: PLC0415

        graded = turn_results(result.evaluators)
        if part.number and graded:
            self._known.record.done_alone(part.uri, result.id, part.place, graded[-1], result.fingerprint)
        elif part.number:
            self._known.record.running(part.uri, result.id, "")
        else:
            self._known.record.done(part.uri, result)
            job.stored.add(part, result)
        self._states.done(job, part, result)
        self._shown.changed(part.uri)

    async def _outside_world(self) -> "Ports":
        if self._ports is None:
            from rubric_core.adapters import system_ports  # noqa: PLC0415

            self._ports = await self._outside.enter_async_context(system_ports())
        return self._ports

    # -- showing ------------------------------------------------------------------------------------------------------

    def changed(self, uri: str) -> None:
        """The results shown for a suite have changed, and those for its case files."""
        for each in (uri, *self._known.taken_over.files(uri)):
            if self._host.documents.get(each) is not None:
                self._changed.add(each)
        self.refresh()

    def _changed_now(self, job: "Job") -> None:
        """A run begins or ends: refresh without delay, as the user is waiting for it."""
        for part in job.parts:
            self.changed(part.uri)
        if self._refreshing is not None:
            self._refreshing.cancel()
        self._refresh()

    def refresh(self) -> None:
        """Publish what is found in documents, and ask the client to refresh lenses and hints, soon.

        Each time all results of a suite are shown, so that this must not follow from every event of a run.
        """
        if self._refreshing is None:
            self._refreshing = asyncio.get_running_loop().call_later(_REFRESH, self._refresh)

    def _refresh(self) -> None:
        self._refreshing = None
        for uri in self._changed:
            self._due(uri)
        self._changed.clear()
        client = self._host.client
        if client.refreshes_lenses:
            self._host.keep(self._host.ask_quietly("workspace/codeLens/refresh"))
        if client.refreshes_hints:
            self._host.keep(self._host.ask_quietly("workspace/inlayHint/refresh"))
