"""Two prompts, 60 cases with tags, three repeats, a model behind HTTP: is the new prompt better, and does CI notice a worse one?"""

import asyncio
import hashlib
import json
import threading
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from judge_server import JudgeServer
from junitparser import JUnitXml
from suites import Folder

from rubric_core.cli import main

KIND = "You are patient and kind. "
SUITE = "tests:\n" + "".join(
    f"  - id: case-{n}\n    criteria: Says hello\n    metadata: {{tags: [{'billing' if n % 3 else 'returns'}]}}\n"
    f"    input:\n      - {{role: system, content: PROMPT}}\n      - {{role: user, content: 'Question {n}'}}\n"
    "    assertions: [{type: contains, value: hello}]\n"
    for n in range(60)
)


class Model:
    """Says hello in 55 % of its answers, in 85 % with the kind prompt; the same in every run of the tests."""

    def __init__(self) -> None:
        self.asked: dict[str, int] = {}

    def __call__(self, body: dict) -> str:
        prompt = json.dumps(body["messages"])
        self.asked[prompt] = self.asked.get(prompt, 0) + 1
        draw = hashlib.sha256(f"{prompt} {self.asked[prompt]}".encode()).digest()[0] / 256
        return "hello" if draw < (0.85 if KIND in prompt else 0.55) else "no"


def rubric(*arguments: str) -> int:
    return main(list(arguments))


@pytest.fixture
def model() -> Iterator[JudgeServer]:
    """The model, in a thread of its own: the command line wants the main one."""
    loop, server = asyncio.new_event_loop(), JudgeServer()
    server.replies = [Model()]
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    def done(work: Coroutine[Any, Any, Any]) -> None:
        asyncio.run_coroutine_threadsafe(work, loop).result(30)

    done(server.__aenter__())
    yield server
    done(server.__aexit__())
    done(asyncio.sleep(0))
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def test_a_team_changes_a_prompt(
    folder: Folder, model: JudgeServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.targets(model.target("default", api_key="k"))
    monkeypatch.chdir(folder.path)
    run = ("run", "suite.eval.yaml", "-q", "--repeat", "3", "--workers", "16")
    folder.suite(SUITE.replace("PROMPT", '"Answer."'))
    assert rubric(*run) == 1
    assert rubric("baseline", "set", "main") == 0
    capsys.readouterr()

    # The same again: nothing is better, and CI is green although cases fail.
    assert rubric(*run, "--baseline", "main", "--fail-on", "regression") == 0
    assert "not distinguishable from noise (60 cases" in capsys.readouterr().out

    folder.suite(SUITE.replace("PROMPT", f'"{KIND}Answer."'))
    files = ("-o", "junit.xml", "-o", "summary.md")
    assert rubric(*run, *files, "--baseline", "main", "--fail-on", "regression") == 0
    out = capsys.readouterr().out
    assert "better (60 cases, 95 % +0." in out
    assert "≠ the test itself changed" not in out  # a new prompt is what is compared
    assert "by tag" in out
    assert JUnitXml.fromfile(str(folder.path / "junit.xml")).tests == 60
    assert Path("summary.md").read_text(encoding="utf-8").startswith("## ✘ rubric: ")

    rubric("baseline", "set", "main")
    folder.suite(SUITE.replace("PROMPT", '"Answer briefly."'))
    capsys.readouterr()
    assert rubric(*run, "--baseline", "main", "--fail-on", "regression") == 1
    out = capsys.readouterr().out
    assert "worse (60 cases, 95 % −0." in out
    assert "✘ no longer passes (" in out
    assert "suite.eval.yaml::case-" in out
