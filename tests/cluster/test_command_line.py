"""`rubric run --on`: options that end and resume a run, and results that are stored as they come."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("distributed", reason="the extra `cluster` is not installed: pip install distributed")

from thorough import only_thorough

from rubric_core.cli import main
from rubric_core.cluster.dispatcher import Dispatcher
from rubric_core.evaluation.results.database import ResultDatabase

#: Notes that it runs, and answers once it may; the first case may at once.
ANSWER = """\
import os, pathlib, sys, time
folder, case = pathlib.Path({folder!r}), sys.argv[1].split()[-1]
with (folder / "ran.txt").open("a") as ran:
    ran.write(case + "\\n")
while case != "0" and not (folder / "go").exists():
    time.sleep(0.05)
print("hello")
"""
CASES = 16


def stored_cases(suite: Path) -> set[str]:
    return set(ResultDatabase.of(suite).latest(suite))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".agentv").mkdir()
    (tmp_path / ".agentv/targets.yaml").write_text(
        "targets:\n  - {name: default, provider: cli, command: [python3, answer.py, '{PROMPT}']}\n"
    )
    (tmp_path / "answer.py").write_text(ANSWER.format(folder=str(tmp_path)))
    return tmp_path


@only_thorough
def test_a_failure_holds_back_what_no_worker_has_begun_and_the_others_resume(
    folder: Path, address: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """Three runs of one suite, each of which starts processes on two workers: -x, --resume, --failed."""
    (folder / "suite.eval.yaml").write_text(
        "tests:\n"
        + "".join(
            f"  - {{id: c{n}, criteria: c, input: hi {n}, assertions: [{{type: contains, value: {'hello' if n else 'bye'}}}]}}\n"
            for n in range(CASES)
        )
    )
    hold = Dispatcher._hold

    async def held(self: Any) -> None:
        await hold(self)
        (folder / "go").touch()

    monkeypatch.setattr(Dispatcher, "_hold", held)
    run = ["run", "suite.eval.yaml", "--on", address]
    assert main([*run, "-x"]) == 1
    first = stored_cases(folder / "suite.eval.yaml")
    # Four slots: beside the first case at most one for each, and one that took the place of the first.
    assert "c0" in first
    assert len(first) <= 6
    assert sorted((folder / "ran.txt").read_text().split()) == sorted(name.removeprefix("c") for name in first)
    assert f"{CASES - len(first)} of {CASES} cases not run" in capsys.readouterr().err

    assert main([*run, "--resume"]) == 1
    assert sorted(map(int, (folder / "ran.txt").read_text().split())) == list(range(CASES))
    assert len(stored_cases(folder / "suite.eval.yaml")) == CASES

    assert main([*run, "--failed"]) == 1
    assert sorted(map(int, (folder / "ran.txt").read_text().split())) == [0, *range(CASES)]


def test_results_are_stored_as_they_come(folder: Path, address: str):
    """The second case ends only when the store has the result of the first."""
    (folder / "answer.py").write_text(
        "import sqlite3, sys, time\n"
        f"store = 'file:{folder}/.rubric/results.db?mode=ro'\n"
        "for _ in range(600):\n"
        "    try:\n"
        "        count = sqlite3.connect(store, uri=True).execute('SELECT count(*) FROM results').fetchone()[0]\n"
        "    except sqlite3.Error:\n"
        "        count = 0\n"
        "    if count or sys.argv[1].endswith('first'):\n"
        "        print('hello')\n"
        "        break\n"
        "    time.sleep(0.05)\n"
    )
    (folder / "suite.eval.yaml").write_text(
        "tests:\n"
        "  - {id: a, criteria: c, input: first, assertions: [{type: contains, value: hello}]}\n"
        "  - {id: b, criteria: c, input: second, assertions: [{type: contains, value: hello}]}\n"
    )
    assert main(["run", "suite.eval.yaml", "--on", address]) == 0
