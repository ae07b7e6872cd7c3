"""A database of results that is damaged, forged or of another program: nothing that reads it breaks, and the next run begins a new one."""

import json
import os
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from damage import damaged
from suites import Folder, stored_cases
from thorough import seeds

from rubric_core.cli import main
from rubric_core.evaluation.model.result import CaseResult, CriterionResult, EvaluatorResult
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.records import RunInfo
from rubric_core.evaluation.results.store_errors import DamagedStoreError, ResultStoreError

SUITE = """
tests:
  - id: good
    criteria: c
    input: hi
    assertions:
      - {type: contains, value: hello}
  - id: bad
    criteria: c
    input: hi
    assertions:
      - {type: contains, value: goodbye}
      - type: code-grader
        command: [sh, -c, 'echo "{\\"score\\": 0.5, \\"hits\\": [\\"a\\"], \\"misses\\": [\\"b\\"], \\"reasoning\\": \\"r\\", \\"details\\": {\\"a\\": [1, {\\"b\\": 2}]}}"']
      - type: composite
        aggregator: {type: weighted_average}
        assertions:
          - {name: one, type: contains, value: hello}
          - {name: two, type: contains, value: bye}
  - id: judged
    criteria: Stays polite
    input: hi
    assertions:
      - type: rubrics
        criteria:
          - {id: tone, outcome: Stays polite, required: true}
          - {id: length, outcome: Is short}
"""
JUDGE = json.dumps(
    {
        "score": 0.5,
        "checks": [
            {"id": "tone", "satisfied": True, "reasoning": "It is polite"},
            {"id": "length", "satisfied": False, "reasoning": "It is long"},
        ],
        "overall_reasoning": "r",
    }
)


SEEDS = seeds(150, few=30)
#: What a column may hold that somebody else wrote.
VALUES = (
    None, 0, -1, 10**18, 1.5e308, float("inf"), "", "x", "passed", "[" * 5_000, "{}", "[1, 2]", b"", b"{", b"\xff\xfe", "\x1b[2J\u202e\n",
)  # fmt: skip
COLUMNS = {
    "runs": ("id", "started_at", "ended_at", "state", "process", "command", "targets", "passed", "tokens_input", "cost_usd", "first_result"),
    "results": ("verdict", "score", "at", "duration_ms", "fingerprint", "grader_errors", "tags", "metadata", "case_number", "cost_usd"),
    "cases": ("suite", "file", "id", "target"), "details": ("content",), "files": ("path",), "baselines": ("name", "run"),
    "scores": ("kind", "path", "type", "verdict", "score", "weight"),
}  # fmt: skip


@pytest.fixture
def good(folder: Folder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> bytes:
    """A database that runs have written."""
    folder.targets(
        {"name": "default", "provider": "mock", "response": "hello world", "grader_target": "judge"},
        {"name": "judge", "provider": "mock", "response": JUDGE},
    )
    folder.suite(SUITE)
    monkeypatch.chdir(folder.path)
    for _ in range(3):
        main(["run", "suite.eval.yaml"])
    capsys.readouterr()
    database(folder).set_baseline("main", database(folder).find("last"))
    return database(folder).path.read_bytes()


def database(folder: Folder) -> ResultDatabase:
    return ResultDatabase.of(folder.path / "suite.eval.yaml")


def changed(folder: Folder, good: bytes, *statements: tuple[str, tuple[Any, ...]]) -> None:
    """The good database, with something done to it."""
    database(folder).path.write_bytes(good)
    with closing(sqlite3.connect(database(folder).path)) as connection, connection:
        for statement, values in statements:
            connection.execute(statement, values)


@cache
def hints(kind: Any) -> dict[str, Any]:
    """The types of the fields of a dataclass."""
    every = get_type_hints(kind)
    return {each.name: every[each.name] for each in fields(kind)}


def wrong(value: Any, kind: Any) -> Iterator[str]:
    """What of a result is not as its fields say."""
    for name, hint in hints(kind).items():
        found = getattr(value, name)
        if not _fits(found, hint):
            yield f"{kind.__name__}.{name}: {found!r:.80} is no {hint}"
        inner = next((c for c in (EvaluatorResult, CriterionResult) if c in get_args(hint)), None)
        for item in found if inner is not None else ():
            yield from wrong(item, inner)


def _fits(value: Any, hint: Any) -> bool:
    if hint is float or float in get_args(hint):
        return (value is None and hint is not float) or (type(value) in (int, float) and abs(value) <= 1e15)
    if hint in (str, int, bool):
        return type(value) is hint
    if get_args(hint)[:1] == (str,) and isinstance(value, tuple):
        return all(type(item) is str for item in value)
    return isinstance(value, tuple) or "tuple" not in str(hint)


def everything(folder: Folder) -> int:
    """Read all there is, and see that it has the types that it should; how many cases that were."""
    read = 0
    for name, case in stored_cases(folder.path / "suite.eval.yaml").items():
        assert type(name) is str
        assert list(wrong(case.result, CaseResult)) == []
        assert all(isinstance(row, dict) for row in case.history)
        assert all(type(row.get("score", 0)) in (int, float) for row in case.history)
        read += 1
    for run in database(folder).runs():
        assert all(type(count) is int for count in run.counts.values())
        assert all(type(text) is str for text in (run.id, run.started_at, run.commit, *run.command, *run.targets))
        for case in database(folder).cases(run):
            assert list(wrong(case.result, CaseResult)) == []
            assert isinstance(case.metadata, dict)
            read += 1
    assert all(type(name) is str for name in database(folder).baselines())
    return read


def test_what_runs_wrote_is_read(folder: Folder, good: bytes) -> None:
    """The counter-example: nothing that rubric writes is refused."""
    assert good
    assert everything(folder) == 12
    assert [len(case.history) for case in stored_cases(folder.path / "suite.eval.yaml").values()] == [3, 3, 3]


def test_whatever_a_column_holds_is_read_as_a_result_or_not_at_all(folder: Folder, good: bytes) -> None:
    rng, read = random.Random(14), 0
    for _ in SEEDS:
        table = rng.choice(list(COLUMNS))
        column, value = rng.choice(COLUMNS[table]), rng.choice(VALUES)
        changed(
            folder,
            good,
            (f"UPDATE OR IGNORE {table} SET {column} = ?", (value,)) if value is not None else ("SELECT 1", ()),
        )
        read += everything(folder)
    assert read > 4 * len(SEEDS)  # most values are in one column


def test_whatever_a_whole_result_is_has_the_types_of_one(folder: Folder, good: bytes) -> None:
    rng = random.Random(3)
    case = stored_cases(folder.path / "suite.eval.yaml")["bad"].result
    assert case.evaluators[2].members
    with closing(sqlite3.connect(database(folder).path)) as connection:
        packed = connection.execute("SELECT content FROM details WHERE length(content) < 2000").fetchone()[0]
    text = json.dumps({"version": 1, "cases": {"a": {"latest": json.loads(packed), "history": []}}})
    for _ in SEEDS:
        content = damaged(text, rng)
        with suppress(ValueError, LookupError, TypeError, RecursionError):  # else as bytes that are no JSON
            content = json.dumps(json.loads(content)["cases"]["a"]["latest"]).encode()
        changed(folder, good, ("UPDATE details SET content = ?", (content,)))
        assert everything(folder) == 12, content[:200]


def test_no_damage_to_the_file_breaks_what_reads_it(folder: Folder, good: bytes) -> None:
    rng, read = random.Random(5), 0
    for _ in SEEDS:
        data = bytearray(good)
        for _ in range(rng.choice((1, 1, 20))):
            at, length = rng.randrange(len(data)), rng.choice((1, 8, 500))
            data[at : at + length] = rng.randbytes(length) if rng.random() < 0.5 else bytes(length)
        database(folder).path.write_bytes(data[: rng.randrange(len(data))] if rng.random() < 0.2 else data)
        with suppress(ResultStoreError):
            read += everything(folder)
    assert read > len(SEEDS)


Forger = Callable[[Path, bytes], object]


def with_statement(statement: str) -> Forger:
    def forge(path: Path, good: bytes) -> None:
        path.write_bytes(good)
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(statement)

    return forge


def with_broken_tables(path: Path, good: bytes) -> None:
    """SQLite's message about such a table quotes bytes that are not text."""
    path.write_bytes(good)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET name = CAST(x'8972' AS TEXT), sql = 'x' WHERE name = 'repeats'")


def linked_to(target: str) -> Forger:
    return lambda path, _: path.symlink_to(target)


FORGERIES: dict[str, Forger] = {
    "no database": lambda path, _: path.write_text("hello"),
    "empty": lambda path, _: path.touch(),
    "cut": lambda path, good: path.write_bytes(good[: len(good) // 3]),
    "of another program": with_statement("PRAGMA application_id = 5"),
    "a trigger": with_statement("CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM results; END"),
    "a view": with_statement("CREATE VIEW v AS SELECT 1"),
    "a table less": with_statement("DROP TABLE repeats"),
    "tables that are no text": with_broken_tables,
    "no file": lambda path, _: os.mkfifo(path),
    "a folder": lambda path, _: path.mkdir(),
    "a device": linked_to("/dev/zero"),
    "a link to nowhere": linked_to("/nonexistent/results.db"),
    "a journal of somebody else": lambda path, good: (path.write_bytes(good), path.with_name("results.db-journal").write_text("x")),
    "a log that is a device": lambda path, good: (path.write_bytes(good), path.with_name("results.db-wal").symlink_to("/dev/zero")),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_file_is_not_read_and_set_aside_by_the_next_run(
    folder: Folder, good: bytes, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = database(folder).path
    path.unlink()
    FORGERIES[name](path, good)
    before = sorted(each.name for each in path.parent.iterdir())
    with pytest.raises(DamagedStoreError, match=r"results\.db"):
        stored_cases(folder.path / "suite.eval.yaml")
    assert sorted(each.name for each in path.parent.iterdir()) == before, "reading changes nothing"
    assert main(["run", "suite.eval.yaml", "--resume"]) == 1
    said = capsys.readouterr().err
    assert "results of earlier runs are not used: " in said
    assert "a new one was begun" in said
    assert set(stored_cases(folder.path / "suite.eval.yaml")) == {"good", "bad", "judged"}
    assert any(each.name.startswith("results.db.damaged-") for each in path.parent.iterdir())


def test_a_database_of_a_later_version_is_left_alone(
    folder: Folder, good: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    changed(folder, good, ("PRAGMA user_version = 99", ()))
    before = database(folder).path.read_bytes()
    with pytest.raises(ResultStoreError, match="later version of rubric"):
        stored_cases(folder.path / "suite.eval.yaml")
    assert main(["run", "suite.eval.yaml"]) == 2
    assert "3 of 3 are lost" in capsys.readouterr().err
    assert database(folder).path.read_bytes() == before


def test_a_packed_result_that_grows_without_end_is_no_result(folder: Folder, good: bytes) -> None:
    import zlib

    bomb = zlib.compress(b"[" * 200_000_000, 9)
    changed(folder, good, ("UPDATE details SET content = ?", (bomb,)))
    assert "damaged" in stored_cases(folder.path / "suite.eval.yaml")["good"].result.reason


def test_a_run_goes_on_whose_database_becomes_damaged(folder: Folder, good: bytes) -> None:
    suite = folder.path / "suite.eval.yaml"
    writer = database(folder).begin(RunInfo(suites=(suite,)))
    result = stored_cases(suite)["good"].result
    database(folder).path.unlink()
    database(folder).path.write_bytes(good[:5_000])
    writer.add(result, suite=suite)
    assert list(stored_cases(suite)) == ["good"]
