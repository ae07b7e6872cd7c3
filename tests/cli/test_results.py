"""`rubric results`: stored runs listed, shown and removed."""

from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from command import Run, write

from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.prune import PruneLimits

SUITE = """\
# rubric: dialect=agentv-3
tests:
  - {id: a, criteria: x, input: say hello, assertions: [{type: contains, value: hello}]}
  - {id: b, criteria: x, input: say bye, assertions: [{type: contains, value: bye}]}
"""


@pytest.fixture
def ids(rubric: Run) -> list[str]:
    """Three runs, oldest first."""
    write("s.eval.yaml", SUITE)
    write(".agentv/targets.yaml", "targets: [{name: default, provider: mock, response: hello}]")
    for _ in range(3):
        assert rubric("run", "s.eval.yaml").code == 1
    return [run.id for run in reversed(ResultDatabase.at(Path.cwd()).runs())]


def test_runs_are_listed_newest_first(rubric: Run, ids: list[str]) -> None:
    lines = rubric("results").out.splitlines()
    assert [line.split()[0] for line in lines] == ids[::-1]
    assert "✔ 1  ✘ 1" in lines[0]
    assert lines[0].endswith("default  s.eval.yaml")
    assert len(rubric("results", "--limit", "1").out.splitlines()) == 1
    assert rubric("results", "--suite", "other.eval.yaml").out == "no runs are stored\n"


def test_nothing_is_stored(rubric: Run) -> None:
    assert rubric("results").out == "no runs are stored\n"
    ran = rubric("results", "show")
    assert (ran.code, ran.err) == (2, "rubric: there is no run last: nothing has been run here yet\n")
    assert not Path(".rubric").exists()


def test_a_run_is_shown_with_its_cases(rubric: Run, ids: list[str]) -> None:
    out = rubric("results", "show", ids[0]).out
    assert out.startswith(f"run       {ids[0]}, done\n")
    assert "command   rubric run s.eval.yaml\n" in out
    assert [line.split("  ")[:2] for line in out.splitlines()[-2:]] == [
        ["✔ 1.00", "s.eval.yaml::a"],
        ["✘ 0.00", "s.eval.yaml::b"],
    ]


def test_a_case_is_shown_in_full(rubric: Run, ids: list[str]) -> None:
    out = rubric("results", "show", "last::b").out
    assert out.startswith("✘ 0.00  s.eval.yaml::b")
    assert "answer:\n  hello" in out
    assert "say bye" in out
    ran = rubric("results", "show", "last::c")
    assert (ran.code, f"the run {ids[2]} has no case c" in ran.err) == (2, True)


def test_old_runs_are_removed(rubric: Run, ids: list[str]) -> None:
    database = ResultDatabase.at(Path.cwd())
    database.set_baseline("main", database.find(ids[0]))
    assert rubric("results", "prune", "--keep", "1", "--dry-run").out.endswith("1 run would be removed\n")
    assert [run.id for run in database.runs()] == ids[::-1]
    assert rubric("results", "prune", "--keep", "1").out == f"{ids[1]}  2 cases\n1 run removed\n"
    assert [run.id for run in database.runs()] == [ids[2], ids[0]], "a baseline stays"
    assert [len(case.history) for case in database.latest(Path("s.eval.yaml")).values()] == [2, 2]
    assert rubric("results", "prune").code == 2


def test_runs_are_removed_by_age_and_size(ids: list[str]) -> None:
    database = ResultDatabase.at(Path.cwd())
    assert database.prune(PruneLimits(age=timedelta(days=1))) == []
    assert database.prune(PruneLimits(max_bytes=10**9)) == []
    assert len(database.prune(PruneLimits(age=timedelta(0)), dry_run=True)) == 3
    assert datetime.now(tz=timezone.utc) > datetime.fromisoformat(database.find("last").started_at)
    assert len(database.prune(PruneLimits(max_bytes=0))) == len(ids)
    assert dict(database.latest(Path("s.eval.yaml"))) == {}


def test_nothing_is_stored_when_it_is_not_wanted(rubric: Run) -> None:
    write("s.eval.yaml", SUITE)
    write(".agentv/targets.yaml", "targets: [{name: default, provider: mock, response: hello}]")
    assert rubric("run", "s.eval.yaml", "--no-store").code == 1
    assert not Path(".rubric").exists()
