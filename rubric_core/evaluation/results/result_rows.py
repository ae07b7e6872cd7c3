"""A result as rows of the database: its case, its summary, its scores, and its packed content."""

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rubric_core.evaluation.model.exchanges import tokens_of
from rubric_core.evaluation.model.jsonable import jsonable
from rubric_core.evaluation.model.result import CaseResult, EvaluatorResult
from rubric_core.evaluation.results.packed_result import pack_result
from rubric_core.evaluation.results.records import EvaluatorScore, ScoreKind
from rubric_core.evaluation.results.signatures import digest_of, signature_of, signing_key
from rubric_core.loading.files import absolute
from rubric_core.ports import Tokens

__all__ = ["ResultRows", "relative_path", "scores_digest", "storable_text", "token_columns", "tokens_taken"]

_RESULT = (
    "INSERT INTO results (number, digest, signature, run, case_number, verdict, score, at, duration_ms, fingerprint, test_fingerprint, grader_errors, tokens_input, tokens_output, "
    "tokens_cached, tokens_reasoning, cost_usd, tags, metadata) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_SCORE = (
    "INSERT INTO scores (result, position, kind, path, type, verdict, score, weight) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_REPEAT = "INSERT INTO repeats (result, number, verdict, score, duration_ms) VALUES (?, ?, ?, ?, ?)"


def relative_path(path: Path, root: Path) -> str:
    """A path as the database stores it: relative to the root, with slashes."""
    return storable_text(Path(os.path.relpath(absolute(path), root)).as_posix())


def storable_text(text: str) -> str:
    """A text that SQLite can store: lone surrogates are escaped."""
    return text.encode(errors="backslashreplace").decode()


def tokens_taken(result: CaseResult) -> Tokens | None:
    """The tokens of target and judges together, if they report them."""
    return tokens_of(usage.tokens for usage in result.usage) or result.tokens


def token_columns(tokens: Tokens | None) -> tuple[int | None, int | None, int | None, int | None]:
    """Input, output, cached and reasoning tokens."""
    return (tokens.input, tokens.output, tokens.cached, tokens.reasoning) if tokens is not None else (None,) * 4


class ResultRows:
    """Writes results into one database, within transactions of its caller. Its methods raise sqlite3.Error.

    Args:
        connection: The database.
        root: The folder that paths are relative to.
    """

    def __init__(self, connection: sqlite3.Connection, root: Path) -> None:
        self._connection, self._root, self._key = connection, root, signing_key()
        self._relative: dict[Path, str] = {}
        self._files: dict[str, int] = {}

    def forget(self) -> None:
        """A transaction was rolled back: the file numbers from it are void."""
        self._files.clear()

    def add_suite(self, run: int, suite: Path) -> int:
        """Record that a run has a suite; returns the number of its file."""
        number = self._file(suite)
        self._connection.execute("INSERT OR IGNORE INTO run_suites (run, suite) VALUES (?, ?)", (run, number))
        return number

    def add(
        self,
        run: int | None,
        result: CaseResult,
        suite: Path,
        tags: Sequence[str],
        metadata: Mapping[str, Any],
        *,
        signed: bool = True,
    ) -> None:
        """Add a result as the latest of its case; `signed` if this program has just computed it."""
        case, number, content = self.case(result, suite), self._next_number(), pack_result(result)
        scores, repeats = list(_score_rows(number, result)), list(_repeat_rows(number, result))
        digest = f"{digest_of(content)}{scores_digest([row[2:] for row in scores], [row[2:] for row in repeats])}"
        place = (self._name(suite), storable_text(result.id), storable_text(result.target))
        columns = (
            *_summary_columns(result), _json_list(tags), _json_object(metadata),
        )  # fmt: skip
        covered = (*place, number, run, *_covered(columns), digest)
        signature = signature_of(self._key, "result", covered) if signed else ""
        self._connection.execute(_RESULT, (number, digest, signature, run, case, *columns))
        self._connection.execute("INSERT INTO details (result, content) VALUES (?, ?)", (number, content))
        if scores:
            self._connection.executemany(_SCORE, scores)
        if repeats:
            self._connection.executemany(_REPEAT, repeats)

    def _next_number(self) -> int:
        return int(self._connection.execute("SELECT coalesce(max(number), 0) + 1 FROM results").fetchone()[0])

    def add_past(self, case: int, result: CaseResult) -> None:
        """Insert the summary of a result that an earlier version stored. It is not signed."""
        columns = (*_summary_columns(result), "[]", "{}")
        self._connection.execute(_RESULT, (self._next_number(), "", "", None, case, *columns))

    def case(self, result: CaseResult, suite: Path) -> int:
        """The number of a result's case with its target."""
        file = self._file(absolute(suite).parent / result.file) if result.file else None
        key = self._file(suite), storable_text(result.id), storable_text(result.target)
        found = self._connection.execute(
            "SELECT number, file FROM cases WHERE suite = ? AND id = ? AND target = ?", key
        ).fetchone()
        if found is None:
            new = self._connection.execute(
                "INSERT INTO cases (suite, id, target, file) VALUES (?, ?, ?, ?)", (*key, file)
            )
            return new.lastrowid or 0
        if found[1] != file:  # it was moved to a file of its own, or back
            self._connection.execute("UPDATE cases SET file = ? WHERE number = ?", (file, found[0]))
        return int(found[0])

    def _name(self, path: Path) -> str:
        name = self._relative.get(path)
        if name is None:
            name = self._relative[path] = relative_path(path, self._root)
        return name

    def _file(self, path: Path) -> int:
        name = self._name(path)
        number = self._files.get(name)
        if number is None:
            number = self._files[name] = self._file_number(name)
        return number

    def _file_number(self, name: str) -> int:
        found = self._connection.execute("SELECT number FROM files WHERE path = ?", (name,)).fetchone()
        if found is not None:
            return int(found[0])
        return self._connection.execute("INSERT INTO files (path) VALUES (?)", (name,)).lastrowid or 0


def _summary_columns(result: CaseResult) -> tuple[Any, ...]:
    return (
        result.verdict.value, _float(result.score), storable_text(result.at), result.duration_ms,
        storable_text(result.fingerprint), storable_text(result.test_fingerprint), len(result.grader_errors),
        *token_columns(tokens_taken(result)), result.cost_usd,
    )  # fmt: skip


def _covered(columns: tuple[Any, ...]) -> tuple[Any, ...]:
    """What is signed of them: verdict, score, time, fingerprints and errors of graders."""
    return (*columns[:3], *columns[4:7])


def _float(number: float | None) -> float | None:
    """As the database returns it."""
    return None if number is None else float(number)


def scores_digest(scores: Sequence[Sequence[Any]], repeats: Sequence[Sequence[Any]]) -> str:
    """The digest of the scores and single runs of a result, as the database returns them."""
    return digest_of(repr(([tuple(row) for row in scores], [tuple(row) for row in repeats])).encode("utf-8", "replace"))


def _json_list(texts: Sequence[str]) -> str:
    return json.dumps(list(texts)) if texts else "[]"


def _json_object(values: Mapping[str, Any]) -> str:
    return json.dumps(jsonable(values)) if values else "{}"


def _score_rows(number: int, result: CaseResult) -> Iterator[tuple[Any, ...]]:
    for position, each in enumerate(_scores_of(result)):
        yield (
            number, position, each.kind, storable_text(each.path), storable_text(each.type), each.verdict.value, _float(each.score), float(each.weight),
        )  # fmt: skip


def _scores_of(result: CaseResult) -> Iterator[EvaluatorScore]:
    return (score for evaluator in result.evaluators for score in _scores(evaluator, "evaluator", ""))


def _scores(evaluator: EvaluatorResult, kind: ScoreKind, before: str) -> Iterator[EvaluatorScore]:
    path = f"{before}{evaluator.name}"
    yield EvaluatorScore(kind, path, evaluator.type, evaluator.verdict, evaluator.score, evaluator.weight)
    for line in evaluator.criteria:
        yield EvaluatorScore("criterion", f"{path} / {line.label}", "", line.verdict, line.score, line.weight)
    for member in evaluator.members:
        yield from _scores(member, "member", f"{path} / ")


def _repeat_rows(number: int, result: CaseResult) -> Iterator[tuple[Any, ...]]:
    for place, run in enumerate(result.runs, 1):
        yield number, place, run.verdict.value, _float(run.score), _float(run.duration_ms)
