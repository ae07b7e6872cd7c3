"""Agents on the command line, played by programs on the PATH: how they are called, and what is read of what they print."""

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest
from suites import Folder, checks
from waiting import alive, seen

from rubric_core.evaluation.engine.events import Answered
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.ports import Answer

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="programs with a first line that names their interpreter"
)

SUITE = "tests: [{id: a, criteria: c, input: fix the bug, assertions: [{type: contains, value: done}]}]"
JUDGED = "tests: [{id: a, criteria: c, input: fix it, assertions: [{type: rubrics, criteria: [{id: x, outcome: It is fixed}]}]}]"
PROGRAM = """\
#!{python} -IS
import json, os, sys
told = {{"argv": sys.argv[1:], "stdin": "" if sys.stdin.isatty() else sys.stdin.read(), "env": dict(os.environ), "cwd": os.getcwd()}}
with open({told!r}, "a") as file:
    file.write(json.dumps(told) + "\\n")
{script}
"""

CLAUDE = [
    {"type": "system", "subtype": "init", "model": "claude-x", "session_id": "s"},
    {"type": "assistant", "message": {"content": [{"type": "text", "text": "I look"}, {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "a.py"}}]}},
    {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "t1", "content": "x = 1"}]}},
    {"type": "assistant", "message": {"content": [{"type": "text", "text": "done"}]}},
    {"type": "result", "subtype": "success", "is_error": False, "result": "done", "num_turns": 2, "duration_ms": 1234, "total_cost_usd": 0.02,
     "usage": {"input_tokens": 50, "cache_creation_input_tokens": 10, "cache_read_input_tokens": 40, "output_tokens": 20}},
]  # fmt: skip
CODEX = [
    {"type": "thread.started", "thread_id": "t"},
    {"type": "turn.started"},
    {"type": "item.completed", "item": {"id": "i0", "type": "reasoning", "text": "hm"}},
    {"type": "item.started", "item": {"id": "i1", "type": "command_execution", "command": "ls", "status": "in_progress"}},
    {"type": "item.completed", "item": {"id": "i1", "type": "command_execution", "command": "ls", "aggregated_output": "a.py", "exit_code": 0}},
    {"type": "item.completed", "item": {"id": "i2", "type": "agent_message", "text": "done"}},
    {"type": "turn.completed", "usage": {"input_tokens": 100, "cached_input_tokens": 40, "output_tokens": 20}},
]  # fmt: skip
COPILOT = [
    {"type": "session.start", "data": {"sessionId": "s"}},
    {"type": "assistant.message", "data": {"content": "", "toolRequests": [{"toolCallId": "t1", "name": "view", "arguments": {"path": "a.py"}}]}},
    {"type": "tool.execution_start", "data": {"toolCallId": "t1", "toolName": "view", "arguments": {"path": "a.py"}}},
    {"type": "tool.execution_complete", "data": {"toolCallId": "t1", "success": True, "result": {"content": "x = 1"}}},
    {"type": "model.call_finished", "ephemeral": True, "data": {"turnId": "0", "outcome": "success"}},
    {"type": "assistant.usage", "data": {"model": "gpt-x", "inputTokens": 100, "cacheReadTokens": 40, "outputTokens": 20}},
    {"type": "assistant.message", "data": {"content": "done"}},
    {"type": "result", "exitCode": 0},
]  # fmt: skip
KINDS = {
    "claude-cli": ("claude", CLAUDE, "Read"),
    "codex-cli": ("codex", CODEX, "command_execution"),
    "copilot-cli": ("copilot", COPILOT, "view"),
}


class Stage:
    """Where the agents play: what they print, and how they were called."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self.told = folder.path / "told.jsonl"
        folder.environment["PATH"] = f"{folder.path / 'bin'}:{os.environ['PATH']}"

    def program(self, name: str, script: str) -> Path:
        path = self.folder.write(f"bin/{name}", "")
        path.write_text(PROGRAM.format(python=sys.executable, told=str(self.told), script=script))
        path.chmod(0o755)
        return path

    def prints(self, name: str, events: list[dict]) -> Path:
        text = "".join(f"{json.dumps(event)}\n" for event in events)
        return self.program(name, f"print({text!r})")

    async def ask(self, kind: str, suite: str = SUITE, **settings) -> CaseResult:
        self.folder.targets({"name": "default", "provider": kind, **settings})
        self.folder.events.clear()
        return await self.folder.one(suite)

    @property
    def calls(self) -> list[dict]:
        return [json.loads(line) for line in self.told.read_text().splitlines()]

    @property
    def answer(self) -> Answer:
        return next(e.answer for e in self.folder.events if isinstance(e, Answered))


@pytest.fixture
def stage(folder: Folder) -> Stage:
    return Stage(folder)


@pytest.mark.parametrize("kind", KINDS)
async def test_an_agent_answers_and_tells_what_it_did(stage: Stage, kind: str) -> None:
    program, events, tool = KINDS[kind]
    stage.prints(program, events)
    result = await stage.ask(kind)
    assert result.verdict is Verdict.PASSED, result.reason
    answer = stage.answer
    assert answer.text == "done"
    assert answer.tokens is not None
    assert (answer.tokens.input, answer.tokens.cached, answer.tokens.output) == (60, 40, 20)
    assert answer.tool_uses is not None
    (use,) = answer.tool_uses
    assert (use.tool, use.output) == (tool, "a.py" if kind == "codex-cli" else "x = 1")
    assert result.cost_usd == (0.02 if kind == "claude-cli" else None)
    assert (answer.model, answer.llm_calls) == {
        "claude-cli": ("claude-x", 2), "codex-cli": ("", 1), "copilot-cli": ("gpt-x", 1),
    }[kind]  # fmt: skip
    (call,) = stage.calls
    assert call["cwd"] == str(stage.folder.path)
    assert "fix the bug" in (call["argv"] if kind == "copilot-cli" else call["stdin"])


async def test_how_each_agent_is_called(stage: Stage) -> None:
    stage.prints("claude", CLAUDE)
    stage.prints("codex", CODEX)
    stage.prints("copilot", COPILOT)
    common = {"model": "m", "system_prompt": "Be terse", "args": "--extra 'two words'", "cwd": "bin"}
    await stage.ask("claude-cli", max_turns=3, max_budget_usd=0.5, **common)
    await stage.ask("codex-cli", **{**common, "args": ["--extra", "two words"]}, command="codex --first")
    await stage.ask(
        "copilot-cli", **{k: v for k, v in common.items() if k != "args"}, arguments=["--extra", "two words"]
    )
    claude, codex, copilot = stage.calls
    assert claude["argv"] == [
        "-p", "--output-format", "stream-json", "--verbose", "--model", "m", "--append-system-prompt", "Be terse",
        "--max-turns", "3", "--max-budget-usd", "0.5", "--extra", "two words",
    ]  # fmt: skip
    assert codex["argv"] == [
        "--first",
        "exec",
        "--json",
        "--skip-git-repo-check",
        "--model",
        "m",
        "--extra",
        "two words",
        "-",
    ]
    assert codex["stdin"] == "Be terse\n\nfix the bug"
    assert copilot["argv"] == ["-p", "Be terse\n\nfix the bug", "--output-format", "json", "--no-color", "--model", "m", "--extra", "two words"]  # fmt: skip
    assert {c["cwd"] for c in stage.calls} == {str(stage.folder.path / "bin")}


async def test_the_settings_of_codex(stage: Stage) -> None:
    stage.prints("codex", CODEX)
    stage.folder.write(".agentv/targets.yaml", """
        providers:
          - id: codex-cli
            label: default
            config: {base_url: "http://127.0.0.1:1/v1", api_key: "{{ env.MY_KEY }}", sandbox_mode: read-only, reasoning_effort: high}
            env: {EXTRA: "1"}
        """)  # fmt: skip
    stage.folder.environment["MY_KEY"] = "sk-very-secret"
    result = await stage.folder.one(SUITE)
    assert result.verdict is Verdict.PASSED, result.reason
    (call,) = stage.calls
    argv = " ".join(call["argv"])
    assert "--sandbox read-only" in argv
    assert 'model_reasoning_effort="high"' in argv
    assert 'model_providers.rubric.base_url="http://127.0.0.1:1/v1"' in argv
    assert (call["env"]["CODEX_API_KEY"], call["env"]["EXTRA"]) == ("sk-very-secret", "1")
    assert "sk-very-secret" not in argv


async def test_an_agent_gets_the_variables_of_its_own_login_and_no_other(stage: Stage) -> None:
    stage.program(
        "claude", "print(json.dumps({'type': 'result', 'result': 'done ' + os.environ['ANTHROPIC_API_KEY']}))"
    )
    stage.folder.environment.update(ANTHROPIC_API_KEY="sk-anthropic-1", OPENAI_API_KEY="sk-openai-1", CLAUDECODE="1")
    result = await stage.ask("claude-cli")
    names = stage.calls[0]["env"].keys()
    assert "ANTHROPIC_API_KEY" in names
    assert "OPENAI_API_KEY" not in names
    assert result.answer == "done ***"


@pytest.mark.parametrize(
    ("kind", "first"), [("claude-cli", "--json-schema"), ("codex-cli", "--output-schema"), ("copilot-cli", "-p")]
)
async def test_an_agent_judges_when_it_is_named(stage: Stage, kind: str, first: str) -> None:
    said = checks(x=True)
    events = {
        "claude-cli": [{"type": "result", "result": "", "structured_output": json.loads(said)}],
        "codex-cli": [{"type": "item.completed", "item": {"type": "agent_message", "text": said}}],
        "copilot-cli": [{"type": "assistant.message", "data": {"content": said}}],
    }[kind]
    stage.prints(KINDS[kind][0], events)
    stage.folder.targets(
        {"name": "default", "provider": "mock", "response": "fixed", "grader_target": "judge"},
        {"name": "judge", "provider": kind},
    )
    result = await stage.folder.one(JUDGED)
    assert result.verdict is Verdict.PASSED, result.reason
    assert first in stage.calls[0]["argv"]


async def test_an_older_agent_that_knows_no_schemas_judges_all_the_same(stage: Stage) -> None:
    refusal = "if '--json-schema' in sys.argv:\n    sys.exit(\"error: unknown option '--json-schema'\")\n"
    stage.program("claude", f"{refusal}print(json.dumps({{'type': 'result', 'result': {checks(x=True)!r}}}))")
    stage.folder.targets({"name": "default", "provider": "mock", "grader_target": "judge"}, {"name": "judge", "provider": "claude-cli"})  # fmt: skip
    cases = "".join(JUDGED.partition("[")[2].replace("id: a", f"id: {n}")[:-1] + "," for n in "ab")
    results = await stage.folder.run(f"tests: [{cases}]", workers=1)
    assert {r.verdict for r in results.values()} == {Verdict.PASSED}
    assert len(stage.calls) == 3


@pytest.mark.parametrize(
    ("kind", "script", "words"),
    [
        ("claude-cli", "print(json.dumps({'type': 'result', 'is_error': True, 'result': 'Invalid API key sk-anthropic-1'})); sys.exit(1)", "the command ended with exit code 1: Invalid API key *** (targets.yaml:1)"),
        ("claude-cli", "print(json.dumps({'type': 'result', 'subtype': 'error_max_turns', 'is_error': False}))", "claude-cli failed: error_max_turns (targets.yaml:1)"),
        ("claude-cli", "print('{\"type\": \"resu')", "claude-cli gave no answer: it printed '{\"type\": \"resu'"),
        ("claude-cli", "print('[' * 200_000)", "claude-cli gave no answer"),
        ("claude-cli", "pass", "it printed nothing"),
        ("claude-cli", "os.kill(os.getpid(), 15)", "the command was ended by SIGTERM"),
        ("claude-cli", "import time; time.sleep(60)", "it took longer than 1 s (targets.yaml:1, timeout_seconds)"),
        ("claude-cli", "while True: print('x' * 100_000)", "it wrote more than 20,000,000 bytes"),
        ("codex-cli", "print(json.dumps({'type': 'turn.failed', 'error': {'message': 'usage limit'}})); sys.exit(1)", "usage limit"),
        ("codex-cli", "print(json.dumps({'type': 'error', 'message': 'stream disconnected'}))", "codex-cli failed: stream disconnected"),
        ("codex-cli", "sys.exit('not logged in')", "exit code 1: not logged in"),
        ("copilot-cli", "print(json.dumps({'type': 'session.error', 'data': {'message': 'no licence'}}))", "copilot-cli failed: no licence"),
        ("copilot-cli", "print('plain words')", "copilot-cli gave no answer: it printed 'plain words'"),
    ],
)  # fmt: skip
async def test_an_agent_that_fails_is_one_sentence(stage: Stage, kind: str, script: str, words: str) -> None:
    stage.folder.environment["ANTHROPIC_API_KEY"] = "sk-anthropic-1"
    stage.program(KINDS[kind][0], script)
    result = await stage.ask(kind, timeout_seconds=1 if "sleep" in script else 30)
    assert result.verdict is Verdict.UNSCORED
    assert words in result.reason
    assert "\n" not in result.reason


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "command not found: claude; install it, or set `executable` to its path (targets.yaml:1)"),
        ({"executable": "./plain.txt"}, "./plain.txt is not executable; use `chmod +x` (targets.yaml:1, executable)"),
        ({"cwd": "nowhere"}, "nowhere does not exist"),
        ({"command": "claude 'unclosed"}, "command: no closing quotation (targets.yaml:1, command)"),
        ({"max_turns": 0}, "max_turns is a whole number of at least 1, found 0 (targets.yaml:1, max_turns)"),
    ],
)  # fmt: skip
async def test_an_agent_that_cannot_be_started(stage: Stage, settings: dict, words: str) -> None:
    stage.folder.environment["PATH"] = "/usr/bin:/bin"
    stage.folder.write("plain.txt", "no program")
    result = await stage.ask("claude-cli", **settings)
    assert result.verdict is Verdict.UNSCORED
    assert words in result.reason


async def test_a_prompt_that_no_argument_can_have(stage: Stage) -> None:
    stage.prints("copilot", COPILOT)
    result = await stage.ask("copilot-cli", SUITE.replace("fix the bug", "x" * 130_000))
    assert "the prompt is too long for copilot" in result.reason


async def test_cancelling_ends_an_agent_and_its_children(stage: Stage) -> None:
    stage.program(
        "claude",
        "import subprocess, time\np = subprocess.Popen(['sleep', '60'])\n"
        "open('pids', 'w').write(f'{os.getpid()} {p.pid} ')\ntime.sleep(60)",
    )
    running = asyncio.ensure_future(stage.ask("claude-cli"))
    pids = stage.folder.path / "pids"
    await seen("an agent", lambda: pids.exists() and pids.read_text().endswith(" "))
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await seen("the end of both", lambda: not any(map(alive, pids.read_text().split())))


async def test_the_other_words_for_the_same_agents(stage: Stage) -> None:
    stage.prints("claude", CLAUDE)
    stage.prints("codex", CODEX)
    for kind in ("claude", "claude-code", "codex"):
        assert (await stage.ask(kind)).verdict is Verdict.PASSED
    assert "kind claude-sdk is not supported by rubric" in (await stage.ask("claude-sdk")).reason
