"""Going where names lead in configurations of promptfoo and in the files that they name, renaming them, and the outline."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from client import VSCODE, Client, Connect, ServerError, place
from waiting import until

CONFIG = """\
description: Support
x-checks:
  polite: &polite {type: llm-rubric, value: Is polite, metric: tone}
  short:
    type: javascript
    value: output.length < context.vars.limit
prompts:
  - file://prompts/greet.txt
  - {raw: "Say {{word}} to {{name}}", label: short}
  - file://prompts/chat.json
providers:
  - {id: "openai:chat:gpt-5-mini", label: small, prompts: [short]}
  - {id: "openai:chat:gpt-5", label: big}
  - python:ask.py
defaultTest:
  vars: {limit: 20}
  options: {provider: small}
scenarios:
  - config: [{vars: {word: hi}}]
    tests: [{vars: {name: Bob}}]
derivedMetrics:
  - {name: both, value: (tone + style) / 2}
tests:
  - description: greets
    vars: {word: hi, name: Ann}
    providers: [small]
    prompts: [short]
    assert:
      - *polite
      - {type: contains, value: "{{ name | upper }}", metric: style}
      - $ref: '#/x-checks/short'
      - {type: python, value: file://check.py:check, provider: big}
  - vars: {word: ho, name: Bea}
    providers: ["openai:*"]
    assert: [{type: javascript, value: "context.vars.name === 'x' || context['vars']['name']"}]
  - file://more.yaml
"""
MORE = """\
- vars: {word: hey, name: Cid}
  providers: [big]
  assert: [{type: contains, value: "{{name}}", metric: style}]
"""
FILES = {
    "promptfooconfig.yaml": CONFIG,
    "more.yaml": MORE,
    "prompts/greet.txt": "Hello {{ name }}, {% if word %}{{word}}{% endif %}\n",
    "prompts/chat.json": '[{"role": "user", "content": "Say {{word}} to {{name}}"}]\n',
    "check.py": "def check(output, context): return True\n",
    "ask.py": "def call_api(prompt, options, context): return {'output': prompt}\n",
}
Ask = Callable[..., Any]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def client(connect: Connect, folder: Path) -> Client:
    client = connect()
    client.initialize(VSCODE, folder)
    client.open((folder / "promptfooconfig.yaml").as_uri(), CONFIG, kind="yaml")
    return client


@pytest.fixture
def ask(client: Client, folder: Path) -> Ask:
    """Asks at the nth place of a word in a file, the configuration where nothing is said."""

    def ask(method: str, word: str, nth: int = 1, name: str = "promptfooconfig.yaml", **more: Any) -> Any:
        text, at = FILES[name], -1
        for _ in range(nth):
            at = text.index(word, at + 1)
        found = place(text, at + 1)
        return client.at(method, (folder / name).as_uri(), found["line"], found["character"], **more)

    return ask


def words(found: list[dict[str, Any]]) -> list[str]:
    """What is written in ranges of one line, with the name of the file and the line."""
    return sorted(_word(each["uri"].rpartition("/")[2], each["range"]) for each in found)


def _word(name: str, at: dict[str, Any]) -> str:
    text = next(text for path, text in FILES.items() if path.endswith(name))
    line = text.split("\n")[at["start"]["line"]]
    return f"{name}:{at['start']['line'] + 1} {line[at['start']['character'] : at['end']['character']]}"


@pytest.mark.parametrize(
    ("word", "nth", "expected"),
    [
        ("small", 2, ["promptfooconfig.yaml:12 small"]),  # options.provider
        ("small", 3, ["promptfooconfig.yaml:12 small"]),
        ("big", 2, ["promptfooconfig.yaml:13 big"]),
        (
            "openai:*",
            1,
            ["promptfooconfig.yaml:12 openai:chat:gpt-5-mini", "promptfooconfig.yaml:13 openai:chat:gpt-5"],
        ),
        ("short", 4, ["promptfooconfig.yaml:9 short"]),
        ("tone +", 1, ["promptfooconfig.yaml:3 tone"]),
        ("style)", 1, ["more.yaml:3 style", "promptfooconfig.yaml:30 style"]),
        ("#/x-checks/short", 1, ["promptfooconfig.yaml:4 short"]),
        ("*polite", 1, ["promptfooconfig.yaml:3 polite"]),
        ("vars.limit", 1, ["promptfooconfig.yaml:16 limit"]),
    ],
)
def test_a_reference_leads_to_what_it_means(ask: Ask, word: str, nth: int, expected: list[str]) -> None:
    found = ask("definition", word.removeprefix("vars."), nth)
    assert words(found) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("prompts/greet.txt", "prompts/greet.txt"),
        ("check.py:check", "check.py"),
        ("ask.py", "ask.py"),
        ("more.yaml", "more.yaml"),
    ],
)
def test_a_path_leads_to_its_file(ask: Ask, word: str, expected: str) -> None:
    (found,) = ask("definition", word)
    assert found["uri"].endswith(f"/project/{expected}")


def test_every_file_is_a_link(client: Client, folder: Path) -> None:
    uri = (folder / "promptfooconfig.yaml").as_uri()
    found = client.request("textDocument/documentLink", {"textDocument": {"uri": uri}})
    assert sorted(each["target"].rpartition("/project/")[2] for each in found) == [
        "ask.py", "check.py", "more.yaml", "prompts/chat.json", "prompts/greet.txt",
    ]  # fmt: skip


def test_a_variable_is_found_in_prompts_cases_and_code(ask: Ask) -> None:
    found = ask("references", "name: Ann", context={"includeDeclaration": True})
    assert words(found) == [
        "chat.json:1 name", "greet.txt:1 name", "more.yaml:1 name", "more.yaml:3 name", "promptfooconfig.yaml:20 name",
        "promptfooconfig.yaml:25 name", "promptfooconfig.yaml:30 name", "promptfooconfig.yaml:33 name", "promptfooconfig.yaml:35 name",
        "promptfooconfig.yaml:35 name", "promptfooconfig.yaml:9 name",
    ]  # fmt: skip
    (found,) = ask("definition", "name | upper")
    assert words([found]) == ["promptfooconfig.yaml:25 name"]


def test_a_variable_in_a_prompt_leads_to_its_values(client: Client, ask: Ask, folder: Path) -> None:
    client.open((folder / "prompts/greet.txt").as_uri(), FILES["prompts/greet.txt"], kind="plaintext")
    found = ask("definition", "name", name="prompts/greet.txt")
    assert words(found) == [
        "more.yaml:1 name", "promptfooconfig.yaml:20 name", "promptfooconfig.yaml:25 name", "promptfooconfig.yaml:33 name",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("word", "nth", "new", "expected"),
    [
        ("small", 3, "tiny", {"promptfooconfig.yaml": [12, 17, 26]}),
        ("big", 1, "large", {"promptfooconfig.yaml": [13, 32], "more.yaml": [2]}),
        ("short", 2, "brief", {"promptfooconfig.yaml": [9, 12, 27]}),
        ("style", 2, "manner", {"promptfooconfig.yaml": [22, 30], "more.yaml": [3]}),
        ("name: Ann", 1, "guest", {
            "promptfooconfig.yaml": [9, 20, 25, 30, 33, 35, 35], "more.yaml": [1, 3], "greet.txt": [1], "chat.json": [1],
        }),
        ("polite", 2, "kind", {"promptfooconfig.yaml": [3, 29]}),
    ],
)  # fmt: skip
def test_a_rename_reaches_every_place(ask: Ask, word: str, nth: int, new: str, expected: dict[str, list[int]]) -> None:
    changes = ask("rename", word, nth, newName=new)["documentChanges"]
    found = {c["textDocument"]["uri"].rpartition("/")[2]: c["edits"] for c in changes}
    assert {n: sorted(e["range"]["start"]["line"] + 1 for e in edits) for n, edits in found.items()} == expected
    assert {e["newText"] for edits in found.values() for e in edits} == {new}


@pytest.mark.parametrize("word", ["output.length", "#/x-checks/short", "check.py", "Support"])
def test_what_is_no_name_is_not_renamed(ask: Ask, word: str) -> None:
    assert ask("prepareRename", word) is None
    with pytest.raises(ServerError, match="no name to rename"):
        ask("rename", word, newName="other")


def test_what_graders_fill_in_is_not_renamed(client: Client, folder: Path) -> None:
    text = CONFIG.replace("options: {provider: small}", 'options: {provider: small, rubricPrompt: "Judge {{output}}"}')
    uri = (folder / "promptfooconfig.yaml").as_uri()
    client.notify(
        "textDocument/didChange",
        {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": text}]},
    )
    at = place(text, text.index("{{output}}") + 3)
    with pytest.raises(ServerError, match="no variable"):
        client.at("rename", uri, at["line"], at["character"], newName="answer")


def test_code_that_takes_variables_apart_keeps_its_own_name(client: Client, folder: Path) -> None:
    text = """\
prompts: ["Say {{word}}"]
providers: [echo]
tests:
  - vars: {word: hi}
    assert:
      - type: javascript
        value: |
          const {word} = context.vars;
          return output.includes(word) && context.vars["word"].length > 1;
"""
    uri = (folder / "taken" / "promptfooconfig.yaml").as_uri()
    client.open(uri, text, kind="yaml")
    at = place(text, text.index("word"))
    changes = client.at("rename", uri, at["line"], at["character"], newName="term")["documentChanges"]
    lines = text.split("\n")
    for edit in sorted(changes[0]["edits"], key=lambda e: -e["range"]["start"]["character"]):
        line, start, end = (
            edit["range"]["start"]["line"],
            edit["range"]["start"]["character"],
            edit["range"]["end"]["character"],
        )
        lines[line] = lines[line][:start] + edit["newText"] + lines[line][end:]
    assert lines[0] == 'prompts: ["Say {{term}}"]'
    assert lines[7] == "          const {term:word} = context.vars;"
    assert lines[8] == '          return output.includes(word) && context.vars["term"].length > 1;'


def test_a_variable_that_nothing_uses_is_renamed_where_it_has_values(client: Client, folder: Path) -> None:
    text = CONFIG.replace("word: hi, name: Ann", "word: hi, name: Ann, spare: 1").replace("Bea}", "Bea, spare: 2}")
    uri = (folder / "promptfooconfig.yaml").as_uri()
    client.notify(
        "textDocument/didChange",
        {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": text}]},
    )
    at = place(text, text.index("spare") + 2)
    changes = client.at("rename", uri, at["line"], at["character"], newName="extra")["documentChanges"]
    assert [len(each["edits"]) for each in changes] == [2]


def test_the_same_is_marked_in_the_document(ask: Ask) -> None:
    found = ask("documentHighlight", "small", 2)
    assert [(each["range"]["start"]["line"] + 1, each["kind"]) for each in found] == [(12, 3), (17, 2), (26, 2)]


def test_the_outline_has_prompts_providers_cases_and_scenarios(client: Client, folder: Path) -> None:
    uri = (folder / "promptfooconfig.yaml").as_uri()
    found = client.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    outline = [(each["name"], [inner["name"] for inner in each.get("children", [])]) for each in found]
    assert outline == [
        ("prompts", ["file://prompts/greet.txt", "short", "file://prompts/chat.json"]),
        ("providers", ["small", "big", "python:ask.py"]),
        ("defaultTest", []),
        ("scenarios", ["scenario"]),
        ("greets", ["style", "python"]),
        ("word: ho, name: Bea", ["javascript"]),
    ]
    assert found[0]["children"][1]["detail"] == "Say {{word}} to {{name}}"


def test_files_of_cases_are_checked_as_such_while_they_are_open(client: Client, folder: Path) -> None:
    """By the configuration that names them: `asserts` would be a mistake in neither language otherwise."""
    uri = (folder / "more.yaml").as_uri()
    client.open(uri, MORE.replace("assert:", "asserts:"), kind="yaml")
    found = client.diagnostics(uri)
    assert [(each["code"], each["range"]["start"]["line"]) for each in found] == [("promptfoo/unknown-key", 2)]
    assert "promptfoo" in found[0]["message"] or "asserts" in found[0]["message"]


def test_prompts_of_a_configuration_are_no_suites(client: Client, folder: Path) -> None:
    """A prompt in JSON or YAML is a text: nothing of it is a mistake."""
    uri = (folder / "prompts/chat.json").as_uri()
    client.open(uri, '[{"role": "user", "content": "{% for x in name %}{{x}}{% endfor %}"}]\n', kind="json")
    assert client.diagnostics(uri) == []


def test_a_moved_file_is_followed(client: Client, folder: Path) -> None:
    moves = [{"oldUri": (folder / "prompts/greet.txt").as_uri(), "newUri": (folder / "prompts/hello.txt").as_uri()}]
    changes = client.request("workspace/willRenameFiles", {"files": moves})["documentChanges"]
    assert [[e["newText"] for e in c["edits"]] for c in changes] == [["file://prompts/hello.txt"]]


def test_it_is_found_out_without_opening_the_configuration(connect: Connect, folder: Path) -> None:
    """A file of cases is opened by itself, while the configuration is only in the folder."""
    client = connect()
    client.initialize(VSCODE, folder)
    uri = (folder / "more.yaml").as_uri()
    client.open(uri, MORE.replace("assert:", "asserts:"), kind="yaml")

    def found() -> list[str]:
        return [each["code"] for each in client.diagnostics(uri)]

    until("the file is checked as one of promptfoo", lambda: found() == ["promptfoo/unknown-key"])


@pytest.mark.parametrize(
    ("word", "nth", "expected"),
    [
        ("small", 3, ("a provider of promptfooconfig.yaml", 'id: "openai:chat:gpt-5-mini"')),
        ("short", 4, ("a prompt of promptfooconfig.yaml", "Say {{word}} to {{name}}")),
        ("tone +", 1, ("a metric, from 1 place", "line 3")),
        ("#/x-checks/short", 1, ("value: output.length",)),
        ("openai:chat:gpt-5-mini", 1, ("A model of OpenAI", "`max_tokens`")),
        ("name: Ann", 1, ("filled in for this case", "Ann")),
        ("prompts/greet.txt", 1, ("Hello {{ name }}",)),
    ],
)
def test_a_name_says_what_it_stands_for(
    client: Client, ask: Ask, word: str, nth: int, expected: tuple[str, ...]
) -> None:
    found = ask("hover", word, nth)["contents"]["value"]
    assert all(each in found for each in expected), found


def test_a_key_of_a_vendor_is_shown_nowhere(connect: Connect, folder: Path) -> None:
    """Hover on a reference shows the provider, but not what is secret in it."""
    text = CONFIG.replace("label: big}", "label: big, env: {OPENAI_API_KEY: sk-secret}, config: {apiKey: sk-secret}}")
    client = connect()
    client.initialize(VSCODE, folder)
    uri = (folder / "promptfooconfig.yaml").as_uri()
    client.open(uri, text, kind="yaml")
    at = place(text, text.index("provider: big") + len("provider: b"))
    found = client.at("hover", uri, at["line"], at["character"])["contents"]["value"]
    assert "openai:chat:gpt-5" in found
    assert "sk-secret" not in found


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("more.yaml", "- providers: [<|>]\n", {"small", "big"}),
        ("more.yaml", "- vars: {x: 1}\n  assert: [{type: contains, value: a, metric: <|>}]\n", {"tone", "style"}),
        ("more.yaml", '- assert: [{type: contains, value: "{{<|>}}"}]\n', {"word", "name", "limit"}),
        ("prompts/greet.txt", "Hello {{<|>", {"word", "name", "limit"}),
    ],
)
def test_files_of_a_configuration_are_offered_its_names(
    client: Client, folder: Path, name: str, text: str, expected: set[str]
) -> None:
    client.diagnostics((folder / "promptfooconfig.yaml").as_uri())  # so that it is known what it names
    uri = (folder / name).as_uri()
    at = place(text, text.index("<|>"))
    client.open(uri, text.replace("<|>", ""), kind="yaml" if name.endswith("yaml") else "markdown")
    offered = client.at("completion", uri, at["line"], at["character"])["items"]
    assert expected <= {each["label"] for each in offered}
