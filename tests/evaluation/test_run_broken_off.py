"""What can happen to a run: it is stopped or killed, its results cannot be stored, its suite is edited, others run at once."""

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
from suites import Folder
from waiting import alive, until

from rubric_core.cli import main
from rubric_core.evaluation.store import ResultStore

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and terminals")
# The case `bad` waits until there is a file `go`.
WAITS = 'echo $$ >> pids; if [ {EVAL_ID} = bad ]; then until [ -e "$PWD/go" ]; do sleep 0.02; done; fi; echo hello'
SUITE = """
tests:
  - {id: good, criteria: c, input: hi, assertions: [{type: contains, value: hello}]}
  - {id: bad, criteria: c, input: hi, assertions: [{type: contains, value: hell}]}
"""


@pytest.fixture
def suite(folder: Folder) -> Folder:
    folder.targets({"name": "default", "provider": "cli", "command": WAITS})
    folder.suite(SUITE)
    return folder


@contextlib.contextmanager
def started(folder: Folder, *more: str, **streams: object) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "rubric_core.cli", "run", "suite.eval.yaml", *more]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    with subprocess.Popen(command, text=True, cwd=folder.path, **pipes) as running:  # type: ignore[call-overload]
        try:
            yield running
        finally:
            running.kill()


def stored(folder: Folder) -> list[str]:
    return list(ResultStore.of(folder.path / "suite.eval.yaml").read())


@pytest.mark.parametrize(("name", "code", "times"), [("SIGINT", 130, 1), ("SIGINT", 130, 2), ("SIGTERM", 143, 1)])
def test_a_run_that_is_stopped_keeps_what_is_done_and_leaves_nothing_behind(
    suite: Folder, name: str, code: int, times: int
) -> None:
    with started(suite, "--format", "jsonl") as running:
        assert json.loads(running.stdout.readline())["id"] == "good"  # type: ignore[union-attr]
        for _ in range(times):
            running.send_signal(getattr(signal, name))
        _, err = running.communicate(timeout=60)
    assert running.returncode == code
    assert (
        err == "rubric: stopped; 1 of 2 cases are done and kept; rubric run suite.eval.yaml --resume runs the others\n"
    )
    assert stored(suite) == ["good"]
    until("the end of every program", lambda: not any(map(alive, (suite.path / "pids").read_text().split())))


def test_a_run_that_is_killed_loses_only_what_was_in_flight(suite: Folder) -> None:
    with started(suite, "--format", "jsonl") as running:
        assert json.loads(running.stdout.readline())["id"] == "good"  # type: ignore[union-attr]
        running.kill()
    assert stored(suite) == ["good"]
    store = ResultStore.of(suite.path / "suite.eval.yaml")
    with store._journal.path.open("a") as journal:
        journal.write('{"id": "bad", "verd')
    assert stored(suite) == ["good"]
    (suite.path / "go").touch()
    with started(suite, "--format", "jsonl", "--resume") as running:
        out, _ = running.communicate(timeout=60)
    assert [json.loads(line)["id"] for line in out.splitlines()] == ["bad"]
    assert sorted(stored(suite)) == ["bad", "good"]


def test_a_terminal_shows_what_goes_on_and_nothing_of_it_stays(suite: Folder) -> None:
    ours, theirs = pty.openpty()
    seen = ""
    with started(
        suite, stdout=theirs, stderr=theirs, env={**os.environ, "TERM": "xterm", "COLUMNS": "80", "LINES": "24"}
    ):
        os.close(theirs)
        with contextlib.suppress(OSError):  # the other end is closed
            while data := os.read(ours, 65536):
                seen += data.decode("utf-8", "replace")
                if "1/2  1 passed" in seen:
                    (suite.path / "go").touch()
        os.close(ours)
    assert "bad  asking" in seen
    left = seen[seen.rindex("\x1b[J") :]
    assert "1/2" not in left
    assert "2 passed" in left


def test_results_that_cannot_be_stored_are_shown_and_that_is_said(
    suite: Folder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(suite.path)
    suite.mock("hello")
    (suite.path / ".rubric").write_text("in the way")
    assert main(["run", "suite.eval.yaml", "--format", "json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["summary"]["passed"] == 2
    assert said.err.count("rubric: results cannot be stored: ") == 1
    assert str(suite.path / ".rubric") in said.err


def test_an_answer_with_half_a_character_is_kept(
    suite: Folder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(suite.path)
    suite.write("half.json", '{"text": "hello \\ud800"}')
    suite.targets({"name": "default", "provider": "cli", "command": "cat half.json"})
    for form in ("json", "jsonl", "text"):
        assert main(["run", "suite.eval.yaml", "--format", form]) == 0
    capsys.readouterr()
    assert sorted(stored(suite)) == ["bad", "good"]


def test_a_suite_that_is_edited_while_it_runs_has_stale_results(suite: Folder) -> None:
    with started(suite, "--format", "jsonl") as running:
        running.stdout.readline()  # type: ignore[union-attr]
        suite.suite(SUITE.replace("hell}", "hi}"))
        (suite.path / "go").touch()
        out, _ = running.communicate(timeout=60)
    assert json.loads(out)["verdict"] == "passed"  # as it was when the run began
    with started(suite, "--format", "jsonl", "--resume") as running:
        out, _ = running.communicate(timeout=60)
    assert [(r["id"], r["verdict"]) for r in map(json.loads, out.splitlines())] == [("bad", "failed")]


def test_two_runs_at_once_keep_the_results_of_both(suite: Folder) -> None:
    (suite.path / "go").touch()
    with started(suite) as first, started(suite) as second:
        assert [first.wait(60), second.wait(60)] == [0, 0]
    cases = ResultStore.of(suite.path / "suite.eval.yaml").read()
    assert {name: len(case.history) for name, case in cases.items()} == {"good": 2, "bad": 2}
