"""Totals of a run: stored when it ends, computed until then."""

import sqlite3

from rubric_core.evaluation.results.records import RunState
from rubric_core.evaluation.results.signatures import signature_of

__all__ = ["TOTALS", "TOTAL_COUNT", "close_run", "sign_end", "totals_of"]

#: Columns of `runs`, and how each is computed.
_COUNTED = {
    "passed": "coalesce(sum(verdict = 'passed'), 0)",
    "borderline": "coalesce(sum(verdict = 'borderline'), 0)",
    "failed": "coalesce(sum(verdict = 'failed'), 0)",
    "unscored": "coalesce(sum(verdict = 'unscored'), 0)",
    "grader_errors": "coalesce(sum(grader_errors), 0)",
    # The sum of only unknown numbers is NULL.
    "tokens_input": "sum(tokens_input)",
    "tokens_output": "sum(tokens_output)",
    "tokens_cached": "sum(tokens_cached)",
    "tokens_reasoning": "sum(tokens_reasoning)",
    "cost_usd": "sum(cost_usd)",
}
#: The columns of `runs` with totals.
TOTALS = ", ".join(_COUNTED)
TOTAL_COUNT = len(_COUNTED)
_COUNT = (
    f"SELECT {', '.join(_COUNTED.values())} FROM results, (SELECT number AS own, first_result, last_result FROM runs WHERE number = ?1) "  # noqa: S608  # our own words
    "WHERE number >= first_result AND number <= coalesce(last_result, number) AND run = own"
)
_END = (
    "UPDATE runs SET state = ?, ended_at = ?, duration_ms = ?, last_result = (SELECT max(number) FROM results), "  # noqa: S608  # as above
    f"{', '.join(f'{name} = ?' for name in _COUNTED)} WHERE number = ?"
)
#: What the signature of a run that has ended covers.
_ENDED = f"SELECT number, id, started_at, git_commit, ended_at, state, {TOTALS} FROM runs WHERE number = ?"  # noqa: S608  # as above


def totals_of(connection: sqlite3.Connection, run: int) -> tuple[object, ...]:
    """The totals of a run so far, in the order of `TOTALS`. Raises sqlite3.Error."""
    found: tuple[object, ...] = connection.execute(_COUNT, (run,)).fetchone()
    return found


def close_run(connection: sqlite3.Connection, run: int, state: RunState, at: str, duration_ms: float | None) -> None:
    """Store the end of a run and its totals. Raises sqlite3.Error."""
    connection.execute(_END, (state.value, at, duration_ms, *totals_of(connection, run), run))


def sign_end(connection: sqlite3.Connection, run: int, key: bytes) -> None:
    """Sign a run that has ended with its totals: neither they nor the number of its results can be changed later. Raises sqlite3.Error."""
    row = connection.execute(_ENDED, (run,)).fetchone()
    connection.execute("UPDATE runs SET signature = ? WHERE number = ?", (signature_of(key, "ended run", row), run))
