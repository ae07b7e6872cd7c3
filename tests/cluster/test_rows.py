"""A run on a cluster gives the rows of a run in this process."""

import asyncio
import json
import os
import re
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("distributed", reason="the extra `cluster` is not installed: pip install distributed")

from thorough import only_thorough

from rubric_core.adapters import system_ports
from rubric_core.cluster.errors import ClusterError
from rubric_core.cluster.executor import ClusterExecutor
from rubric_core.evaluation.cases.generators import generate_cases
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.engine.events import CaseDone, CaseStarted
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.jsonable import jsonable
from rubric_core.evaluation.model.result import CaseResult, Verdict

#: What tells when something ran, and how long it took.
_TIMES = {"duration_ms", "at", "start_time", "end_time", "seconds", "latency_ms", "elapsed_ms", "started", "ended"}

GRADER = """\
    import json, sys
    from words import WANTED
    answer = sys.stdin.read()
    score = sum(word in answer for word in WANTED) / len(WANTED)
    print(json.dumps({"score": score, "hits": ["read"], "misses": [] if score == 1 else ["something is missing"]}))
"""


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_yaml", ".yaml").replace("_py", ".py").replace("_md", ".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")


def row(result: CaseResult) -> Any:
    """What a result says, without times and the names of temporary directories."""

    def timeless(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: timeless(each) for name, each in value.items() if name not in _TIMES}
        return [timeless(each) for each in value] if isinstance(value, list) else value

    text = json.dumps(jsonable(result), default=str)
    return timeless(json.loads(re.sub(r"/rubric-(workspace-)?\w{8}(?=/)", "/temporary", text)))


async def both(suite: Path, address: str, **options: Any) -> tuple[list[Any], list[Any]]:
    """The rows of a run in this process, and those of one on a cluster."""
    here = load_suite(suite, options=Options(**options))
    own = await run_cases(here.cases)
    there = load_suite(suite, options=Options(**options))
    events: list[Any] = []
    rows = await run_cases(there.cases, on_event=events.append, executor=ClusterExecutor(there, address))
    for kind in (CaseStarted, CaseDone):
        assert sorted(e.case_id for e in events if isinstance(e, kind)) == sorted(each.id for each in rows)
    return list(map(row, own)), list(map(row, rows))


TARGETS = """\
    targets:
      - {name: default, provider: mock, response: hello world}
      - {name: judge, provider: mock, response: '{"score": 0.9, "reasoning": "fine", "hits": ["polite"], "misses": []}'}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".agentv").mkdir()
    (tmp_path / ".agentv/targets.yaml").write_text(textwrap.dedent(TARGETS))
    write(tmp_path, grade_py=GRADER, words_py="WANTED = ['hello', 'world']\n")
    return tmp_path


async def test_graders_dependencies_and_cases_of_other_files(folder: Path, address: str):
    write(
        folder,
        more__cases_yaml="- {id: other, criteria: c, input: hi, assertions: [{type: contains, value: bye}]}\n",
        suite_yaml="""\
            tests:
              - file://more/cases.yaml
              - {id: code, criteria: c, input: hi, assertions: [{name: g, type: code-grader, command: [python3, grade.py]}]}
              - {id: judged, criteria: c, input: hi, assertions: [{name: j, type: llm-grader, target: judge}]}
              - {id: after, criteria: c, input: hi, depends_on: [code], assertions: [{type: contains, value: world}]}
              - {id: wrong, criteria: c, input: hi, assertions: [{type: no-such-type}]}
        """,
    )
    (folder / "suite.yaml").rename(folder / "suite.eval.yaml")
    own, there = await both(folder / "suite.eval.yaml", address)
    assert own == there
    assert {each["id"]: each["verdict"] for each in there} == {
        "other": "failed", "code": "passed", "judged": "passed", "after": "passed", "wrong": "unscored",
    }  # fmt: skip


@only_thorough
async def test_repeats(folder: Path, address: str):
    (folder / "suite.eval.yaml").write_text("tests:\n  - {id: a, criteria: c, input: hi, assertions: [hello]}\n")
    own, there = await both(folder / "suite.eval.yaml", address, repeat=3)
    assert own == there


@only_thorough
async def test_a_case_that_ends_its_engine_is_unscored_and_the_others_are_not(folder: Path, address: str):
    (folder / "kill.py").write_text(
        "import os, signal, sys, time\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(9)\n"
    )
    lines = ["tests:"]
    lines += [
        f"  - {{id: a{n}, criteria: c, input: hi, assertions: [{{type: contains, value: hello}}]}}" for n in range(12)
    ]
    lines += [
        "  - {id: bad, criteria: c, input: hi, assertions: [{name: k, type: code-grader, command: [python3, kill.py]}]}"
    ]
    (folder / "suite.eval.yaml").write_text("\n".join(lines) + "\n")
    suite = load_suite(folder / "suite.eval.yaml")
    results = await run_cases(suite.cases, executor=ClusterExecutor(suite, address))
    assert [each.id for each in results] == [*(f"a{n}" for n in range(12)), "bad"]
    assert {each.verdict for each in results[:-1]} == {Verdict.PASSED}
    assert results[-1].verdict is Verdict.UNSCORED
    assert results[-1].reason == (
        "not scored: 3 workers ended while they ran it, the last one because its process ended with -9"
    )


async def test_another_version_is_one_clear_error(folder: Path, address: str, monkeypatch: pytest.MonkeyPatch):
    from rubric_core.cluster import connection

    (folder / "suite.eval.yaml").write_text("tests:\n  - {id: a, criteria: c, input: hi, assertions: [hello]}\n")
    suite = load_suite(folder / "suite.eval.yaml")
    monkeypatch.setattr(connection, "rubric_version", lambda: "99.0")
    with pytest.raises(
        ClusterError, match=r"^the worker tcp://\S+ has rubric \S+, here is 99\.0; both must be the same$"
    ):
        await run_cases(suite.cases, executor=ClusterExecutor(suite, address))


class Relay:
    """Stands between a client and its scheduler, and keeps every byte that passes."""

    def __init__(self, address: str) -> None:
        host, _, port = address.removeprefix("tcp://").rpartition(":")
        self._host, self._port = host, int(port)
        self.passed = bytearray()
        self._writers: list[asyncio.StreamWriter] = []

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._meet, "127.0.0.1", 0)
        self.address = f"tcp://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for each in self._writers:
            each.close()

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        other_reader, other_writer = await asyncio.open_connection(self._host, self._port)
        self._writers += [writer, other_writer]
        await asyncio.gather(self._pass(reader, other_writer), self._pass(other_reader, writer))

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while content := await reader.read(1 << 16):
                self.passed += content
                writer.write(content)
        except ConnectionError:
            pass
        writer.close()


@pytest.mark.parametrize("sent", [False, True])
@only_thorough
async def test_secrets_stay_where_they_are_unless_they_are_sent(
    folder: Path, address: str, monkeypatch: pytest.MonkeyPatch, sent: bool
):
    key = "sk-planted-0123456789abcdef"
    monkeypatch.setenv("RUBRIC_PLANTED", key)
    (folder / ".env").write_text(f"RUBRIC_PLANTED={key}\n")
    (folder / "suite.eval.yaml").write_text(
        "tests:\n  - {id: a, criteria: c, input: hi, assertions: [{type: contains, value: hello}]}\n"
    )
    suite = load_suite(folder / "suite.eval.yaml")
    async with Relay(address) as relay:
        executor = ClusterExecutor(suite, relay.address, send=["RUBRIC_PLANTED"] if sent else [])
        results = await run_cases(suite.cases, executor=executor)
    assert [each.verdict for each in results] == [Verdict.PASSED]
    assert b"suite.eval.yaml" in relay.passed
    # One that is sent passes once, to the scheduler, which hands it to workers; it is in no task.
    assert relay.passed.count(key.encode()) == sent
    assert os.environ["RUBRIC_PLANTED"] == key


async def test_what_a_worker_lacks_is_named(folder: Path, address: str, monkeypatch: pytest.MonkeyPatch):
    from rubric_core.cluster.worker_files import WorkerFiles

    (folder / "suite.eval.yaml").write_text(
        "tests:\n  - {id: code, criteria: c, input: hi, assertions: [{name: g, type: code-grader, command: [python3, grade.py]}]}\n"
    )
    suite = load_suite(folder / "suite.eval.yaml")
    files = WorkerFiles.files
    monkeypatch.setattr(WorkerFiles, "files", lambda self: [f for f in files(self) if not f.path.endswith("words.py")])
    with pytest.raises(ClusterError, match=r"^code differs on a worker: grade\.py words\.py is missing there$"):
        await run_cases(suite.cases, executor=ClusterExecutor(suite, address))


async def test_the_budget_ends_the_run(folder: Path, address: str):
    """The first case spends it; the others depend on that case, so that none of them can have begun."""
    command = 'echo \'{"text": "hello", "cost_usd": 0.6}\''
    targets = {"targets": [{"name": "default", "provider": "cli", "command": command}]}
    (folder / ".agentv" / "targets.yaml").write_text(json.dumps(targets))
    lines = ["execution: {budget_usd: 0.5}", "tests:"]
    lines += [
        f"  - {{id: a{n}, criteria: c, input: hi, {'depends_on: [a0], ' if n else ''}assertions: [{{type: contains, value: hello}}]}}"
        for n in range(3)
    ]
    (folder / "suite.eval.yaml").write_text("\n".join(lines) + "\n")
    own, there = await both(folder / "suite.eval.yaml", address)
    assert own == there
    assert [each["reason"] for each in there[1:]] == ["not run: the budget of $0.5 is spent"] * 2


def test_shown_rows_have_no_times():
    result = CaseResult(id="a", verdict=Verdict.PASSED, duration_ms=3.0, at="now")
    assert row(result) == row(replace(result, duration_ms=4.0, at="later"))


@only_thorough
async def test_cases_that_a_program_made_and_cases_with_several_prompts(folder: Path, address: str):
    (folder / "make.py").write_text(
        "def generate_tests():\n"
        "    made = open('made.txt', 'a')\n"
        "    made.write('once\\n')\n"
        "    return [{'id': f'g{n}', 'vars': {'n': n}, 'assert': [{'type': 'contains', 'value': 'hello'}]} for n in range(3)]\n"
    )
    (folder / "suite.eval.yaml").write_text(
        "prompts: ['say {{n}}', 'tell {{n}}']\ntests: file://make.py:generate_tests\n"
    )
    read = load_suite(folder / "suite.eval.yaml")
    async with system_ports() as ports:
        made = await generate_cases(read, ports)
    rows = []
    for executor in (lambda _: None, lambda suite: ClusterExecutor(suite, address)):
        suite = load_suite(folder / "suite.eval.yaml", generated=made)
        rows.append(list(map(row, await run_cases(suite.cases, executor=executor(suite)))))
    assert rows[0] == rows[1]
    assert [each["id"] for each in rows[1]] == ["g0", "g1", "g2"]
    assert (folder / "made.txt").read_text() == "once\n"
