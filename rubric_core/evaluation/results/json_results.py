"""Reads results of versions before the database: a JSON file for each suite, and a journal of its last run."""

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import Any, NamedTuple

from rubric_core.disk import open_file
from rubric_core.evaluation.model.result import CaseResult
from rubric_core.evaluation.results.journal import Journal
from rubric_core.evaluation.results.result_reader import history_of
from rubric_core.evaluation.results.stored_rows import result_in

__all__ = ["JsonCase", "json_cases", "json_path"]

_VERSION = 1
#: Bytes; a tenth of it is 20,000 cases with long answers.
_LARGEST = 2_000_000_000
#: Characters of a line, which holds a case: a forged file may be a single line.
_LONGEST_LINE = 64_000_000
#: Bytes: file names have at most 255, and locks and temporary files have longer suffixes.
_LONGEST_NAME = 200
#: The end of the first line of a file, and the separator of the rows after it.
_BEGIN, _BETWEEN = '"cases": {\n', ",\n"


class JsonCase(NamedTuple):
    """The data of a case in such a file."""

    latest: CaseResult
    #: See `KnownCase`.
    history: tuple[Mapping[str, Any], ...] = ()


def json_path(suite: Path) -> Path:
    """The file of a suite: under `.rubric/results` at the root of its repository, or beside it.

    Its name is the path there; if that is too long for a name, a hash followed by the end of the path.
    """
    suite = suite.absolute()
    root = next((d for d in suite.parents if os.path.exists(d / ".git")), suite.parent)  # noqa: PTH110  # raises for no name
    name = "__".join(suite.relative_to(root).parts)
    written = os.fsencode(name)
    if len(written) > _LONGEST_NAME:
        name = f"{hashlib.sha256(written).hexdigest()[:16]}__{written[-_LONGEST_NAME:].decode(errors='ignore')}"
    return root / ".rubric" / "results" / f"{name}.json"


def json_cases(suite: Path) -> Iterator[tuple[str, JsonCase]]:
    """Every case of a suite or case file, by its id or `id@target`; of damaged files, the readable ones.

    A case of the journal may follow the case of the file that it replaces.
    """
    path = json_path(suite)
    for name, row in _rows(path):
        with contextlib.suppress(LookupError, TypeError, ValueError, AttributeError, RecursionError):
            yield name, JsonCase(result_in(row["latest"]), history_of(row.get("history")))
    targets: dict[str, Any] = {}
    with Journal(path.with_suffix(".jsonl"), path.with_suffix(".lock")).opened() as journal:
        for _, row in journal:
            with contextlib.suppress(LookupError, TypeError, ValueError, AttributeError, RecursionError):
                latest = result_in(row)
                # Of a case with several targets, the first has the key of the case.
                first = targets.setdefault(latest.id, latest.target) == latest.target
                yield latest.id if first else f"{latest.id}@{latest.target}", JsonCase(latest)


def _rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of the file; of a damaged one, the readable ones, of one of another version, none."""
    return ((name, row) for part in _parts(path) for name, row in part.items() if isinstance(row, dict))


def _parts(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of the file, one case each; all cases together if it was reformatted."""
    with (
        contextlib.suppress(OSError, UnicodeDecodeError),
        TextIOWrapper(open_file(path, _LARGEST), "utf-8") as file,
    ):
        head = file.readline(_LONGEST_LINE)
        ours = head.endswith(_BEGIN)
        known = _mapping(f"{head}}}}}" if ours else head + file.read(_LONGEST_LINE))
        if known.get("version") != _VERSION:
            return
        if ours:
            for line in iter(partial(file.readline, _LONGEST_LINE), ""):
                yield _mapping(f"{{{line.rstrip(_BETWEEN)}}}")
        elif isinstance(rows := known.get("cases"), dict):
            yield rows


def _mapping(text: str) -> dict[str, Any]:
    with contextlib.suppress(ValueError, RecursionError):
        value = json.loads(text)
        if isinstance(value, dict):
            return value
    return {}
