"""What can happen to a run: it is stopped or killed, its results cannot be stored, its suite is edited, others run at once."""

import contextlib
import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator

import pytest
from suites import Folder, stored_cases
from waiting import alive, until

from rubric_core.cli import main
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.records import RunState

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
    return list(stored_cases(folder.path / "suite.eval.yaml"))


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


def test_a_run_that_is_stopped_before_a_case_ended_says_so(suite: Folder) -> None:
    with started(suite, "-k", "bad") as running:
        until("the case runs", (suite.path / "pids").exists)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert (running.returncode, out.strip()) == (130, "no case ended")
    assert "0 of 1 case" in err


def test_a_run_that_is_killed_loses_only_what_was_in_flight(suite: Folder) -> None:
    with started(suite, "--format", "jsonl") as running:
        assert json.loads(running.stdout.readline())["id"] == "good"  # type: ignore[union-attr]
        running.kill()
    assert stored(suite) == ["good"]
    (run,) = ResultDatabase.of(suite.path / "suite.eval.yaml").runs()
    assert (run.state, run.ended_at, run.cases) == (RunState.STOPPED, None, 1)
    (suite.path / "go").touch()
    with started(suite, "--format", "jsonl", "--resume") as running:
        out, _ = running.communicate(timeout=60)
    assert [json.loads(line)["id"] for line in out.splitlines()] == ["bad"]
    assert sorted(stored(suite)) == ["bad", "good"]


def on_a_terminal(folder: Folder, *more: str, size: tuple[int, int] = (80, 24), go_at: str) -> str:
    """What a terminal is sent; the case that waits goes on when `go_at` was seen."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    seen = ""
    with started(folder, *more, stdout=theirs, stderr=theirs, env={**environment, "TERM": "xterm"}):
        os.close(theirs)
        with contextlib.suppress(OSError):  # the other end is closed
            while data := os.read(ours, 65536):
                seen += data.decode("utf-8", "replace")
                if go_at in seen:
                    (folder.path / "go").touch()
        os.close(ours)
    return seen


def screen(sent: str, columns: int) -> list[str]:
    """The lines on a screen, including those scrolled out at the top, after some output."""
    lines, row, column = [""], 0, 0
    for found in re.finditer(r"\x1b\[(\d*)([AJKm])|([^\x1b])", sent):
        number, command, character = found.groups()
        if command == "A":
            row -= int(number)
        elif command == "K":
            lines[row] = "" if number == "2" else lines[row][:column]
        elif character == "\r":
            column = 0
        elif character == "\n" or (character and column == columns):
            row, column = row + 1, 0
            lines += [""] * (row + 1 - len(lines))
        if character and character not in "\r\n":
            lines[row], column = lines[row].ljust(column)[:column] + character + lines[row][column + 1 :], column + 1
    return [line.rstrip() for line in lines]


def test_a_terminal_shows_a_table_in_the_order_of_the_file_and_nothing_of_it_stays(suite: Folder) -> None:
    suite.suite(SUITE.replace("id: bad", "id: other").replace("id: good", "id: bad").replace("id: other", "id: good"))
    sent = on_a_terminal(suite, go_at="1/2  1 passed")
    first, second, *_ = screen(sent[: sent.index("1/2  1 passed")], 80)
    assert (first.split()[::2][:2], second.split()[::2][:2]) == (["⟳", "bad"], ["✔", "good"])
    left = screen(sent, 80)
    assert not any("1/2" in line or line.startswith("⟳") for line in left)
    assert any(line.startswith("2 passed") for line in left)


def test_of_several_suites_each_line_stays_and_prints_stand_above_the_table(suite: Folder) -> None:
    suite.write(".agentv/evaluators/chatty.py", """
        import os
        from rubric_core import EvaluationScore
        class Chatty:
            kind = "chatty"
            def evaluate(self, context):
                print("printed", end="\\r")
                print("by an evaluator \\x1b[2J")
                os.system("echo by its program")
                return EvaluationScore(score=1.0)
    """)  # fmt: skip
    suite.suite(SUITE.replace("hello}]", "hello}, {type: chatty}]"), "more.eval.yaml")
    sent = on_a_terminal(suite, "more.eval.yaml", size=(30, 12), go_at="1/4 ✔1")
    left = [re.sub(r"  [\d.]+m?s$", "", line) for line in screen(sent[: sent.index("2 suites")], 30)]
    assert [line for line in left if line] == [
        "suite.eval.yaml", "✔ 1.00  good", "✔ 1.00  bad", "more.eval.yaml", "by an evaluator �[2J", "by its program", "✔ 1.00  good", "✔ 1.00  bad",
    ]  # fmt: skip


def test_a_document_that_is_interrupted_is_json_and_says_so(suite: Folder) -> None:
    with started(suite, "--format", "json") as running:
        until("the first result", lambda: stored(suite) == ["good"])
        running.send_signal(signal.SIGINT)
        out, _ = running.communicate(timeout=60)
    assert (running.returncode, json.loads(out)["stopped"]) == (130, True)
    assert [case["id"] for case in json.loads(out)["cases"]] == ["good"]


def test_results_that_cannot_be_stored_are_shown_and_that_is_said(
    suite: Folder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(suite.path)
    suite.mock("hello")
    (suite.path / ".rubric").write_text("in the way")
    assert main(["run", "suite.eval.yaml", "--format", "json"]) == 2
    said = capsys.readouterr()
    assert json.loads(said.out)["summary"]["passed"] == 2
    assert said.err.count("rubric: results cannot be stored: ") == 1
    assert "rubric: suite.eval.yaml: results could not be stored, 2 of 2 are lost: " in said.err
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
    cases = stored_cases(suite.path / "suite.eval.yaml")
    assert {name: len(case.history) for name, case in cases.items()} == {"good": 2, "bad": 2}
