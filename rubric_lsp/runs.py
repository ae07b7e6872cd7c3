"""Running cases from the editor: one task for each case, shown as progress, cancelled at a word."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rubric_lsp.features.consent import question
from rubric_lsp.features.results import Results
from rubric_lsp.lifecycle import INFORMATION, WARNING
from rubric_lsp.progress import Progress, ProgressBoard
from rubric_lsp.protocol import INVALID_PARAMS, RefusedError
from rubric_lsp.record import Record
from rubric_lsp.workspace import Snapshot

if TYPE_CHECKING:
    from rubric_core.evaluation.result import CaseResult
    from rubric_core.evaluation.runnable import Runnable
    from rubric_core.ports import Ports
    from rubric_lsp.jobs import Job
    from rubric_lsp.server import RubricServer

__all__ = ["Runs"]

log = logging.getLogger("rubric")
#: Clients are asked to look again at most this often, in seconds.
_REFRESH = 0.15
_ONCE, _ALWAYS, _NO = "Run once", "Trust this folder", "Not now"


class Runs:
    """Every run of the conversation, and what it gave."""

    def __init__(self, server: "RubricServer") -> None:
        self._server = server
        self._record = Record()
        self._board = ProgressBoard(server.protocol)
        self._jobs: set[Job] = set()
        self._outside = AsyncExitStack()
        self._ports: Ports | None = None
        self._refreshing: asyncio.TimerHandle | None = None

    # -- what is known ------------------------------------------------------------------------------------------------

    def results(self, snapshot: Snapshot) -> Results:
        """The results of a suite as it stands."""
        return self._record.results(snapshot)

    def reporter(self, snapshot: Snapshot) -> Callable[[str], str | None]:
        """Gives the report of a case by its id."""
        results = self.results(snapshot)
        name = snapshot.path.name if snapshot.path is not None else ""

        def tell(case_id: str) -> str | None:
            shown = results.get(case_id)
            if shown is None:
                return None
            from rubric_lsp.features.report import report  # noqa: PLC0415  # loaded when something was run

            return report(shown, f"rubric run {name}::{case_id}" if name else "")

        return tell

    def opened(self, snapshot: Snapshot) -> None:
        """A suite was opened: it may have results from before."""
        if snapshot.path is not None and snapshot.is_ours and not self._record.is_known(snapshot.uri):
            self._server.keep(self._load(snapshot.uri, snapshot.path))

    async def _load(self, uri: str, path: Path) -> None:
        if await self._record.load(uri, path):
            self._changed(uri)

    def files_changed(self) -> None:
        """Something on disk has changed: results may be stale, or hold again."""
        self._record.files_changed()
        for snapshot in self._server.documents.all():
            if self.results(snapshot):
                self._changed(snapshot.uri)

    # -- commands -----------------------------------------------------------------------------------------------------

    async def start(self, uri: str, names: Sequence[str] | None) -> object:
        """Start running cases, all of them without `names`; once they have begun, that is the answer. Raises RefusedError."""
        snapshot = self._server.documents.get(uri) or self._from_disk(uri)
        if snapshot.path is None:
            raise RefusedError(INVALID_PARAMS, "save the suite first: what it refers to is looked for beside it")
        cases = self._cases(snapshot, snapshot.path, names)
        if self._server.permission.given(snapshot.path):
            return self._begin(uri, cases)
        self._server.keep(self._ask(uri, snapshot.path, cases))
        return None

    def _from_disk(self, uri: str) -> Snapshot:
        from rubric_core.loading.files import UnreadableError, read_text  # noqa: PLC0415
        from rubric_lsp.workspace import path_of  # noqa: PLC0415

        path = path_of(uri)
        try:
            if path is not None:
                return self._server.documents.from_disk(uri, read_text(path))
        except UnreadableError as error:
            raise RefusedError(INVALID_PARAMS, str(error)) from None
        raise RefusedError(INVALID_PARAMS, f"{uri} is not open")

    @staticmethod
    def _cases(snapshot: Snapshot, path: Path, names: Sequence[str] | None) -> "list[Runnable]":
        from rubric_core.evaluation.runnable import runnables  # noqa: PLC0415  # httpx and pydantic, when something is run

        by_name: dict[str, Runnable] = {}
        for each in runnables(path, snapshot.analysis):
            if each.case.id:
                by_name.setdefault(each.case.id, each)
        for name in names or ():
            if name not in by_name:
                raise RefusedError(INVALID_PARAMS, f"{path.name} has no case with the id {name}")
        if not by_name:
            raise RefusedError(INVALID_PARAMS, f"{path.name} has no case with an id to run")
        return list(by_name.values()) if names is None else [by_name[name] for name in names]

    async def _ask(self, uri: str, path: Path, cases: "list[Runnable]") -> None:
        """Nobody has said yet that this may be run: say what would happen, and how to allow it."""
        folder = self._server.permission.folder_of(path)
        answer = await self._answer(cases) if self._server.client.message_actions else None
        if answer == _ALWAYS:
            self._server.permission.add(folder)
        if answer in (_ALWAYS, _ONCE):
            self._begin(uri, cases)
        else:
            how = f"`rubric trust {folder}` in a terminal, or the command rubric.trust, allows it"
            self._server.say(f"rubric: nothing was run, because {folder} is not trusted; {how}", WARNING)

    async def _answer(self, cases: "list[Runnable]") -> str | None:
        from rubric_core.adapters import DiskFiles  # noqa: PLC0415
        from rubric_core.evaluation.targets import targets_for  # noqa: PLC0415

        message = question(cases, targets_for(cases[0], DiskFiles()))
        asked = {"type": INFORMATION, "message": message, "actions": [{"title": t} for t in (_ONCE, _ALWAYS, _NO)]}
        with contextlib.suppress(RefusedError):
            chosen = await self._server.protocol.ask("window/showMessageRequest", asked)
            return chosen.get("title") if isinstance(chosen, dict) else None
        return None

    def _begin(self, uri: str, cases: "list[Runnable]") -> dict[str, Any]:
        names = {case.id for case in cases}
        for job in [j for j in self._jobs if j.uri == uri]:
            job.cancel(names)
        from rubric_lsp.jobs import Job  # noqa: PLC0415  # all that runs need, when something is run

        job = Job(uri, cases, self._record.running)
        self._jobs.add(job)
        self._server.keep(self._run(job))
        return {"running": sorted(names)}

    def cancel(self, uri: str) -> None:
        """Stop what is running of a suite."""
        for job in [j for j in self._jobs if j.uri == uri]:
            job.cancel()

    def cancel_token(self, token: object) -> None:
        """The client cancels the work behind a token."""
        self._board.cancel(token)

    def clear(self, uri: str) -> None:
        """Show no results of a suite any more."""
        self._record.clear(uri)
        self._changed(uri)

    async def stop(self) -> None:
        """End everything that runs, programs included."""
        for job in list(self._jobs):
            job.cancel()
        await asyncio.gather(*(job.over.wait() for job in list(self._jobs)))
        await self._outside.aclose()

    # -- running ------------------------------------------------------------------------------------------------------

    async def _run(self, job: "Job") -> None:
        from rubric_lsp.jobs import tally  # noqa: PLC0415

        progress = Progress(self._server.protocol, None)
        done: list[CaseResult] = []
        try:
            shown = self._server.client.progress
            progress = await self._board.begin(job.title, job.cancel, shown=shown)
            self._changed(job.uri)
            ports = await self._outside_world()

            def finished(result: "CaseResult") -> None:
                done.append(result)
                self._record.done(job.uri, result)
                self._changed(job.uri)

            def told(message: str) -> None:
                progress.report(message, round(100 * len(done) / len(job.cases)))
                self.refresh()

            await job.run(ports, told, finished)
        finally:
            self._jobs.discard(job)
            job.over.set()
            token = progress.token
            progress.end(tally(done, len(job.cases)))
            self._board.ended(token)
            self._changed(job.uri)
        if done:
            await self._record.keep(job.cases[0].path, done)

    async def _outside_world(self) -> "Ports":
        if self._ports is None:
            from rubric_core.adapters import system_ports  # noqa: PLC0415

            self._ports = await self._outside.enter_async_context(system_ports())
        return self._ports

    def _changed(self, uri: str) -> None:
        """What is shown of a suite has changed."""
        self._server.checks.due(uri)
        self.refresh()

    def refresh(self) -> None:
        """Ask the client to look at lenses and hints again, soon."""
        if self._refreshing is None:
            self._refreshing = asyncio.get_running_loop().call_later(_REFRESH, self._refresh)

    def _refresh(self) -> None:
        self._refreshing = None
        client = self._server.client
        if client.refreshes_lenses:
            self._server.keep(self._look_again("workspace/codeLens/refresh"))
        if client.refreshes_hints:
            self._server.keep(self._look_again("workspace/inlayHint/refresh"))

    async def _look_again(self, method: str) -> None:
        with contextlib.suppress(RefusedError):
            await self._server.protocol.ask(method)
