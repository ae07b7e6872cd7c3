"""What workers execute, send and read is what the plan said where the run was started."""

import os
import pickle
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("distributed", reason="the extra `cluster` is not installed: pip install distributed")

from greeting_server import greeting_server
from thorough import only_thorough

from rubric_core.cli import main
from rubric_core.cluster.connection import connected
from rubric_core.cluster.errors import ClusterError
from rubric_core.cluster.executor import ClusterExecutor
from rubric_core.cluster.relocation import Relocation
from rubric_core.cluster.worker_files import WorkerFiles
from rubric_core.cluster.worker_plan import WorkerStarts, plan_for_workers, plan_on_worker
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.engine.program_starts import ProgramStarts
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.holes import hole
from rubric_core.evaluation.model.plan import Plan
from rubric_core.evaluation.model.plan_entries import Send, Start
from rubric_core.evaluation.model.result import CaseResult
from rubric_core.ports import Program
from rubric_core.trust import Trust

SUITE = "tests:\n  - {id: a, criteria: c, input: hi, assertions: [{type: contains, value: hello}]}\n"


def program(path: Path, marker: Path) -> Path:
    path.write_text(f"#!/bin/sh\ntouch {marker}\necho hello\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    suites = tmp_path / "suites"
    (suites / ".agentv").mkdir(parents=True)
    (suites / "suite.eval.yaml").write_text(SUITE)
    monkeypatch.chdir(suites)
    return suites


def target(folder: Path, text: str) -> None:
    (folder / ".agentv/targets.yaml").write_text(f"targets:\n  - {text}\n")


async def on_workers(folder: Path, address: str, there: dict[str, str], shown: list[str] | None = None) -> CaseResult:
    """The result of the case on workers that have other variables than this process."""
    before = {name: os.environ.get(name) for name in there}

    def given(variables: dict[str, str | None]) -> None:
        for name, value in variables.items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})

    async with connected(address) as connection:
        await connection.client.run(given, there)
        try:
            suite = load_suite(folder / "suite.eval.yaml")

            def hear(plan: Plan, root: Path) -> None:
                (shown if shown is not None else []).extend(plan.words(root))

            (result,) = await run_cases(suite.cases, executor=ClusterExecutor(suite, address, on_plan=hear))
        finally:
            await connection.client.run(given, before)
    return result


HTTP = "{name: default, provider: http, url: '${{ AGENT_PLACE }}/ask', headers: {Authorization: 'Bearer ${{ AGENT_API_KEY }}'}}"


async def test_another_host_on_a_worker_is_refused_and_a_key_there_is_used(
    folder: Path, address: str, monkeypatch: pytest.MonkeyPatch
):
    target(folder, HTTP)
    async with greeting_server() as (host, heard), greeting_server() as (elsewhere, leaked):
        url, other = f"http://{host}", f"http://{elsewhere}"
        monkeypatch.setenv("AGENT_PLACE", url)
        monkeypatch.delenv("AGENT_API_KEY", raising=False)
        key = "k-only-on-the-worker"
        shown: list[str] = []
        found = await on_workers(folder, address, {"AGENT_PLACE": url, "AGENT_API_KEY": key}, shown)
        assert found.verdict.value == "passed", found.reason
        assert key in heard[0]
        assert shown[0] == f"send requests to: {url}/ask with AGENT_API_KEY"
        refused = await on_workers(folder, address, {"AGENT_PLACE": other, "AGENT_API_KEY": key})
    assert f"{other} was not in the question" in refused.reason
    assert refused.verdict.value == "unscored"
    assert not leaked


async def test_another_program_on_a_worker_is_refused(folder: Path, address: str, monkeypatch: pytest.MonkeyPatch):
    target(folder, "{name: default, provider: cli, command: '${{ AGENT_PROGRAM }}'}")
    marker = folder.parent / "ran"
    hostile = program(folder.parent / "other", marker)
    monkeypatch.setenv("AGENT_PROGRAM", "echo hello")
    assert (await on_workers(folder, address, {"AGENT_PROGRAM": "echo hello"})).verdict.value == "passed"
    refused = await on_workers(folder, address, {"AGENT_PROGRAM": str(hostile)})
    assert "not in the question" in refused.reason
    assert not marker.exists()


async def test_workers_look_programs_up_themselves(folder: Path, address: str):
    """A program that is installed on workers alone."""
    target(folder, "{name: default, provider: cli, command: [agent-of-workers, '{PROMPT}']}")
    (folder.parent / "bin").mkdir()
    program(folder.parent / "bin/agent-of-workers", folder.parent / "ran")
    shown: list[str] = []
    search = f"{folder.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    found = await on_workers(folder, address, {"PATH": search}, shown)
    assert found.verdict.value == "passed", found.reason
    assert shown == ["execute: agent-of-workers {prompt} (agent-of-workers is not installed)"]


async def test_only_what_is_in_the_plan_is_sent_to_workers(folder: Path):
    """A prompt becomes a link to a file outside after the plan was shown."""
    (folder / "prompt.txt").write_text("hi")
    (folder / "suite.eval.yaml").write_text(SUITE.replace("input: hi", "input: file://prompt.txt"))
    target(folder, "{name: default, provider: mock, response: hello}")
    suite = load_suite(folder / "suite.eval.yaml")
    files = WorkerFiles(suite, Plan(roots=(folder.resolve(),)))
    (folder.parent / "other.txt").write_text("not yours")
    (folder / "prompt.txt").unlink()
    (folder / "prompt.txt").symlink_to(folder.parent / "other.txt")
    files.fingerprint(suite.cases[0])
    with pytest.raises(ClusterError, match=r"other\.txt is outside of the folder and not in the plan"):
        files.files()


def test_no_secret_travels_with_the_plan_and_those_of_the_worker_count():
    secrets = (("a-secret-of-the-client", "BOT_KEY"),)
    start = Start(("a-secret-of-the-client", "x"), "/opt/a-secret-of-the-client", secrets=secrets)
    sent = plan_for_workers(Plan((start,), (Send("POST", "https://a-secret-of-the-client", "/", secrets=secrets),)))
    assert b"a-secret-of-the-client" not in pickle.dumps(sent)
    there = plan_on_worker(sent, Relocation(""), {"BOT_KEY": "that-of-the-worker"})
    assert [each.origin for each in there.sends] == ["https://that-of-the-worker"]
    assert [each.argv for each in there.starts] == [("that-of-the-worker", "x")]
    assert "that-of-the-worker" not in "".join(there.words())


@pytest.mark.parametrize("is_same", [True, False])
def test_a_program_stays_the_same_on_a_worker(tmp_path: Path, is_same: bool):
    planned = Plan((Start(("agent", hole("prompt")), "/usr/bin/agent", "/usr/bin/agent", "/suites"),))
    plan = plan_on_worker(plan_for_workers(planned), Relocation(str(tmp_path)), {})
    (tmp_path / "suites").mkdir()
    bin_folder = Path("/opt" if is_same else "/srv")
    as_planned = WorkerStarts(Relocation(str(tmp_path)))

    def refusal(found: str) -> str:
        made = ProgramStarts({"PATH": ""}).start(Program(("agent", "hi"), tmp_path / "suites"))
        start: Any = made.__class__(made.argv, found, found, made.cwd)
        try:
            return plan.refusal(as_planned(start))
        except OSError as error:
            return str(error)

    assert refusal("/opt/agent") == ""
    assert ("another file than before" in refusal(str(bin_folder / "agent"))) is not is_same


@only_thorough
def test_the_plan_is_shown_before_anything_is_sent_unless_it_is_remembered(
    folder: Path, address: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("XDG_STATE_HOME", str(folder.parent / "state"))
    target(folder, "{name: default, provider: cli, command: echo hello}")
    words = f"rubric: what cases do on {address}, and nothing else:\n  execute: echo hello\n"
    assert main(["run", "suite.eval.yaml", "--on", address]) == 0
    assert words in capsys.readouterr().err
    assert main(["trust", str(folder)]) == 0
    assert Trust().folder_of(folder) is not None
    capsys.readouterr()
    assert main(["run", "suite.eval.yaml", "--on", address]) == 0
    assert "and nothing else" not in capsys.readouterr().err
