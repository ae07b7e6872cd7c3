"""Results on disk: what each case of a suite gave last, and before. Written by the command line, read by the editors too."""

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from rubric_core.disk import open_file
from rubric_core.evaluation.result import CaseResult
from rubric_core.evaluation.result_reader import history_of
from rubric_core.evaluation.stored_rows import result_in, stored_row
from rubric_core.evaluation.writing import Journal, JsonText, Rows, json_text, write_atomically
from rubric_core.homes import hide
from rubric_core.lazy import dataclass
from rubric_core.loading.files import absolute

__all__ = ["ResultStore", "StoredCase", "results_path"]

_VERSION = 1
_MOST_HISTORY = 50
#: Bytes; a tenth of it is 20,000 cases with long answers.
_LARGEST = 2_000_000_000
#: Characters of a line, which holds a case: a file that somebody else made may be a single one.
_LONGEST_LINE = 64_000_000
#: Bytes: names of files have 255 at most, and locks and drafts have longer endings.
_LONGEST_NAME = 200
#: The end of the first line of a file, and what stands between the rows behind it.
_BEGIN, _BETWEEN = '"cases": {\n', ",\n"


def results_path(suite: Path) -> Path:
    """The file with the results of a suite: under `.rubric/results` at the root of its repository, or beside it.

    Its name is the path there; of one that is too long for a name, the end, behind what tells it from others.
    """
    suite = suite.absolute()
    root = next((d for d in suite.parents if os.path.exists(d / ".git")), suite.parent)  # noqa: PTH110  # raises for no name
    name = "__".join(suite.relative_to(root).parts)
    written = os.fsencode(name)
    if len(written) > _LONGEST_NAME:
        name = f"{hashlib.sha256(written).hexdigest()[:16]}__{written[-_LONGEST_NAME:].decode(errors='ignore')}"
    return root / ".rubric" / "results" / f"{name}.json"


@dataclass(frozen=True, slots=True)
class StoredCase:
    """What is known of a case from earlier runs."""

    latest: CaseResult
    #: Oldest first; each has at, verdict, score, duration_ms and fingerprint as far as they are known. The latest is the last.
    history: tuple[Mapping[str, Any], ...] = ()


class ResultStore:
    """The results of one suite. Several programs may write at a time; each keeps what the others wrote."""

    def __init__(self, path: Path, suite: Path | None = None) -> None:
        self.path = path
        self._suite = suite
        #: The stores of files whose cases the suite takes over.
        self._others: dict[str, ResultStore] = {}
        #: Results of a run that is still going on, or was killed: a line each, in the order in which they came.
        self._journal = Journal(path.with_suffix(".jsonl"), path.with_suffix(".lock"))

    @classmethod
    def of(cls, suite: Path) -> "ResultStore":
        """The store of a suite, or of a file with cases, whichever suite ran these."""
        return cls(results_path(suite), suite.absolute())

    def read(self) -> dict[str, StoredCase]:
        """Every stored case by its id; of a damaged file, those that can be read."""
        return dict(self.cases())

    def cases(self) -> Iterator[tuple[str, StoredCase]]:
        """Every stored case with its id, one at a time."""
        for name, row in self._merged(Rows.at):
            try:
                case = StoredCase(result_in(row["latest"]), history_of(row.get("history")))
            except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
                continue
            yield name, case

    def add(self, results: Sequence[CaseResult], suite: str, dialect: str) -> None:
        """Keep results as the latest ones. Raises OSError."""
        for result in results:
            self.note(result)
        self.settle(suite, dialect)

    def note(self, result: CaseResult) -> None:
        """Keep a result at once: a program that is killed after this has not lost it. Raises OSError."""
        if not self._journal:
            hide(self.path.parent.parent)
        self._journal.append(stored_row(result))
        other = self._other(result.file)
        if other is not None and self._suite is not None:
            suite = Path(os.path.relpath(self._suite, (self._suite.parent / result.file).parent)).as_posix()
            other.note(replace(result, file="", suite=suite))

    def _other(self, file: str) -> "ResultStore | None":
        """The store of the file in which a case stands, where that is not the suite: editors look for its results there."""
        if not file or self._suite is None:
            return None
        if file not in self._others:
            self._others[file] = ResultStore.of(absolute(self._suite.parent / file))
        return self._others[file]

    def settle(self, suite: str, dialect: str) -> None:
        """Put what was noted in its place. Raises OSError."""
        for file, other in self._others.items():
            other.settle(file, dialect)
        if not self._journal:
            return
        try:
            with self._journal.locked():
                write_atomically(self.path, self._text(suite, dialect), private=True)
                self._journal.remove()
        finally:
            self._journal.close()

    def _text(self, suite: str, dialect: str) -> Iterator[str]:
        """The content of the file, a line for each case: so it is read without having all of it at once."""
        yield f'{{"version": {_VERSION}, "suite": {json_text(suite)}, "dialect": {json_text(dialect)}, "cases": {{\n'  # ends with _BEGIN
        before = ""
        for name, row in self._merged(Rows.text_at):
            try:
                line = f"{json_text(name)}: {_row_text(row)}"
            except RecursionError:  # somebody else's row, nested so deeply that it can be read, but not be written
                continue
            yield before + line
            before = _BETWEEN
        yield "\n}}\n"

    def _merged(self, latest: Callable[[Rows, int], Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        """The rows of the file with those of the journal put in their places; `latest` reads these."""
        noted: dict[str, _Noted] = {}
        targets: dict[str, Any] = {}
        with self._journal.opened() as journal:
            for place, row in journal:
                if "verdict" not in row:
                    continue
                name, target = str(row.get("id")), row.get("target")
                # Of a case that several targets answer, the first has the place of the case.
                key = name if targets.setdefault(name, target) == target else f"{name}@{target}"
                noted.setdefault(key, _Noted()).take(place, row)
            for key, row in self._rows():
                new = noted.pop(key, None)
                yield key, row if new is None else new.row(latest(journal, new.place), row.get("history", ()))
            for key, new in noted.items():
                yield key, new.row(latest(journal, new.place), ())

    def _rows(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """The rows of the file; of one that is damaged those that can be read, of one of another version none."""
        with (
            contextlib.suppress(OSError, UnicodeDecodeError),
            TextIOWrapper(open_file(self.path, _LARGEST), "utf-8") as file,
        ):
            head = file.readline(_LONGEST_LINE)
            ours = head.endswith(_BEGIN)  # else it was laid out by somebody else, and is read as a whole
            known = _mapping(f"{head}}}}}" if ours else head + file.read(_LONGEST_LINE))
            if known.get("version") != _VERSION:
                return
            for rows in (
                (_mapping(f"{{{line.rstrip(_BETWEEN)}}}") for line in iter(partial(file.readline, _LONGEST_LINE), ""))
                if ours
                else (known.get("cases"),)
            ):
                if isinstance(rows, dict):
                    yield from ((name, row) for name, row in rows.items() if isinstance(row, dict))


@dataclass(slots=True)
class _Noted:
    """What the journal has of a case: where its last result is, and what the history keeps of each."""

    place: int = 0
    history: list[dict[str, Any]] = field(default_factory=list)

    def take(self, place: int, row: Mapping[str, Any]) -> None:
        self.place = place
        self.history.append(_summary(row))

    def row(self, latest: Mapping[str, Any] | JsonText, before: object) -> dict[str, Any]:
        kept = before if isinstance(before, list) else ()  # somebody else may have written it
        return {"latest": latest, "history": [*kept, *self.history][-_MOST_HISTORY:]}


def _row_text(row: Mapping[str, Any]) -> str:
    """A row as JSON; a result that the journal has so already is not read and written once more."""
    latest = row.get("latest")
    if isinstance(latest, JsonText):
        return f'{{"latest": {latest}, "history": {json_text(row["history"])}}}'
    return json_text(row)


def _summary(row: Mapping[str, Any]) -> dict[str, Any]:
    """What the history keeps of a result."""
    return {n: row[n] for n in ("at", "verdict", "score", "duration_ms", "fingerprint") if row.get(n) is not None}


def _mapping(text: str) -> dict[str, Any]:
    with contextlib.suppress(ValueError, RecursionError):
        value = json.loads(text)
        if isinstance(value, dict):
            return value
    return {}
