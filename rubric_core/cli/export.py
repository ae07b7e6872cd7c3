"""A run in a format for other programs: `rubric run -o FILE`, and `rubric results export`."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timezone
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

from rubric_core import __version__
from rubric_core.atomic_write import write_file
from rubric_core.cli.stored_run import StoredRun
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.exporting.formats import FORMATS, UnknownFormatError, exported, format_of
from rubric_core.evaluation.exporting.run_cases import ExportedRun
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.records import RunRecord, RunState
from rubric_core.lazy_compilation import replace

__all__ = ["RunExports", "add_export_arguments", "export_run", "output_file"]

#: A new file is readable by its owner alone, since it contains answers.
_PRIVATE = 0o600


def output_file(text: str) -> Path:
    """An argument: a file whose extension selects a format. Raises argparse.ArgumentTypeError."""
    path = Path(text)
    try:
        format_of(path)
    except UnknownFormatError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{path} is a folder")
    return path


def _write(run: ExportedRun, paths: Sequence[Path]) -> Iterator[str]:
    """Write the files; yields a sentence for each that could not be written."""
    for path in paths:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, (piece.encode() for piece in exported(run, format_of(path))), _PRIVATE)
        except OSError as error:
            yield f"{path} cannot be written: {error.strerror or error}"


def add_export_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric results export`."""
    add = parser.add_argument
    add("run", metavar="RUN", nargs="?", default="last", help="the run (default: last)")
    add("--format", choices=FORMATS, help="print the run in this format")
    add(
        "-o", "--output", metavar="FILE", action="append", default=[], type=output_file,
        help="write it to a file instead; its extension selects the format",
    )  # fmt: skip
    add("--show-prompts", action="store_true", help="include what was sent to targets, judges and programs, verbatim")


def export_run(database: ResultDatabase, options: argparse.Namespace) -> None:
    """Print or write a stored run. Raises RunNotFoundError, and OSError if a file cannot be written."""
    record = database.find(options.run)
    run = ExportedRun(record, lambda: database.cases(record), prompts=options.show_prompts)
    if options.format or not options.output:
        for piece in exported(run, options.format or "json"):
            sys.stdout.write(piece)
    for trouble in _write(run, options.output):
        raise OSError(trouble)


class RunExports:
    """Collects the cases of a run for its files.

    They are kept in a separate temporary database, so that memory use is bounded, and the files are complete even with
    `--no-store` or if the store of the repository cannot be written.

    Args:
        paths: The files.
        command: The command line.
        suites: Every suite of the run.
        prompts: Whether to include the requests.
    """

    def __init__(self, paths: Sequence[Path], command: Sequence[str], suites: Sequence[Path], *, prompts: bool) -> None:
        # Relative paths belong to the folder in which the run began, which a program may remove.
        self._paths = [path.absolute() for path in paths]
        self._command, self._prompts = tuple(command), prompts
        self._folder = TemporaryDirectory(prefix="rubric-") if paths else None
        self._roots: dict[Path, ResultDatabase] = {}
        self._lost = ""
        self._copy = StoredRun(command, suites, self._note, stores=bool(paths), database_of=self._database)

    def add_all(self, suite: Path, ended: Sequence[tuple[Runnable | None, CaseResult]]) -> None:
        """Add finished cases of a suite."""
        self._copy.add_all(suite, ended)

    def write(self, state: RunState) -> Iterator[str]:
        """Write the files at the end of the run; yields a message for each that is not written or incomplete."""
        if self._folder is None:
            return
        with self._folder:
            with suppress(OSError):
                self._copy.store_waiting()
            with suppress(OSError):
                self._copy.end(state)
            if self._copy.waiting:
                yield f"{self._copy.waiting} results are missing in {', '.join(map(str, self._paths))}: {self._lost}"
            yield from _write(self._run(state), self._paths)

    def _run(self, state: RunState) -> ExportedRun:
        databases = list(self._roots.values())
        runs = [(each, run) for each in databases for run in each.runs()]
        record = _together([run for _, run in runs], self._command, state)
        return ExportedRun(
            record, lambda: chain.from_iterable(each.cases(run) for each, run in runs), prompts=self._prompts
        )

    def _database(self, root: Path) -> ResultDatabase:
        """The database for a root."""
        if root not in self._roots and self._folder is not None:
            folder = Path(self._folder.name) / str(len(self._roots))
            folder.mkdir()
            self._roots[root] = ResultDatabase(root, folder / "results.db")
        return self._roots[root]

    def _note(self, words: str) -> None:
        self._lost = words.removeprefix("rubric: ").removeprefix("results cannot be stored: ")


def _together(runs: Sequence[RunRecord], command: tuple[str, ...], state: RunState) -> RunRecord:
    """One record of a run whose suites may be in several repositories, or that ran no case."""
    if not runs:
        now = datetime.now(tz=timezone.utc).isoformat(timespec="milliseconds")
        return RunRecord(
            id="", started_at=now, ended_at=now, state=state, command=command, counts=dict.fromkeys(Verdict, 0), rubric_version=__version__,
        )  # fmt: skip
    first = runs[0]
    if len(runs) == 1:
        return first
    costs = [run.cost_usd for run in runs if run.cost_usd is not None]
    return replace(
        first,
        suites=_distinct(run.suites for run in runs),
        dialects=_distinct(run.dialects for run in runs),
        targets=_distinct(run.targets for run in runs),
        judges=_distinct(run.judges for run in runs),
        counts={verdict: sum(run.counts.get(verdict, 0) for run in runs) for verdict in Verdict},
        grader_errors=sum(run.grader_errors for run in runs),
        tokens=None,
        cost_usd=sum(costs) if costs else None,
        duration_ms=max((run.duration_ms or 0.0) for run in runs),
    )


def _distinct(lists: Iterator[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(lists)))
