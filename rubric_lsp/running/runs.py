"""Running cases from the editor: one task for each command, shown as progress, cancelled at a word."""

import asyncio
import itertools
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import TYPE_CHECKING

from rubric_core.language.around import FileKind
from rubric_lsp.features.results import Results
from rubric_lsp.lifecycle import WARNING
from rubric_lsp.progress import Progress, ProgressBoard
from rubric_lsp.refusal import INVALID_PARAMS, RefusedError
from rubric_lsp.running.orders import Order
from rubric_lsp.running.record import Record
from rubric_lsp.running.stored import Stored
from rubric_lsp.running.taken_over import TakenOver
from rubric_lsp.snapshot import Snapshot
from rubric_lsp.uris import path_of

if TYPE_CHECKING:
    from rubric_core.evaluation.engine.events import Event
    from rubric_core.evaluation.model.result import CaseResult
    from rubric_core.evaluation.reporting.summary import Summary
    from rubric_core.ports import Ports
    from rubric_lsp.running.choosing import Part
    from rubric_lsp.running.jobs import Job, Steps
    from rubric_lsp.server import RubricServer

__all__ = ["Runs"]

#: Clients are asked to look again at most this often, in seconds, while runs go on. Of their begin and end they hear at once.
_REFRESH = 0.15


class Runs:
    """Every run of the conversation, and what it gave."""

    def __init__(self, server: "RubricServer") -> None:
        self._server = server
        self.record = Record(server.documents, server.tests.states.refreshed)
        self.taken_over = TakenOver(server, self.record)
        self.stored = Stored(server, self.record, self.changed)
        self._board = ProgressBoard(server.protocol)
        self._jobs: set[Job] = set()
        self._numbers = itertools.count(1)
        self._last: dict[str, Order] = {}
        #: What a person is being asked about, and the run that may come of it.
        self._asked: dict[Order, asyncio.Task[Job | None]] = {}
        self._outside = AsyncExitStack()
        self._ports: Ports | None = None
        self._refreshing: asyncio.TimerHandle | None = None

    # -- what is known ------------------------------------------------------------------------------------------------

    def results(self, snapshot: Snapshot) -> Results:
        """The results of a suite, or of a file of cases, as it stands; nothing runs a further YAML document of a file."""
        if snapshot.part_of is not None:
            return {}
        if self.state(snapshot) is None:
            return {}  # of which suite a file of cases is need not be known
        taken_over = self.taken_over.results(snapshot)
        return self.record.results(snapshot) if taken_over is None else taken_over

    def state(self, snapshot: Snapshot) -> object:
        """Equal for two moments between which the results of a document have not changed; None where there are none."""
        has = self.record.has(snapshot.uri) or self.taken_over.has_results(snapshot)
        return self.record.moment if has else None

    def shared(self, snapshot: Snapshot) -> "Sequence[Summary]":
        """What the cases of a suite made of the evaluators that it gives to all of them."""
        if snapshot.part_of is not None or not snapshot.is_ours or snapshot.analysis.kind is not FileKind.SUITE:
            return ()
        results = self.results(snapshot)
        others = partial(self.taken_over.cases, snapshot)
        return snapshot.kept.shared.of(snapshot.analysis, results, snapshot.path, others)

    def suite_at(self, snapshot: Snapshot) -> Snapshot:
        """What runs the cases of a document: a file of cases leads to the suite that takes it over, if that is known."""
        return self.taken_over.suite(snapshot) or snapshot

    def files_changed(self) -> None:
        """Something on disk has changed: results may be stale, or hold again."""
        self.record.files_changed()
        for snapshot in self._server.documents.all():
            if self.results(snapshot):
                self.changed(snapshot.uri)

    def at(self, uri: str) -> Snapshot:
        """A suite as it stands in the editor, else on disk. Raises RefusedError."""
        path = path_of(uri)
        found = self._server.documents.get(uri) or (self._server.around.at(path) if path is not None else None)
        if found is None:
            raise RefusedError(INVALID_PARAMS, f"{uri} is not open, and cannot be read as a file")
        return found

    # -- commands -----------------------------------------------------------------------------------------------------

    async def start(self, order: Order, *, wait: bool = False) -> "Job | None":
        """Begin what is asked for; None when nothing lacks a pass, or a person has to allow it first. Raises RefusedError.

        With `wait`, comes back when the person has answered: with None if they refused.
        """
        from rubric_lsp.running.choosing import chosen  # noqa: PLC0415  # httpx and pydantic, when something is run

        if order.by_results:
            await self._read_results(order)
        parts = chosen(order, self._server.documents, self.at, self.results)
        if not parts:
            return None
        if all(self._server.permission.given(part.path) for part in parts):
            from rubric_lsp.running.asking import settled  # noqa: PLC0415

            if settled(self._server, parts):
                return self._begin(parts, order)
        asked = self._asked.get(order)
        if asked is None:  # who presses twice is asked once
            asked = self._asked[order] = self._server.keep(self._ask(parts, order))
        return await asyncio.shield(asked) if wait else None

    async def _read_results(self, order: Order) -> None:
        """Nobody may have looked yet at the results of a suite that is not open."""
        for wanted in order.wanted:
            path = path_of(wanted.uri)
            if path is not None and not self.record.is_known(wanted.uri):
                await self.stored.load(wanted.uri, path)

    async def again(self, uri: str) -> "Job | None":
        """Begin what was asked for last for a suite; everything in it when nothing was. Raises RefusedError."""
        return await self.start(self._last.get(uri, Order.of(uri)))

    async def _ask(self, parts: "list[Part]", order: Order) -> "Job | None":
        from rubric_lsp.running.asking import allowed  # noqa: PLC0415

        try:
            permitted = await allowed(self._server, parts)
        finally:
            self._asked.pop(order, None)
        return self._begin(parts, order) if permitted else None

    def _begin(self, parts: "list[Part]", order: Order) -> "Job":
        from rubric_lsp.running.choosing import unsaved  # noqa: PLC0415
        from rubric_lsp.running.jobs import Job  # noqa: PLC0415

        for part in parts:
            self.cancel(part.uri, {case.id for case in part.cases})
            self._last[part.uri] = order
        job = Job(f"run-{next(self._numbers)}", parts, order)
        for part in parts:
            for case in part.cases:
                self.record.running(part.uri, case.id, "waiting")
        self._jobs.add(job)
        self._server.tests.states.began(job)
        self._changed_now(job)
        files = unsaved(parts, self._server.documents)
        if files:
            names = ", ".join(path.name for path in files)
            self._server.say(f"rubric: {names} is not saved: this run uses the text on disk", WARNING)
        self._server.keep(self._run(job))
        return job

    def cancel(self, uri: str | None = None, names: set[str] | None = None) -> None:
        """Stop what is running: everything, what there is of a suite, or some of its cases."""
        for job in list(self._jobs):
            self._stop(job, uri, names)

    def cancel_run(self, name: str) -> None:
        """Stop one run. One that is over by now is nobody's concern."""
        for job in [j for j in self._jobs if j.name == name]:
            self._stop(job)

    def _stop(self, job: "Job", uri: str | None = None, names: set[str] | None = None) -> None:
        for suite, name in job.cancel(uri, names):
            self._given_up(job, suite, name)

    def _given_up(self, job: "Job", uri: str, name: str) -> None:
        self.record.running(uri, name, "")
        self._server.tests.states.given_up(job, uri, name)
        self.changed(uri)

    def cancel_token(self, token: object) -> None:
        """The client cancels the work behind a token."""
        self._board.cancel(token)

    def clear(self, uri: str) -> None:
        """Show no results of a suite any more."""
        self.record.clear(uri)
        self._server.tests.states.cleared(uri)
        self.changed(uri)

    async def stop(self) -> None:
        """End everything that runs, programs included."""
        for job in list(self._jobs):
            job.cancel()
        await asyncio.gather(*(job.over.wait() for job in list(self._jobs)))
        self.stored.stop()
        await self._outside.aclose()

    # -- running ------------------------------------------------------------------------------------------------------

    async def _run(self, job: "Job") -> None:
        from rubric_lsp.running.jobs import steps_of, tally  # noqa: PLC0415

        progress = Progress(self._server.protocol, None)
        begun = time.monotonic()
        try:
            shown = self._server.client.progress
            progress = await self._board.begin(job.title, lambda: self._stop(job), shown=shown)
            ports = await self._outside_world()
            steps = steps_of(job)
            await job.run(ports, lambda part, event: self._heard(job, part, event, steps, progress))
        finally:
            self._jobs.discard(job)
            for part in job.parts:
                for name in sorted(job.waiting(part.uri)):
                    self._given_up(job, part.uri, name)
            self.record.files_changed()
            self._changed_now(job)
            token = progress.token
            progress.end(tally(job.results, job.amount))
            self._board.ended(token)
            self._server.tests.states.ended(job, (time.monotonic() - begun) * 1000)
            try:
                await self.stored.settle(job)
            finally:
                job.over.set()

    def _heard(
        self, job: "Job", part: "Part", event: "Event", steps: "dict[tuple[str, str], Steps]", progress: Progress
    ) -> None:
        from rubric_core.evaluation.cases.variations import base_id  # noqa: PLC0415
        from rubric_core.evaluation.engine.events import CaseDone, CaseStarted, EvaluatorDone, Noted  # noqa: PLC0415

        name = event.case_id
        if (part.uri, name) not in steps:
            name = base_id(name)  # a variation of a case tells of itself
        if isinstance(event, Noted):
            self._server.tests.states.noted(job, event.message)
            self._server.say(f"rubric: {event.message}")
        if name not in job.waiting(part.uri):
            return
        tests = self._server.tests.states
        if isinstance(event, CaseStarted):
            tests.started(job, part, name)
        if isinstance(event, CaseDone):
            job.results.append(event.result)
            self._done(job, part, event.result)
        else:
            step = steps[part.uri, name]
            newer = step.take(event)
            if newer is not None:
                self.record.part(part.uri, name, *newer)
                if isinstance(event, EvaluatorDone) and not event.turn:
                    tests.evaluated(job, part, name, step.evaluator, event.result)
            self.record.running(part.uri, name, step.words)
            progress.report(step.progress, round(100 * len(job.results) / job.amount))
        self.changed(part.uri)

    def _done(self, job: "Job", part: "Part", result: "CaseResult") -> None:
        from rubric_core.evaluation.cases.turns import own_results  # noqa: PLC0415

        graded = own_results(result.evaluators)
        if part.number and graded:
            self.record.done_alone(part.uri, result.id, part.place, graded[-1], result.fingerprint)
        elif part.number:
            self.record.running(part.uri, result.id, "")
        else:
            self.record.done(part.uri, result)
            self.stored.note(part, result)
        self._server.tests.states.done(job, part, result)
        self._server.reading.changed(part.uri)

    async def _outside_world(self) -> "Ports":
        if self._ports is None:
            from rubric_core.adapters import system_ports  # noqa: PLC0415

            self._ports = await self._outside.enter_async_context(system_ports())
        return self._ports

    # -- showing ------------------------------------------------------------------------------------------------------

    def changed(self, uri: str) -> None:
        """What is shown of a suite has changed, and with it of the files whose cases it runs."""
        for each in (uri, *self.taken_over.files(uri)):
            if self._server.documents.get(each) is not None:
                self._server.checks.due(each)
        self.refresh()

    def _changed_now(self, job: "Job") -> None:
        """A run begins or ends: a person looks for it, so that nothing is waited for."""
        for part in job.parts:
            self.changed(part.uri)
        if self._refreshing is not None:
            self._refreshing.cancel()
        self._refresh()

    def refresh(self) -> None:
        """Ask the client to look at lenses and hints again, soon."""
        if self._refreshing is None:
            self._refreshing = asyncio.get_running_loop().call_later(_REFRESH, self._refresh)

    def _refresh(self) -> None:
        self._refreshing = None
        client = self._server.client
        if client.refreshes_lenses:
            self._server.keep(self._server.ask_quietly("workspace/codeLens/refresh"))
        if client.refreshes_hints:
            self._server.keep(self._server.ask_quietly("workspace/inlayHint/refresh"))
