"""What a person is asked before a configuration of promptfoo is run: everything that it executes, reads and sends."""

import shutil
from pathlib import Path

import pytest
from client import VSCODE, Client, Connect, until
from running import run, written

HEAD = "prompts: ['{{q}}']\nproviders: [echo]\n"
CASE = "tests:\n  - description: a\n    vars: {q: hi}\n"
PYTHON = "import os\nos.system('touch PWNED')\n" + "".join(
    f"def {name}(*given): return 'ok'\n" for name in ("make", "get_assert", "get_transform")
)
PYTHON += "def call_api(prompt, options, context): return {'output': 'ok'}\nask = call_api\ndef f(output, context): return True\n"
PYTHON += "def get_var(name, prompt, given): return {'output': 'ok'}\n"
SCRIPT = "require('child_process').execSync('touch PWNED');\n"
FILES = {
    "code.py": PYTHON,
    "prompts/make.py": PYTHON,
    "code.rb": "`touch PWNED`\ndef call_api(prompt, options, context)\n  { 'output' => 'ok' }\nend\n",
    "code.js": f"{SCRIPT}module.exports = each => each;\nmodule.exports.beforeAll = each => each;\n",
    "up.js": f"{SCRIPT}module.exports = each => each;\n",
    "provider.js": f"{SCRIPT}module.exports = class {{ id() {{ return 'x'; }} async callApi(prompt) {{ return {{output: prompt}}; }} }};\n",
    "answer.sh": "touch PWNED\n",
    "make.sh": "touch PWNED\n",
    "grade.sh": "touch PWNED\n",
    "evil": "#!/bin/sh\ntouch PWNED\n",
}


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
    "a program that answers": (answered("exec:sh answer.sh"), "sh answer.sh {prompt}"),
    "a provider in JavaScript": (answered("file://provider.js"), "node: provider.js:default"),
    "a provider in Python": (answered("'python:code.py:ask'"), "python3: code.py:ask"),
    "a provider in Ruby": (answered("'file://code.rb'"), "ruby: code.rb:call_api"),
    "a transform of a provider": (answered("{id: echo, transform: output.trim()}"), "node: output.trim()"),
    "a transform of a reply": (
        answered("{id: 'https://a.example', config: {transformResponse: json.x, body: {p: '{{prompt}}'}}}"),
        "node: (json.x)",
    ),
    "a prompt program": (prompted("'exec:sh make.sh'"), "sh make.sh {data}"),
    "a prompt function": (prompted("file://code.py:make"), "python3: code.py:make"),
    "a prompt function without file://": (prompted("{id: code.js, label: x}"), "node: code.js:default"),
    "JavaScript": (graded("{type: javascript, value: output.length > 1}"), "node: output.length > 1"),
    "Python": (graded("{type: python, value: len(output)}"), "python3: len(output)"),
    "Ruby": (graded("{type: ruby, value: output.size}"), "ruby: output.size"),
    "a package of npm": (graded("{type: not-contains-sql}"), "node: the npm package node-sql-parser"),
    "inverted code": (graded("{type: not-javascript, value: output == 1}"), "node: output == 1"),
    "a script in a file": (graded("{type: python, value: 'file://code.py:f'}"), "python3: code.py:f"),
    "an expected value from code": (graded("{type: contains, value: file://code.js}"), "node: code.js:default"),
    "code in a set": (graded("{type: assert-set, assert: [{type: python, value: len(output)}]}"), "python3: len(output)"),
    "a transform of an assertion": (graded("{type: contains, value: x, transform: output.x}"), "node: output.x"),
    "a transform of a context": (graded("{type: context-recall, value: x, contextTransform: output.c}"), "node: output.c"),
    "a program that grades": (graded("{type: llm-rubric, value: x, provider: 'exec:sh grade.sh'}"), "sh grade.sh"),
    "a grader by its role": (graded("{type: llm-rubric, value: x, provider: {text: {id: file://provider.js}}}"), "node: provider.js:default"),
    "a transform of options": (f"{HEAD}{CASE}    options: {{transform: output.trim()}}\n", "node: output.trim()"),
    "its older name": (f"{HEAD}{CASE}    options: {{postprocess: output.trim()}}\n", "node: output.trim()"),
    "a transform of variables": (f"{HEAD}{CASE}    options: {{transformVars: '({{...vars, w: 1}})'}}\n", "node: ({...vars, w: 1})"),
    "a scoring function": (f"{HEAD}{CASE}    assert: [{{type: contains, value: x}}]\n    assertScoringFunction: file://code.js\n", "node: code.js:default"),
    "a variable from code": (f"{HEAD}tests: [{{vars: {{q: file://code.py}}}}]\n", "python3: code.py:get_var"),
    "what every case inherits": (f"{HEAD}defaultTest: {{options: {{transform: output.x}}}}\n{CASE}", "node: output.x"),
    "a hook": (f"{HEAD}extensions: ['file://code.js:beforeAll']\n{CASE}", "node: code.js:beforeAll"),
    "a filter": (f"{HEAD}nunjucksFilters: {{up: up.js}}\n{CASE}", "node: up.js:default"),
}  # fmt: skip


if shutil.which("ruby") is None:  # what cannot run is not in the plan
    EXECUTED = {what: each for what, each in EXECUTED.items() if "ruby" not in each[1]}


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
    "an endpoint": (answered("{id: https://a.example/v1, config: {body: {p: '{{prompt}}'}}}"), "https://a.example/v1"),
    "an endpoint in its settings": (answered("{id: http, config: {url: 'https://a.example/x', body: {p: '{{prompt}}'}}}"), "https://a.example/x"),
    "a socket": (answered("{id: 'wss://a.example', config: {messageTemplate: '{{prompt}}'}}"), "wss://a.example"),
    "a model": (answered("openai:chat:gpt-5-mini"), "https://api.openai.com/v1/chat/completions with OPENAI_API_KEY"),
    "a model elsewhere": (answered("{id: openai:chat:x, config: {apiBaseUrl: http://127.0.0.1:9/v1}}"), "http://127.0.0.1:9/v1/chat/completions with OPENAI_API_KEY"),
    "a grader": (graded("{type: llm-rubric, value: x, provider: 'openai:chat:gpt-5'}"), "https://api.openai.com/v1/chat/completions with OPENAI_API_KEY"),
    "a webhook": (graded("{type: webhook, value: 'https://a.example/hook'}"), "https://a.example/hook"),
    "a model that embeds": (graded("{type: similar, value: x, provider: 'openai:embedding:m'}"), "https://api.openai.com/v1/embeddings with OPENAI_API_KEY"),
    "a model that moderates": (graded("{type: moderation, provider: 'openai:moderation'}"), "https://api.openai.com/v1/moderations with OPENAI_API_KEY"),
    "a model that embeds elsewhere": (graded("{type: similar, value: x, provider: {embedding: {id: 'openai:embedding:m', config: {apiBaseUrl: http://127.0.0.1:9/v1, apiKeyEnvar: TOP}}}}"), "http://127.0.0.1:9/v1/embeddings with TOP"),
}  # fmt: skip


@pytest.mark.parametrize("what", SENT)
def test_every_address_is_shown(connect: Connect, tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "TOP"):
        monkeypatch.setenv(name, "s3cret-value")
    text, expected = SENT[what]
    assert f"send requests to {expected}" in asked(connect, tmp_path, text)[1]


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
