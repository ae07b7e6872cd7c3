"""A file of cases opened by itself: its cases have the results of the suite that takes them over, and run with it."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from client import VSCODE, Client, Connect, ServerError, replaced, until
from running import hints, kept, written

from rubric_lsp.routes import make_server

SUITE = """\
# rubric: dialect=agentv-3
name: support
execution: {target: canned}
tests: ./cases.yaml
assertions:
  - {type: contains, value: days}
"""
CASES = """\
- id: refund
  criteria: Names the window
  input: Can I return this?
  assertions:
    - type: contains
      value: weeks
- id: other
  criteria: Answers
  input: Hello
"""
TARGETS = "targets: [{name: canned, provider: mock, response: within 30 days}]\n"
WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written(tmp_path / "project", {".agentv/targets.yaml": TARGETS, "a.eval.yaml": SUITE, "cases.yaml": CASES})


def opened(connect: Connect, folder: Path, capabilities: Any = VSCODE) -> Client:
    """A client that has the file of cases open, and nothing else."""
    client = connect()
    client.initialize(capabilities, folder, initializationOptions={"trusted": True})
    client.open((folder / "cases.yaml").as_uri(), CASES, kind="yaml")
    return client


def ran(client: Client, folder: Path) -> None:
    """Both cases run, by the suite."""
    arguments = [(folder / "a.eval.yaml").as_uri()]
    client.request("workspace/executeCommand", {"command": "rubric.runFile", "arguments": arguments})
    until("the end", lambda: kept(folder / "a.eval.yaml"))


def marks(client: Client, uri: str) -> dict[int, str]:
    """The results at the ends of lines."""
    return {at: label.partition("  ")[0] for at, label in hints(client, uri).items() if label[0] in "✔✘◌"}


@pytest.mark.parametrize("tests", [False, True], ids=["plain", "with a tree of tests"])
def test_results_stand_in_the_file_of_cases(connect: Connect, folder: Path, tests: bool) -> None:
    uri, suite = ((folder / name).as_uri() for name in ("cases.yaml", "a.eval.yaml"))
    ran(opened(connect, folder), folder)
    # Another editor, later: only the file of cases is open, and nothing says which suite there is but the results.
    client = opened(connect, folder, {**VSCODE, "experimental": {"rubricTests": True}} if tests else VSCODE)
    until("marks", lambda: marks(client, uri) == {0: "✘ 0.50", 4: "✘", 6: "✔ 1.00"})
    shown = until("results", lambda: next(client.published(uri))["diagnostics"])
    assert [(d["code"], d["range"]["start"]["line"]) for d in shown] == [("case-failed", 0), ("criterion-failed", 4)]
    hover = client.at("hover", uri, 0, 7)["contents"]["value"]
    assert "rubric run a.eval.yaml::refund" in hover
    lenses = client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    assert [(n["command"]["title"], n["command"]["arguments"][:2]) for n in lenses[:3]] == [
        ("▶ Run", [suite, "refund"]), ("Run 5×", [suite, "refund"]), ("Report", [suite, "refund"]),
    ]  # fmt: skip
    # An edit makes the result of that case stale, and no other one.
    client.change(uri, replaced(CASES, "weeks", "months"))
    until("stale", lambda: marks(client, uri) == {0: "◌ stale · was ✘ 0.50", 4: "◌ ✘", 6: "✔ 1.00"})
    client.change(uri, replaced(CASES.replace("weeks", "months"), "months", "days"))
    command = lenses[0]["command"]
    client.request("workspace/executeCommand", {"command": command["command"], "arguments": command["arguments"]})
    until("its new result", lambda: marks(client, uri) == {0: "✔ 1.00", 4: "✔", 6: "✔ 1.00"})


def test_cases_in_json_have_their_results(connect: Connect, tmp_path: Path) -> None:
    case = {"id": "refund", "vars": {"name": "Ann"}, "assert": [{"type": "contains", "value": "weeks"}]}
    suite_text = TABLE.replace("rows.csv", "cases.json") + "default_test: {assert: [{type: contains, value: days}]}\n"
    files = {".agentv/targets.yaml": TARGETS, "a.eval.yaml": suite_text}
    folder = written(tmp_path / "project", {**files, "cases.json": json.dumps([case], indent=1)})
    client, uri, suite = connect(), (folder / "cases.json").as_uri(), (folder / "a.eval.yaml").as_uri()
    client.initialize(VSCODE, folder, initializationOptions={"trusted": True})
    client.open(suite, files["a.eval.yaml"])
    client.open(uri, (folder / "cases.json").read_text("utf-8"), kind="json")
    client.diagnostics(suite)
    lenses = client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    assert [n["command"]["arguments"][:2] for n in lenses] == [[suite, "refund"]] * 2
    ran(client, folder)
    until("marks", lambda: marks(client, uri) == {1: "✘ 0.50", 7: "✘"})
    shown = until("results", lambda: next(client.published(uri))["diagnostics"])
    assert [(d["code"], d["range"]["start"]["line"]) for d in shown] == [("case-failed", 1), ("criterion-failed", 7)]


ROWS = 'id,name,__expected\nrefund,"Ann\nsmith",contains: weeks\n\n,Bob,contains: days\n'
TABLE = """\
# rubric: dialect=agentv-5
name: support
providers: [canned]
prompts: ["Can {{name}} return this?"]
tests: file://rows.csv
"""


def test_rows_of_tables_have_their_results(connect: Connect, tmp_path: Path) -> None:
    folder = written(tmp_path / "project", {".agentv/targets.yaml": TARGETS, "a.eval.yaml": TABLE, "rows.csv": ROWS})
    client, uri, suite = connect(), (folder / "rows.csv").as_uri(), (folder / "a.eval.yaml").as_uri()
    capabilities = {**VSCODE, "experimental": {"rubricTests": True}}
    client.initialize(capabilities, folder, initializationOptions={"trusted": True})
    client.open(suite, TABLE)
    client.open(uri, ROWS, kind="csv")
    client.diagnostics(suite)
    lenses = client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    told = [(n["command"]["title"], n["command"]["arguments"][:2], n["range"]["start"]["line"]) for n in lenses[::2]]
    assert told == [("▶ Run", [suite, "refund"], 1), ("▶ Run", [suite, "rows.csv-5"], 4)]
    tests = client.request("rubric/discoverTests", {"textDocument": {"uri": suite}})["tests"]
    cases = [(each["label"], each["textDocument"]["uri"], each["range"]) for each in tests if each["kind"] == "case"]
    ends = {"refund": (1, 3), "rows.csv-5": (4, 5)}
    assert cases == [
        (name, uri, {"start": {"line": first, "character": 0}, "end": {"line": end, "character": 0}})
        for name, (first, end) in ends.items()
    ]
    ran(client, folder)
    until("marks", lambda: marks(client, uri) == {1: "✘ 0.00", 4: "✔ 1.00"})
    assert hints(client, suite)[4] == "✔ 1  ✘ 1"
    shown = until("results", lambda: next(client.published(uri))["diagnostics"])
    assert [(d["code"], d["range"]["start"]["line"]) for d in shown] == [("case-failed", 1), ("criterion-failed", 1)]
    assert client.at("hover", uri, 2, 1)["contents"]["value"].startswith("**refund** — ✘ failed 0.00")
    client.change(uri, replaced(ROWS, "weeks", "days"))
    until("stale", lambda: marks(client, uri) == {1: "◌ stale · was ✘ 0.00", 4: "✔ 1.00"})


NAMELESS = TABLE.replace(
    "tests: file://rows.csv",
    "tests:\n  - vars: {name: Ann}\n    assert: [{type: contains, value: weeks}]\n"
    "  - vars: {name: Bob}\n    assert: [{type: contains, value: days}]",
)


def test_a_case_without_an_id_keeps_its_result_where_it_moves(connect: Connect, tmp_path: Path) -> None:
    folder = written(tmp_path / "project", {".agentv/targets.yaml": TARGETS, "a.eval.yaml": NAMELESS})
    client, uri = connect(), (folder / "a.eval.yaml").as_uri()
    client.initialize(VSCODE, folder, initializationOptions={"trusted": True})
    client.open(uri, NAMELESS)
    client.diagnostics(uri)
    ran(client, folder)
    until("marks", lambda: marks(client, uri) == {5: "✘ 0.00", 6: "✘", 7: "✔ 1.00", 8: "✔"})
    assert client.at("hover", uri, 5, 5)["contents"]["value"].startswith("**line-6** — ✘ failed 0.00")
    lower = replaced(NAMELESS, "name: support", "name: support\n# one\n# two")
    client.change(uri, lower)
    until("marks", lambda: marks(client, uri) == {7: "✘ 0.00", 8: "✘", 9: "✔ 1.00", 10: "✔"})
    lenses = client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    told = {n["range"]["start"]["line"]: n["command"]["arguments"][1:2] for n in lenses}
    assert told == {6: [], 7: ["line-8"], 9: ["line-10"]}


SCENARIOS = """\
# rubric: dialect=agentv-5
name: support
providers: [canned]
prompts: ["Can I {{word}} this?"]
scenarios:
  - config:
      - vars: {word: return}
      - vars: {word: keep}
    tests:
      - id: first
        assert:
          - type: contains
            value: weeks
      - id: second
        assert:
          - type: contains
            value: days
"""


def test_tests_of_scenarios_are_cases_of_their_suite(connect: Connect, tmp_path: Path) -> None:
    folder = written(tmp_path / "project", {".agentv/targets.yaml": TARGETS, "a.eval.yaml": SCENARIOS})
    client, uri = connect(), (folder / "a.eval.yaml").as_uri()
    client.initialize(
        {**VSCODE, "experimental": {"rubricTests": True}}, folder, initializationOptions={"trusted": True}
    )
    client.open(uri, SCENARIOS)
    client.diagnostics(uri)
    tests = client.request("rubric/discoverTests", {"textDocument": {"uri": uri}})["tests"]
    found = [(each["label"], each["range"]["start"]["line"]) for each in tests if each["kind"] != "suite"]
    assert found == [("first", 9), ("contains-weeks", 11), ("second", 13), ("contains-days", 15)]
    lenses = client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    assert [(n["command"]["title"], n["range"]["start"]["line"]) for n in lenses] == [
        ("▶ Run every case", 4), ("▶ Run", 9), ("Run 5×", 9), ("▶ Run", 13), ("Run 5×", 13),
    ]  # fmt: skip
    ran(client, folder)
    until("marks", lambda: marks(client, uri) == {9: "✘ 0.00", 11: "✘", 13: "✔ 1.00", 15: "✔"})
    shown = until("results", lambda: next(client.published(uri))["diagnostics"])
    assert [(d["code"], d["range"]["start"]["line"]) for d in shown] == [("case-failed", 9), ("criterion-failed", 11)]
    client.change(uri, replaced(SCENARIOS, "weeks", "months"))
    until("stale", lambda: marks(client, uri)[9] == "◌ stale · was ✘ 0.00")


def test_a_case_whose_id_is_taken_has_no_result_of_the_other(connect: Connect, tmp_path: Path) -> None:
    text = SUITE.replace("tests: ./cases.yaml", f"tests:\n{CASES.replace('other', 'refund')}")
    folder = written(tmp_path / "project", {".agentv/targets.yaml": TARGETS, "a.eval.yaml": text})
    client, uri = connect(), (folder / "a.eval.yaml").as_uri()
    client.initialize(VSCODE, folder, initializationOptions={"trusted": True})
    client.open(uri, text)
    client.diagnostics(uri)
    ran(client, folder)
    first, second = (at for at, line in enumerate(text.splitlines()) if line == "- id: refund")
    until("marks", lambda: first in marks(client, uri))
    assert hints(client, uri)[second].startswith("○ unscored")
    assert "✘ failed 0.50" in client.at("hover", uri, first, 7)["contents"]["value"]
    said = r"**refund\~2** — ○ unscored"
    assert client.at("hover", uri, second, 7)["contents"]["value"].startswith(said)
    lenses = client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    runs = {
        n["range"]["start"]["line"]: n["command"]["arguments"][1:] for n in lenses if n["command"]["title"] == "▶ Run"
    }
    assert runs == {first: ["refund"], second: ["refund~2"]}


def test_a_case_whose_id_is_taken_in_the_suite_is_run_from_its_file(connect: Connect, folder: Path) -> None:
    uri, suite = ((folder / name).as_uri() for name in ("cases.yaml", "a.eval.yaml"))
    text = SUITE.replace(
        "tests: ./cases.yaml", "tests:\n  - file://cases.yaml\n  - {id: refund, criteria: Asks, input: Hi}"
    )
    (folder / "a.eval.yaml").write_text(text, encoding="utf-8")
    client = opened(connect, folder)
    client.open(suite, text)
    client.diagnostics(suite)
    lenses = client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    assert [n["command"]["arguments"][1] for n in lenses[::2]] == ["refund~2", "other"]
    ran(client, folder)
    until("marks", lambda: hints(client, uri).keys() >= {0, 6})
    assert (hints(client, uri)[0][:10], hints(client, uri)[6][:6]) == ("○ unscored", "✔ 1.00")


@pytest.mark.parametrize(("extra", "trouble"), [("- {x\n", "cases.yaml is not YAML"), ("- 3\n", "")])
def test_a_run_says_why_its_file_of_cases_has_none(connect: Connect, folder: Path, extra: str, trouble: str) -> None:
    """Lenses stay where they are while somebody types."""
    client = opened(connect, folder)
    client.open((folder / "a.eval.yaml").as_uri(), SUITE)
    cases = (folder / "cases.yaml").as_uri()
    client.change(cases, {"text": f"{CASES}{extra}"})
    found = client.request("textDocument/codeLens", {"textDocument": {"uri": cases}})
    lens = next(each["command"] for each in found if each["command"]["arguments"][1:2] == ["refund"])
    if trouble:
        with pytest.raises(ServerError, match=rf"no case with the id refund; no cases .* from ./cases.yaml: {trouble}"):
            client.request("workspace/executeCommand", lens)
    else:
        client.request("workspace/executeCommand", lens)


def test_actions_name_what_stands_in_the_file(connect: Connect, folder: Path) -> None:
    uri, suite = ((folder / name).as_uri() for name in ("cases.yaml", "a.eval.yaml"))
    client = opened(connect, folder)
    client.open(suite, SUITE)
    client.diagnostics(suite)
    here = {"line": 5, "character": 10}
    params = {"textDocument": {"uri": uri}, "range": {"start": here, "end": here}}
    actions = client.request(
        "textDocument/codeAction", {**params, "context": {"diagnostics": [], "only": ["rubric.run"], "triggerKind": 1}}
    )
    offered = {a["title"]: a["command"]["arguments"] for a in actions}
    assert offered["Run case ‹refund›"] == [suite, "refund"]
    assert offered["Run only this evaluator ‹contains-weeks›"] == [suite, "refund", "contains-weeks"]
    assert offered["Run every case of this suite"] == [suite]
    about = client.request("rubric/suite", {"textDocument": {"uri": uri}})
    assert (about["target"], about["dialect"]) == ("canned", "agentv-3")


def test_suites_without_results_are_not_searched_for_files_of_cases(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, suite = make_server(), folder / "a.eval.yaml"
    server.documents.folders = {folder.as_uri(): "folder"}
    searched: list[None] = []

    async def looked() -> list[str]:
        await server.known.record.load(suite.as_uri(), suite)  # as when it was opened: there are none
        monkeypatch.setattr(server.index, "read_already", lambda: searched.append(None) or [])
        return [report.uri async for report in server.workspace_check.reports()]

    assert (folder / "cases.yaml").as_uri() in asyncio.run(looked())
    assert searched == []
