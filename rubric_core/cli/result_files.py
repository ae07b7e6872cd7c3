"""Result files of a suite (`output_path`): the results of its run, in the formats of `--format`."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from rubric_core.cli.json_output import JsonReport, JsonRows
from rubric_core.cli.suite_run import SuiteOutcome
from rubric_core.evaluation.cases.load import LoadedSuite
from rubric_core.evaluation.model.result import CaseResult
from rubric_core.evaluation.results.journal import write_atomically
from rubric_core.language.shape import as_list

__all__ = ["ResultFiles"]

_FORMS = (".json", ".jsonl")


class _Held:
    """The future content of a file, kept on disk, as answers may exceed the memory."""

    def __init__(self) -> None:
        self._file: IO[str] | None = None
        self._error: OSError | None = None

    def put(self, text: str, _: int | None = None) -> None:
        """Add text. The run continues if that fails; `write` reports it."""
        if self._error is None:
            try:
                self._opened().write(text)
            except OSError as error:
                self._error = error

    def write(self, path: Path) -> None:
        """Move it to its path. Raises OSError, also for an earlier failure."""
        with self._opened() as file:
            if self._error is not None:
                raise self._error
            file.seek(0)
            write_atomically(path, file)

    def _opened(self) -> IO[str]:
        if self._file is None:
            self._file = tempfile.TemporaryFile("w+", encoding="utf-8", newline="\n")  # noqa: SIM115  # closed at the end
        return self._file


class ResultFiles:
    """Collects the results of a run of `suite`, and writes them when the run has ended or was interrupted.

    A path is relative to the current directory, as for `--format json > PATH`.
    """

    def __init__(self, suite: LoadedSuite) -> None:
        written = suite.analysis.suite.output_path if suite.analysis.suite is not None else None
        self._paths = [Path(each) for each in as_list(written) if isinstance(each, str)]
        self._held = [(path, _Held()) for path in self._paths if _is_written(path)]
        #: Whether one of the files could not be written.
        self.failed = False
        self._shown: list[JsonReport | JsonRows] = [
            JsonRows(held) if path.suffix.lower() == ".jsonl" else JsonReport(held, several=False)
            for path, held in self._held
        ]
        for each in self._shown:
            each.begin(suite)

    def take(self, place: int, result: CaseResult) -> None:
        """Add a finished case; `place` is its position in the file."""
        for each in self._shown:
            each.take(place, result)

    def end(self, done: SuiteOutcome) -> Iterator[str]:
        """Write the files; yields a message for each that is not written."""
        for path in self._paths:
            if not _is_written(path):
                yield f"{done.suite.path}: `output_path`: {path} is not written; rubric writes .json and .jsonl"
        for shown, (path, held) in zip(self._shown, self._held, strict=True):
            shown.end(done)
            try:
                held.write(path)
            except OSError as error:
                self.failed = True
                yield f"{done.suite.path}: `output_path`: {path} cannot be written: {error.strerror or error}"


def _is_written(path: Path) -> bool:
    return path.suffix.lower() in _FORMS and "{{" not in str(path)
