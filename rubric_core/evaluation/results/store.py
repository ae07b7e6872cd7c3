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
from rubric_core.evaluation.model.result import CaseResult
from rubric_core.evaluation.results.journal import Journal, JournalRows, JsonText, json_text, write_atomically
from rubric_core.evaluation.results.known_case import KnownCase, known_case_of
from rubric_core.evaluation.results.result_reader import history_of
from rubric_core.evaluation.results.stored_rows import GRADER_ERRORS, result_in, stored_row
from rubric_core.lazy_compilation import dataclass
from rubric_core.loading.files import absolute
from rubric_core.user_dirs import hide

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
        self._journal = Journal(path.with_suffix(".jsonl"), path.with_suffix(".lock"), lambda: hide(path.parent.parent))

    @classmethod
    def of(cls, suite: Path) -> "ResultStore":
        """The store of a suite, or of a file with cases, whichever suite ran these."""
        return cls(results_path(suite), suite.absolute())

    def read(self) -> dict[str, StoredCase]:
        """Every stored case by its id; of a damaged file, those that can be read."""
        return dict(self.cases())

    def cases(self) -> Iterator[tuple[str, StoredCase]]:
        """Every stored case with its id, one at a time."""
        for name, row in self._merged(JournalRows.at):
            case = _stored_case(row)
            if case is not None:
                yield name, case

    def known(self) -> Iterator[tuple[str, KnownCase]]:
        """The same, but results are read when somebody looks at them; those of a run that goes on, and of an earlier version, at once."""
        with self._journal.opened() as journal:
            noted = _noted(journal)
            for part in self._parts():
                known = known_case_of(part) if isinstance(part, str) else None
                if known is not None and known[0] not in noted:
                    yield known
                    continue
                for name, row in _rows_of(part):
                    new = noted.pop(name, None)
                    case = _stored_case(row if new is None else new.row(journal.at(new.place), row.get("history", ())))
                    if case is not None:
                        yield name, KnownCase.of(case.latest, case.history)
            for name, new in noted.items():
                case = _stored_case(new.row(journal.at(new.place), ()))
                if case is not None:
                    yield name, KnownCase.of(case.latest, case.history)

    def add(self, results: Sequence[CaseResult], suite: str, dialect: str) -> None:
        """Keep results as the latest ones. Raises OSError."""
        for result in results:
            self.note(result)
        self.settle(suite, dialect)

    def note(self, result: CaseResult) -> None:
        """Keep a result at once: a program that is killed after this has not lost it. Raises OSError."""
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
        for name, row in self._merged(JournalRows.text_at):
            try:
                line = f"{json_text(name)}: {_row_text(row)}"
            except RecursionError:  # somebody else's row, nested so deeply that it can be read, but not be written
                continue
            yield before + line
            before = _BETWEEN
        yield "\n}}\n"

    def _merged(self, latest: Callable[[JournalRows, int], Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        """The rows of the file with those of the journal put in their places; `latest` reads these."""
        with self._journal.opened() as journal:
            noted = _noted(journal)
            for key, row in self._rows():
                new = noted.pop(key, None)
                yield key, row if new is None else new.row(latest(journal, new.place), row.get("history", ()))
            for key, new in noted.items():
                yield key, new.row(latest(journal, new.place), ())

    def _rows(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """The rows of the file; of one that is damaged those that can be read, of one of another version none."""
        return (each for part in self._parts() for each in _rows_of(part))

    def _parts(self) -> Iterator[str | dict[str, Any]]:
        """The lines of the file, each of a case; of one that was laid out by somebody else all cases together, read already."""
        with (
            contextlib.suppress(OSError, UnicodeDecodeError),
            TextIOWrapper(open_file(self.path, _LARGEST), "utf-8") as file,
        ):
            head = file.readline(_LONGEST_LINE)
            ours = head.endswith(_BEGIN)
            known = _mapping(f"{head}}}}}" if ours else head + file.read(_LONGEST_LINE))
            if known.get("version") != _VERSION:
                return
            if ours:
                yield from iter(partial(file.readline, _LONGEST_LINE), "")
            elif isinstance(rows := known.get("cases"), dict):
                yield rows


def _rows_of(part: str | dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows in a part of the file."""
    rows = part if isinstance(part, dict) else _mapping(f"{{{part.rstrip(_BETWEEN)}}}")
    return ((name, row) for name, row in rows.items() if isinstance(row, dict))


def _stored_case(row: Mapping[str, Any]) -> StoredCase | None:
    """The case in a row; None where that is damaged."""
    try:
        return StoredCase(result_in(row["latest"]), history_of(row.get("history")))
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
        return None


@dataclass(slots=True)
class _Noted:
    """What the journal has of a case: where its last result is, and what the history keeps of each."""

    place: int = 0
    summary: dict[str, Any] = field(default_factory=dict)
    history: list[dict[str, Any]] = field(default_factory=list)

    def take(self, place: int, row: Mapping[str, Any]) -> None:
        self.place = place
        past = _past(row)
        self.summary = past | {name: row[name] for name in ("file", "suite", GRADER_ERRORS) if name in row}
        self.history.append(past)

    def row(self, latest: Mapping[str, Any] | JsonText, before: object) -> dict[str, Any]:
        kept = before if isinstance(before, list) else ()  # somebody else may have written it
        return {"summary": self.summary, "latest": latest, "history": [*kept, *self.history][-_MOST_HISTORY:]}


def _noted(journal: JournalRows) -> dict[str, _Noted]:
    """What a journal has, by the names that cases have in the file."""
    noted: dict[str, _Noted] = {}
    targets: dict[str, Any] = {}
    for place, row in journal:
        if "verdict" not in row:
            continue
        name, target = str(row.get("id")), row.get("target")
        # Of a case that several targets answer, the first has the place of the case.
        key = name if targets.setdefault(name, target) == target else f"{name}@{target}"
        noted.setdefault(key, _Noted()).take(place, row)
    return noted


def _row_text(row: Mapping[str, Any]) -> str:
    """A row as JSON, its summary first; a result that the journal has so already is not read and written once more."""
    latest = row.get("latest")
    parts = {"summary": json_text(row["summary"])} if "summary" in row else {}
    parts |= {"history": json_text(row.get("history", ()))}
    parts |= {"latest": latest if isinstance(latest, JsonText) else json_text(latest)}
    return "{" + ", ".join(f'"{name}": {text}' for name, text in parts.items()) + "}"


def _past(row: Mapping[str, Any]) -> dict[str, Any]:
    """What the history keeps of a result."""
    return {n: row[n] for n in ("at", "verdict", "score", "duration_ms", "fingerprint") if row.get(n) is not None}


def _mapping(text: str) -> dict[str, Any]:
    with contextlib.suppress(ValueError, RecursionError):
        value = json.loads(text)
        if isinstance(value, dict):
            return value
    return {}
