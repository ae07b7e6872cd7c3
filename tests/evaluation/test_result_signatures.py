"""Results count only where this user's rubric stored them, and as it stored them."""

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from rubric_core.cli import main
from rubric_core.evaluation.exporting.formats import FORMATS
from rubric_core.evaluation.report_page.write_report import earlier_runs
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.signatures import KEY_VARIABLE

SUITE = """\
# rubric: dialect=agentv-3
tests:
  - {id: a, criteria: x, input: say hello, assertions: [{type: contains, value: hello}]}
  - {id: b, criteria: x, input: say bye, assertions: [{type: contains, value: bye}]}
"""
FAILED, WRONG_USE = 1, 2


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The database of a run in which `a` passed and `b` failed."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    project = tmp_path / "project"
    (project / ".agentv").mkdir(parents=True)
    (project / "s.eval.yaml").write_text(SUITE, encoding="utf-8")
    (project / ".agentv/targets.yaml").write_text("targets: [{name: default, provider: mock, response: hello}]")
    monkeypatch.chdir(project)
    assert main(["run", "s.eval.yaml"]) == FAILED
    return project / ".rubric/results.db"


def counted(store: Path) -> dict[str, tuple[object, ...]]:
    """What counts, by id: verdict, score, fingerprint."""
    suite = store.parent.parent / "s.eval.yaml"
    return {
        known.id: (known.summary.verdict.value, known.summary.score, known.summary.fingerprint)
        for known in ResultDatabase.of(suite).latest(suite).values()
        if known.is_own
    }


def change(store: Path, *statements: str) -> None:
    with closing(sqlite3.connect(store)) as file, file:
        for statement in statements:
            file.execute(statement)


def another_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "somebody else"))


CHANGES = [
    "UPDATE results SET verdict = 'passed'",
    "UPDATE results SET verdict = 'passed', score = 1.0, grader_errors = 0",
    "UPDATE results SET score = 1 WHERE score < 1",
    "UPDATE results SET fingerprint = fingerprint || 'x'",
    "UPDATE results SET fingerprint = (SELECT fingerprint FROM results WHERE verdict = 'passed')",
    "UPDATE results SET test_fingerprint = 'x'",
    "UPDATE results SET grader_errors = 1 - grader_errors",
    "UPDATE results SET at = '2030-01-01'",
    "UPDATE results SET case_number = 3 - case_number",
    "UPDATE results SET number = number + 10",
    "UPDATE results SET run = 7",
    "UPDATE results SET digest = 'x'",
    "UPDATE results SET signature = ''",
    "UPDATE results SET signature = x'00'",
    "UPDATE results SET signature = (SELECT signature FROM results WHERE verdict = 'passed')",
    "UPDATE cases SET id = 'b' || id",
    "UPDATE cases SET target = 'other'",
    "UPDATE files SET path = 'other.eval.yaml'",
]


@pytest.mark.parametrize("statement", CHANGES)
def test_a_changed_row_does_not_count(store: Path, statement: str) -> None:
    before = counted(store)
    assert before.keys() == {"a", "b"}
    change(store, statement)
    after = counted(store)
    assert all(before.get(name) == found for name, found in after.items()), "what counts is as it was"


@pytest.mark.parametrize("option", ["--resume", "--changed", "--failed"])
def test_what_came_with_the_repository_is_run_again(
    option: str, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    change(store, "UPDATE results SET verdict = 'passed', score = 1")
    assert main(["run", "s.eval.yaml", option]) == FAILED, "changed after it was stored"
    change(store, "UPDATE results SET verdict = 'passed', score = 1")
    another_user(monkeypatch, tmp_path)
    capsys.readouterr()
    assert main(["run", "s.eval.yaml", option]) == FAILED, "stored by somebody else"
    assert "1 passed" in capsys.readouterr().out, "the case that passed there runs, too"


@pytest.mark.parametrize("option", ["--resume", "--changed"])
def test_own_results_count(option: str, store: Path) -> None:
    assert counted(store).keys() == {"a", "b"}
    assert main(["run", "s.eval.yaml", option]) in (0, FAILED)
    assert len(ResultDatabase.at(store.parent.parent).runs()) == 1, "nothing was left to run"


def test_a_trend_has_no_runs_of_somebody_else(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = ResultDatabase.at(store.parent.parent)
    first = database.find("last")
    another_user(monkeypatch, tmp_path)
    assert main(["run", "s.eval.yaml"]) == FAILED
    second = database.find("last")
    assert earlier_runs(database, second) == [second]
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert main(["run", "s.eval.yaml"]) == FAILED
    assert [each.id for each in earlier_runs(database, database.find("last"))] == [first.id, database.find("last").id]


def test_any_byte_of_the_file_may_be_changed(store: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(store)) as file:
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before, content, chance = counted(store), store.read_bytes(), random.Random(5)
    places = [
        n
        for word in (b"passed", b"failed", before["b"][2].encode())
        for n in range(content.find(word), content.find(word) + len(word))
    ]  # type: ignore[attr-defined]
    for place in (*places, *(chance.randrange(len(content)) for _ in range(150))):
        damaged = bytearray(content)
        damaged[place] ^= chance.randrange(1, 256)
        store.write_bytes(damaged)
        for end in ("-wal", "-shm"):
            Path(f"{store}{end}").unlink(missing_ok=True)
        try:
            found = counted(store)
        except OSError:  # it is no database any more
            continue
        assert all(before.get(name) == each for name, each in found.items()), place


def test_the_full_result_is_what_was_signed(store: Path) -> None:
    database = ResultDatabase.at(store.parent.parent)
    (first, _) = database.cases(database.find("last"))
    assert first.is_own
    assert first.result.evaluators
    change(store, "UPDATE details SET content = (SELECT content FROM details ORDER BY result DESC LIMIT 1)")
    (first, _) = database.cases(database.find("last"))
    assert "damaged" in first.result.reason


def test_scores_of_evaluators_are_signed(store: Path) -> None:
    change(store, "UPDATE scores SET score = 1.0 - score")
    database = ResultDatabase.at(store.parent.parent)
    assert not any(case.is_own for case in database.cases(database.find("last")))


def test_a_baseline_of_somebody_else_does_not_count(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = ["run", "s.eval.yaml", "--baseline", "main", "--fail-on", "regression"]
    assert main(["baseline", "set", "main"]) == 0
    assert main(run) == 0
    change(store, "UPDATE results SET verdict = 'failed', score = 0 WHERE run = 1")
    assert main(run) == WRONG_USE
    assert "was not stored by rubric of this user" in capsys.readouterr().err
    assert main(["baseline", "set", "main", "last"]) == 0
    change(store, "UPDATE baselines SET run = 1")
    assert main(run) == WRONG_USE
    assert main(["baseline", "set", "main", "last"]) == 0
    another_user(monkeypatch, tmp_path)
    assert main(run) == WRONG_USE
    assert main(["baseline", "set", "main"]) == WRONG_USE


def test_jobs_that_share_a_key_share_results(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "a secret of the project")
    assert main(["run", "s.eval.yaml"]) == FAILED
    another_user(monkeypatch, tmp_path)
    assert counted(store).keys() == {"a", "b"}
    monkeypatch.setenv(KEY_VARIABLE, "another secret")
    assert counted(store) == {}


def test_foreign_results_are_shown_as_such(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    main(["results"])
    assert "not yours" not in capsys.readouterr().out
    another_user(monkeypatch, tmp_path)
    main(["results"])
    main(["results", "show", "last"])
    assert capsys.readouterr().out.count("not yours") == 4


def test_a_folder_of_results_that_leads_elsewhere_is_refused(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = tmp_path / "elsewhere"
    shutil.move(store.parent, elsewhere)
    store.parent.symlink_to(elsewhere)
    before = sorted(each.name for each in elsewhere.iterdir())
    main(["run", "s.eval.yaml"])
    assert "is a link to" in capsys.readouterr().err
    assert main(["results"]) == WRONG_USE
    assert sorted(each.name for each in elsewhere.iterdir()) == before


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM results WHERE verdict = 'failed'",
        "UPDATE runs SET passed = 2, failed = 0",
        "UPDATE runs SET cost_usd = 0.01",
        "UPDATE runs SET state = 'done', ended_at = '2020-01-01T00:00:00+00:00'",
    ],
)
def test_a_run_that_was_changed_after_its_end_does_not_count(store: Path, statement: str) -> None:
    database = ResultDatabase.at(store.parent.parent)
    assert database.counts(database.find("last"))
    change(store, statement)
    assert not database.counts(database.find("last"))


def test_every_export_marks_a_foreign_run(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def written() -> dict[str, str]:
        found = {}
        capsys.readouterr()
        for name in FORMATS:
            assert main(["results", "export", "last", "--format", name]) == 0
            found[name] = capsys.readouterr().out
        return found

    marks = {
        "markdown": "**Not yours: ",
        "json": '"own": false',
        "jsonl": '"own": false',
        "promptfoo": "(not yours: ",
        "junit": 'name="not yours"',
        "csv": ",no,",
        "html": "not yours: ",
    }
    own = written()
    another_user(monkeypatch, tmp_path)
    foreign = written()
    assert marks.keys() == set(FORMATS)
    for name, mark in marks.items():
        assert (mark in own[name], mark in foreign[name]) == (False, True), name
