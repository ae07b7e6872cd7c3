"""Processes that store results at the same time, and are killed at any moment: nothing that was stored is lost."""

import json
import random
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

from suites import Folder, stored_cases
from thorough import seeds

from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.records import RunState

#: Stores results without end, and prints the id of each that is stored.
WRITER = """
import itertools, sys
from pathlib import Path
from rubric_core.evaluation.model.result import CaseResult, EvaluatorResult, Verdict
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.records import RunInfo, RunState
suite, name, amount = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
writer = ResultDatabase.of(suite).begin(RunInfo(suites=(suite,)))
for number in range(amount):
    score = EvaluatorResult(name="e", type="contains", verdict=Verdict.PASSED, score=1.0)
    case = CaseResult(id=f"{name}-{number}", verdict=Verdict.PASSED, score=1.0, evaluators=(score,), answer="hello " * 500)
    writer.add(case, suite=suite)
    print(case.id, flush=True)
writer.end(RunState.DONE)
"""


def writer(folder: Folder, name: str, amount: int) -> "subprocess.Popen[str]":
    arguments = [sys.executable, "-c", WRITER, str(folder.path / "a.eval.yaml"), name, str(amount)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)


def whole(folder: Folder) -> bool:
    """Whether the database is not damaged."""
    with closing(sqlite3.connect(folder.path / ".rubric" / "results.db")) as connection:
        return bool(connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)])


def test_writers_do_not_lose_what_others_write(folder: Folder) -> None:
    """Also not while all of them make the database."""
    running = [writer(folder, name, 50) for name in "abcd"]
    for each in running:
        each.communicate()
    assert [each.returncode for each in running] == [0, 0, 0, 0]
    suite = folder.path / "a.eval.yaml"
    assert set(stored_cases(suite)) == {f"{name}-{number}" for name in "abcd" for number in range(50)}
    runs = ResultDatabase.of(suite).runs()
    assert [(run.state, run.cases) for run in runs] == [(RunState.DONE, 50)] * 4
    for run in runs:
        assert len({case.id[0] for case in ResultDatabase.of(suite).cases(run)}) == 1


#: Stores a result, reads what is stored, as a server does for an editor, and stores another one for each line that it is sent.
READING_WRITER = """
import os, sys
from pathlib import Path
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.records import RunInfo
suite = Path(sys.argv[1])
database = ResultDatabase.of(suite)
writer = database.begin(RunInfo(suites=(suite,)))
for number in range(4):
    writer.add(CaseResult(id=f"case-{number}", verdict=Verdict.PASSED, score=1.0, answer="hello"), suite=suite)
    assert database.runs() and len(database.latest(suite)) == number + 1
    print(number, flush=True)
    sys.stdin.readline()
"""
#: Reads all runs, as `rubric results` does. Who closes a database last may put its log into it and remove the log.
READER = "import sys; from pathlib import Path; from rubric_core.evaluation.results.database import ResultDatabase; ResultDatabase.of(Path(sys.argv[1])).runs()"


def test_what_is_written_by_a_process_that_reads_as_well_is_seen_by_others_and_outlives_it(folder: Folder) -> None:
    suite = folder.path / "a.eval.yaml"
    with subprocess.Popen(
        [sys.executable, "-c", READING_WRITER, suite], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        for number in range(4):
            assert writer.stdout.readline() == f"{number}\n"
            subprocess.run([sys.executable, "-c", READER, suite], check=True)
            assert set(stored_cases(suite)) == {f"case-{each}" for each in range(number + 1)}
            if number < 3:
                writer.stdin.write("\n")
                writer.stdin.flush()
        writer.kill()
    assert set(stored_cases(suite)) == {f"case-{each}" for each in range(4)}
    assert whole(folder)


def test_a_run_that_is_killed_has_stored_all_that_it_showed(folder: Folder) -> None:
    """Cases that end one right after the other are stored together, and shown after that."""
    folder.mock("hi")
    case = "- {{id: c{n}, criteria: c, input: hi, assertions: [{{type: equals, value: hi}}]}}\n"
    folder.suite("tests:\n" + "".join(case.format(n=n) for n in range(1500)))
    suite, rng = folder.path / "suite.eval.yaml", random.Random(8)
    command = [sys.executable, "-m", "rubric_core.cli", "run", suite.name, "--format", "jsonl"]
    for _ in seeds(20, few=2):
        killed = subprocess.Popen(
            command, cwd=folder.path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert killed.stdout is not None
        shown = [killed.stdout.readline() for _ in range(rng.randint(1, 30))]
        killed.kill()
        shown += [line for line in killed.communicate()[0].splitlines(keepends=True) if line.endswith("\n")]
        (run, *_), names = ResultDatabase.of(suite).runs(), {json.loads(line)["id"] for line in shown}
        assert names
        assert names <= {case.id for case in ResultDatabase.of(suite).cases(run)} < {f"c{n}" for n in range(1500)}
    assert whole(folder)


def test_a_kill_loses_nothing_that_was_stored(folder: Folder) -> None:
    rng, printed = random.Random(30), set[str]()
    suite, kills = folder.path / "a.eval.yaml", seeds(30, few=6)
    for number in kills:
        beside = writer(folder, f"beside{number}", 20)
        killed = writer(folder, f"killed{number}", 10**9)
        assert killed.stdout is not None
        printed.add(killed.stdout.readline().strip())
        time.sleep(rng.uniform(0, 0.1))
        killed.kill()
        printed |= {line.strip() for line in killed.communicate()[0].splitlines(keepends=True) if line.endswith("\n")}
        printed |= set(beside.communicate()[0].split())
        assert beside.returncode == 0
        assert printed <= set(stored_cases(suite))
    assert whole(folder)
    runs = ResultDatabase.of(suite).runs()
    assert {state: sum(run.state is state for run in runs) for state in RunState} == {
        RunState.DONE: len(kills), RunState.STOPPED: len(kills), RunState.RUNNING: 0,
    }  # fmt: skip
    assert sum(run.cases for run in runs) >= len(printed)
