"""Rows of the database as records, whoever wrote them: rows with invalid values are skipped."""

import json
import posixpath
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from rubric_core.evaluation.model.result import Verdict
from rubric_core.evaluation.results.known_case import ResultSummary
from rubric_core.evaluation.results.records import EvaluatorScore, RepeatScore, RunRecord, RunState
from rubric_core.evaluation.results.result_reader import number, text
from rubric_core.evaluation.results.run_totals import TOTALS
from rubric_core.evaluation.results.run_writer import is_alive
from rubric_core.evaluation.results.signatures import is_signed
from rubric_core.ports import Tokens

__all__ = [
    "BAD_ROW", "SUMMARY_COLUMNS", "mapping_in", "optional_number", "relative_name", "repeat_in", "run_columns", "run_in", "score_in", "summary_in",
    "texts_in", "tokens_in",
]  # fmt: skip

#: The exceptions for an invalid row.
BAD_ROW = (TypeError, ValueError, LookupError, RecursionError)
SUMMARY_COLUMNS = "r.verdict, r.score, r.at, r.duration_ms, r.fingerprint, r.grader_errors, r.test_fingerprint"


def run_columns(version: int) -> str:
    """The columns of `runs` in a database of a version, for `run_in`."""
    partial = "partial" if version > 1 else "0"
    return (
        "number, id, started_at, ended_at, state, process, git_commit, dirty, command, dialects, targets, judges, rubric_version, "
        f"duration_ms, {partial}, {'signature' if version > 2 else repr('')}, {TOTALS}"
    )


def run_in(row: tuple[Any, ...], suites: tuple[str, ...], key: bytes) -> RunRecord:
    """The run in a row of `run_columns`. Raises BAD_ROW."""
    (
        _,
        name,
        started,
        ended,
        state,
        process,
        commit,
        dirty,
        command,
        dialects,
        targets,
        judges,
        version,
        duration,
        partial,
        signature,
        *totals,
    ) = row
    passed, borderline, failed, unscored, errors, *tokens, cost = totals
    counts = zip(
        (Verdict.PASSED, Verdict.BORDERLINE, Verdict.FAILED, Verdict.UNSCORED), (passed, borderline, failed, unscored),
        strict=True,
    )  # fmt: skip
    covered = (row[0], name, started, commit, *(() if ended is None else (ended, state, *totals)))
    is_own = is_signed(key, "run" if ended is None else "ended run", covered, signature)
    known = RunState(state)
    if known is RunState.RUNNING and not is_alive(text(process)):
        known = RunState.STOPPED
    return RunRecord(
        id=text(name), started_at=text(started), ended_at=None if ended is None else text(ended), state=known, commit=text(commit),
        dirty=bool(dirty), command=texts_in(command), suites=suites, dialects=texts_in(dialects), targets=texts_in(targets),
        judges=texts_in(judges), counts={verdict: _count(count) for verdict, count in counts}, grader_errors=_count(errors),
        tokens=tokens_in(tokens), cost_usd=optional_number(cost), duration_ms=optional_number(duration), rubric_version=text(version),
        partial=bool(partial), is_own=is_own,
    )  # fmt: skip


def summary_in(row: tuple[Any, ...], file: str = "", suite: str = "") -> ResultSummary:
    """The summary in a row of `SUMMARY_COLUMNS`. Raises BAD_ROW."""
    verdict, score, at, duration, fingerprint, errors, test = row
    return ResultSummary(
        Verdict(verdict), None if score is None else number(score), text(at), None if duration is None else number(duration),
        text(fingerprint), file, suite, _count(errors), text(test),
    )  # fmt: skip


def score_in(row: tuple[Any, ...]) -> EvaluatorScore:
    """A row of scores: kind, path, type, verdict, score, weight. Raises BAD_ROW."""
    kind, path, kind_of_evaluator, verdict, score, weight = row
    if kind not in ("evaluator", "member", "criterion"):
        raise ValueError("no kind of score")
    return EvaluatorScore(
        kind, text(path), text(kind_of_evaluator), Verdict(verdict), optional_number(score), number(weight)
    )


def repeat_in(row: tuple[Any, ...]) -> RepeatScore:
    """A row of repeats: verdict, score, duration. Raises BAD_ROW."""
    verdict, score, duration = row
    return RepeatScore(Verdict(verdict), optional_number(score), optional_number(duration))


def tokens_in(row: list[Any]) -> Tokens | None:
    """Input, output, cached and reasoning tokens; None if they were not counted. Raises BAD_ROW."""
    if all(each is None for each in row):
        return None
    return Tokens(*(0 if each is None else _count(each) for each in row))


def optional_number(value: Any) -> float | None:
    """A number, or None. Raises BAD_ROW."""
    return None if value is None else number(value)


def texts_in(written: Any) -> tuple[str, ...]:
    """A list of texts, as JSON. Raises BAD_ROW."""
    found = json.loads(text(written))
    if not isinstance(found, list):
        raise TypeError("no list")
    return tuple(text(each) for each in found)


def mapping_in(written: Any) -> Mapping[str, Any]:
    """A mapping, as JSON; empty if it is damaged."""
    with suppress(*BAD_ROW):
        found = json.loads(text(written))
        if isinstance(found, dict):
            return found
    return {}


def relative_name(path: str, base: str) -> str:
    """A path relative to the folder of another, both relative to the root."""
    return posixpath.relpath(path, posixpath.dirname(base) or ".")


def _count(value: Any) -> int:
    found = number(value)
    if found < 0 or found != int(found):
        raise ValueError("no count")
    return int(found)
