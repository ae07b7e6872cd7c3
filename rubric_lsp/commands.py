"""The commands of lenses and actions. Their arguments are positional: a document's URI, then the id of a case."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rubric_lsp.protocol.errors import INVALID_PARAMS, REQUEST_FAILED, RequestFailedError
from rubric_lsp.protocol.uris import path_of
from rubric_lsp.running.run_request import CaseSelection, RunRequest
from rubric_lsp.server import RubricServer

if TYPE_CHECKING:
    from rubric_lsp.protocol.wire_types.explorer import BegunRun
    from rubric_lsp.running.job import Job

__all__ = ["Commands"]

_ARGUMENTS = ("a URI", "the id of a case", "the name of an evaluator")
#: A larger number of repetitions is taken for a typing mistake.
_MOST_REPEATS = 100


class Commands:
    """The commands that `workspace/executeCommand` accepts."""

    def __init__(self, server: RubricServer) -> None:
        self._server = server
        #: How many texts each command needs, how many arguments it takes at most, and its handler.
        self._table: dict[str, tuple[int, int, Callable[..., Awaitable[object]]]] = {
            "rubric.runCase": (2, 2, self._run_case),
            "rubric.runEvaluator": (3, 3, self._run_evaluator),
            "rubric.runFile": (1, 1, self._run_file),
            "rubric.runFailed": (1, 1, self._run_failed),
            "rubric.runUnscored": (1, 1, self._run_unscored),
            "rubric.runAgain": (1, 1, self._run_again),
            "rubric.repeat": (2, 3, self._repeat),
            "rubric.record": (2, 2, self._record),
            "rubric.cancel": (1, 1, self._cancel),
            "rubric.clearResults": (1, 1, self._clear),
            "rubric.openReport": (2, 2, self._open_report),
            "rubric.openAnswer": (2, 2, self._open_answer),
            "rubric.openPrompt": (2, 2, self._open_prompt),
            "rubric.openReply": (2, 3, self._open_reply),
            "rubric.openTrace": (2, 2, self._open_trace),
            "rubric.diffAnswer": (2, 2, self._diff_answer),
            "rubric.copyCommand": (2, 2, self._copy_command),
            "rubric.trust": (0, 1, self._trust),
        }

    @property
    def names(self) -> list[str]:
        """Every command."""
        return list(self._table)

    async def execute(self, name: str, arguments: Sequence[Any]) -> object:
        """Execute a command. Raises RequestFailedError for an unknown command or missing arguments."""
        found = self._table.get(name)
        if found is None:
            raise RequestFailedError(INVALID_PARAMS, f"there is no command {name}; there are {', '.join(self._table)}")
        amount, most, command = found
        given = list(arguments[:amount])
        if len(given) < amount or not all(isinstance(a, str) and a for a in given):
            needed = " and ".join(_ARGUMENTS[:amount])
            raise RequestFailedError(INVALID_PARAMS, f"{name} takes {needed}, found {list(arguments)!r:.200}")
        return await command(*arguments[:most])

    # -- running ------------------------------------------------------------------------------------------------------

    async def _start(self, order: RunRequest) -> object:
        return _begun(await self._server.runs.start(order))

    async def _run_case(self, uri: str, case_id: str) -> object:
        return await self._start(RunRequest.of(uri, case_id))

    async def _run_evaluator(self, uri: str, case_id: str, name: str) -> object:
        return await self._start(RunRequest((CaseSelection(uri, (case_id,), name),)))

    async def _run_file(self, uri: str) -> object:
        return await self._start(RunRequest.of(uri))

    async def _run_failed(self, uri: str) -> object:
        return await self._start(RunRequest.of(uri, failed=True))

    async def _run_unscored(self, uri: str) -> object:
        return await self._start(RunRequest.of(uri, unscored=True))

    async def _run_again(self, uri: str) -> object:
        return _begun(await self._server.runs.again(uri))

    async def _repeat(self, uri: str, case_id: str, times: object = 5) -> object:
        if not isinstance(times, int) or isinstance(times, bool) or not 1 <= times <= _MOST_REPEATS:
            raise RequestFailedError(
                INVALID_PARAMS, f"a case is repeated 1 to {_MOST_REPEATS} times, found {times!r:.50}"
            )
        return await self._start(RunRequest.of(uri, case_id, repeat=times))

    async def _record(self, uri: str, case_id: str) -> object:
        return await self._start(RunRequest.of(uri, case_id, record=True))

    async def _cancel(self, uri: str) -> object:
        self._server.runs.cancel(self._suite_of(uri))
        return None

    async def _clear(self, uri: str) -> object:
        self._server.runs.clear(self._suite_of(uri))
        return None

    def _suite_of(self, uri: str) -> str:
        """The URI of the suite that runs the cases of an open file: the file itself, unless a suite includes it."""
        snapshot = self._server.documents.get(uri)
        return self._server.known.suite_at(snapshot).uri if snapshot is not None else uri

    # -- looking ------------------------------------------------------------------------------------------------------

    async def _open_report(self, uri: str, case_id: str) -> object:
        return await self._server.virtual_documents.show("report", uri, case_id)

    async def _open_answer(self, uri: str, case_id: str) -> object:
        return await self._server.virtual_documents.show("answer", uri, case_id)

    async def _open_prompt(self, uri: str, case_id: str) -> object:
        return await self._server.virtual_documents.show("prompt", uri, case_id)

    async def _open_reply(self, uri: str, case_id: str, evaluator: object = "") -> object:
        return await self._server.virtual_documents.show(
            "reply", uri, case_id, evaluator if isinstance(evaluator, str) else ""
        )

    async def _open_trace(self, uri: str, case_id: str) -> object:
        return await self._server.virtual_documents.show("trace", uri, case_id)

    async def _diff_answer(self, uri: str, case_id: str) -> object:
        return await self._server.virtual_documents.compare(uri, case_id)

    async def _copy_command(self, uri: str, case_id: str) -> object:
        """Return the command line. The clipboard belongs to the client; one without support shows the line."""
        line = self._server.reports.command(self._server.known.at(uri), case_id)
        if not self._server.client.tests:
            self._server.say(line)
        return line

    # -- trust --------------------------------------------------------------------------------------------------------

    async def _trust(self, uri: object = None) -> object:
        """The folder of a URI, or the open folders without one: Helix passes no arguments."""
        if uri is not None and not isinstance(uri, str):
            raise RequestFailedError(INVALID_PARAMS, f"rubric.trust takes a URI, or nothing, found {uri!r:.200}")
        uris = [uri] if uri else list(self._server.documents.folders)
        if not uris:
            raise RequestFailedError(INVALID_PARAMS, "rubric.trust needs a URI: no folder is open")
        return ", ".join([str(await self._trusted(each)) for each in uris])

    async def _trusted(self, uri: str) -> Path:
        """Trust a folder, which remembers what the suites in it do, as with `rubric trust`."""
        from rubric_core.cli.folder_plan import plan_folder  # noqa: PLC0415  # what a run needs
        from rubric_core.evaluation.cases.options import Options  # noqa: PLC0415

        path = path_of(uri)
        if path is None:
            raise RequestFailedError(INVALID_PARAMS, f"{uri} is not a folder on disk")
        wanted = self._server.permission.folder_of(path)
        try:
            folder = self._server.permission.add(wanted)
            found = await asyncio.to_thread(plan_folder, folder, Options())
            self._server.permission.remember(folder, [found.plan])
        except ValueError as error:
            raise RequestFailedError(INVALID_PARAMS, str(error)) from None
        except OSError as error:
            raise RequestFailedError(REQUEST_FAILED, f"the trust for {wanted} cannot be saved: {error}") from None
        self._server.say(f"{folder} is trusted: its suites can be run (undo with rubric trust --remove)")
        return folder


def _begun(job: "Job | None") -> "BegunRun | None":
    """The result of a command that starts a run: the id of the run, null while a person has to allow it first."""
    return None if job is None else {"runId": job.name, "running": sorted(c.id for p in job.parts for c in p.cases)}
