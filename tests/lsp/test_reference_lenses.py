"""How often cases and targets are referred to, above them, for those who ask for it."""

from pathlib import Path
from typing import Any

import pytest
from client import VSCODE, Client, Connect, replaced, until

CASES = "name: {}\nexecution: {{target: bot}}\ntests:\n  - id: a\n    input: Hi\n    criteria: c\n  - id: b\n    depends_on: [a]\n    input: Hi\n    criteria: c\n"
TARGETS = "targets:\n  - {name: bot, provider: mock, grader_target: judge}\n  - {name: judge, provider: mock}\n  - {name: idle, provider: mock}\n"
LISTS = {**VSCODE, "experimental": {"rubricReferences": True}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (
        (".agentv/targets.yaml", TARGETS),
        ("one.eval.yaml", CASES.format("one")),
        ("two.eval.yaml", CASES.format("two")),
        ("inner/.agentv/targets.yaml", "targets:\n  - {name: bot, provider: mock}\n"),
        ("inner/three.eval.yaml", CASES.format("three")),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def connected(connect: Connect, folder: Path, capabilities: Any, *, wanted: bool = True) -> Client:
    client = connect()
    client.replies["workspace/configuration"] = lambda _: [{"referenceLenses": wanted, "codeLenses": False}]
    client.initialize(capabilities, folder)
    for name in (".agentv/targets.yaml", "one.eval.yaml"):
        client.open((folder / name).as_uri(), (folder / name).read_text(encoding="utf-8"), kind="yaml")
    return client


def lenses(client: Client, folder: Path, name: str) -> list[Any]:
    return list(client.request("textDocument/codeLens", {"textDocument": {"uri": (folder / name).as_uri()}}))


def shown(found: list[Any]) -> list[tuple[int, str]]:
    return [(each["range"]["start"]["line"], each["command"]["title"]) for each in found]


def test_targets_are_counted_over_the_workspace(connect: Connect, folder: Path) -> None:
    client = connected(connect, folder, LISTS)
    counted = [(1, "2 references"), (2, "1 reference"), (3, "0 references")]
    # Those that are not open are known when the workspace was looked at.
    until("all suites", lambda: shown(lenses(client, folder, ".agentv/targets.yaml")) == counted)
    bot, _, idle = (each["command"] for each in lenses(client, folder, ".agentv/targets.yaml"))
    uri, at, places = bot["arguments"]
    assert (bot["command"], uri, at) == (
        "rubric.showReferences",
        (folder / ".agentv/targets.yaml").as_uri(),
        {"line": 1, "character": 11},
    )
    assert sorted((p["uri"].rpartition("/")[2], p["range"]["start"]) for p in places) == [
        ("one.eval.yaml", {"line": 1, "character": 20}),
        ("two.eval.yaml", {"line": 1, "character": 20}),
    ]
    assert idle["command"] == "", "there is nothing to list"


def test_cases_are_counted_as_they_are_written(connect: Connect, folder: Path) -> None:
    client = connected(connect, folder, VSCODE)
    until("the lens", lambda: shown(lenses(client, folder, "one.eval.yaml")) == [(3, "1 reference")])
    (lens,) = lenses(client, folder, "one.eval.yaml")
    assert lens["command"] == {"title": "1 reference", "command": ""}, "this client cannot list them"
    text = (folder / "one.eval.yaml").read_text(encoding="utf-8")
    client.change((folder / "one.eval.yaml").as_uri(), replaced(text, "[a]", "[a, a]"))
    assert shown(lenses(client, folder, "one.eval.yaml")) == [(3, "2 references")]


def test_cases_are_counted_over_the_files_of_their_suite(connect: Connect, tmp_path: Path) -> None:
    files = {
        ".agentv/targets.yaml": TARGETS,
        "one.eval.yaml": CASES.format("one") + "  - file://more.yaml\n",
        "two.eval.yaml": CASES.format("two"),
        "more.yaml": "- {id: c, input: Hi, criteria: c, depends_on: [a]}\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    client = connected(connect, tmp_path, LISTS)
    until("the file", lambda: shown(lenses(client, tmp_path, "one.eval.yaml")) == [(3, "2 references")])


def test_nobody_has_them_who_does_not_ask(connect: Connect, folder: Path) -> None:
    client = connect()
    client.initialize(LISTS, folder)
    client.open((folder / ".agentv/targets.yaml").as_uri(), TARGETS, kind="yaml")
    assert lenses(client, folder, ".agentv/targets.yaml") == []
    refused = connected(connect, folder, LISTS, wanted=False)
    assert lenses(refused, folder, ".agentv/targets.yaml") == []
