"""What is cut of an output, a reply or an error shows no part of a secret that only a case names, wherever the cut is."""

# ruff: noqa: ARG002  # what stands for a network or for programs needs few of their parameters

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from suites import Folder

from rubric_core.adapters import system_ports
from rubric_core.analysis import Language
from rubric_core.disk import DiskFiles
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.engine.events import Event
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.loading.project import Project
from rubric_core.ports import Finished, HttpReply, NetworkError, Program

SECRET = "Qw7Zx9Kp4Rt2Lm8Vb3Nd6Hs"
PARTS = [SECRET[at : at + 5] for at in range(len(SECRET) - 4)]
#: Characters before and after the secret, together: more than any message quotes.
AROUND = 700
PLACES = range(0, AROUND, 17)
CASES = json.dumps([
    {"id": f"c{at}", "vars": {"q": f"at={at}. {{{{ env.MY_KEY }}}}"}, "assert": [{"type": "contains", "value": "no"}]}
    for at in PLACES
])  # fmt: skip


def repeated(asked: str) -> str:
    """The secret in a long text, at the place that a case asks for."""
    found = re.search(r"at=(\d+)", asked)
    at = int(found[1]) if found else AROUND // 2
    return f"{'x' * at}{SECRET}{'y' * (AROUND - at)}"


@dataclass(frozen=True)
class Repeating:
    """A network and programs that repeat the secret; `how` says in what."""

    how: str

    async def post(self, url: str, headers: Mapping[str, str], body: bytes, **limits: Any) -> HttpReply:
        text = repeated(body.decode())
        if self.how == "no reply":
            raise NetworkError(text)
        if self.how == "not JSON":
            return HttpReply(200, {}, text.encode())
        if self.how == "refused":
            return HttpReply(400, {}, text.encode())
        if self.how == "an error":
            return HttpReply(400, {}, json.dumps({"error": {"message": text}}).encode())
        return HttpReply(200, {}, json.dumps({"else": text}).encode())

    async def get(self, url: str, **limits: Any) -> HttpReply:
        return await self.post(url, {}, url.encode(), **limits)

    async def request(self, method: str, url: str, headers: Any, body: bytes, **limits: Any) -> HttpReply:
        return await self.post(url, headers, body, **limits)

    async def exchange(self, url: str, headers: Any, message: str, protocols: Any, **limits: Any) -> str:
        if self.how == "no reply":
            raise NetworkError(repeated(message))
        return repeated(message)

    async def run(self, program: Program) -> Finished:
        text = repeated(f"{' '.join(program.argv)} {program.stdin.decode()}").encode()
        if self.how == "an error":
            return Finished(1, b"", text, 0.1)
        if self.how == "refused":
            return Finished(1, text, b"", 0.1)
        return Finished(0, text if self.how == "not JSON" else b"", text, 0.1)

    async def serve(self, program: Program) -> Finished:
        return await self.run(program)


HOW = ("no reply", "not JSON", "refused", "an error", "other JSON")
KEY = {"api_key": "none-of-these", "max_retries": 0, "model": "m", "base_url": "http://127.0.0.1:9/v1"}
TARGETS: dict[str, dict[str, Any]] = {
    "openai": KEY,
    "openai, responses": {**KEY, "api_format": "responses"},
    "anthropic": {k: v for k, v in KEY.items() if k != "base_url"},
    "gemini": {k: v for k, v in KEY.items() if k != "base_url"},
    "cli": {"command": "bot {PROMPT}"},
    "claude-cli": {"command": ["bot"]},
    "codex-cli": {"command": ["bot"]},
}


async def everything(folder: Folder, suite: Path, how: str) -> str:
    """All results and events of the cases of a suite, as text."""
    events: list[Event] = []
    loaded = load_suite(suite, Language(), Project(DiskFiles(), folder.path))
    async with system_ports({"MY_KEY": SECRET, "PATH": "/usr/bin:/bin"}) as ports:
        world: Any = Repeating(how)
        results = await run_cases(loaded.cases, replace(ports, http=world, processes=world), events.append)
    assert len(results) == len(PLACES), results
    return repr((results, events))


@pytest.mark.parametrize("target", TARGETS)
def test_targets(tmp_path: Path, target: str) -> None:
    folder = Folder(tmp_path)
    folder.targets({"name": "default", "provider": target.partition(",")[0], **TARGETS[target]})
    suite = folder.suite(f"# rubric: dialect=agentv-5\nprompts: ['{{{{ q }}}}']\ntests: {CASES}\n")
    for how in HOW:
        shown = asyncio.run(everything(folder, suite, how))
        assert "has a mistake" not in shown
        assert not [part for part in PARTS if part in shown], how


PROVIDERS: dict[str, Any] = {
    "openai": {"id": "openai:m", "config": {"apiKey": "none-of-these", "maxRetries": 0}},
    "anthropic": {"id": "anthropic:messages:m", "config": {"apiKey": "none-of-these"}},
    "http": {"id": "http://127.0.0.1:9/", "config": {"method": "POST", "body": {"p": "{{prompt}}"}, "transformResponse": "json.a.b"}},
    "websocket": {"id": "ws://127.0.0.1:9/", "config": {"messageTemplate": "{{prompt}}"}},
    "exec": {"id": "exec: bot"},
    "python": {"id": "file://bot.py"},
}  # fmt: skip


@pytest.mark.parametrize("provider", PROVIDERS)
def test_providers(tmp_path: Path, provider: str) -> None:
    folder = Folder(tmp_path)
    folder.write("bot.py", "def call_api(prompt, options, context):\n    return {}\n")
    tests = [
        {"vars": {"q": f"at={at}. {{{{ env.MY_KEY }}}}"}, "assert": [{"type": "contains", "value": "no"}]}
        for at in PLACES
    ]
    configuration = {"prompts": ["{{ q }}"], "providers": [PROVIDERS[provider]], "tests": tests}
    suite = folder.suite(json.dumps(configuration), "promptfooconfig.yaml")
    for how in HOW:
        shown = asyncio.run(everything(folder, suite, how))
        assert not [part for part in PARTS if part in shown], how


def test_hooks(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.targets({"name": "default", "provider": "mock", "response": "yes"})
    hooks = {"before_each": {"command": ["hook"]}, "after_each": {"command": ["hook"]}}
    suite = folder.suite(
        f"# rubric: dialect=agentv-5\nprompts: ['{{{{ q }}}}']\nworkspace: {json.dumps({'hooks': hooks})}\ntests: {CASES}\n"
    )
    for how in ("refused", "an error"):
        shown = asyncio.run(everything(folder, suite, how))
        assert "hook" in shown
        assert not [part for part in PARTS if part in shown], how


def test_graders(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.targets({"name": "default", "provider": "mock", "response": "yes"})
    graders = [{"type": "script", "command": ["grade"]}]
    cases = [{**each, "assert": graders} for each in json.loads(CASES)]
    suite = folder.suite(f"# rubric: dialect=agentv-5\nprompts: ['{{{{ q }}}}']\ntests: {json.dumps(cases)}\n")
    for how in ("not JSON", "refused", "an error"):
        shown = asyncio.run(everything(folder, suite, how))
        assert not [part for part in PARTS if part in shown], how
