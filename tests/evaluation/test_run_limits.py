"""A run that ends before all of its cases: after failures, US dollars or seconds. What is done is kept."""

import json
from pathlib import Path

import pytest
from judge_server import Fault, JudgeServer
from suites import Folder, stored_cases

from rubric_core.cli import main

SUITE = "tests:\n" + "".join(
    f"  - {{id: c{n}, criteria: c, input: hi, assertions: [{{type: contains, value: {'hello' if n != 2 else 'bye'}}}]}}\n"
    for n in range(1, 6)
)


@pytest.fixture
def suite(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> Folder:
    folder.mock("hello world")
    folder.suite(SUITE)
    monkeypatch.chdir(folder.path)
    return folder


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["run", *arguments, "--workers", "1"])
    said = capsys.readouterr()
    return code, said.out, said.err


def stored(path: Path) -> list[str]:
    return sorted(stored_cases(path / "suite.eval.yaml"))


@pytest.mark.parametrize("option", [["-x"], ["--exitfirst"], ["--maxfail", "1"]])
def test_a_failure_ends_the_run(suite: Folder, capsys: pytest.CaptureFixture[str], option: list[str]) -> None:
    code, out, err = run(capsys, "suite.eval.yaml", *option)
    assert code == 1
    assert stored(suite.path) == ["c1", "c2"]
    assert "1 passed, 1 failed" in out
    assert err == (
        "rubric: stopped, 1 case did not pass; 3 of 5 cases not run: c3, c4, c5;"
        " rubric run suite.eval.yaml --resume --workers 1 runs the others\n"
    )


def test_several_failures_end_the_run(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    suite.mock("nothing")
    _, out, _ = run(capsys, "suite.eval.yaml", "--maxfail", "3", "--format", "json")
    told = json.loads(out)
    assert [case["id"] for case in told["cases"]] == ["c1", "c2", "c3"]
    assert (told["stopped"], told["not_run"]) == (True, ["c4", "c5"])


def test_the_last_case_may_fail(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "suite.eval.yaml::c1", "suite.eval.yaml::c2", "-x", "--format", "json")
    assert (code, err) == (1, "")
    assert "not_run" not in json.loads(out)


def test_the_limits_are_those_of_all_suites_together(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    suite.suite(SUITE, "then.eval.yaml")
    _, out, err = run(capsys, "suite.eval.yaml", "then.eval.yaml", "-x", "--format", "json")
    told = json.loads(out)
    assert [each["suite"] for each in told["suites"]] == ["suite.eval.yaml"]
    assert told["not_run"] == ["c3", "c4", "c5", "c1", "c2", "c3", "c4", "c5"]
    assert "8 of 10 cases not run: c3, c4, c5, c1, c2, c3 and 2 more" in err


async def test_what_is_spent_ends_the_run(folder: Folder, judge: JudgeServer) -> None:
    judge.replies = ["hello bye"]  # each costs 0.1 cents
    folder.targets(judge.target("default"))
    code, said = await outside(folder, "--max-cost", "0.002")
    assert code == 4
    assert len(judge.bodies) == 2
    assert "rubric: stopped, $0.0020 of --max-cost 0.002 are spent; 3 of 5 cases not run: c3, c4, c5; " in said


async def test_what_nobody_told_the_cost_of_is_not_counted(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = await outside(suite, "--max-cost", "0.002")
    assert code == 1
    assert "rubric: --max-cost does not count 5 cases of which nobody told the cost" in said


async def test_time_ends_what_is_on_its_way(folder: Folder, judge: JudgeServer) -> None:
    judge.replies = ["hello bye", Fault(delay=60)]
    folder.targets(judge.target("default"))
    code, said = await outside(folder, "--max-seconds", "2")
    left = said.partition("cases not run: ")[2].partition(";")[0].split(", ")
    assert code == 4
    assert f"rubric: stopped, --max-seconds 2 are over; {len(left)} of 5 cases not run: " in said
    assert [*stored(folder.path), *left] == ["c1", "c2", "c3", "c4", "c5"]
    assert "c2" in left


async def outside(folder: Folder, *arguments: str) -> tuple[int, str]:
    """A run in a process of its own, while the server of the test answers."""
    import asyncio
    import sys

    folder.suite(SUITE)
    command = [sys.executable, "-m", "rubric_core.cli", "run", "suite.eval.yaml", "--workers", "1", *arguments]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, cwd=folder.path, stdout=pipe, stderr=pipe)
    _, err = await process.communicate()
    return process.returncode or 0, err.decode()


@pytest.mark.parametrize(("option", "value"), [("--max-cost", "0"), ("--max-seconds", "soon"), ("--max-cost", "nan")])
def test_a_limit_is_a_number(suite: Folder, capsys: pytest.CaptureFixture[str], option: str, value: str) -> None:
    with pytest.raises(SystemExit) as end:
        main(["run", "suite.eval.yaml", option, value])
    assert end.value.code == 2
    assert f"a number above 0, not '{value}'" in capsys.readouterr().err
