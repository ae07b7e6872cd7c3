"""The plan of a run is made of the objects that run, and the ports of the run refuse whatever is not in it.

`Folder.run` compares every run of these tests with its plan; here are runs that do more than was planned.
"""

import base64
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from suites import Folder

from rubric_core.adapters import system_ports
from rubric_core.dataclass_copies import replace_fields
from rubric_core.disk import DiskFiles
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.engine.guard import guarded
from rubric_core.evaluation.engine.rehearsal_ports import Masks
from rubric_core.evaluation.engine.rehearse import rehearsed
from rubric_core.evaluation.engine.run_plan import plan_run
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.holes import has_hole
from rubric_core.evaluation.model.plan import Plan
from rubric_core.loading.project import Project

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the targets here are shell commands")

CASE = "tests:\n  - {id: a, criteria: c, input: hi, assertions: [{type: contains, value: ok}]}\n"
USUAL = {"name": "default", "provider": "cli", "command": "echo ok"}
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "SECRET_KEY": "s3cret-value",
    "OTHER_KEY": "0ther-value",
    "BASE_URL": "http://me:pa55-word@127.0.0.1:9/v1",
}


def cases_of(folder: Folder, name: str = "suite.eval.yaml") -> list[Runnable]:
    from rubric_core.analysis import Language

    return list(load_suite(folder.path / name, Language(), Project(DiskFiles(), folder.path)).cases)


async def plan(folder: Folder, name: str = "suite.eval.yaml") -> Plan:
    async with system_ports(ENVIRONMENT) as ports:
        made = await rehearsed(cases_of(folder, name), ports)
    assert made.unknown == ""
    return made


async def run_with(folder: Folder, made: Plan, name: str = "suite.eval.yaml") -> list[str]:
    """The reasons of the cases of a run that is held to a plan."""
    async with system_ports(ENVIRONMENT) as ports:
        results = await run_cases(cases_of(folder, name), guarded(ports, made))
    return [each.reason for each in results]


def targets(dialect: str, **entry: Any) -> str:
    return (
        json.dumps({"targets": [{"name": "default", **entry}]})
        if dialect != "agentv-5"
        else json.dumps({"providers": [{"label": "default", "id": entry.pop("provider"), **entry}]})
    )


#: Per attack: the target in place of the usual one, and what has to be shown of it.
ATTACKS: Mapping[str, tuple[Mapping[str, Any], str]] = {
    "a template of a command": ({"provider": "cli", "command_template": "touch PWNED"}, "touch PWNED"),
    "a health check's host": (
        {**USUAL, "healthcheck": {"type": "http", "url": "http://127.0.0.1:9/?k=${{ SECRET_KEY }}"}},
        "http://127.0.0.1:9/?k=$SECRET_KEY (GET) with SECRET_KEY",
    ),
    "a health check's command": (
        {**USUAL, "healthcheck": {"type": "command", "command": "touch PWNED"}},
        "touch PWNED",
    ),
    "a function of Python's own": ({"provider": "python", "function": "os:system"}, "python3: os:system from ."),
    "another interpreter": (
        {"provider": "python", "function": "bot:answer", "python": "./bin/python3"},
        "python3: bot:answer from . (./bin/python3)",
    ),
    "an agent's executable": (
        {"provider": "claude-cli", "executable": "./bin/agent", "args": ["--dangerous"]},
        "./bin/agent -p --output-format stream-json --verbose --dangerous",
    ),
    "another directory": ({**USUAL, "cwd": "/"}, "echo ok in /"),
    "another model's host": (
        {"provider": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1", "api_key": "${{ OTHER_KEY }}"},
        "http://127.0.0.1:9/v1/chat/completions with OTHER_KEY",
    ),
    "another query of a host": (
        {"provider": "http", "url": "http://127.0.0.1:9/ask?to=other&api_key=literal-value&q={{ prompt }}"},
        "http://127.0.0.1:9/ask?to=other&api_key=***&q={prompt}",
    ),
    "a password in a URL of the user": (
        {"provider": "openai", "model": "m", "base_url": "${{ BASE_URL }}", "api_key": "${{ OTHER_KEY }}"},
        "http://127.0.0.1:9/v1/chat/completions with BASE_URL, OTHER_KEY",
    ),
    "a fallback": ({**USUAL, "command": "false", "fallback_targets": ["second"]}, "touch PWNED"),
    "a program of the folder": ({"provider": "mine"}, "./.agentv/providers/mine.sh"),
}


def written(folder: Folder, entry: Mapping[str, Any], suite: str = CASE) -> None:
    folder.suite(suite)
    folder.targets({"name": "default", **entry}, {"name": "second", "provider": "cli", "command": "touch PWNED"})
    for name in ("bin/python3", "bin/agent", "bin/echo", ".agentv/providers/mine.sh"):
        folder.write(name, "#!/bin/sh\ntouch PWNED\n").chmod(0o755)


@pytest.mark.parametrize("attack", ATTACKS)
async def test_what_a_target_does_is_shown(folder: Folder, attack: str) -> None:
    entry, words = ATTACKS[attack]
    written(folder, entry)
    shown = (await plan(folder)).words(folder.path)
    assert any(words in line.replace(str(folder.path), ".") for line in shown), shown


@pytest.mark.parametrize("attack", ATTACKS)
async def test_what_a_target_does_besides_is_refused(folder: Folder, attack: str) -> None:
    written(folder, USUAL)
    made = await plan(folder)
    assert await run_with(folder, made) == [""]
    written(folder, ATTACKS[attack][0])
    (reason,) = await run_with(folder, made)
    assert "refused: " in reason, reason
    assert "in the question" in reason
    assert not (folder.path / "PWNED").exists()


@pytest.mark.parametrize("begin", ["", "u", "us", "user"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_a_secret_is_found_in_a_header_in_base64(begin: str, encode: Callable[[bytes], bytes]) -> None:
    masks = Masks()
    secret = masks.environment(ENVIRONMENT, ())["SECRET_KEY"]
    for end in ("", ":", ":\xff?>"):
        header = encode(f"{begin}{secret}{end}".encode()).decode()
        assert masks.secrets_in(f"http://host/\nAuthorization: Basic {header}\n") == ["SECRET_KEY"]
        assert masks.secrets_in(f"Authorization: Basic {header.rstrip('=')}") == ["SECRET_KEY"]


async def test_a_changed_path_finds_another_program(folder: Folder) -> None:
    suite = "# rubric: dialect=agentv-5\nproviders: [default]\nprompts: ['hi']\ntests: [{id: a, assert: [{type: contains, value: ok}]}]\n"
    entry = {"label": "default", "id": "cli", "config": {"command": ["echo", "ok"]}}
    folder.suite(suite)
    folder.write("bin/echo", "#!/bin/sh\ntouch PWNED; /bin/echo ok\n").chmod(0o755)
    folder.write(".agentv/providers.yaml", json.dumps({"providers": [entry]}))
    made = await plan(folder)
    assert made.words(folder.path) == ("execute: echo ok",)
    entry["config"] = {"command": ["echo", "ok"], "env": {"PATH": str(folder.path / "bin")}}
    folder.write(".agentv/providers.yaml", json.dumps({"providers": [entry]}))
    (line,) = (await plan(folder)).words(folder.path)
    assert line.startswith("execute: echo ok (./bin/echo) with PATH=")
    (reason,) = await run_with(folder, made)
    assert "echo is another file than in the question" in reason
    assert not (folder.path / "PWNED").exists()


#: Per place: where a suite of agentv-5 says in which directory its target works.
ELSEWHERE: Mapping[str, Mapping[str, Any]] = {
    "the suite": {"environment": {"type": "host", "workdir": "/elsewhere"}},
    "a file": {"environment": "file://place.yaml"},
    "the case": {"tests": [{"environment": {"type": "host", "workdir": "/elsewhere"}}]},
    "the target": {"target": {"environment": {"type": "host", "workdir": "/elsewhere"}}},
    "the settings of the target": {"target": {"config": {"cwd": "/elsewhere"}}},
    "a link": {"environment": {"type": "host", "workdir": "./link"}},
    "a path out of the folder": {"environment": {"type": "host", "workdir": "../elsewhere"}},
}


def in_directory(folder: Folder, change: Mapping[str, Any]) -> None:
    """A suite whose target is `python3 bot.py`, with some of it changed."""
    case = {"id": "a", "assert": [{"type": "contains", "value": "ok"}], **next(iter(change.get("tests", [])), {})}
    own = change.get("target", {})
    config = {"command": "python3 bot.py", **own.get("config", {})}
    provider = {**own, "label": "default", "id": "cli", "config": config}
    suite = {"providers": ["default"], "prompts": ["hi"], **change, "tests": [case]}
    suite.pop("target", None)
    folder.write(".agentv/providers.yaml", json.dumps({"providers": [provider]}))
    folder.suite(f"# rubric: dialect=agentv-5\n{json.dumps(suite)}\n")


@pytest.mark.parametrize("place", ELSEWHERE)
async def test_a_program_in_another_directory_is_another_program(tmp_path: Path, place: str) -> None:
    folder, elsewhere = Folder(tmp_path / "suites"), Folder(tmp_path / "elsewhere")
    folder.write("bot.py", "print('ok')\n")
    elsewhere.write("bot.py", f"open({str(tmp_path / 'PWNED')!r}, 'w')\nprint('ok')\n")
    (folder.path / "link").symlink_to(elsewhere.path)
    folder.write("place.yaml", f"type: host\nworkdir: {elsewhere.path}\n")
    in_directory(folder, {})
    made = await plan(folder)
    assert made.words(folder.path) == ("execute: python3 bot.py",)
    assert await run_with(folder, made) == [""]
    in_directory(
        folder, json.loads(json.dumps(ELSEWHERE[place]).replace('"/elsewhere"', json.dumps(str(elsewhere.path))))
    )
    # A relative directory is copied for each case.
    first, *more = (await plan(folder)).words(folder.path)
    assert first.startswith("execute: python3 bot.py in ")
    assert str(elsewhere.path) in "".join((first, *more))
    (reason,) = await run_with(folder, made)
    assert "refused: its directory " in reason
    assert not (tmp_path / "PWNED").exists()


#: Per place: a suite whose case does something beside its target.
BESIDE = {
    "a code grader": "assertions: [{type: code-grader, command: [touch, PWNED]}]",
    "a member of a composite": "assertions: [{type: composite, aggregator: {type: weighted_average}, assertions: [{type: code-grader, command: [touch, PWNED]}]}]",
    "an aggregator": "assertions: [{type: composite, aggregator: {type: code-grader, path: touch PWNED}, assertions: [{type: contains, value: ok}]}]",
    "a prompt of a judge": "assertions: [{type: llm-grader, target: second, prompt: {command: [touch, PWNED]}}]",
    "a judge": "assertions: [{type: llm-grader, target: second, prompt: 'Is it {{ output }}?'}]",
    "an evaluator of the folder": "assertions: [{type: mine}]",
    "a hook": "workspace: {hooks: {before_each: {command: [touch, PWNED]}}}",
    "a hook at the end": "workspace: {hooks: {after_all: {command: touch PWNED}}}",
    "a turn": "mode: conversation\n    turns: [{input: hi, assertions: [{type: code-grader, command: touch PWNED}]}]",
}


def beside(how: str) -> str:
    return f"# rubric: dialect=agentv-3\ntests:\n  - id: a\n    criteria: c\n    input: hi\n    {how}\n"


@pytest.mark.parametrize("place", BESIDE)
async def test_what_a_case_does_beside_its_target(folder: Folder, place: str) -> None:
    written(folder, USUAL, CASE)
    folder.write(".agentv/assertions/mine.sh", "#!/bin/sh\ntouch PWNED\n").chmod(0o755)
    made = await plan(folder)
    folder.suite(beside(BESIDE[place]))
    shown = (await plan(folder)).words(folder.path)
    wanted = "mine.sh" if "folder" in place else "touch PWNED"
    assert any(line.startswith("execute: ") and wanted in line for line in shown), shown
    await run_with(folder, made)
    assert not list(folder.path.rglob("PWNED"))


PROMPTFOO: Mapping[str, tuple[Mapping[str, Any], str]] = {
    "a program": ({"providers": ["exec: touch PWNED"]}, "touch PWNED {prompt}"),
    "a file with code": ({"providers": ["file://bot.py"]}, "python3: bot.py:call_api"),
    "an interpreter": (
        {"providers": [{"id": "file://bot.py", "config": {"pythonExecutable": "./bin/python3"}}]},
        "python3: bot.py:call_api (./bin/python3)",
    ),
    "a host": (
        {"providers": [{"id": "http://127.0.0.1:9/x", "config": {"body": {"p": "{{prompt}}"}}}]},
        "http://127.0.0.1:9/x",
    ),
    "a host of a variable": (
        {"providers": [{"id": "http://{{q}}:9/x", "config": {"body": {"p": "{{prompt}}"}}}]},
        "http://hi:9/x",
    ),
    "a secret in a header": (
        {
            "providers": [
                {
                    "id": "http://127.0.0.1:9/x",
                    "config": {"method": "POST", "headers": {"X": "{{ env.SECRET_KEY }}"}, "body": {"p": "{{prompt}}"}},
                }
            ]
        },
        "http://127.0.0.1:9/x with SECRET_KEY",
    ),
    "a socket": (
        {"providers": [{"id": "ws://127.0.0.1:9/x", "config": {"messageTemplate": "{{prompt}}"}}]},
        "ws://127.0.0.1:9/x (CONNECT)",
    ),
    "a base URL in env": (
        {
            "providers": ["openai:gpt-4o-mini"],
            "env": {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": "{{ env.OTHER_KEY }}"},
        },
        "http://127.0.0.1:9/v1/chat/completions",
    ),
    "a prompt": ({"prompts": ["file://prompt.py:make"]}, "python3: prompt.py:make"),
    "an assertion": ({"assert": {"type": "python", "value": "__import__('os').system('touch PWNED')"}}, "touch PWNED"),
    "a file of an assertion": (
        {"assert": {"type": "python", "value": "file://check.py"}},
        "python3: check.py:get_assert",
    ),
    "a webhook": ({"assert": {"type": "webhook", "value": "http://127.0.0.1:9/hook"}}, "http://127.0.0.1:9/hook"),
    "a set": (
        {"assert": {"type": "assert-set", "assert": [{"type": "python", "value": "1 + 1"}]}},
        "python3: 1 + 1",
    ),
    "a scoring function": ({"assertScoringFunction": "file://score.py:score"}, "python3: score.py:score"),
    "an extension": ({"extensions": ["file://hooks.py:afterAll"]}, "python3: hooks.py:afterAll"),
    "a filter": ({"nunjucksFilters": {"f": "filter.js"}}, "filter.js"),
    "a method of a variable": (
        {"providers": [{"id": "http://127.0.0.1:9/x", "config": {"method": "{{q}}", "body": {"p": "{{prompt}}"}}}]},
        "http://127.0.0.1:9/x ({vars.q})",
    ),
    "a variable": ({"q": "file://var.py"}, "python3: var.py:get_var"),
}


def promptfoo(change: Mapping[str, Any]) -> str:
    own = dict(change)
    checks = [{"type": "contains", "value": "hi"}, *([own.pop("assert")] if "assert" in own else [])]
    scoring = {"assertScoringFunction": own.pop("assertScoringFunction")} if "assertScoringFunction" in own else {}
    test = {"vars": {"q": own.pop("q", "hi")}, "assert": checks, **scoring}
    return json.dumps({"prompts": ["Say {{ q }}"], "providers": ["echo"], "tests": [test], **own})


@pytest.mark.parametrize("place", PROMPTFOO)
async def test_what_a_configuration_of_promptfoo_does(folder: Folder, place: str) -> None:
    for name, function in (
        ("bot", "call_api"),
        ("prompt", "make"),
        ("check", "get_assert"),
        ("score", "score"),
        ("hooks", "afterAll"),
        ("var", "get_var"),
        ("filter", "f"),
    ):
        folder.write(f"{name}.py", f"open('PWNED', 'w')\ndef {function}(*given): return 'ok'\n")
    folder.write("bin/python3", "#!/bin/sh\ntouch PWNED\n").chmod(0o755)
    folder.write("filter.js", "require('fs').writeFileSync('PWNED', '')\nmodule.exports = each => each\n")
    name = "promptfooconfig.yaml"
    folder.write(name, promptfoo({}))
    made = await plan(folder, name)
    assert made.words() == ()
    change, words = PROMPTFOO[place]
    folder.write(name, promptfoo(change))
    shown = [line.replace(f"{folder.path}/", "") for line in (await plan(folder, name)).words(folder.path)]
    assert any(words in line for line in shown), shown
    await run_with(folder, made, name)
    assert not list(folder.path.rglob("PWNED"))


HOSTED = {"name": "default", "provider": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "x"}


async def test_a_secret_that_was_not_planned_is_sent_to_nobody(folder: Folder) -> None:
    """A suite changes after the question: another variable goes to a host that was planned for another one."""
    first, second = {**HOSTED, "api_key": "${{ SECRET_KEY }}"}, {**HOSTED, "api_key": "${{ OTHER_KEY }}"}
    other = {"name": "other", "base_url": "http://127.0.0.1:8/v1"}
    folder.suite("# rubric: dialect=agentv-3\nexecution: {targets: [default, other]}\n" + CASE)
    folder.write(".agentv/targets.yaml", json.dumps({"targets": [first, {**second, **other}]}))
    async with system_ports(ENVIRONMENT) as ports:
        made = await plan_run(cases_of(folder), ports, [folder.path])
    folder.write(".agentv/targets.yaml", json.dumps({"targets": [second, {**first, **other}]}))
    (reason,) = await run_with(folder, made)
    assert "OTHER_KEY for http://127.0.0.1:9 was not in the question; run it again" in reason


#: Per way to name a variable after the question: the file that changes, and what it contains then.
NAMING = {
    "in a case": ("suite.eval.yaml", "# rubric: dialect=agentv-3\n" + CASE.replace("input: hi", "input: 'a ${{ NAME }}'")),
    "in an escape": ("suite.eval.yaml", "# rubric: dialect=agentv-3\n" + CASE.replace("hi", '"a \\u0024{{ NAME }}"')),
    "in a target": (".agentv/targets.yaml", json.dumps({"targets": [{**USUAL, "use_target": "${{ NAME }}"}]})),
    "in promptfoo's prompt": ("promptfooconfig.yaml", json.dumps({"prompts": ["{{ env.NAME }}"], "providers": ["exec: echo ok"], "tests": [{"vars": {"q": "x"}}]})),
    "in promptfoo's values": ("values.yaml", 'q: "\\x7b\\x7b env.NAME }}"\n'),
    "by a program": ("values.py", "def get_var(*_): return {'output': '{{ env.' + 'NAME' + ' }}'}\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", ["OTHER_KEY", "DATABASE_URL"])
@pytest.mark.parametrize("way", NAMING)
async def test_a_variable_that_was_not_planned_is_not_read(folder: Folder, way: str, name: str) -> None:
    """Whatever its name, and however it is named: the case says that it was not in the question, and sends nothing."""
    file, text = NAMING[way]
    suite = "promptfooconfig.yaml" if file.startswith(("promptfoo", "values")) else "suite.eval.yaml"
    folder.suite("# rubric: dialect=agentv-3\n" + CASE)
    folder.write(".agentv/targets.yaml", json.dumps({"targets": [{**USUAL, "command": "echo ok {PROMPT}"}]}))
    folder.write("values.yaml", "q: hi\n")
    folder.write("values.py", "def get_var(*_): return {'output': 'hi'}\n")
    tests = [{"vars": {"q": "file://values.py"} if file == "values.py" else "values.yaml"}]
    folder.write(
        "promptfooconfig.yaml", json.dumps({"prompts": ["{{ q }}"], "providers": ["exec: echo ok"], "tests": tests})
    )
    environment = {**ENVIRONMENT, "DATABASE_URL": "a-database"}
    async with system_ports(environment) as ports:
        made = await plan_run(cases_of(folder, suite), ports, [folder.path])
        held = guarded(ports, made).environment
        assert held["PATH"] == ENVIRONMENT["PATH"]
        assert name not in dict(held.items())
        folder.write(file, text.replace("NAME", name))
        (result,) = await run_cases(cases_of(folder, suite), guarded(ports, made))
        assert f"environment variable {name} was not in the question" in result.reason or (
            f"it names {name} of the environment" in result.reason
        )
        assert environment[name] not in f"{result}"
        # A new question shows it, and its run reads it, except what only a program names.
        again = await plan_run(cases_of(folder, suite), ports, [folder.path])
        assert way == "by a program" or name in again.variable_names()


#: Per way to name a file in a command: the target or grader.
COMMANDS = {
    "a shell's program": {"command": "./bin/agent x"},
    "a shell's argument": {"command": "cat x; sh 'bin/agent'"},
    "in another directory": {"command": "./agent", "cwd": "bin"},
}


@pytest.mark.parametrize("way", [*COMMANDS, "a list's argument"])
async def test_a_file_in_a_command_that_leads_elsewhere_is_not_run(
    folder: Folder, tmp_path_factory: pytest.TempPathFactory, way: str
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    for place in (outside / "agent", folder.path / "bin/agent"):
        place.parent.mkdir(exist_ok=True)
        place.write_text(f"#!/bin/sh\necho ok >> {outside}/{place.parent.name}.ran; echo ok\n", encoding="utf-8")
        place.chmod(0o755)
    grader = "{type: code-grader, command: [sh, bin/agent]}"
    folder.suite(CASE if way in COMMANDS else CASE.replace("{type: contains, value: ok}", grader))
    folder.write(".agentv/targets.yaml", json.dumps({"targets": [{**USUAL, **COMMANDS.get(way, {})}]}))
    async with system_ports(ENVIRONMENT) as ports:
        made = await plan_run(cases_of(folder), ports, [folder.path])
        await run_cases(cases_of(folder), guarded(ports, made))
        assert (outside / "bin.ran").exists()
        (folder.path / "bin").rename(folder.path / "before")
        (folder.path / "bin").symlink_to(outside)
        (result,) = await run_cases(cases_of(folder), guarded(ports, made))
    assert "in the question" in result.reason
    assert not (outside / f"{outside.name}.ran").exists()


@pytest.mark.parametrize("name", [".env", "further.variables"])
async def test_a_file_of_variables_that_leads_outside_is_not_read(
    folder: Folder, tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "credentials"
    outside.write_text("MODE=slow\n", encoding="utf-8")
    settings = {"prompts": ["{{ env.MODE }}"], "commandLineOptions": {"envPath": "further.variables"}}
    folder.write("promptfooconfig.yaml", promptfoo({"providers": ["echo"], **settings}))
    for each in (".env", "further.variables"):
        folder.write(each, "MODE=fast\n")
    async with system_ports(ENVIRONMENT) as ports:
        made = await plan_run(cases_of(folder, "promptfooconfig.yaml"), ports, [folder.path])
        cases = cases_of(folder, "promptfooconfig.yaml")
        (folder.path / name).unlink()
        (folder.path / name).symlink_to(outside)
        (result,) = await run_cases(cases, guarded(ports, made))
    assert "it leads to another file than when the run was allowed" in result.reason


async def test_the_transform_of_a_model_is_in_the_plan(folder: Folder) -> None:
    """Whatever a vendor's reply looks like."""
    config = {"model": "m", "api_key": "a-usual-key", "base_url": "http://127.0.0.1:9/v1", "transform": "output + 1"}
    folder.write(".agentv/targets.yaml", targets("agentv-5", provider="openai", config=config))
    suite = {"name": "x", "providers": ["default"], "prompts": ["{{ q }}"], "tests": [{"id": "a", "vars": {"q": "hi"}}]}
    folder.suite(f"# rubric: dialect=agentv-5\n{json.dumps(suite)}")
    assert "execute: node: output + 1" in (await plan(folder)).words(folder.path)


async def test_a_suite_writes_no_hole(folder: Folder) -> None:
    provider = {
        "id": "http",
        "config": {"url": "http://127.0.0.1:9/\0any\0", "method": "POST", "body": {"q": "{{prompt}}"}},
    }
    folder.write("promptfooconfig.yaml", promptfoo({"providers": [provider]}))
    (sent,) = (await plan(folder, "promptfooconfig.yaml")).sends
    assert not has_hole(sent.path)


async def test_a_secret_that_names_the_target_is_followed(folder: Folder) -> None:
    pointer = {"name": "default", "use_target": "${{ BOT_SECRET }}"}
    folder.write(".agentv/targets.yaml", json.dumps({"targets": [pointer, {**USUAL, "name": "quiet-bot"}]}))
    folder.suite("# rubric: dialect=agentv-3\n" + CASE)
    async with system_ports({**ENVIRONMENT, "BOT_SECRET": "quiet-bot"}) as ports:
        made = await plan_run(cases_of(folder), ports, [folder.path])
        (result,) = await run_cases(cases_of(folder), guarded(ports, made))
    assert made.words()[0] == "execute: echo ok"
    assert not result.reason


@pytest.mark.parametrize("value", ["s3cretvalue", "/bin/echo zzz9-zzz", "cat"])
@pytest.mark.parametrize("where", ["the environment", "a file beside the configuration"])
async def test_a_secret_that_names_a_program_is_compared_and_never_shown(
    folder: Folder, value: str, where: str
) -> None:
    name, variable = "promptfooconfig.yaml", "BOT_SECRET"
    folder.write(name, promptfoo({"providers": [f"exec: {{{{ env.{variable} }}}} hi"]}))
    environment = {**ENVIRONMENT, variable: value}
    if where != "the environment":
        del environment[variable]
        folder.write(".env", f"{variable}={value}\n")
    async with system_ports(environment) as ports:
        made = await plan_run(cases_of(folder, name), ports, [folder.path])
        (results,) = await run_cases(cases_of(folder, name), guarded(ports, made))
    (line,) = (line for line in made.words(folder.path) if line.startswith("execute: "))
    words = [*made.words(folder.path), *made.entries(b"key", folder.path).values(), *made.starts[0].public().argv]
    assert line.startswith(f"execute: ${variable}")
    assert not [each for each in words for part in value.split() if part in each]
    assert "\0" not in "".join(made.words(folder.path))
    assert "s3cretvalue" not in results.reason
    assert "was not in the question" not in results.reason
    # What the secret names is compared: with another value, the run is refused.
    if where == "the environment" and value != "s3cretvalue":
        async with system_ports({**environment, variable: "touch PWNED"}) as ports:
            (results,) = await run_cases(cases_of(folder, name), guarded(ports, made))
        assert "in the question" in results.reason
        assert not list(folder.path.rglob("PWNED"))


async def test_cases_that_differ_in_texts_are_rehearsed_once(folder: Folder) -> None:
    cases = "".join(
        f"  - {{id: c{n}, criteria: c{n}, input: hi {n}, assertions: [{{type: contains, value: ok{n}}}, {{type: code-grader, command: [grade]}}]}}\n"
        for n in range(20)
    )
    written(folder, USUAL, f"tests:\n{cases}")
    made = await plan(folder)
    assert made.words(folder.path) == ("execute: echo ok", "execute: grade (grade is not installed)")


async def test_an_answer_is_one_word_for_the_shell(folder: Folder) -> None:
    """The quoting is the only thing between a prompt and the shell: the guard holds it to that."""
    written(folder, {"provider": "cli", "command": "echo ok {PROMPT}"}, CASE.replace("hi", "'$(touch PWNED); it''s'"))
    assert await run_with(folder, await plan(folder)) == [""]
    assert not (folder.path / "PWNED").exists()


async def test_a_target_that_cannot_be_made_says_why(folder: Folder) -> None:
    written(folder, {"provider": "openai", "model": "m", "api_key": "${{ NOT_SET }}"})
    made = await plan(folder)
    assert made.starts == made.sends == ()
    assert "NOT_SET" in made.notes[0]


async def test_a_mistake_of_ours_makes_the_plan_unknown(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    written(folder, USUAL)
    async with system_ports(ENVIRONMENT) as ports:
        with monkeypatch.context() as planning:
            planning.setattr("rubric_core.evaluation.engine.agentv_runner.prepare_case", lambda *_: 1 / 0)
            made = await rehearsed(cases_of(folder), ports)
    assert "ZeroDivisionError" in made.unknown
    (reason,) = await run_with(folder, made)
    assert "is not known" in reason


async def test_an_evaluator_in_python_is_in_the_plan(folder: Folder) -> None:
    """By its file; one that appears after the question, and a variable that it names meanwhile, are refused."""
    code = "from rubric_core import EvaluationScore\nclass W:\n    kind = 'own'\n    def evaluate(self, context):\n        {}\n"
    folder.write(".agentv/targets.yaml", targets("agentv-3", **USUAL))
    folder.suite("tests:\n  - {id: a, criteria: c, input: hi, assertions: [{type: own}]}\n")
    path = folder.write(".agentv/evaluators/own.py", code.format("return EvaluationScore(score=1)"))
    made = await plan(folder)
    assert f"{path}:own" in {start.says for start in made.starts}
    assert await run_with(folder, made) == [""]
    reads = "import os; return EvaluationScore(score=1, hits=[os.environ['OTHER_KEY']])"
    path.write_text(code.format(reads), encoding="utf-8")
    (reason,) = await run_with(folder, made)
    assert "OTHER_KEY was not in the question" in reason
    path.rename(path.with_name("other.py"))
    folder.suite("tests:\n  - {id: a, criteria: c, input: hi, assertions: [{type: other}]}\n")
    (reason,) = await run_with(folder, made)
    assert "was not in the question" in reason


#: Per way to read a file outside of the folder: what is written in the suite.
OUTSIDE = {
    "a file of a message": 'input: [{role: user, content: [{type: file, value: "FILE"}]}], assertions: [{type: contains, value: ok}]',
    "a file of the expected output": 'input: hi, expected_output: [{role: assistant, content: [{type: file, value: "FILE"}]}], assertions: [{type: contains, value: ok}]',
    "a prompt of a judge": 'input: hi, assertions: [{type: llm-grader, prompt: "file://FILE"}]',
    "a link": "input: [{role: user, content: [{type: file, value: link.md}]}], assertions: [{type: contains, value: ok}]",
    "a directory of work": "input: hi, workspace: {mode: static, path: DIRECTORY}, assertions: [{type: contains, value: ok}]",
}


@pytest.mark.parametrize("way", OUTSIDE)
async def test_a_file_outside_that_was_not_planned_is_refused(
    folder: Folder, tmp_path_factory: pytest.TempPathFactory, way: str
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "file.md").write_text("{{ output }} of the outside", encoding="utf-8")
    written(folder, USUAL)
    (folder.path / "link.md").symlink_to(outside / "file.md")
    async with system_ports(ENVIRONMENT) as ports:
        usual = await plan_run(cases_of(folder), ports, [folder.path])
        text = OUTSIDE[way].replace("FILE", str(outside / "file.md")).replace("DIRECTORY", str(outside))
        folder.suite(f"tests:\n  - {{id: a, criteria: c, {text}}}\n")
        opened: list[str] = []
        around = replace_fields(ports, directories=_Heard(ports.directories, opened), files=_Heard(ports.files, opened))
        await run_cases(cases_of(folder), guarded(around, usual))
        assert not any(str(outside) in each for each in opened)
        made = await plan_run(cases_of(folder), ports, [folder.path])
        (result,) = await run_cases(cases_of(folder), guarded(around, made))
    assert any(str(outside) in each for each in opened)
    assert "refused" not in result.reason
    assert any(str(outside) in line for line in made.words())


@pytest.mark.parametrize("name", ["file.md", "*.md", "fil?.md"])
async def test_files_outside_that_a_pattern_names_are_shown(
    folder: Folder, tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "file.md").write_text("the outside", encoding="utf-8")
    address = f"file://{outside}/{name}"
    for where in ({"prompts": ["{{ q }}"], "tests": [{"vars": {"q": address}}]}, {"prompts": [address], "tests": [{}]}):
        folder.write("promptfooconfig.yaml", json.dumps({"providers": ["echo"], **where}))
        async with system_ports(ENVIRONMENT) as ports:
            made = await plan_run(cases_of(folder, "promptfooconfig.yaml"), ports, [folder.path])
        assert [each.path for each in made.reads] == [str(outside / "file.md")]


class _Heard:
    """A port that writes down which files and directories are opened."""

    def __init__(self, inner: Any, opened: list[str]) -> None:
        self._inner, self._opened = inner, opened

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._inner, name)
        if name not in ("read", "open", "entries", "copy"):
            return method

        def heard(path: Path, *rest: Any) -> Any:
            self._opened.append(str(path))
            return method(path, *rest)

        return heard


@pytest.mark.parametrize("secret", ["s3cret-value", "abc"])
@pytest.mark.parametrize("form", ["{}", "Bearer {}", "Basic BASE64"])
async def test_a_secret_of_another_host_is_sent_to_nobody_in_any_form(folder: Folder, form: str, secret: str) -> None:
    """Two hosts are planned, one of them with the secret: the header of the other one gets it after the question."""
    text = form.replace("BASE64", base64.b64encode(f"user:{secret}".encode()).decode()).format(secret)

    def provider(label: str, port: int, header: str) -> dict[str, Any]:
        body = {
            "url": f"http://127.0.0.1:{port}/x",
            "method": "POST",
            "headers": {"x": header},
            "body": {"q": "{{prompt}}"},
        }
        return {"id": "http", "label": label, "config": body}

    name = "promptfooconfig.yaml"
    usual = [provider("one", 8, "{{ env.SECRET_KEY }}"), provider("two", 9, "none")]
    folder.write(name, promptfoo({"providers": usual}))
    async with system_ports({**ENVIRONMENT, "SECRET_KEY": secret}) as ports:
        made = await plan_run(cases_of(folder, name), ports, [folder.path])
        folder.write(name, promptfoo({"providers": [provider("two", 9, text)]}))
        results = await run_cases(cases_of(folder, name), guarded(ports, made))
    (reason,) = (each.reason for each in results)
    assert "SECRET_KEY for http://127.0.0.1:9 was not in the question" in reason


async def test_what_other_targets_of_the_file_read_is_not_of_the_plan(folder: Folder) -> None:
    other = {"name": "other", "provider": "cli", "command": "echo ${{ OTHER_KEY }}"}
    used = {"name": "default", "provider": "cli", "command": "echo ${{ SECRET_KEY }}"}
    folder.write(".agentv/targets.yaml", json.dumps({"targets": [other, used]}))
    folder.write("suite.eval.yaml", CASE)
    async with system_ports(ENVIRONMENT) as ports:
        made = await plan_run(cases_of(folder), ports, [folder.path])
    assert made.variable_names() == {"SECRET_KEY"}


FILTERED = {
    "suite.eval.yaml": """\
        # rubric: dialect=agentv-5
        nunjucks_filters: {shout: ./shout.js}
        providers: [{label: default, id: cli, command: "echo {PROMPT}"}]
        prompts: ["{{ who | shout | lower }}"]
        tests: [{id: a, vars: {who: x}, assert: [{type: contains, value: x}]}]
        """,
    "promptfooconfig.yaml": """\
        nunjucksFilters: {shout: ./shout.js}
        providers: ["exec:echo"]
        prompts: ["{{ who | shout | lower }}"]
        tests: [{vars: {who: x}, assert: [{type: contains, value: x}]}]
        """,
}


@pytest.mark.parametrize("name", FILTERED)
async def test_a_filter_of_the_suite_before_one_of_texts(folder: Folder, name: str) -> None:
    folder.write("shout.js", "module.exports = (text) => text.toUpperCase();")
    folder.write(name, FILTERED[name])
    made = await plan(folder, name)
    said = " ".join(word for each in made.starts for word in each.argv)
    assert "echo" in said, made.notes
    assert made.notes == ()


async def test_a_file_of_variables_reads_no_other_variable(folder: Folder) -> None:
    folder.write(".env", "A_NAME=a value\n")
    written = {"prompts": ["{{ env.BASE_URL }}"], "providers": ["echo"], "tests": [{"vars": {"q": "hi"}}]}
    folder.write("promptfooconfig.yaml", json.dumps(written))
    async with system_ports(ENVIRONMENT) as ports:
        made = await plan_run(cases_of(folder, "promptfooconfig.yaml"), ports, [folder.path])
    assert [each.name for each in made.variables] == ["BASE_URL"]


async def test_a_host_with_its_scheme_in_a_value_of_the_case(folder: Folder) -> None:
    config = {"url": "{{ place }}?to=x", "method": "GET"}
    tests = [{"vars": {"q": "hi", "place": f"http://127.0.0.1:{port}"}} for port in (8, 9)]
    written = {"prompts": ["{{ q }}"], "providers": [{"id": "http", "config": config}], "tests": tests}
    folder.write("promptfooconfig.yaml", json.dumps(written))
    made = await plan(folder, "promptfooconfig.yaml")
    assert made.words() == tuple(f"send requests to: http://127.0.0.1:{port}/?to=x (GET)" for port in (8, 9))
    assert all("question" not in each for each in await run_with(folder, made, "promptfooconfig.yaml"))
