"""The run of a command, stored in the database of each repository of its suites."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from rubric_core import __version__
from rubric_core.evaluation.cases.case_labels import metadata_of, tags_of
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.model.result import CaseResult
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.records import RunState
from rubric_core.evaluation.results.run_info import run_info
from rubric_core.evaluation.results.run_writer import EndedCase, RunWriter
from rubric_core.loading.files import absolute
from rubric_core.program_lookup import process_environment

__all__ = ["StoredRun"]


class _Place(NamedTuple):
    """A suite, and the folder of its results."""

    suite: Path
    root: Path


class _Waiting(NamedTuple):
    """A result that could not be stored yet."""

    suite: Path
    case: Runnable | None
    result: CaseResult


class StoredRun:
    """Stores cases as they end. Results that cannot be stored are retried later.

    Args:
        command: The command line.
        suites: Every suite of the run.
        say: Shows a message.
        stores: Whether anything is stored at all.
        partial: See `RunInfo`.
        database_of: The database of a root.
    """

    def __init__(
        self,
        command: Sequence[str],
        suites: Sequence[Path],
        say: Callable[[str], None],
        *,
        stores: bool,
        partial: bool = False,
        database_of: Callable[[Path], ResultDatabase] = ResultDatabase,
    ) -> None:
        self._command, self._say, self._stores, self._database_of = command, say, stores, database_of
        self._partial = partial
        #: The suites as named, with their roots; a program of a run may remove the current folder.
        self._places = {suite: _Place(absolute(suite), ResultDatabase.of(suite).root) for suite in suites}
        self._writers: dict[Path, RunWriter] = {}
        self._ended: list[tuple[Path, str]] = []
        self._waiting: list[_Waiting] = []

    @property
    def waiting(self) -> int:
        """The number of results that could not be stored."""
        return len(self._waiting)

    @property
    def runs(self) -> list[tuple[ResultDatabase, str]]:
        """The stored run after its end: its id in each database."""
        return [(self._database_of(root), name) for root, name in self._ended]

    def add(self, suite: Path, case: Runnable | None, result: CaseResult) -> None:
        """Store a finished case."""
        self.add_all(suite, [(case, result)])

    def add_all(self, suite: Path, ended: Sequence[tuple[Runnable | None, CaseResult]]) -> None:
        """Store finished cases of a suite: together, or as many of them as possible."""
        if not self._stores:
            return
        every = [_Waiting(suite, case, result) for case, result in ended]
        try:
            self._write(every)
        except OSError as error:
            if len(every) > 1:
                for case, result in ended:
                    self.add(suite, case, result)
                return
            if not self._waiting:
                self._say(f"rubric: results cannot be stored: {error}")
            self._waiting += every

    def store_waiting(self) -> None:
        """Store the results that could not be stored before. Raises OSError."""
        late = bool(self._waiting)
        while self._waiting:
            self._write(self._waiting[:1])
            self._waiting.pop(0)
        if late:
            self._say("rubric: now they are stored")

    def end(self, state: RunState) -> None:
        """End the run. Raises OSError."""
        self._ended += [(root, writer.id) for root, writer in self._writers.items()]
        writers, self._writers = self._writers, {}
        for writer in writers.values():
            writer.end(state)

    def _write(self, ended: Sequence[_Waiting]) -> None:
        """Store cases of one suite. Raises OSError."""
        place = self._places[ended[0].suite]
        self._writer(place.root).add_all([_storable(each, place.suite) for each in ended])

    def _writer(self, root: Path) -> RunWriter:
        if root not in self._writers:
            suites = [place.suite for place in self._places.values() if place.root == root]
            info = run_info(root, self._command, suites, __version__, process_environment(), partial=self._partial)
            self._writers[root] = self._database_of(root).begin(info)
        return self._writers[root]


def _storable(each: _Waiting, suite: Path) -> EndedCase:
    tags, metadata = (tags_of(each.case), metadata_of(each.case)) if each.case is not None else ((), {})
    return EndedCase(each.result, suite, tags, metadata)
