"""What a person is asked before a configuration of promptfoo is run: everything that it executes, reads and sends."""

from pathlib import Path

import pytest
from client import VSCODE, Client, Connect, until
from running import run, written

HEAD = "prompts: ['{{q}}']\nproviders: [echo]\n"
CASE = "tests:\n  - description: a\n    vars: {q: hi}\n"
FILES = dict.fromkeys(
    (
        "code.py",
        "code.js",
        "code.rb",
        "code.ts",
        "prompts/make.py",
        "up.js",
    ),
    "import os; os.system('touch PWNED')\n",
)


def asked(connect: Connect, root: Path, text: str) -> tuple[Client, str]:
    """The question about a configuration."""
    folder = written(root / "suites", {**FILES, "promptfooconfig.yaml": text})
    client = connect()
    client.initialize(VSCODE, folder)
    uri = (folder / "promptfooconfig.yaml").as_uri()
    client.open(uri, text)
    run(client, uri)
    found = until("a question", lambda: [p for m, p in client.requests if m == "window/showMessageRequest"])
    return client, str(found[0]["message"])


def graded(assertion: str) -> str:
    return f"{HEAD}{CASE}    assert: [{assertion}]\n"


def prompted(prompt: str) -> str:
    return f"prompts: [{prompt}]\nproviders: [echo]\n{CASE}"


def answered(provider: str) -> str:
    return f"prompts: ['{{{{q}}}}']\nproviders: [{provider}]\n{CASE}"


EXECUTED = {
    "a program that answers": (answered("exec:sh answer.sh"), "sh answer.sh"),
    "a provider in JavaScript": (answered("file://code.js"), "node: file://code.js"),
    "a provider in TypeScript": (answered("{id: file://code.ts, label: x}"), "node: file://code.ts"),
    "a provider in Python": (answered("'python:code.py:ask'"), "python3: code.py:ask"),
    "a provider in Ruby": (answered("'file://code.rb'"), "ruby: file://code.rb"),
    "a provider of a package": (answered("'package:@a/b:ask'"), "node: @a/b:ask"),
    "the Python of a provider": (
        answered("{id: file://code.py, config: {pythonExecutable: ./evil}}"),
        "python3: file://code.py`, `./evil",
    ),
    "tools from a file": (
        answered("{id: openai:chat:x, config: {tools: 'file://code.py:tools'}}"),
        "python3: file://code.py:tools",
    ),
    "a transform of a provider": (answered("{id: echo, transform: output.trim()}"), "node: output.trim()"),
    "a transform of a reply": (
        answered("{id: 'https://a.example', config: {transformResponse: json.x}}"),
        "node: json.x",
    ),
    "a prompt program": (prompted("'exec:sh make.sh'"), "sh make.sh"),
    "a prompt function": (prompted("file://code.py:make"), "python3: code.py:make"),
    "a prompt function without file://": (prompted("{id: code.js, label: x}"), "node: code.js"),
    "prompt functions that a pattern finds": (prompted("prompts/*.py"), "prompts/make.py"),
    "JavaScript": (graded("{type: javascript, value: output.length > 1}"), "node: output.length > 1"),
    "Python": (graded("{type: python, value: len(output)}"), "python3: len(output)"),
    "Ruby": (graded("{type: ruby, value: output.size}"), "ruby: output.size"),
    "a package of npm": (graded("{type: not-contains-sql}"), "node: the npm package node-sql-parser"),
    "inverted code": (graded("{type: not-javascript, value: output == 1}"), "node: output == 1"),
    "a script in a file": (graded("{type: python, value: 'file://code.py:f'}"), "python3: file://code.py:f"),
    "an expected value from code": (graded("{type: contains, value: file://code.js}"), "node: file://code.js"),
    "code in a set": (graded("{type: assert-set, assert: [{type: python, value: len(output)}]}"), "python3: len(output)"),
    "a transform of an assertion": (graded("{type: contains, value: x, transform: output.x}"), "node: output.x"),
    "a transform of a context": (graded("{type: context-recall, value: x, contextTransform: output.c}"), "node: output.c"),
    "a program that grades": (graded("{type: llm-rubric, value: x, provider: 'exec:sh grade.sh'}"), "sh grade.sh"),
    "a grader by its role": (graded("{type: llm-rubric, value: x, provider: {text: {id: file://code.js}}}"), "node: file://code.js"),
    "a prompt of a judge": (graded("{type: llm-rubric, value: x, rubricPrompt: file://code.js}"), "node: file://code.js"),
    "a transform of options": (f"{HEAD}{CASE}    options: {{transform: output.trim()}}\n", "node: output.trim()"),
    "its older name": (f"{HEAD}{CASE}    options: {{postprocess: output.trim()}}\n", "node: output.trim()"),
    "a transform of variables": (f"{HEAD}{CASE}    options: {{transformVars: vars.q}}\n", "node: vars.q"),
    "a scoring function": (f"{HEAD}{CASE}    assertScoringFunction: file://code.js\n", "node: file://code.js"),
    "a variable from code": (f"{HEAD}tests: [{{vars: {{q: file://code.py}}}}]\n", "python3: file://code.py"),
    "what every case inherits": (f"{HEAD}defaultTest: {{options: {{transform: output.x}}}}\n{CASE}", "node: output.x"),
    "a hook": (f"{HEAD}extensions: ['file://code.js:beforeAll']\n{CASE}", "node: file://code.js:beforeAll"),
    "a filter": (f"{HEAD}nunjucksFilters: {{up: up.js}}\n{CASE}", "node: up.js"),
    "a generator": (f"{HEAD}{CASE}  - file://code.py:cases\n", "python3: file://code.py:cases"),
    "a generator with settings": (f"{HEAD}tests: {{path: 'file://code.js:cases'}}\n", "node: file://code.js:cases"),
    "rounds of a scenario from code": (f"{HEAD}scenarios: [{{config: ['file://code.js'], tests: [{{vars: {{q: x}}}}]}}]\n", "node: file://code.js"),
}  # fmt: skip


@pytest.mark.parametrize("what", EXECUTED)
def test_everything_that_is_executed_is_shown_and_nothing_runs_before(
    connect: Connect, tmp_path: Path, what: str
) -> None:
    text, expected = EXECUTED[what]
    client, shown = asked(connect, tmp_path, text)
    assert expected in shown
    assert client.heard("$/progress") == []
    assert not list(tmp_path.rglob("PWNED"))


SENT = {
    "an endpoint": (answered("https://a.example/v1"), "https://a.example/v1"),
    "an endpoint in its settings": (answered("{id: http, config: {url: 'https://a.example/x'}}"), "https://a.example/x"),
    "a socket": (answered("'wss://a.example'"), "wss://a.example"),
    "a model": (answered("openai:chat:gpt-5-mini"), "openai with OPENAI_API_KEY"),
    "a model elsewhere": (answered("{id: openai:chat:x, config: {apiBaseUrl: http://127.0.0.1:9/v1}}"), "http://127.0.0.1:9/v1 with OPENAI_API_KEY"),
    "a provider that rubric does not call": (answered("replicate:x"), "replicate:x"),
    "a grader": (graded("{type: llm-rubric, value: x, provider: 'openai:chat:gpt-5'}"), "openai with OPENAI_API_KEY"),
    "a webhook": (graded("{type: webhook, value: 'https://a.example/hook'}"), "https://a.example/hook"),
    "a model that embeds": (graded("{type: similar, value: x, provider: 'openai:embedding:m'}"), "openai:embedding:m with OPENAI_API_KEY"),
    "a model that moderates": (graded("{type: moderation, provider: 'openai:moderation'}"), "openai:moderation with OPENAI_API_KEY"),
    "a model that embeds elsewhere": (graded("{type: similar, value: x, provider: {embedding: {id: 'openai:embedding:m', config: {apiBaseUrl: http://127.0.0.1:9/v1, apiKeyEnvar: TOP}}}}"), "http://127.0.0.1:9/v1, openai:embedding:m with TOP"),
    "cases that are fetched": (f"{HEAD}tests: https://a.example/cases.csv\n", "https://a.example/cases.csv"),
}  # fmt: skip


@pytest.mark.parametrize("what", SENT)
def test_every_address_is_shown(connect: Connect, tmp_path: Path, what: str) -> None:
    text, expected = SENT[what]
    assert f"send the case to {expected}" in asked(connect, tmp_path, text)[1]


READ = {
    "in a prompt": prompted("'{{env.TOP}}'"),
    "in a value": graded("{type: contains, value: '{{env.TOP}}'}"),
    "in a variable": f"{HEAD}tests: [{{vars: {{q: '{{{{env.TOP}}}}'}}}}]\n",
    "in the settings of a provider": answered("{id: https://a.example, config: {headers: {k: '{{env.TOP}}'}}}"),
    "in what every case inherits": f"{HEAD}defaultTest: {{vars: {{w: '{{{{env.TOP}}}}'}}}}\n{CASE}",
}


@pytest.mark.parametrize("where", READ)
def test_every_variable_is_named(connect: Connect, tmp_path: Path, where: str) -> None:
    assert "read TOP of the environment" in asked(connect, tmp_path, READ[where])[1]


@pytest.mark.parametrize("text", [prompted("file://long.txt"), f"{HEAD}tests: [{{vars: {{q: file://long.txt}}}}]\n"])
def test_variables_in_long_files_are_named(connect: Connect, tmp_path: Path, text: str) -> None:
    written(tmp_path / "suites", {"long.txt": " " * 3_000_000 + "{{env.TOP}}"})
    assert "read TOP of the environment" in asked(connect, tmp_path, text)[1]


def test_what_does_nothing_outside_asks_in_few_words(connect: Connect, tmp_path: Path) -> None:
    _, shown = asked(connect, tmp_path, graded("{type: contains, value: hi}"))
    assert shown == "Run `a`?"


def test_only_the_providers_of_the_case_are_listed(connect: Connect, tmp_path: Path) -> None:
    text = f"prompts: [x]\nproviders: [echo, {{id: exec:sh other.sh, label: other}}]\n{CASE}    providers: [echo]\n"
    assert "other.sh" not in asked(connect, tmp_path, text)[1]


@pytest.mark.parametrize("setting", ["tools: 'file://../tools.json'", "tools: ['file://../tools.json']", "response_format: {type: json_schema, json_schema: {name: s, schema: 'file://../tools.json'}}"])  # fmt: skip
def test_tools_and_schemas_outside_are_shown(connect: Connect, tmp_path: Path, setting: str) -> None:
    (tmp_path / "tools.json").write_text('[{"type": "function"}]', encoding="utf-8")
    shown = asked(connect, tmp_path, answered(f"{{id: openai:chat:x, config: {{{setting}}}}}"))[1]
    assert f"read {tmp_path / 'tools.json'}" in shown
