"""The tables of the database of results, and how those of an earlier version become those of today."""

import sqlite3
from contextlib import suppress
from functools import lru_cache

__all__ = ["APPLICATION_ID", "OLDEST_READABLE", "VERSION", "create", "expected_schema", "migrate", "schema_of"]

#: "Rubr": what tells this database from one of another program.
APPLICATION_ID = 0x52756272

#: Statements that lead from each version to the next, the first from an empty file. One that was released never changes.
_MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        # A run. Totals are there when it is over; until then they are counted. Its results lie between two numbers. Lists are JSON.
        """\
        CREATE TABLE runs (
          number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, started_at TEXT NOT NULL, ended_at TEXT, state TEXT NOT NULL,
          process TEXT NOT NULL, git_commit TEXT NOT NULL, dirty INTEGER NOT NULL, command TEXT NOT NULL, dialects TEXT NOT NULL,
          targets TEXT NOT NULL, judges TEXT NOT NULL, rubric_version TEXT NOT NULL, first_result INTEGER NOT NULL,
          last_result INTEGER, passed INTEGER, borderline INTEGER, failed INTEGER, unscored INTEGER, grader_errors INTEGER,
          tokens_input INTEGER, tokens_output INTEGER, tokens_cached INTEGER, tokens_reasoning INTEGER, cost_usd REAL, duration_ms REAL)""",
        # Suites, and files with cases: paths relative to the root.
        "CREATE TABLE files (number INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE)",
        "CREATE TABLE run_suites (run INTEGER NOT NULL, suite INTEGER NOT NULL, PRIMARY KEY (run, suite)) WITHOUT ROWID",
        # A case as one target answers it.
        """\
        CREATE TABLE cases (
          number INTEGER PRIMARY KEY, suite INTEGER NOT NULL, file INTEGER, id TEXT NOT NULL, target TEXT NOT NULL,
          UNIQUE (suite, id, target))""",
        "CREATE INDEX cases_of_file ON cases (file) WHERE file IS NOT NULL",
        # The last one of a case has the highest number. `run` is NULL for what an earlier version kept as history.
        """\
        CREATE TABLE results (
          number INTEGER PRIMARY KEY, run INTEGER, case_number INTEGER NOT NULL, verdict TEXT NOT NULL, score REAL, at TEXT NOT NULL,
          duration_ms REAL, fingerprint TEXT NOT NULL, test_fingerprint TEXT NOT NULL DEFAULT '', grader_errors INTEGER NOT NULL, tokens_input INTEGER, tokens_output INTEGER,
          tokens_cached INTEGER, tokens_reasoning INTEGER, cost_usd REAL, tags TEXT NOT NULL, metadata TEXT NOT NULL)""",
        "CREATE INDEX results_of_case ON results (case_number)",
        # All of a result, as JSON that is packed: apart, so that lists do not read it.
        "CREATE TABLE details (result INTEGER PRIMARY KEY, content BLOB NOT NULL)",
        """\
        CREATE TABLE scores (
          result INTEGER NOT NULL, position INTEGER NOT NULL, kind TEXT NOT NULL, path TEXT NOT NULL, type TEXT NOT NULL,
          verdict TEXT NOT NULL, score REAL, weight REAL NOT NULL, PRIMARY KEY (result, position)) WITHOUT ROWID""",
        """\
        CREATE TABLE repeats (
          result INTEGER NOT NULL, number INTEGER NOT NULL, verdict TEXT NOT NULL, score REAL, duration_ms REAL,
          PRIMARY KEY (result, number)) WITHOUT ROWID""",
        "CREATE TABLE baselines (name TEXT PRIMARY KEY, run INTEGER NOT NULL) WITHOUT ROWID",
        # Files of JSON of an earlier version that were taken over.
        "CREATE TABLE imports (file TEXT PRIMARY KEY) WITHOUT ROWID",
    ),
    # Whether a run set out to run some of the cases of its suites only.
    ("ALTER TABLE runs ADD COLUMN partial INTEGER NOT NULL DEFAULT 0",),
)
#: The version of the tables, in `user_version`.
VERSION = len(_MIGRATIONS)
#: The earliest version that is read as it is: opening a suite brings no database up to date.
OLDEST_READABLE = 1


def create(connection: sqlite3.Connection) -> None:
    """Make the tables in an empty database. Raises sqlite3.Error."""
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    migrate(connection, 0)


def migrate(connection: sqlite3.Connection, version: int) -> None:
    """Bring the tables of an earlier version to today's, all at once or not at all. Raises sqlite3.Error."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statements in _MIGRATIONS[version:]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # SQLite has undone it already where the disk is full
            connection.execute("ROLLBACK")
        raise


def schema_of(connection: sqlite3.Connection) -> frozenset[tuple[str, str, str | None]]:
    """Everything that a database declares: kind, name and text. Raises sqlite3.Error."""
    # Statistics for the planner are SQLite's own.
    rows = connection.execute(
        "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite!_stat%' ESCAPE '!'"
    )
    return frozenset(rows)


@lru_cache(maxsize=8)
def expected_schema(version: int = VERSION) -> frozenset[tuple[str, str, str | None]]:
    """What a database of a version declares and nothing else: one that somebody made may hold triggers and views."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        for statements in _MIGRATIONS[:version]:
            for statement in statements:
                connection.execute(statement)
        return schema_of(connection)
    finally:
        connection.close()
