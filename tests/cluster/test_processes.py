"""Runs on a `dask scheduler` and `dask worker` processes, started from the command line in folders without the suite."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("distributed", reason="the extra `cluster` is not installed: pip install distributed")

import psutil
from thorough import only_thorough
from waiting import until

from rubric_core.cli import main
from rubric_core.evaluation.results.database import ResultDatabase

DASK = str(Path(sys.executable).parent / "dask")
CASES = 8
#: The first two cases end at once, the others when the file `go` is there.
ANSWER = """\
import pathlib, sys, time
folder, case = pathlib.Path({folder!r}), int(sys.argv[1].split()[-1])
with (folder / "ran.txt").open("a") as ran:
    ran.write(f"{{case}}\\n")
while case > 1 and not (folder / "go").exists():
    time.sleep(0.05)
print("hello")
"""


class Cluster:
    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder, self._stack = folder, stack
        where = folder / "scheduler.json"
        self.scheduler = self._started(
            "scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(where)
        )
        # Dask writes the file in place: it is there before what it says.
        written = until(
            "the scheduler is there", lambda: where.exists() and where.read_text().endswith("\n}") and where.read_text()
        )
        self.address = json.loads(written)["address"]
        self.workers = [self._started("worker", self.address, "--nthreads", "2", name=f"worker{n}") for n in range(2)]

    def _started(self, *words: str, name: str = "scheduler") -> "subprocess.Popen[bytes]":
        (self._folder / name).mkdir()
        started = subprocess.Popen(
            [DASK, *words, "--no-dashboard"], cwd=self._folder / name, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )  # fmt: skip
        self._stack.callback(started.wait)
        self._stack.callback(started.kill)
        self._stack.callback(started.send_signal, signal.SIGINT)
        return started

    def running(self) -> list[str]:
        """The command lines of engines and programs that workers have started."""
        found = []
        for each in psutil.process_iter(["cmdline"]):
            words = " ".join(each.info["cmdline"] or [])
            if str(self._folder) in words or ("cluster.engine" in words and self._is_ours(each)):
                found.append(words)
        return [words for words in found if "answer.py" in words or "cluster.engine" in words]

    def _is_ours(self, process: Any) -> bool:
        ours = {each.pid for each in self.workers}
        try:
            return any(parent.pid in ours for parent in process.parents())
        except psutil.NoSuchProcess:
            return False


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    suite = tmp_path / "suite"
    (suite / ".agentv").mkdir(parents=True)
    answer = suite / "answer.py"
    (suite / ".agentv/targets.yaml").write_text(
        f"targets:\n  - {{name: default, provider: cli, command: [python3, answer.py, '{{PROMPT}}', '{tmp_path}']}}\n"
    )
    answer.write_text(ANSWER.format(folder=str(suite)))
    (suite / "suite.eval.yaml").write_text(
        "tests:\n"
        + "".join(
            f"  - {{id: c{n}, criteria: c, input: hi {n}, assertions: [{{type: contains, value: hello}}]}}\n"
            for n in range(CASES)
        )
    )
    return suite


@pytest.fixture
def cluster(folder: Path) -> Iterator[Cluster]:
    with ExitStack() as stack:
        yield Cluster(folder.parent, stack)


def stored(folder: Path) -> set[str]:
    return set(ResultDatabase.of(folder / "suite.eval.yaml").latest(folder / "suite.eval.yaml"))


def rubric(folder: Path, *words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "rubric_core.cli", "run", "suite.eval.yaml", *words],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


@only_thorough
def test_ctrl_c_and_a_lost_scheduler_keep_what_is_done(folder: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch):
    ran = folder / "ran.txt"

    def began(more: int) -> Callable[[], bool]:
        return lambda: ran.exists() and len(ran.read_text().split()) >= more

    run = rubric(folder, "--on", cluster.address)
    until("two cases are done and two wait", began(4))
    until("results are stored as they come", lambda: stored(folder) == {"c0", "c1"})
    assert any("answer.py" in each for each in cluster.running())
    run.send_signal(signal.SIGINT)
    said, _ = run.communicate(timeout=60)
    assert run.returncode == 130, said
    until("workers have ended what they started", lambda: not cluster.running())
    assert stored(folder) == {"c0", "c1"}

    before = len(ran.read_text().split())
    run = rubric(folder, "--on", cluster.address, "--resume")
    until("it goes on with the others", began(before + 2))
    cluster.scheduler.kill()
    said, _ = run.communicate(timeout=120)
    assert run.returncode == 4, said
    assert "the scheduler does not answer any more" in said
    assert stored(folder) == {"c0", "c1"}
    until("workers without a scheduler end their runs", lambda: not cluster.running())

    (folder / "go").touch()
    monkeypatch.chdir(folder)
    assert main(["run", "suite.eval.yaml", "--resume"]) == 0
    assert stored(folder) == {f"c{n}" for n in range(CASES)}
