"""Mistakes in prompt files of promptfoo are published for these files, open or closed, as long as a configuration names them."""

from pathlib import Path

import pytest
from client import VSCODE, Client, Connect, replaced, until

CONFIG = "prompts: [file://say.txt]\nproviders: [echo]\ntests: [{vars: {word: hi}}]\n"
PROMPT = "Say\n{{ wrod }}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "promptfooconfig.yaml").write_text(CONFIG, encoding="utf-8")
    (folder / "say.txt").write_text(PROMPT, encoding="utf-8")
    return folder


@pytest.fixture
def client(connect: Connect, folder: Path) -> Client:
    client = connect()
    client.initialize(VSCODE, folder)
    return client


def shown(client: Client, path: Path) -> list[str] | None:
    """What an editor shows of a file: lines and codes."""
    newest = next(client.published(path.as_uri()), None)
    if newest is None:
        return None
    return [f"{each['range']['start']['line'] + 1} {each['code']}" for each in newest["diagnostics"]]


def changed(client: Client, path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": path.as_uri(), "type": 2}]})


def test_a_closed_prompt_is_published_until_it_is_mended(client: Client, folder: Path) -> None:
    config, prompt = folder / "promptfooconfig.yaml", folder / "say.txt"
    until("the mistake", lambda: shown(client, prompt) == ["2 promptfoo/undefined-variable"])
    assert not shown(client, config)
    changed(client, prompt, "Say\n\n{{ word | uper }}\n")
    until("the next one", lambda: shown(client, prompt) == ["3 promptfoo/prompt-file"])
    changed(client, prompt, "Say {{ word }}\n")
    until("nothing", lambda: shown(client, prompt) == [])


def test_a_closed_prompt_is_cleared_when_nothing_names_it(client: Client, folder: Path) -> None:
    config, prompt = folder / "promptfooconfig.yaml", folder / "say.txt"
    until("the mistake", lambda: shown(client, prompt) == ["2 promptfoo/undefined-variable"])
    changed(client, config, CONFIG.replace("word", "wrod"))
    until("a configuration with that name", lambda: shown(client, prompt) == [])
    changed(client, config, CONFIG)
    until("the mistake again", lambda: shown(client, prompt) == ["2 promptfoo/undefined-variable"])
    changed(client, config, CONFIG.replace("file://say.txt", "Say it"))
    until("a configuration without the file", lambda: shown(client, prompt) == [])


def test_typing_in_a_configuration_reaches_its_prompts(client: Client, folder: Path) -> None:
    """No file on disk changes, and nothing that the closed prompt depends on but what the configuration defines."""
    config, prompt = folder / "promptfooconfig.yaml", folder / "say.txt"
    client.open(config.as_uri(), CONFIG, kind="yaml")
    until("the mistake", lambda: shown(client, prompt) == ["2 promptfoo/undefined-variable"])
    client.change(config.as_uri(), replaced(CONFIG, "word", "wrod"))
    until("a name that is defined", lambda: shown(client, prompt) == [])
    client.change(config.as_uri(), {"text": CONFIG})
    until("the mistake again", lambda: shown(client, prompt) == ["2 promptfoo/undefined-variable"])
    client.open(prompt.as_uri(), PROMPT, kind="plaintext")
    until("the open file", lambda: shown(client, prompt) == ["2 promptfoo/undefined-variable"])
    client.change(config.as_uri(), replaced(CONFIG, "word", "wrod"))
    until("a name that is defined, of the open file", lambda: shown(client, prompt) == [])
    client.change(config.as_uri(), {"text": CONFIG.replace("file://say.txt", "Say it")})
    client.change(prompt.as_uri(), {"text": "{{ word | uper }}"})
    until("a file that nothing names", lambda: client.diagnostics(prompt.as_uri()) == [])
    client.change(config.as_uri(), {"text": CONFIG})
    until("a file that is named again", lambda: shown(client, prompt) == ["1 promptfoo/prompt-file"])


def test_an_open_prompt_is_checked_while_it_is_written(client: Client, folder: Path) -> None:
    prompt = folder / "say.txt"
    until("the mistake", lambda: shown(client, prompt) == ["2 promptfoo/undefined-variable"])
    client.open(prompt.as_uri(), PROMPT, kind="plaintext")
    until("the open file", lambda: shown(client, prompt) == ["2 promptfoo/undefined-variable"])
    client.change(prompt.as_uri(), replaced(PROMPT, "wrod", "word"))
    assert client.saved(prompt.as_uri()) == []
    client.change(prompt.as_uri(), {"text": "{{ word | uper }}\n"})
    found = client.saved(prompt.as_uri())
    assert [each["code"] for each in found] == ["promptfoo/prompt-file"]
    actions = client.request(
        "textDocument/codeAction",
        {"textDocument": {"uri": prompt.as_uri()}, "range": found[0]["range"], "context": {"diagnostics": found}},
    )
    assert [each["title"] for each in actions if each.get("kind") == "quickfix"] == ["Change it to `upper`"]


def test_without_the_check_of_the_workspace_it_is_said_where_it_is_seen(connect: Connect, folder: Path) -> None:
    client = connect()
    client.initialize(VSCODE, folder, initializationOptions={"checkWorkspace": False})
    config, prompt = folder / "promptfooconfig.yaml", folder / "say.txt"
    client.open(config.as_uri(), CONFIG, kind="yaml")
    until("the reference", lambda: shown(client, config) == ["1 promptfoo/undefined-variable"])
    client.open(prompt.as_uri(), PROMPT, kind="plaintext")
    until("the file", lambda: shown(client, prompt) == ["2 promptfoo/undefined-variable"])
    until("not at the reference", lambda: shown(client, config) == [])
    client.notify("textDocument/didClose", {"textDocument": {"uri": prompt.as_uri()}})
    until("the reference again", lambda: shown(client, config) == ["1 promptfoo/undefined-variable"])
    assert shown(client, prompt) == []


def test_a_closed_program_is_published_until_nothing_names_it(client: Client, folder: Path) -> None:
    config, program = folder / "promptfooconfig.yaml", folder / "grade.js"
    program.write_text("module.exports = (output) => ouput.trim();\n", encoding="utf-8")
    named = CONFIG.replace("hi}", "hi}, assert: [{type: javascript, value: file://grade.js}]")
    changed(client, config, named)
    until("the mistake", lambda: shown(client, program) == ["1 promptfoo/program"])
    assert not shown(client, config)
    changed(client, program, "module.exports = (output) => JSON.parse(output);\n\nmodul.exports.a = 1;\n")
    until("the next one", lambda: shown(client, program) == ["3 promptfoo/program"])
    changed(client, config, CONFIG)
    until("a configuration without the file", lambda: shown(client, program) == [])


def test_a_prompt_for_judges_is_published_until_nothing_names_it(client: Client, folder: Path) -> None:
    config, judge = folder / "promptfooconfig.yaml", folder / "judge.txt"
    judge.write_text("Rate\n{{ ouput }} {{ wrod }}\n", encoding="utf-8")
    named = CONFIG.replace("hi}", "hi}, assert: [{type: llm-rubric, value: x, rubricPrompt: file://judge.txt}]")
    changed(client, config, named)
    until(
        "the mistakes",
        lambda: shown(client, judge) == ["2 promptfoo/undefined-variable", "2 promptfoo/undefined-variable"],
    )
    assert not shown(client, config)
    changed(client, config, named.replace("{word: hi}", "{word: hi, wrod: x}"))
    until("a name that is defined", lambda: shown(client, judge) == ["2 promptfoo/undefined-variable"])
    client.open(judge.as_uri(), "Rate\n\n{{ ouput }}\n", kind="plaintext")
    until("the open file", lambda: shown(client, judge) == ["3 promptfoo/undefined-variable"])
    client.change(judge.as_uri(), {"text": "Rate {{ ru"})
    place = {"textDocument": {"uri": judge.as_uri()}, "position": {"line": 0, "character": 10}}
    offered = client.request("textDocument/completion", place)
    assert {"rubric", "output", "word"} <= {each["label"] for each in offered["items"]}
    client.change(judge.as_uri(), {"text": "Rate it\n"})
    found = client.saved(judge.as_uri())
    assert [each["code"] for each in found] == ["promptfoo/judge-prompt"]
    changed(client, config, CONFIG)
    until("a configuration without the file", lambda: shown(client, judge) == [])


def test_a_program_that_only_a_file_of_cases_names_is_checked_itself(client: Client, folder: Path) -> None:
    config, cases, program = (folder / name for name in ("promptfooconfig.yaml", "cases.yaml", "grade.js"))
    program.write_text("module.exports = (output) => ouput.trim();\n", encoding="utf-8")
    check = "{vars: {word: hi}, assert: [{type: javascript, value: file://grade.js}]}"
    cases.write_text(f"- {check}\n", encoding="utf-8")
    changed(client, config, CONFIG.replace("[{vars: {word: hi}}]", "file://cases.yaml"))
    until("the program", lambda: shown(client, program) == ["1 promptfoo/program"])
    until("nothing in the file of cases", lambda: not shown(client, cases))
    changed(client, config, CONFIG)
    until("nothing names the program", lambda: not shown(client, program))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("grade.js", "// {{ a }}\nmodule.exports = (output) => {\n  tests: [1];\n  return ouput.trim()\n};\n"),
        ("grade.py", "# a: b\ntests = [\n  1]\ndef get_assert(output, context):\n    return lne(f'{{ }}')\n"),
    ],
)
def test_an_open_program_is_not_read_as_yaml(client: Client, folder: Path, name: str, text: str) -> None:
    config, program = folder / "promptfooconfig.yaml", folder / name
    program.write_text(text, encoding="utf-8")
    kind = "javascript" if name.endswith("js") else "python"
    changed(client, config, CONFIG.replace("hi}", f"hi}}, assert: [{{type: {kind}, value: file://{name}}}]"))
    until("the mistake", lambda: shown(client, program))
    client.open(program.as_uri(), text, kind=kind)
    assert [each["code"] for each in client.saved(program.as_uri())] == ["promptfoo/program"]
    document = {"textDocument": {"uri": program.as_uri()}}
    options = {"tabSize": 2, "insertSpaces": True}
    assert not client.request("textDocument/formatting", {**document, "options": options})
    assert not client.request("textDocument/documentSymbol", document)
    assert not client.request("textDocument/foldingRange", document)
    assert not client.request("textDocument/codeLens", document)
    assert not client.request("textDocument/semanticTokens/full", document)["data"]
    for line, written in enumerate(text.splitlines()):
        for character in range(0, len(written), 3):
            at = (program.as_uri(), line, character)
            assert not client.at("completion", *at)["items"]
            assert not client.at("definition", *at)
            hover = client.at("hover", *at)
            assert not hover or "did you mean" in str(hover)
