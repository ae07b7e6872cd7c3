"""Stores a run of the editor in the database of results as its cases end. Imported when something is run."""

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path

from rubric_core import __version__
from rubric_core.evaluation.cases.case_labels import metadata_of, tags_of
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.variations import base_id
from rubric_core.evaluation.engine.run import save_recordings
from rubric_core.evaluation.model.result import CaseResult
from rubric_core.evaluation.results.connection import damaged_beside
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.records import RunState
from rubric_core.evaluation.results.run_info import run_info
from rubric_core.evaluation.results.run_writer import RunWriter
from rubric_core.program_lookup import process_environment
from rubric_lsp.host import Host
from rubric_lsp.protocol.notices import WARNING
from rubric_lsp.running.selection import SelectedCases

__all__ = ["JobResults"]


class JobResults:
    """Stores the results of a job.

    Args:
        host: Reports results that could not be stored.
        parts: The suites of the job.
        title: The title of the job.
    """

    def __init__(self, host: Host, parts: Sequence[SelectedCases], title: str) -> None:
        self._host, self._parts, self._title = host, parts, title
        self._partial = any(part.partial for part in parts)
        self._cases = {(part.uri, case.id): case for part in parts for case in part.cases}
        self._tasks: dict[str, list[asyncio.Task[None]]] = {}
        self._writers: dict[Path, RunWriter] = {}
        #: The damaged databases that existed before, by database.
        self._damaged: dict[Path, frozenset[str]] = {}
        self._lock = threading.Lock()

    def add(self, part: SelectedCases, result: CaseResult) -> None:
        """Store a finished case at once, in a thread."""
        writing = asyncio.to_thread(self._write, part, result)
        self._tasks.setdefault(part.uri, []).append(asyncio.get_running_loop().create_task(writing))

    async def end(self, state: RunState, *, recordings: bool) -> None:
        """End the run, and report results that could not be stored."""
        for part in self._parts:
            written = await asyncio.gather(*self._tasks.pop(part.uri, []), return_exceptions=True)
            failures = [error for error in written if isinstance(error, BaseException)]
            if failures:
                lost = f"{len(failures)} of {len(written)} results of {part.path.name} could not be stored"
                self._host.say(f"rubric: {lost}: {failures[0]}", WARNING)
        try:
            await asyncio.to_thread(self._end, state)
            for name in await asyncio.to_thread(self._set_aside):
                self._host.say(
                    f"rubric: the stored results were damaged: they are now {name}, and new ones were begun", WARNING
                )
            for part in self._parts if recordings else ():
                await asyncio.to_thread(save_recordings, part.cases)
        except OSError as error:
            self._host.say(f"rubric: the results could not be stored: {error}", WARNING)

    def _write(self, part: SelectedCases, result: CaseResult) -> None:
        case = self._cases.get((part.uri, result.id)) or self._cases.get((part.uri, base_id(result.id)))
        tags, metadata = _labels(case)
        self._writer(part.path).add(result, suite=part.path, tags=tags, metadata=metadata)

    def _writer(self, suite: Path) -> RunWriter:
        with self._lock:
            database = ResultDatabase.of(suite)
            if database.path not in self._writers:
                self._damaged[database.path] = damaged_beside(database.path)
                suites = [part.path for part in self._parts if ResultDatabase.of(part.path).path == database.path]
                info = run_info(
                    database.root,
                    ("editor", self._title),
                    suites,
                    __version__,
                    process_environment(),
                    partial=self._partial,
                )
                self._writers[database.path] = database.begin(info)
            return self._writers[database.path]

    def _set_aside(self) -> list[str]:
        """The databases that this run found damaged."""
        return [n for path, before in self._damaged.items() for n in sorted(damaged_beside(path) - before)]

    def _end(self, state: RunState) -> None:
        for writer in self._writers.values():
            writer.end(state)


def _labels(case: Runnable | None) -> tuple[tuple[str, ...], dict[str, object]]:
    return ((), {}) if case is None else (tags_of(case), dict(metadata_of(case)))
