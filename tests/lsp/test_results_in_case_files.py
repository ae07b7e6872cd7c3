"""A file of cases opened by itself: its cases have the results of the suite that takes them over, and run with it."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from client import VSCODE, Client, Connect, replaced, until
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
