"""Results on disk: what each case of a suite gave last, and before. Written by the command line, read by the editors too."""

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from rubric_core.evaluation.result import CaseResult, case_result_of, jsonable

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

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def of(cls, suite: Path) -> "ResultStore":
        """The store of a suite."""
        return cls(results_path(suite))

    def read(self) -> dict[str, StoredCase]:
        """Every stored case by its id. A file that is missing or damaged holds nothing."""
        cases: dict[str, StoredCase] = {}
        for name, row in self._rows().items():
            with contextlib.suppress(KeyError, TypeError, ValueError, AttributeError):
                cases[name] = StoredCase(case_result_of(row["latest"]), tuple(row.get("history", ())))
        return cases

    def add(self, results: Sequence[CaseResult], suite: str, dialect: str) -> None:
        """Keep results as the latest ones. Raises OSError."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        ignore = self.path.parent.parent / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")  # results are nobody's source
        with _locked(self.path.with_suffix(".lock")):
            rows = self._rows()
            for result in results:
                history = [*rows.get(result.id, {}).get("history", []), _summary(result)]
                rows[result.id] = {"latest": jsonable(result), "history": history[-_MOST_HISTORY:]}
            content = {"version": _VERSION, "suite": suite, "dialect": dialect, "cases": rows}
            write_atomically(self.path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")

    def _rows(self) -> dict[str, Any]:
        try:
            if self.path.stat().st_size > _LARGEST:
                return {}
            content = json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        rows = content.get("cases") if isinstance(content, dict) and content.get("version") == _VERSION else None
        return rows if isinstance(rows, dict) else {}


def _summary(result: CaseResult) -> dict[str, Any]:
    kept = {
        "at": result.at,
        "verdict": result.verdict.value,
        "score": result.score,
        "duration_ms": result.duration_ms,
        "fingerprint": result.fingerprint,
    }
    return {name: value for name, value in kept.items() if value is not None}


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
