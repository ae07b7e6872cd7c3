"""Running configurations of promptfoo from an editor: lenses, actions, results on their lines, stale, cancel, the tree of tests."""

import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from client import VSCODE, Client, Connect, until
from running import command, ended, hints, line_of, outcomes, run, written
from waiting import alive

NAME = "promptfooconfig.yaml"
SUITE = """\
prompts:
  - 'Hello {{name}}'
  - file://bye.txt
providers: [echo, {id: 'exec:sh answer.sh', label: shell}]
defaultTest:
  assert:
    - type: icontains
      value: '{{name}}'
tests:
  - description: greets
    vars: {name: [Ann, Bob]}
    providers: [echo]
    assert:
      - type: contains
        value: Hello
  - vars: {name: Zoe}
    prompts: ['Hello {{name}}']
    providers: [echo]
    assert:
      - type: equals
        value: Hello Zoe
      - type: python
        value: file://check.py
  - vars: {name: Zoe}
    providers: [shell]
    prompts: ['Hello {{name}}']
"""
FILES = {
    "bye.txt": "Bye {{name}}\n",
    "check.py": "def get_assert(output, context):\n    return len(output) > 3\n",
    "answer.sh": "echo no answer\n",
}
line = partial(line_of, SUITE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written(tmp_path / "suites", {**FILES, NAME: SUITE})


@pytest.fixture
def uri(folder: Path) -> str:
    return (folder / NAME).as_uri()


def connected(connect: Connect, folder: Path, uri: str, text: str = SUITE, **more: Any) -> Client:
    client = connect()
    client.initialize({**VSCODE, **more}, folder, initializationOptions={"trusted": True})
    client.open(uri, text)
    client.diagnostics(uri)
    return client


def lenses(client: Client, uri: str) -> list[tuple[int, str, list[Any]]]:
    found = client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    return [(e["range"]["start"]["line"], e["command"]["title"], e["command"]["arguments"]) for e in found]


def titles(client: Client, uri: str, at: int) -> list[str]:
    place = {"line": at, "character": 10}
    params = {"textDocument": {"uri": uri}, "range": {"start": place, "end": place}, "context": {"diagnostics": [], "triggerKind": 1}}  # fmt: skip
    return [each["title"] for each in client.request("textDocument/codeAction", params)]


def test_every_case_has_its_lens_under_the_name_of_its_results(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder, uri)
    shown = lenses(client, uri)
    assert [(at, title) for at, title, _ in shown if "Run" in title and "5" not in title] == [
        (line("tests:"), "▶ Run 3 cases"),
        (line("description: greets"), "▶ Run"),
        (line("- vars: {name: Zoe}"), "▶ Run"),
        (line("  - vars: {name: Zoe}\n    providers: [shell]"), "▶ Run"),
    ]
    assert [arguments[1] for _, title, arguments in shown if title == "▶ Run"] == ["greets", "name=Zoe", "name=Zoe~2"]


def test_results_stand_on_the_lines_of_the_case_and_of_its_assertions(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder, uri)
    run(client, uri)
    ended(client)
    shown = {at: text.partition("  ")[0] for at, text in hints(client, uri).items()}
    assert shown[line("description: greets")].startswith("✘ 0.75")
    assert shown[line("type: contains")].startswith("✘")
    assert shown[line("- vars: {name: Zoe}")].startswith("✔ 1.00")
    assert shown[line("type: equals")] == "✔"
    assert shown[line("type: python")] == "✔"
    assert shown[line("type: icontains")].startswith("✘")
    found = outcomes(client, uri)
    assert "case-failed" in found


def test_an_action_runs_the_case_under_the_cursor(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder, uri)
    shown = titles(client, uri, line("type: equals"))
    assert {"Run case ‹name=Zoe›", "Run only this evaluator ‹equals-Hello Zoe›", "Run every case of this file"} <= set(
        shown
    )
    run(client, uri, "name=Zoe")
    ended(client)
    assert set(hints(client, uri)) >= {line("- vars: {name: Zoe}")}
    assert line("description: greets") not in hints(client, uri)
    assert "Open report ‹name=Zoe›" in titles(client, uri, line("type: equals"))


def test_one_assertion_is_run_alone(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder, uri)
    command(client, "runEvaluator", uri, "name=Zoe", "equals-Hello Zoe")
    ended(client)
    assert hints(client, uri)[line("type: equals")] == "✔"
    assert line("type: python") not in hints(client, uri)


def test_hover_on_the_case_shows_the_report(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder, uri)
    run(client, uri)
    ended(client)
    described = client.at("hover", uri, line("description: greets"), 20)["contents"]["value"]
    assert "failed" in described
    assert f"rubric run {NAME}::greets" in described
    plain = client.at("hover", uri, line("- vars: {name: Zoe}"), 6)["contents"]["value"]
    assert "passed" in plain


#: What is changed: a text in the configuration, or a file.
STALE = {
    "the case": ("", "value: Hello Zoe", "value: Hello Zoo"),
    "what every case inherits": ("", "type: icontains", "type: contains"),
    "a prompt": ("", "'Hello {{name}}'\n", "'Hallo {{name}}'\n"),
    "the file of a script": ("check.py", "len(output) > 3", "False"),
    "the file of a prompt": ("bye.txt", "Bye", "Farewell"),
}


@pytest.mark.parametrize("what", STALE)
def test_a_change_makes_the_result_stale(connect: Connect, folder: Path, uri: str, what: str) -> None:
    client = connected(connect, folder, uri)
    run(client, uri)
    ended(client)
    at = line("- vars: {name: Zoe}")
    assert hints(client, uri)[at].startswith("✔")
    file, before, after = STALE[what]
    if not file:
        client.change(uri, {"text": SUITE.replace(before, after)})
    else:
        path = folder / file
        path.write_text(path.read_text().replace(before, after))
        client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": path.as_uri(), "type": 2}]})
    until("a stale result", lambda: hints(client, uri)[at].startswith("◌ stale"))


def test_an_edit_elsewhere_leaves_the_result(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder, uri)
    run(client, uri)
    ended(client)
    client.change(uri, {"text": "# a comment\n\n" + SUITE.replace("value: Hello\n", "value: Hallo\n")})
    shown = hints(client, uri)
    assert shown[line("- vars: {name: Zoe}") + 2].startswith("✔")
    assert shown[line("description: greets") + 2].startswith("◌ stale")


def test_another_value_of_the_variable_that_names_a_case_makes_it_stale(
    connect: Connect, folder: Path, uri: str
) -> None:
    client = connected(connect, folder, uri)
    run(client, uri)
    ended(client)
    last = "  - vars: {name: Zoe}\n    providers: [shell]"
    at = line(last)
    for name in ("Zo", "Zoee"):
        client.change(uri, {"text": SUITE.replace(last, last.replace("Zoe", name))})
        assert hints(client, uri)[at].startswith("◌ stale")
    client.change(uri, {"text": SUITE})
    assert hints(client, uri)[at].startswith("✘")


def test_a_result_from_the_command_line_is_shown_until_an_edit(connect: Connect, folder: Path, uri: str) -> None:
    text = "prompts: ['Hello {{name}}']\nproviders: [echo]\ntests:\n  - vars: {name: Zoe}\n    assert: [{type: contains, value: Zoe}]\n"
    (folder / NAME).write_text(text)
    subprocess.run([sys.executable, "-m", "rubric_core", "run", NAME], cwd=folder, check=True, capture_output=True)
    client = connected(connect, folder, uri, text)
    until("the stored result", lambda: hints(client, uri))
    assert hints(client, uri)[3].startswith("✔ 1.00")
    client.change(uri, {"text": text.replace("value: Zoe", "value: Zo")})
    assert hints(client, uri)[3].startswith("◌ stale")


def test_a_run_is_cancelled(connect: Connect, folder: Path, uri: str, tmp_path: Path) -> None:
    marker = tmp_path / "alive"
    program = f"import time, os; open(r'{marker}', 'w').write(str(os.getpid())); time.sleep(600)"
    (folder / "slow.py").write_text(program)
    text = SUITE.replace("exec:sh answer.sh", f"exec:{sys.executable} slow.py")
    (folder / NAME).write_text(text)
    client = connected(connect, folder, uri, text)
    run(client, uri, "name=Zoe~2")
    until("the program", lambda: marker.exists() and marker.read_text())
    assert "■ Cancel" in [title for _, title, _ in lenses(client, uri)]
    command(client, "cancel", uri)
    ended(client)
    until("its end", lambda: not alive(int(marker.read_text())))


def test_the_tree_of_tests_has_one_item_for_each_case(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder, uri, experimental={"rubricTests": True})
    found = client.request("rubric/discoverTests", {"textDocument": {"uri": uri}})["tests"]
    assert [(each["label"], each["kind"]) for each in found] == [
        (NAME, "suite"),
        ("greets", "case"), ("icontains-{{name}}", "evaluator"), ("contains-Hello", "evaluator"),
        ("name=Zoe", "case"), ("icontains-{{name}}", "evaluator"), ("equals-Hello Zoe", "evaluator"), ("python-file://check.py", "evaluator"),
        ("name=Zoe~2", "case"), ("icontains-{{name}}", "evaluator"),
    ]  # fmt: skip
    assert found[1]["range"]["start"]["line"] == line("description: greets")


def test_nothing_is_run_or_read_when_a_configuration_is_opened(connect: Connect, folder: Path, uri: str) -> None:
    (folder / "check.py").write_text("open('PWNED', 'w')\n")
    (folder / "answer.sh").write_text("touch PWNED\n")
    client = connect()
    client.initialize({**VSCODE, "experimental": {"rubricTests": True}}, folder)
    client.open(uri, SUITE)
    client.diagnostics(uri)
    client.request("rubric/discoverTests", {"textDocument": {"uri": uri}})
    lenses(client, uri)
    titles(client, uri, line("type: equals"))
    assert not (folder / "PWNED").exists()
    assert not (folder / ".rubric").exists()


def test_the_prompt_of_a_case_is_shown(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder, uri, window={**VSCODE["window"], "showDocument": {"support": True}})
    command(client, "openPrompt", uri, "name=Zoe")
    shown = until("the document", lambda: [p["uri"] for m, p in client.requests if m == "window/showDocument"])[0]
    assert "Hello" in Path(shown.removeprefix("file://")).read_text("utf-8")


def test_the_report_shows_the_prompt_of_the_answer_that_it_shows(connect: Connect, folder: Path, uri: str) -> None:
    """A case with several variations has the answer of the worst one, and what was asked for that."""
    client = connected(connect, folder, uri, experimental={"rubricTests": True})
    run(client, uri)
    ended(client)
    found = client.request("rubric/report", {"testId": f"{uri}::greets"})
    assert found["answer"].startswith("Bye")
    assert found["prompt"].startswith("Bye")


def test_the_report_of_a_case_has_its_rows(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder, uri, window={**VSCODE["window"], "showDocument": {"support": True}})
    run(client, uri)
    ended(client)
    command(client, "openReport", uri, "greets")
    shown = until("the document", lambda: [p["uri"] for m, p in client.requests if m == "window/showDocument"])[0]
    text = Path(shown.removeprefix("file://")).read_text("utf-8")
    assert "2 of 4 variations" in text
    assert "Bye Ann" in text
