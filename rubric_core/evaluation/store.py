"""Results on disk: what each case of a suite gave last, and before. Written by the command line, read by the editors too."""

import contextlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from rubric_core.evaluation.result import CaseResult, case_result_of, jsonable
from rubric_core.loading.files import absolute

__all__ = ["ResultStore", "StoredCase", "results_path", "write_atomically"]

_VERSION = 1
_MOST_HISTORY = 50
_LARGEST = 100_000_000


def write_atomically(path: Path, text: str) -> None:
    """Replace the content of a file at once or not at all. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{uuid4().hex[:12]}")
    try:
        with temporary.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def results_path(suite: Path) -> Path:
    """The file with the results of a suite: under `.rubric/results` at the root of its repository, or beside it."""
    suite = suite.absolute()
    root = next((d for d in suite.parents if (d / ".git").exists()), suite.parent)
    name = "__".join(suite.relative_to(root).parts)
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

    @classmethod
    def of(cls, suite: Path) -> "ResultStore":
        """The store of a suite, or of a file with cases, whichever suite ran these."""
        return cls(results_path(suite), suite.absolute())

    @property
    def _journal(self) -> Path:
        """Results of a run that is still going on, or was killed: a line each, in the order in which they came."""
        return self.path.with_suffix(".jsonl")

    def read(self) -> dict[str, StoredCase]:
        """Every stored case by its id. A file that is missing or damaged holds nothing."""
        cases: dict[str, StoredCase] = {}
        for name, row in self._merged().items():
            with contextlib.suppress(KeyError, TypeError, ValueError, AttributeError):
                cases[name] = StoredCase(case_result_of(row["latest"]), tuple(row.get("history", ())))
        return cases

    def add(self, results: Sequence[CaseResult], suite: str, dialect: str) -> None:
        """Keep results as the latest ones. Raises OSError."""
        for result in results:
            self.note(result)
        self.settle(suite, dialect)

    def note(self, result: CaseResult) -> None:
        """Keep a result at once: a program that is killed after this has not lost it. Raises OSError."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = _written(jsonable(result))
        with _locked(self.path.with_suffix(".lock")), self._journal.open("a", encoding="utf-8") as file:
            # The last line of a program that was killed may be cut: a row of its own begins on a line of its own.
            file.write(f"\n{line}\n")
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
        ignore = self.path.parent.parent / ".gitignore"
        if self.path.parent.exists() and not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")  # results are nobody's source
        if not self._journal.exists():
            return
        with _locked(self.path.with_suffix(".lock")):
            head = f'{{"version": {_VERSION}, "suite": {_written(suite)}, "dialect": {_written(dialect)}, "cases": {{'
            rows = ",\n".join(f"{_written(name)}: {_written(row)}" for name, row in self._merged().items())
            write_atomically(self.path, f"{head}\n{rows}\n}}}}\n")
            self._journal.unlink(missing_ok=True)

    def _merged(self) -> dict[str, Any]:
        """The rows of the file with those of the journal put in their places."""
        rows = self._rows()
        targets: dict[str, Any] = {}
        for noted in self._noted():
            name, target = str(noted.get("id")), noted.get("target")
            # Of a case that several targets answer, the first has the place of the case.
            key = name if targets.setdefault(name, target) == target else f"{name}@{target}"
            history = [*rows.get(key, {}).get("history", []), _summary(noted)]
            rows[key] = {"latest": noted, "history": history[-_MOST_HISTORY:]}
        return rows

    def _noted(self) -> Iterator[dict[str, Any]]:
        try:
            # An answer may hold characters at which splitlines would cut a row in two.
            lines = self._journal.read_text(encoding="utf-8").split("\n")
        except (OSError, UnicodeDecodeError):
            return
        for line in lines:
            with contextlib.suppress(ValueError, RecursionError):  # the last line of a killed program may be cut
                row = json.loads(line)
                if isinstance(row, dict) and "verdict" in row:
                    yield row

    def _rows(self) -> dict[str, Any]:
        try:
            if self.path.stat().st_size > _LARGEST:
                return {}
            content = json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        rows = content.get("cases") if isinstance(content, dict) and content.get("version") == _VERSION else None
        return {n: r for n, r in rows.items() if isinstance(r, dict)} if isinstance(rows, dict) else {}


def _written(value: Any) -> str:
    """JSON on one line, as people read it; half of a pair of surrogates, which is no text, is written as its number."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return text


def _summary(row: Mapping[str, Any]) -> dict[str, Any]:
    """What the history keeps of a result."""
    return {n: row[n] for n in ("at", "verdict", "score", "duration_ms", "fingerprint") if row.get(n) is not None}


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a lock file where the system has such locks."""
    try:
        import fcntl  # noqa: PLC0415  # not on Windows
    except ImportError:
        yield
        return
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
