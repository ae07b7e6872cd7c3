"""Workers are killed at random while a suite runs: every case has its result, once, and it is the one that it has without a cluster."""

import os
import random
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("distributed", reason="the extra `cluster` is not installed: pip install distributed")

from thorough import THOROUGH, only_thorough

from rubric_core.cluster.connection import RunConnection
from rubric_core.cluster.executor import ClusterExecutor
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.engine.events import CaseDone
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import Verdict

CASES, KILLS = (100, 5) if THOROUGH else (16, 1)


pytestmark = only_thorough


def suite_of(folder: Path) -> Path:
    (folder / ".agentv").mkdir()
    (folder / "answer.py").write_text("import sys, time\ntime.sleep(0.05)\nprint('hello', len(sys.argv[1]))\n")
    (folder / ".agentv/targets.yaml").write_text(
        "targets:\n  - {name: default, provider: cli, command: [python3, answer.py, '{PROMPT}']}\n"
    )
    words = [
        f"  - {{id: c{n}, criteria: c, input: hi {n}, assertions: [{{type: contains, value: {'hello' if n % 5 else 'bye'}}}]}}"
        for n in range(CASES)
    ]
    path = folder / "suite.eval.yaml"
    path.write_text("\n".join(["tests:", *words]) + "\n")
    return path


async def test_workers_that_are_killed_take_no_result_with_them(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
):
    path, chance = suite_of(tmp_path), random.Random(7)
    own = await run_cases(load_suite(path).cases)
    suite = load_suite(path)
    pids: list[int] = []
    compare = RunConnection.compare_versions

    async def compare_versions(self: RunConnection, *arguments: Any) -> None:
        await compare(self, *arguments)
        pids[:] = (await self.client.run(os.getpid)).values()

    monkeypatch.setattr(RunConnection, "compare_versions", compare_versions)
    # By chance, one case may be there at three of the kills.
    monkeypatch.setattr("rubric_core.cluster.pending_cases._MOST_LOST", KILLS + 1)
    at = sorted(chance.sample(range(2, CASES - 6), KILLS))
    done: list[str] = []

    def heard(event: Any) -> None:
        if isinstance(event, CaseDone):
            done.append(event.case_id)
            if len(done) in at:
                with suppress(ProcessLookupError):
                    os.kill(chance.choice(pids), signal.SIGKILL)

    rows = await run_cases(suite.cases, on_event=heard, executor=ClusterExecutor(suite, address))
    assert sorted(done) == sorted(case.id for case in suite.cases)
    assert [(e.id, e.reason) for e in rows if e.verdict is Verdict.UNSCORED] == []
    assert [(e.id, e.verdict, e.score, e.answer, e.fingerprint) for e in rows] == [
        (e.id, e.verdict, e.score, e.answer, e.fingerprint) for e in own
    ]
