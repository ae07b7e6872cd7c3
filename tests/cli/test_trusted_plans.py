"""What a trusted folder asks about again, and what it does not: by the table of SECURITY.md, in both families."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rubric_core.cli.folder_plan import plan_folder
from rubric_core.evaluation.cases.options import Options
from rubric_core.trust import Trust

Files = dict[str, Any]
Change = Callable[[Files], object]


def agentv() -> Files:
    """A folder of AgentV's: a target that is a program, one that is a server, and a grader."""
    targets = [
        {"name": "default", "provider": "cli", "command": "echo hello"},
        {"name": "hosted", "provider": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "x", "api_key": "${{ A_KEY }}"},
        {"name": "code", "provider": "python", "function": "bot:answer"},
    ]  # fmt: skip
    grader = {"type": "code-grader", "name": "g", "command": ["python3", "-c", "print(1)"]}
    case = {"id": "a", "criteria": "Kind", "input": "hi", "assertions": [{"type": "contains", "value": "h"}, grader]}
    return {
        ".agentv/targets.yaml": {"targets": targets},
        "a.eval.yaml": {"tests": [case, {**case, "id": "b"}]},
        "bot.py": "def answer(prompt):\n    return prompt\n",
    }


def agentv_5() -> Files:
    """A folder of a later dialect: a program with variables of its own."""
    program = {"id": "cli", "label": "program", "config": {"command": "echo hello", "env": {"MODE": "fast"}}}
    tests = [{"id": "a", "vars": {"q": "hi"}, "assert": [{"type": "contains", "value": "h"}]}]
    suite = {"name": "x", "providers": ["program"], "prompts": ["{{ q }}"], "tests": tests}
    return {".agentv/providers.yaml": {"providers": [program]}, "a.eval.yaml": suite}


def promptfoo() -> Files:
    """A configuration of promptfoo: a provider that is a program, one that is a server, and inline code."""
    hosted = {"id": "http", "config": {"url": "http://127.0.0.1:9/ask", "method": "POST", "headers": {"X": "{{ env.A_KEY }}"}, "body": {"q": "{{ prompt }}"}}}  # fmt: skip
    check = {"type": "javascript", "value": "output.length > 1"}
    return {
        "promptfooconfig.yaml": {
            "prompts": ["Say {{ q }}"],
            "providers": ["exec:echo hello", hosted, "file://bot.py"],
            "tests": [{"vars": {"q": "hi"}, "assert": [{"type": "contains", "value": "h"}, check]}],
        },
        "hook.js": "module.exports = { beforeAll() {} };\n",
        "bot.py": "def call_api(prompt, options, context):\n    return {'output': prompt}\n",
    }


def target(files: Files, number: int) -> dict[str, Any]:
    found: dict[str, Any] = files[".agentv/targets.yaml"]["targets"][number]
    return found


def case(files: Files) -> dict[str, Any]:
    suite = files.get("a.eval.yaml") or files["promptfooconfig.yaml"]
    found: dict[str, Any] = suite["tests"][0]
    return found


def grader(files: Files) -> dict[str, Any]:
    found: dict[str, Any] = case(files).get("assertions", case(files).get("assert"))[1]
    return found


def settings(files: Files) -> dict[str, Any]:
    found: dict[str, Any] = files[".agentv/providers.yaml"]["providers"][0]["config"]
    return found


def provider(files: Files) -> dict[str, Any]:
    found: dict[str, Any] = files["promptfooconfig.yaml"]["providers"][1]["config"]
    return found


def put(files: Files, name: str, value: object) -> None:
    files[name] = value


ASKS: dict[str, tuple[Callable[[], Files], Change]] = {
    "another command": (agentv, lambda f: target(f, 0).update(command="echo other")),
    "another variable of a program": (agentv_5, lambda f: settings(f).update(env={"MODE": "slow"})),
    "one more variable of a program": (agentv_5, lambda f: settings(f).update(env={"MODE": "fast", "PATH": "/x"})),
    "another directory": (agentv, lambda f: target(f, 0).update(cwd="/")),
    "a health check": (agentv, lambda f: target(f, 0).update(healthcheck={"command": "touch x"})),
    "another host": (agentv, lambda f: target(f, 1).update(base_url="http://127.0.0.2:9/v1")),
    "another path of a URL": (agentv, lambda f: target(f, 1).update(base_url="http://127.0.0.1:9/v2")),
    "a secret to another recipient": (agentv, lambda f: target(f, 1).update(api_key="${{ B_KEY }}")),
    "another function": (agentv, lambda f: target(f, 2).update(function="os:system")),
    "another interpreter": (agentv, lambda f: target(f, 2).update(python="/bin/sh")),
    "another argument of a grader": (agentv, lambda f: grader(f).update(command=["python3", "-c", "print(2)"])),
    "a grader in a new case": (
        agentv,
        lambda f: f["a.eval.yaml"]["tests"].append({**case(f), "id": "c", "assertions": [{"type": "code-grader", "command": ["touch", "x"]}]}),
    ),
    "a grader in a new file": (
        agentv,
        lambda f: put(f, "inner/b.eval.yaml", {"tests": [{**case(f), "assertions": [{"type": "code-grader", "command": ["touch", "x"]}]}]}),
    ),
    "a hook": (agentv, lambda f: f["a.eval.yaml"].update(workspace={"hooks": {"before_all": {"command": ["touch", "x"]}}})),
    "a file outside": (agentv, lambda f: case(f).update(input=[{"role": "user", "content": [{"type": "file", "value": "/etc/hostname"}]}])),
    "another command of a provider": (promptfoo, lambda f: f["promptfooconfig.yaml"]["providers"].append("exec:echo other")),
    "another URL of a provider": (promptfoo, lambda f: provider(f).update(url="http://127.0.0.1:9/other")),
    "another method": (promptfoo, lambda f: provider(f).update(method="PUT")),
    "another key in a header": (promptfoo, lambda f: provider(f)["headers"].update(X="{{ env.B_KEY }}")),
    "other inline code": (promptfoo, lambda f: grader(f).update(value="output.length > 2")),
    "a transform": (promptfoo, lambda f: case(f).update(options={"transform": "output.trim()"})),
    "a hook of promptfoo": (promptfoo, lambda f: f["promptfooconfig.yaml"].update(extensions=["file://hook.js:beforeAll"])),
    "a program that makes cases": (promptfoo, lambda f: f["promptfooconfig.yaml"].update(tests="file://bot.py:cases")),
}  # fmt: skip
DOES_NOT_ASK: dict[str, tuple[Callable[[], Files], Change]] = {
    "nothing": (agentv, lambda _: None),
    "another prompt": (agentv, lambda f: case(f).update(input="Good morning")),
    "other criteria and ids": (agentv, lambda f: case(f).update(criteria="Polite", id="other")),
    "another expected text": (agentv, lambda f: case(f)["assertions"][0].update(value="x")),
    "another order": (agentv, lambda f: f["a.eval.yaml"]["tests"].reverse()),
    "a case less": (agentv, lambda f: f["a.eval.yaml"]["tests"].pop()),
    "a new case that does nothing new": (agentv, lambda f: f["a.eval.yaml"]["tests"].append({**case(f), "id": "c"})),
    "a new file that does nothing new": (agentv, lambda f: put(f, "b.eval.yaml", {"tests": [{**case(f), "id": "c"}]})),
    "another script behind its name": (agentv, lambda f: put(f, "bot.py", "def answer(prompt):\n    return 'x'\n")),
    "another name of a suite": (agentv, lambda f: put(f, "z.eval.yaml", f.pop("a.eval.yaml"))),
    "another prompt of promptfoo": (promptfoo, lambda f: f["promptfooconfig.yaml"].update(prompts=["Tell {{ q }}"])),
    "another value": (promptfoo, lambda f: case(f).update(vars={"q": "there"})),
    "a new test that does nothing new": (promptfoo, lambda f: f["promptfooconfig.yaml"]["tests"].append({**case(f), "vars": {"q": "x"}})),
}  # fmt: skip


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("A_KEY", "B_KEY"):
        monkeypatch.setenv(name, f"the-{name}-of-a-person")


def written(folder: Path, files: Files) -> None:
    for file in [each for each in folder.rglob("*") if each.is_file()]:
        file.unlink()
    for name, content in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        head = "# rubric: dialect=agentv-5\n" if name == "a.eval.yaml" and "prompts" in content else ""
        place.write_text(content if isinstance(content, str) else head + json.dumps(content), encoding="utf-8")


def new_entries(folder: Path, made: Callable[[], Files], change: Change) -> list[str]:
    """What is new after a change in a folder that was trusted before."""
    files, trust = made(), Trust()
    written(folder, files)
    trust.add(folder)
    before = plan_folder(folder, Options())
    assert (before.plan.unknown, before.missing) == ("", [])
    trust.remember(folder, [before.plan])
    change(files)
    written(folder, files)
    after = plan_folder(folder, Options()).plan
    assert after.unknown == ""
    return sorted(trust.allowed(folder, [after]).values())


@pytest.mark.parametrize("row", ASKS)
def test_what_asks_again(here: Path, row: str) -> None:
    assert new_entries(here, *ASKS[row])


@pytest.mark.parametrize("row", DOES_NOT_ASK)
def test_what_does_not_ask(here: Path, row: str) -> None:
    assert new_entries(here, *DOES_NOT_ASK[row]) == []


def test_another_value_of_a_key_does_not_ask(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert new_entries(here, agentv, lambda _: monkeypatch.setenv("A_KEY", "another-key-of-a-person")) == []


def test_a_value_that_chooses_a_host_asks(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHERE", "http://127.0.0.1:9/v1")

    def made() -> Files:
        files = agentv()
        target(files, 1)["base_url"] = "${{ WHERE }}"
        return files

    new = new_entries(here, made, lambda _: monkeypatch.setenv("WHERE", "http://127.0.0.3:9/v1"))
    assert any("127.0.0.3" in words for words in new), new
