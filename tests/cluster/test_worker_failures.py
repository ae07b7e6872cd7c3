"""What workers notice: engine processes that hang, quiet periods of targets, and other versions."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from thorough import only_thorough
from waiting import PATIENCE

pytest.importorskip("distributed", reason="the extra `cluster` is not installed: pip install distributed")

from rubric_core.cluster.connection import RunConnection, connected
from rubric_core.cluster.errors import ClusterError
from rubric_core.cluster.executor import ClusterExecutor
from rubric_core.cluster.remote_code import remote_code
from rubric_core.cluster.run_setup import RunSetup
from rubric_core.cluster.versions import catalogue_hash, rubric_version
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.plan import Plan
from rubric_core.evaluation.model.result import Verdict

pytestmark = only_thorough

#: Stops the process that runs cases the first time, and only answers the second time.
ANSWER = """\
import os, pathlib, signal, time
stopped = pathlib.Path({marker!r})
if not stopped.exists():
    stopped.touch()
    os.kill(os.getppid(), signal.SIGSTOP)
    time.sleep(60)
print("hello")
"""


async def test_a_process_that_hangs_is_noticed_while_its_worker_answers(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
):
    # Takes about four seconds: pings are two seconds apart.
    (tmp_path / ".agentv").mkdir()
    (tmp_path / ".agentv/targets.yaml").write_text(
        "targets:\n  - {name: default, provider: cli, command: [python3, answer.py, '{PROMPT}']}\n"
    )
    (tmp_path / "answer.py").write_text(ANSWER.format(marker=str(tmp_path / "stopped")))
    path = tmp_path / "suite.eval.yaml"
    path.write_text("tests:\n  - {id: a, criteria: c, input: hi, assertions: [{type: contains, value: hello}]}\n")
    setup = ClusterExecutor._setup  # workers are as patient as in a run otherwise
    monkeypatch.setattr(ClusterExecutor, "_setup", lambda self, *given: replace(setup(self, *given), silence=1.0))
    suite = load_suite(path)
    results = await run_cases(suite.cases, executor=ClusterExecutor(suite, address))
    assert [each.verdict for each in results] == [Verdict.PASSED]
    assert (tmp_path / "stopped").exists()


async def test_a_quiet_period_holds_on_all_other_workers(address: str):
    def join(run: str, dask_worker: Any = None) -> None:
        from rubric_core.cluster.worker import RunOnWorker, runs_of

        runs_of(dask_worker)[run] = RunOnWorker(dask_worker, run)

    def leave(run: str, dask_worker: Any = None) -> list[str]:
        from rubric_core.cluster.worker import runs_of

        return list(runs_of(dask_worker).pop(run).quiet_until)

    async with connected(address) as connection:
        run, client = connection.run, connection.client
        await client.wait_for_workers(2, PATIENCE)  # one that another test has killed is started again
        await client.register_plugin(remote_code().plugin)
        setup = RunSetup(suite="s", directory="/", dialect="agentv-5", options={}, plan=Plan())
        await connection.ask("open", run=run, client=client.id, setup=setup.packed())
        first, second = await client.run(join, run)
        await connection.ask("pause", run=run, target="model", worker=first, seconds=60.0)
        assert await client.run(leave, run) == {first: [], second: ["model"]}
        _, pauses = await connection.ask("join", run=run)  # a worker that comes later
        assert 0 < pauses["model"] <= 60


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (("1.0", "3.9", "x"), r"the worker tcp://w runs Python 3\.9, here is 3\.\d+; both must be the same"),
        ((rubric_version(), None, "x"), r"the worker tcp://w has a different build of rubric \S+: its language catalogue differs"),
        (("", None, "No module named 'rubric_core'"), r"the worker tcp://w has no usable rubric \(No module .*\); install the same version there"),
    ],
)  # fmt: skip
async def test_other_versions_are_one_sentence(
    found: tuple[str, str | None, str], said: str, monkeypatch: pytest.MonkeyPatch
):
    rubric, python, code = found
    own = remote_code().probe()[1]

    async def on_workers(*_: Any, **__: Any) -> dict[str, tuple[str, str, str]]:
        return {"tcp://w": (rubric, python or own, code)}

    connection = RunConnection(None)
    monkeypatch.setattr(connection, "on_workers", on_workers)
    with pytest.raises(ClusterError, match=f"^{said}$"):
        await connection.compare_versions(remote_code().probe)


async def test_equal_versions_are_no_error(monkeypatch: pytest.MonkeyPatch):
    async def on_workers(*_: Any, **__: Any) -> dict[str, tuple[str, str, str]]:
        return {"tcp://w": remote_code().probe()}

    connection = RunConnection(None)
    monkeypatch.setattr(connection, "on_workers", on_workers)
    await connection.compare_versions(remote_code().probe)
    assert remote_code().probe() == (rubric_version(), remote_code().probe()[1], catalogue_hash())
