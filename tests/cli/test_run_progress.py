"""The line that says how far a run is, by itself and on a real terminal."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from command import Run, write

from rubric_core.cli.run_progress import RunProgress
from rubric_core.evaluation.model.result import Verdict

sys.path.insert(0, str(Path(__file__).parents[1] / "editors"))
from terminal import Terminal

VERDICTS = {Verdict.PASSED: 6, Verdict.FAILED: 2, Verdict.UNSCORED: 1}
PROGRESS = RunProgress(VERDICTS, 12, 1, 0.0123, 27.0, 2)


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        (100, "9/12  6 passed, 2 failed, 1 unscored, ⚠1  27s  20/min  $0.0123  2 cached  ~9.0s left"),
        (60, "9/12 ✔6 ✘2 ○1 ⚠1 27s 20/min $0.0123 ~9.0s"),
        (40, "9/12 ✔6 ✘2 ○1 ⚠1 27s $0.0123 ~9.0s"),
        (30, "9/12 ✔6 ✘2 ○1 ⚠1 27s"),
        (8, "9/12 ✔6 ✘2 ○1 ⚠1"),
    ],
)
def test_as_much_as_there_is_room_for(columns: int, line: str) -> None:
    assert PROGRESS.line(columns) == line


def test_before_the_first_case_nothing_is_guessed() -> None:
    assert RunProgress({}, 12, 0, 0.0, 3.0).line(100) == "0/12  3.0s"


def test_many_cases_a_second() -> None:
    assert "50/s" in RunProgress({Verdict.PASSED: 100}, 200, 0, 0.0, 2.0).line(100)


SUITE = """\
tests:
  - {id: good, criteria: c, input: hi, assertions: [{type: contains, value: hello}]}
  - {id: bad, criteria: c, input: hi, assertions: [{type: contains, value: bye}]}
  - {id: slow, criteria: c, input: hi, assertions: [{type: contains, value: hello}]}
"""
#: The case `slow` waits until there is a file `go`.
WAITS = 'if [ {EVAL_ID} = slow ]; then until [ -e "$PWD/go" ]; do sleep 0.05; done; fi; echo hello'


@pytest.fixture
def project(here: Path) -> Path:
    target = {"name": "default", "provider": "cli", "command": WAITS, "cwd": str(here)}
    write(".agentv/targets.yaml", json.dumps({"targets": [target]}))
    write("suite.eval.yaml", SUITE)
    return here


def terminal(here: Path, *arguments: str) -> Terminal:
    if shutil.which("tmux") is None:
        pytest.skip("no tmux here")
    environment = {"PATH": os.environ["PATH"], "HOME": str(here), "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
    return Terminal([sys.executable, "-m", "rubric_core.cli", *arguments], here, environment)


def test_a_real_terminal(project: Path) -> None:
    running = terminal(project, "run", "suite.eval.yaml", "--watch")
    try:
        running.sees("2/3  1 passed, 1 failed")
        screen = running.sees("/min")
        assert "left" in screen
        assert "⟳" in next(line for line in screen.splitlines() if "slow" in line)
        write("go", "")
        running.sees("2 passed, 1 failed")
        running.sees("Waiting for changes; Ctrl-C ends")
        write("suite.eval.yaml", SUITE.replace("value: bye", "value: hello"))
        assert "  1 case changed" in running.sees("1 case changed")
        running.sees("1 passed · target default")
        running.keys("C-c")
    finally:
        running.close()


def test_piped_there_are_results_alone(project: Path, process: Run) -> None:
    write("go", "")
    ran = process("run", "suite.eval.yaml", "--format", "jsonl")
    assert sorted(row["id"] for row in map(json.loads, ran.out.splitlines())) == ["bad", "good", "slow"]
    assert ran.err == ""
