"""Rubric's own kind `python`: a function in a process of its own; what it gets, what it returns, and how it fails."""

import os
import sys
import textwrap
from typing import Any

import pytest
from suites import Folder

from rubric_core.adapters import DiskFiles, system_ports
from rubric_core.evaluation.engine.events import Answered
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.targets.resolve import load_targets
from rubric_core.ports import Answer

BOT = """
    import asyncio, json, os, sys

    def plain(prompt):
        print("noise")
        return prompt.upper()

    async def later(question):
        await asyncio.sleep(0)
        return question.upper()

    def context(prompt, *, messages, vars, case_id, files):
        return json.dumps([prompt, messages, vars, case_id, files])

    def everything(prompt, **more):
        return " ".join(sorted(more))

    def by_name(case_id, prompt):
        return f"{case_id} {prompt}"

    def measured(prompt):
        return {"text": "HI", "token_usage": {"input": 3, "output": 4}, "cost_usd": 0.5}

    def data(prompt):
        return [1, {"a": None}]

    class Bot:
        async def __call__(self, prompt):
            return "HI"

        @staticmethod
        def method(prompt):
            return "HI"

    instance = Bot()

    def environment(prompt):
        return str(sorted(name for name in ("THE_KEY", "OTHER_KEY") if name in os.environ))

    def process(prompt):
        return str(os.getpid())

    def fails(prompt):
        return inner(prompt)

    def inner(prompt):
        raise ValueError("no such\\n order " + os.environ.get("THE_KEY", ""))

    def leaves(prompt):
        sys.exit(3)

    def dies(prompt):
        print("out of memory", file=sys.stderr, flush=True)
        os._exit(9)

    def sleeps(prompt):
        import time
        time.sleep(60)

    number = 3
"""
SUITE = "tests: [{id: a, criteria: c, input: hi, assertions: [{type: equals, value: HI}]}]"


async def ask(folder: Folder, function: str, code: str = BOT, suite: str = SUITE, **settings: Any) -> CaseResult:
    (folder.path / "app").mkdir(exist_ok=True)
    (folder.path / "app" / "bot.py").write_text(textwrap.dedent(code), encoding="utf-8")
    folder.environment.update(PATH=os.environ["PATH"], THE_KEY="sk-very-secret-1", OTHER_KEY="sk-very-secret-2")
    folder.targets({"name": "default", "provider": "python", "function": function, **settings})
    return await folder.one(suite)


def answer(folder: Folder) -> Answer:
    return next(event for event in folder.events if isinstance(event, Answered)).answer


@pytest.mark.parametrize("name", ["plain", "later", "Bot.method", "instance", "measured"])
async def test_a_function_answers(folder: Folder, name: str) -> None:
    result = await ask(folder, f"app.bot:{name}")
    assert result.verdict is Verdict.PASSED, result.reason


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("context", '["hi", [{"role": "user", "content": "hi"}], {}, "a", []]'),
        ("everything", "case_id files messages vars"),
        ("by_name", "a hi"),
        ("data", '[1, {"a": null}]'),
        ("environment", "['THE_KEY']"),
    ],
)
async def test_what_it_gets_and_returns(folder: Folder, name: str, text: str) -> None:
    await ask(folder, f"app.bot:{name}", env={"THE_KEY": "${{ THE_KEY }}"})
    assert answer(folder).text == text


async def test_measurements_are_kept_and_the_process_is_another_one(folder: Folder) -> None:
    await ask(folder, "app.bot:measured")
    assert (answer(folder).cost_usd, answer(folder).tokens.total) == (0.5, 7)  # type: ignore[union-attr]
    folder.events.clear()
    await ask(folder, "app.bot:process")
    assert answer(folder).text not in ("", str(os.getpid()))


async def test_modules_are_looked_for_in_cwd_with_the_interpreter_of_the_settings(folder: Folder) -> None:
    (folder.path / "lib").mkdir()
    (folder.path / "lib" / "other.py").write_text("import sys\ndef say(prompt):\n    return sys.executable\n")
    await ask(folder, "other:say", cwd="lib", python=sys.executable)
    assert answer(folder).text == sys.executable


@pytest.mark.parametrize(
    ("function", "settings", "words"),
    [
        ("app.bt:plain", {}, "there is no module app.bt in FOLDER; `cwd` says where modules are looked for (targets.yaml:1, function)"),
        ("app.bot:plian", {}, "app.bot has no function plian; did you mean plain? (targets.yaml:1, function)"),
        ("app.bot:number", {}, "app.bot:number is not a function (targets.yaml:1, function)"),
        ("app.bot:fails", {"env": {"THE_KEY": "${{ THE_KEY }}"}}, "app.bot:fails failed: app/bot.py:47: ValueError: no such order *** (targets.yaml:1, function)"),
        ("app.bot:leaves", {}, "app.bot:leaves failed: app/bot.py:50: SystemExit: 3 (targets.yaml:1, function)"),
        ("app.bot:dies", {}, "the process of app.bot:dies ended with exit code 9: out of memory (targets.yaml:1, function)"),
        ("app.bot:sleeps", {"timeout_seconds": 0.5}, "stopped: it took longer than 0.5 s (targets.yaml:1, timeout_seconds)"),
        ("app/bot.py:plain", {}, "'app/bot.py:plain' is no function; write module:name, such as app.bot:answer (targets.yaml:1, function)"),
        ("app.bot:plain", {"python": "python9"}, "there is no Python interpreter python9 (targets.yaml:1, python)"),
        ("app.bot:plain", {"cwd": "gone"}, "the directory FOLDER/gone does not exist (targets.yaml:1, function)"),
    ],
)  # fmt: skip
async def test_a_failure_is_one_sentence_with_its_place(
    folder: Folder, function: str, settings: dict[str, Any], words: str
) -> None:
    result = await ask(folder, function, **settings)
    assert result.verdict is Verdict.UNSCORED
    assert words.replace("FOLDER", str(folder.path.resolve())) in result.reason
    assert "\n" not in result.reason
    assert "sk-very" not in result.reason


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import opennai\n", "app.bot cannot be imported: app/bot.py:1: ModuleNotFoundError: No module named 'opennai'; install opennai for PYTHON, or set `python`"),
        ("x = 1\ndef plain(prompt:\n", "app.bot cannot be imported: app/bot.py:2: SyntaxError: "),
        ("import os\nos.environ['NOPE']\n", "app.bot cannot be imported: app/bot.py:2: KeyError: 'NOPE'"),
    ],
)  # fmt: skip
async def test_a_module_that_cannot_be_imported(folder: Folder, code: str, words: str) -> None:
    result = await ask(folder, "app.bot:plain", code, python=sys.executable)
    assert words.replace("PYTHON", sys.executable) in result.reason


async def test_without_python_on_the_path_it_says_so(folder: Folder) -> None:
    folder.environment["PATH"] = str(folder.path)
    folder.targets({"name": "default", "provider": "python", "function": "a:b"})
    result = await folder.one(SUITE)
    assert "Python is not on the PATH; install it, or set `python` (targets.yaml:1, function)" in result.reason


async def test_a_result_is_stale_when_the_function_or_what_it_imports_changes(folder: Folder) -> None:
    first = await ask(folder, "app.bot:plain", "from app.words import say\n\ndef plain(prompt):\n    return 'HI'\n")
    (folder.path / "app" / "words.py").write_text("say = 1\n")
    again = await folder.one(SUITE)
    (folder.path / "app" / "words.py").write_text("say = 2\n")
    changed = await folder.one(SUITE)
    assert len({first.fingerprint, again.fingerprint, changed.fingerprint}) == 3
    assert (await folder.one(SUITE)).fingerprint == changed.fingerprint


async def test_a_cached_answer_holds_until_the_function_changes(folder: Folder) -> None:
    await ask(folder, "bot:plain", cwd="app")
    targets = load_targets(folder.path, DiskFiles())
    async with system_ports(folder.environment) as ports:
        before = targets.addressee("default", ports)
        (folder.path / "app" / "bot.py").write_text("def plain(prompt):\n    return 'HO'\n")
        assert load_targets(folder.path, DiskFiles()).addressee("default", ports) != before


async def test_the_path_of_the_target_finds_its_interpreter(folder: Folder) -> None:
    """As for `cli` targets: the variables of the entry are those of its program, and a program is found with its own PATH."""
    own = folder.write("own/python3", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    own.chmod(0o755)
    folder.write("bot.py", "def answer(prompt): return 'hello'")
    folder.targets({"name": "default", "provider": "python", "function": "bot:answer", "env": {"PATH": "own"}})
    await folder.one("tests: [{id: a, criteria: c, input: hi, assertions: [{type: contains, value: hello}]}]")
    assert [program.argv[0] for program in folder.started] == [str(own)]
