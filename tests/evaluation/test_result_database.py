"""The database of results: runs and their cases, written as they end and read again."""

import json
import os
import sqlite3
import stat
import subprocess
import zlib
from contextlib import closing
from dataclasses import replace
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

import pytest
from suites import Folder

from rubric_core.evaluation.model.exchanges import Exchange, Usage
from rubric_core.evaluation.model.result import CaseResult, CriterionResult, EvaluatorResult, Verdict
from rubric_core.evaluation.results import connection, result_source, run_writer
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.known_case import ResultSummary
from rubric_core.evaluation.results.packed_result import pack_result, unpack_result
from rubric_core.evaluation.results.records import EvaluatorScore, RepeatScore, RunInfo, RunNotFoundError, RunState
from rubric_core.evaluation.results.root import database_path, results_root
from rubric_core.evaluation.results.run_info import run_info
from rubric_core.evaluation.results.store_errors import ResultStoreError
from rubric_core.evaluation.results.stored_rows import stored_row
from rubric_core.git_state import commit_of, is_dirty
from rubric_core.ports import ChatMessage, Tokens


def result(name: str, score: float = 1.0, **more: object) -> CaseResult:
    return CaseResult(
        id=name, verdict=Verdict.PASSED, score=score, fingerprint=f"f-{name}-{score}", at="2026-11-21T00:00:00+00:00", **more,  # type: ignore[arg-type]
    )  # fmt: skip


def run(suite: Path, *results: CaseResult, commit: str = "") -> str:
    """A run that came to its end; its id."""
    writer = ResultDatabase.of(suite).begin(
        RunInfo(command=("rubric", "run", suite.name), suites=(suite,), commit=commit)
    )
    for each in results:
        writer.add(each, suite=suite)
    writer.end(RunState.DONE)
    return writer.id


RICH = CaseResult(
    id="a", verdict=Verdict.FAILED, score=0.25, at="2026-11-20T10:00:00+00:00", duration_ms=12.5, fingerprint="f1", answer="hi\ud800",
    dialect="agentv-3", target="gpt", cost_usd=0.5,
    usage=(Usage(role="target", name="gpt", tokens=Tokens(10, 5)), Usage(role="judge", name="j", tokens=Tokens(100, 7))),
    exchanges=(Exchange(role="target", to="gpt", messages=(ChatMessage("user", "hello"),)),),
    evaluators=(
        EvaluatorResult(
            name="style", type="composite", verdict=Verdict.FAILED, score=0.25, weight=2.0,
            members=(
                EvaluatorResult(
                    name="tone", type="rubrics", verdict=Verdict.FAILED, score=0.25, judge="gpt-judge",
                    criteria=(CriterionResult(id="polite", outcome="Is polite", verdict=Verdict.FAILED, score=0.25),),
                ),
            ),
        ),
    ),
)  # fmt: skip


def test_a_run_is_listed_with_its_totals(folder: Folder) -> None:
    suite = folder.path / "a.eval.yaml"
    database = ResultDatabase.of(suite)
    assert database.runs() == []
    writer = database.begin(RunInfo(command=("rubric", "run"), suites=(suite,), commit="abc", dirty=True))
    writer.add(RICH, suite=suite, tags=("smoke",), metadata={"owner": "me"})
    (going,) = database.runs()
    assert (going.id, going.state, going.ended_at) == (writer.id, RunState.RUNNING, None)
    writer.add(result("b"), suite=suite)
    writer.end(RunState.DONE)
    (done,) = database.runs(suites=["a.eval.yaml"])
    assert (done.state, done.command, done.suites) == (RunState.DONE, ("rubric", "run"), ("a.eval.yaml",))
    assert (done.commit, done.dirty, done.dialects) == ("abc", True, ("agentv-3",))
    assert (done.targets, done.judges) == (("gpt",), ("gpt-judge",))
    assert {verdict.value: count for verdict, count in done.counts.items() if count} == {"passed": 1, "failed": 1}
    assert (done.tokens, done.cost_usd, done.cases) == (Tokens(110, 12), 0.5, 2)
    assert done.ended_at is not None
    assert done.duration_ms is not None
    assert database.runs(suites=["other.eval.yaml"]) == []


def test_the_cases_of_a_run_come_back_whole(folder: Folder) -> None:
    suite = folder.path / "a.eval.yaml"
    runs = (replace(RICH, score=0.5), replace(RICH, verdict=Verdict.PASSED, score=1.0))
    writer = ResultDatabase.of(suite).begin(RunInfo(suites=(suite,)))
    writer.add(replace(RICH, runs=runs), suite=suite, tags=("smoke",), metadata={"owner": "me"})
    writer.end(RunState.DONE)
    database = ResultDatabase.of(suite)
    (case,) = database.cases(database.find("last"))
    assert (case.suite, case.id, case.target) == ("a.eval.yaml", "a", "gpt")
    assert (case.tags, case.metadata) == (("smoke",), {"owner": "me"})
    assert (case.cost_usd, case.tokens, case.summary) == (0.5, Tokens(110, 12), ResultSummary.of(RICH))
    assert case.scores == (
        EvaluatorScore("evaluator", "style", "composite", Verdict.FAILED, 0.25, 2.0),
        EvaluatorScore("member", "style / tone", "rubrics", Verdict.FAILED, 0.25, 1.0),
        EvaluatorScore("criterion", "style / tone / polite", "", Verdict.FAILED, 0.25, 1.0),
    )
    assert case.repeats == (RepeatScore(Verdict.FAILED, 0.5, 12.5), RepeatScore(Verdict.PASSED, 1.0, 12.5))
    assert case.result == RICH
    assert case.input == "hello"


def test_the_last_result_of_each_case_is_known(folder: Folder) -> None:
    suite = folder.path / "a.eval.yaml"
    run(suite, result("a"), result("b"))
    run(suite, result("a", 0.5))
    known = ResultDatabase.of(suite).latest(suite)
    assert {name: case.summary.score for name, case in known.items()} == {"a": 0.5, "b": 1.0}
    assert not any(case.is_read for case in known.values())
    assert known["a"].result == result("a", 0.5)
    assert [row["score"] for row in known["a"].history] == [1.0, 0.5]
    assert [case.summary.score for case in ResultDatabase.of(suite).history("a.eval.yaml", "a", "")] == [0.5, 1.0]


def test_each_target_has_its_own_result(folder: Folder) -> None:
    """The first one of the last run is what is shown of the case."""
    suite = folder.path / "a.eval.yaml"
    run(suite, result("a", 0.1, target="x"), result("a", 0.2, target="y"))
    run(suite, result("a", 0.3, target="y"))
    scores = {name: case.summary.score for name, case in ResultDatabase.of(suite).latest(suite).items()}
    assert scores == {"a@x": 0.1, "a": 0.3}


def test_a_case_in_a_file_is_found_from_that_file(folder: Folder) -> None:
    suite, file = folder.path / "a.eval.yaml", folder.path / "cases" / "b.yaml"
    (folder.path / ".git").mkdir()
    run(suite, result("a", file="cases/b.yaml"), result("c"))
    assert [(n, k.summary.file) for n, k in ResultDatabase.of(suite).latest(suite).items()] == [
        ("a", "cases/b.yaml"),
        ("c", ""),
    ]
    assert [(n, k.summary.suite) for n, k in ResultDatabase.of(file).latest(file).items()] == [("a", "../a.eval.yaml")]


def test_runs_are_found_in_several_ways(folder: Folder) -> None:
    suite = folder.path / "a.eval.yaml"
    database = ResultDatabase.of(suite)
    with pytest.raises(RunNotFoundError, match="nothing has been run"):
        database.find("last")
    first, second = run(suite, result("a"), commit="abcdef12"), run(suite, result("a"), commit="12345678")
    database.set_baseline("main", database.find(first))
    assert [database.find(s).id for s in ("last", "last~1", second, "abcd", "main")] == [
        second,
        first,
        second,
        first,
        first,
    ]
    assert database.baselines() == {"main": first}
    with pytest.raises(RunNotFoundError, match="2 are stored"):
        database.find("nonsense")
    with pytest.raises(RunNotFoundError, match="the beginning of 2 runs"):
        database.find(first[:8])
    with pytest.raises(ValueError, match="cannot be the name"):
        database.set_baseline("last~1", database.find(first))
    assert database.drop_baseline("main")
    assert not database.drop_baseline("main")


def test_reading_makes_no_file(folder: Folder) -> None:
    suite = folder.path / "a.eval.yaml"
    assert ResultDatabase.of(suite).latest(suite) == {}
    assert not (folder.path / ".rubric").exists()
    run(suite, result("a"))
    before = {path.name for path in (folder.path / ".rubric").iterdir()}
    assert before == {".gitignore", "results.db"}
    known = ResultDatabase.of(suite).latest(suite)
    assert known["a"].result.score == 1.0
    assert {path.name for path in (folder.path / ".rubric").iterdir()} == before


def test_files_are_for_their_owner_alone(folder: Folder) -> None:
    suite = folder.path / "a.eval.yaml"
    writer = ResultDatabase.of(suite).begin(RunInfo(suites=(suite,)))
    writer.add(result("a"), suite=suite)
    made = [path for path in (folder.path / ".rubric").iterdir() if path.name.startswith("results.db")]
    assert {path.name for path in made} == {"results.db", "results.db-wal", "results.db-shm"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in made} == {0o600}
    writer.end(RunState.DONE)


def test_a_folder_that_is_removed_meanwhile_is_made_anew(folder: Folder) -> None:
    suite = folder.path / "a.eval.yaml"
    writer = ResultDatabase.of(suite).begin(RunInfo(suites=(suite,)))
    writer.add(result("a"), suite=suite)
    for path in (folder.path / ".rubric").iterdir():
        path.unlink()
    writer.add(result("b"), suite=suite)
    writer.end(RunState.DONE)
    assert [name for name, _ in ResultDatabase.of(suite).latest(suite).items()] == ["b"]
    assert [one.id for one in ResultDatabase.of(suite).runs()] == [writer.id]


def test_what_is_packed_at_once_is_what_the_rows_say() -> None:
    """The fast way to write a result gives what the plain one gives."""
    odd = replace(RICH, details={"a": [1, {"b": None}], "c": ()}, runs=(RICH,), answer="x" * 5_000)
    sent = (
        *RICH.exchanges,
        Exchange(role="judge", to="j", payload={"q": "y" * 200, "r": ["y" * 200]}, files=(("f", "z" * 90),)),
    )
    for each in (RICH, odd, replace(RICH, exchanges=sent), replace(RICH, details={"x": float("nan")}), result("a")):
        packed = pack_result(each)
        written = json.loads(packed if packed[:1] == b"{" else zlib.decompress(packed))
        assert written == json.loads(json.dumps(stored_row(each)))
        assert unpack_result(packed) == replace(each, runs=(), details=unpack_result(packed).details)


def test_only_what_is_new_is_read_again(folder: Folder) -> None:
    suite = folder.path / "a.eval.yaml"
    run(suite, result("a"), result("b"))
    database = ResultDatabase.of(suite)
    first = database.latest_since(suite, None)
    assert set(first.known) == {"a", "b"}
    run(suite, result("b", 0.5))
    second = database.latest_since(suite, first.mark)
    assert {name: case.summary.score for name, case in second.known.items()} == {"b": 0.5}
    assert database.latest_since(suite, second.mark).known == {}
    database.path.unlink()
    run(suite, result("c"))
    assert set(database.latest_since(suite, second.mark).known) == {"c"}, "another database is read whole"


def test_git_says_which_commit_a_run_was_of(folder: Folder) -> None:
    def git(*arguments: str) -> str:
        who = ("-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "commit.gpgsign=false")
        done = subprocess.run(["git", *who, *arguments], cwd=folder.path, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    assert (commit_of(folder.path), is_dirty(folder.path)) == ("", False)
    git("init", "-q")
    assert commit_of(folder.path) == ""
    (folder.path / "a.txt").write_text("one")
    git("add", ".")
    git("commit", "-qm", "one")
    assert commit_of(folder.path) == git("rev-parse", "HEAD")
    assert not is_dirty(folder.path)
    (folder.path / "a.txt").write_text("two")
    assert is_dirty(folder.path)
    git("pack-refs", "--all")
    assert commit_of(folder.path) == git("rev-parse", "HEAD")
    git("checkout", "-q", "--detach")
    assert commit_of(folder.path) == git("rev-parse", "HEAD")
    git("worktree", "add", "-q", "beside", "-b", "other")
    assert commit_of(folder.path / "beside") == git("rev-parse", "HEAD")


def test_secrets_are_no_part_of_a_command(folder: Folder) -> None:
    command = ("rubric", "run", "--where", "key=sk-very-secret")
    info = run_info(folder.path, command, (), "1", {"MY_API_KEY": "sk-very-secret"})
    assert info.command == ("rubric", "run", "--where", "key=***")


def test_what_was_written_last_is_read_where_nothing_can_be_written(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run was killed, and the folder is looked at on a read-only file system: there SQLite opens no log."""
    suite = folder.path / "a.eval.yaml"
    run(suite, result("a"))
    writer = ResultDatabase.of(suite).begin(RunInfo(suites=(suite,)))
    writer.add(result("b"), suite=suite)
    opened = connection._connected

    def refused(path: Path, how: str, timeout: float) -> sqlite3.Connection:
        if path == ResultDatabase.of(suite).path and "immutable" not in how:
            raise sqlite3.OperationalError("unable to open database file")
        return opened(path, how, timeout)

    monkeypatch.setattr(connection, "_connected", refused)
    assert set(ResultDatabase.of(suite).latest(suite)) == {"a", "b"}
    assert len(ResultDatabase.of(suite).runs()) == 2
    monkeypatch.undo()
    writer.end(RunState.DONE)


def test_on_a_disk_that_is_nearly_full_no_file_is_shared_as_memory(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite makes that file with holes: who touched one for which there was no block left was ended by SIGBUS."""
    suite = folder.path / "a.eval.yaml"
    database = ResultDatabase.of(suite)
    running = database.begin(RunInfo(suites=(suite,)))
    running.add(result("stored"), suite=suite)
    room, opened, real = os.statvfs(suite.parent), [], connection._connected
    full = os.statvfs_result([*room[:4], 100_000 // room.f_frsize, *room[5:]])

    def connected(path: Path, how: str, timeout: float) -> sqlite3.Connection:
        opened.append(how)
        return real(path, how, timeout)

    monkeypatch.setattr(os, "statvfs", lambda _: full)
    monkeypatch.setattr(connection, "_connected", connected)
    with pytest.raises(ResultStoreError, match="No space left on device"):
        running.add(result("lost"), suite=suite)
    with pytest.raises(ResultStoreError, match="No space left on device"):
        database.begin(RunInfo(suites=(suite,)))
    assert set(database.latest(suite)) == {"stored"}
    assert len(database.runs()) == 1
    assert set(opened) == {"mode=ro&readonly_shm=1"}
    monkeypatch.undo()
    running.add(result("stored, too"), suite=suite)
    running.end(RunState.DONE)
    assert set(database.latest(suite)) == {"stored", "stored, too"}


def test_outside_a_repository_results_lie_where_the_targets_are(tmp_path: Path) -> None:
    (tmp_path / ".agentv").mkdir()
    suites = tmp_path / "evals" / "deep"
    suites.mkdir(parents=True)
    assert [results_root(each) for each in (suites, tmp_path)] == [tmp_path, tmp_path]
    stored = database_path(tmp_path / "evals")
    stored.parent.mkdir()
    stored.touch()
    assert results_root(suites) == tmp_path / "evals", "what there are results of goes on"


def test_results_that_are_read_one_after_the_other_are_read_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A report looks at each case of a run several times, when the database is closed again."""
    suite = tmp_path / "s.eval.yaml"
    name = run(suite, *(result(f"case-{n}", n / 600) for n in range(600)))
    database = ResultDatabase.of(suite)
    cases = list(database.cases(database.find(name)))
    opened = 0
    read = result_source.read_without_trace

    def counted(*arguments: Any) -> Any:
        nonlocal opened
        opened += 1
        return read(*arguments)

    monkeypatch.setattr(result_source, "read_without_trace", counted)
    assert [(each.result.id, each.result.score) for each in cases] == [(f"case-{n}", n / 600) for n in range(600)]
    assert opened == 3
    assert [each.result.id for each in reversed(cases[:2])] == ["case-1", "case-0"], "in any order"


def test_a_database_of_the_version_before_is_read_as_it_is_and_brought_up_to_date_by_a_run(folder: Folder) -> None:
    suite = folder.path / "a.eval.yaml"
    run(suite, result("a"))
    database = ResultDatabase.of(suite)
    with closing(sqlite3.connect(database.path)) as file, file:
        for table, column in (
            ("runs", "partial"),
            ("runs", "signature"),
            ("results", "digest"),
            ("results", "signature"),
            ("baselines", "signature"),
        ):
            file.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        file.execute("PRAGMA user_version = 1")
    assert [(each.cases, each.partial) for each in database.runs()] == [(1, False)]
    assert [each.result for each in database.cases(database.find("last"))] == [result("a")]
    assert set(database.latest(suite)) == {"a"}
    with closing(sqlite3.connect(database.path)) as file:
        assert file.execute("PRAGMA user_version").fetchone() == (1,), "reading changes nothing"
    writer = database.begin(RunInfo(suites=(suite,), partial=True))
    writer.add(result("a", 0.5), suite=suite)
    writer.end(RunState.DONE)
    assert [each.partial for each in database.runs()] == [True, False]
    assert [each.is_own for each in database.runs()] == [True, False], "what nobody signed does not count"


def test_a_clock_that_is_set_back_leaves_runs_in_their_order_and_no_negative_duration(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    class SetBack(datetime):
        year_of_next = 2036

        @classmethod
        def now(cls, tz: tzinfo | None = None) -> "SetBack":
            SetBack.year_of_next -= 1
            return cls(SetBack.year_of_next, 11, 24, tzinfo=tz)

    monkeypatch.setattr(run_writer, "datetime", SetBack)
    suite = folder.path / "a.eval.yaml"
    names = [run(suite, result("a", score)) for score in (0.25, 0.5, 0.75)]
    database = ResultDatabase.of(suite)
    runs = database.runs()
    assert [each.id for each in runs] == names[::-1] == sorted(names)
    assert all(each.duration_ms is not None and 0 <= each.duration_ms < 60_000 for each in runs)
    with closing(sqlite3.connect(database.path)) as file:
        assert file.execute("SELECT count(*) FROM runs WHERE ended_at < started_at").fetchone() == (0,)
    assert database.latest(suite)["a"].result.score == 0.75
    assert database.find("last").id == names[-1]


def test_two_runs_of_one_second_have_ids_of_their_own(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixteen bits of chance tell them apart, which is not enough for many at once: the database is none the worse for it."""

    class Stopped(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> "Stopped":
            return cls(2026, 11, 24, tzinfo=tz)

    chances = iter([b"\0\1", b"\0\1", b"\0\1", b"\0\2"])
    monkeypatch.setattr(run_writer, "datetime", Stopped)
    monkeypatch.setattr(run_writer, "random_suffix", lambda: next(chances).hex())
    suite = folder.path / "a.eval.yaml"
    names = [run(suite, result("a")), run(suite, result("b"))]
    assert names == ["20261124-000000-0001", "20261124-000000-0002"]
    assert [each.id for each in ResultDatabase.of(suite).runs()] == names[::-1]
    assert [each.name for each in database_path(folder.path).parent.glob("*damaged*")] == []
