"""The tables of the database of results, and the migrations from earlier versions."""

import sqlite3
from contextlib import suppress
from functools import lru_cache

__all__ = ["APPLICATION_ID", "OLDEST_READABLE", "VERSION", "create", "expected_schema", "migrate", "schema_of"]

#: "Rubr": the application id of this database.
APPLICATION_ID = 0x52756272

#: Statements from each version to the next, the first from an empty file. A released one never changes.
_MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        # A run. Totals are set at its end and computed until then. Its results lie between two numbers. Lists are JSON.
        """\
        CREATE TABLE runs (
          number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, started_at TEXT NOT NULL, ended_at TEXT, state TEXT NOT NULL,
          process TEXT NOT NULL, git_commit TEXT NOT NULL, dirty INTEGER NOT NULL, command TEXT NOT NULL, dialects TEXT NOT NULL,
          targets TEXT NOT NULL, judges TEXT NOT NULL, rubric_version TEXT NOT NULL, first_result INTEGER NOT NULL,
          last_result INTEGER, passed INTEGER, borderline INTEGER, failed INTEGER, unscored INTEGER, grader_errors INTEGER,
          tokens_input INTEGER, tokens_output INTEGER, tokens_cached INTEGER, tokens_reasoning INTEGER, cost_usd REAL, duration_ms REAL)""",
        # Suites and case files: paths relative to the root.
        "CREATE TABLE files (number INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE)",
        "CREATE TABLE run_suites (run INTEGER NOT NULL, suite INTEGER NOT NULL, PRIMARY KEY (run, suite)) WITHOUT ROWID",
        # A case with a target.
        """\
        CREATE TABLE cases (
          number INTEGER PRIMARY KEY, suite INTEGER NOT NULL, file INTEGER, id TEXT NOT NULL, target TEXT NOT NULL,
          UNIQUE (suite, id, target))""",
        "CREATE INDEX cases_of_file ON cases (file) WHERE file IS NOT NULL",
        # The latest result of a case has the highest number. `run` is NULL for the history of an earlier version.
        """\
        CREATE TABLE results (
          number INTEGER PRIMARY KEY, run INTEGER, case_number INTEGER NOT NULL, verdict TEXT NOT NULL, score REAL, at TEXT NOT NULL,
          duration_ms REAL, fingerprint TEXT NOT NULL, test_fingerprint TEXT NOT NULL DEFAULT '', grader_errors INTEGER NOT NULL, tokens_input INTEGER, tokens_output INTEGER,
          tokens_cached INTEGER, tokens_reasoning INTEGER, cost_usd REAL, tags TEXT NOT NULL, metadata TEXT NOT NULL)""",
        "CREATE INDEX results_of_case ON results (case_number)",
        # The full result as packed JSON, in a table of its own so that lists do not read it.
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
        # Imported JSON files of an earlier version.
        "CREATE TABLE imports (file TEXT PRIMARY KEY) WITHOUT ROWID",
    ),
    # Whether a run selected only some of the cases of its suites.
    ("ALTER TABLE runs ADD COLUMN partial INTEGER NOT NULL DEFAULT 0",),
    # What decides anything is signed: see `signatures.py`. Digests of the full result and of the scores are part of it.
    (
        "ALTER TABLE runs ADD COLUMN signature TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE results ADD COLUMN digest TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE results ADD COLUMN signature TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE baselines ADD COLUMN signature TEXT NOT NULL DEFAULT ''",
    ),
)
#: The version of the tables, in `user_version`.
VERSION = len(_MIGRATIONS)
#: The earliest version that is read without migration: opening a suite never migrates a database.
OLDEST_READABLE = 1


def create(connection: sqlite3.Connection) -> None:
    """Create the tables in an empty database. Raises sqlite3.Error."""
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    migrate(connection, 0)


def migrate(connection: sqlite3.Connection, version: int) -> None:
    """Migrate the tables of an earlier version atomically. Raises sqlite3.Error."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statements in _MIGRATIONS[version:]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # SQLite has rolled back already if the disk is full
            connection.execute("ROLLBACK")
        raise


def schema_of(connection: sqlite3.Connection) -> frozenset[tuple[str, str, str | None]]:
    """Every declaration in a database: kind, name and SQL. Raises sqlite3.Error."""
    # The tables of the planner's statistics are SQLite's own.
    rows = connection.execute(
        "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite!_stat%' ESCAPE '!'"
    )
    return frozenset(rows)


@lru_cache(maxsize=8)
def expected_schema(version: int = VERSION) -> frozenset[tuple[str, str, str | None]]:
    """The only declarations of a database of a version: a forged one may have triggers and views."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        for statements in _MIGRATIONS[:version]:
            for statement in statements:
                connection.execute(statement)
        return schema_of(connection)
    finally:
        connection.close()
