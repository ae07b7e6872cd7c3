"""References follow files and folders that an editor is about to move or rename."""

import random
from pathlib import Path
from typing import Any

import pytest
from client import BARE, VSCODE, Client, Connect
from harness import LANGUAGE
from test_features import applied

from rubric_core.analysis import analyze
from rubric_core.disk import DiskFiles
from rubric_core.loading.project import Project

SUITE = """\
# rubric: dialect=agentv-3
name: support
execution:
  target: bot
workspace: {template: ./template/}
tests:
  - id: a
    input: Hello
    input_files: [data/order.json]
    criteria: Greets
    assertions:
      - {name: tone, type: llm-grader, prompt: ./prompts/tone.md}
      - {name: check, type: code-grader, command: [python, graders/check.py, "--strict"]}
      - {name: root, type: llm-grader, prompt: 'shared/root.md'}
      - include: ../parts/more.yaml
  - id: b
    input:
      - role: user
        content:
          - {type: file, value: "data/order.json"}
          - {type: text, value: data/order.json}
    criteria: Greets
"""
FILES = {
    "evals/support.eval.yaml": SUITE,
    "evals/listed.eval.yaml": "name: listed\ntests:\n  - file://cases/*.yaml\n  - cases/a.cases.yaml\n",
    "evals/cases/a.cases.yaml": "- id: x\n  input: Hi\n  criteria: y\n  input_files: [../data/order.json]\n",
    "evals/data/order.json": "{}",
    "evals/prompts/tone.md": "Is {{ output }} polite?\n",
    "evals/graders/check.py": "print(1)\n",
    "shared/root.md": "Is {{ output }} right?\n",
    "parts/more.yaml": "assertions:\n  - {type: contains, value: x}\n",
    ".agentv/targets.yaml": "targets:\n  - {name: bot, provider: cli, command: python bot.py}\n",
    "evals/template/a.txt": "a\n",
    ".git/HEAD": "ref: refs/heads/main\n",
}


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
    client.initialize(folder=folder)
    return client


def ask(client: Client, folder: Path, moves: dict[str, str]) -> dict[str, Any]:
    """The edits by file."""
    files = [{"oldUri": (folder / old).as_uri(), "newUri": (folder / new).as_uri()} for old, new in moves.items()]
    found = client.request("workspace/willRenameFiles", {"files": files})
    changes = found["documentChanges"] if found is not None else []
    return {each["textDocument"]["uri"].removeprefix(f"{folder.as_uri()}/"): each["edits"] for each in changes}


def lines(client: Client, folder: Path, moves: dict[str, str]) -> dict[str, list[str]]:
    """The lines that change, as they are afterwards."""
    changed = {}
    for name, edits in ask(client, folder, moves).items():
        text = (folder / name).read_text(encoding="utf-8")
        after = applied(text, edits)
        pairs = zip(text.split("\n"), after.split("\n"), strict=True)
        changed[name] = [new.strip() for old, new in pairs if old != new]
    return changed


SUPPORT, LISTED, CASES = "evals/support.eval.yaml", "evals/listed.eval.yaml", "evals/cases/a.cases.yaml"


@pytest.mark.parametrize(
    ("about", "moves", "expected"),
    [
        ("a prompt gets another name", {"evals/prompts/tone.md": "evals/prompts/manner.md"},
         {SUPPORT: ["- {name: tone, type: llm-grader, prompt: ./prompts/manner.md}"]}),
        ("a prompt moves up", {"evals/prompts/tone.md": "tone.md"},
         {SUPPORT: ["- {name: tone, type: llm-grader, prompt: ../tone.md}"]}),
        ("a name that needs quotes", {"evals/data/order.json": "evals/data/# 1.json"},
         {SUPPORT: ['input_files: ["data/# 1.json"]', '- {type: file, value: "data/# 1.json"}'], CASES: ['input_files: ["../data/# 1.json"]']}),
        ("quotes stay", {"shared/root.md": "shared/it's.md"},
         {SUPPORT: ["- {name: root, type: llm-grader, prompt: 'shared/it''s.md'}"]}),
        ("what is found from a folder above stays so", {"shared/root.md": "common/root.md"},
         {SUPPORT: ["- {name: root, type: llm-grader, prompt: 'common/root.md'}"]}),
        ("a grader in a command", {"evals/graders/check.py": "graders/check.py"},
         {SUPPORT: ['- {name: check, type: code-grader, command: [python, ../graders/check.py, "--strict"]}']}),
        ("a grader whose name a shell would take apart", {"evals/graders/check.py": "evals/graders/a b.py"}, {}),
        ("the folder of a template", {"evals/template": "evals/copied"},
         {SUPPORT: ["workspace: {template: ./copied/}"]}),
        ("a folder", {"evals/data": "data"},
         {SUPPORT: ["input_files: [../data/order.json]", '- {type: file, value: "../data/order.json"}'], CASES: ["input_files: [../../data/order.json]"]}),
        ("a folder in front of a pattern", {"evals/cases": "evals/rows"},
         {LISTED: ["- file://rows/*.yaml", "- rows/a.cases.yaml"]}),
        ("a file of cases takes its references along", {"evals/cases/a.cases.yaml": "evals/a.cases.yaml"},
         {LISTED: ["- a.cases.yaml"], CASES: ["input_files: [data/order.json]"]}),
        ("a suite takes its references along", {SUPPORT: "evals/deep/support.eval.yaml"},
         {SUPPORT: ["workspace: {template: ../template/}", "input_files: [../data/order.json]", "- {name: tone, type: llm-grader, prompt: ../prompts/tone.md}",
                    '- {name: check, type: code-grader, command: [python, ../graders/check.py, "--strict"]}',
                    "- include: ../../parts/more.yaml", '- {type: file, value: "../data/order.json"}']}),
        ("a suite gets another name", {SUPPORT: "evals/help.eval.yaml"}, {}),
        ("everything moves together", {"evals": "suites"}, {}),
        ("a suite and what it names move to one folder", {SUPPORT: "x/s.eval.yaml", "evals/prompts": "x/prompts", "evals/data": "x/data", "evals/graders": "x/graders", "evals/template": "x/template"},
         {CASES: ["input_files: [../../x/data/order.json]"]}),
        ("what no suite names", {"evals/data/nothing.json": "x.json"}, {}),
    ],
)  # fmt: skip
def test_references_follow(client: Client, folder: Path, about: str, moves: dict[str, str], expected: object) -> None:
    assert lines(client, folder, moves) == expected, about


def test_a_file_in_the_way_is_gone_around(client: Client, folder: Path) -> None:
    (folder / "evals" / "common").mkdir()
    (folder / "evals" / "common" / "root.md").write_text("{{ output }}\n", encoding="utf-8")
    expected = {SUPPORT: ["- {name: root, type: llm-grader, prompt: '../common/root.md'}"]}
    assert lines(client, folder, {"shared/root.md": "common/root.md"}) == expected


def test_the_text_in_the_editor_counts(client: Client, folder: Path) -> None:
    client.open((folder / SUPPORT).as_uri(), f"# longer\n{SUITE}", version=7)
    found = ask(client, folder, {"evals/prompts/tone.md": "evals/prompts/manner.md"})
    assert applied(f"# longer\n{SUITE}", found[SUPPORT]).count("./prompts/manner.md") == 1


def test_a_file_that_has_just_been_renamed_is_followed_again(client: Client, folder: Path) -> None:
    """Its new name was looked for, and not found, between the edit and the rename."""
    uri = (folder / SUPPORT).as_uri()
    renamed = SUITE.replace("tone.md", "manner.md")
    client.open(uri, renamed)
    assert "missing-file" in {each["code"] for each in client.diagnostics(uri)}
    (folder / "evals/prompts/tone.md").rename(folder / "evals/prompts/manner.md")
    (edits,) = ask(client, folder, {"evals/prompts": "evals/judges"}).values()
    assert applied(renamed, edits) == renamed.replace("prompts/manner.md", "judges/manner.md")


def test_clients_without_versions_and_files_without_references(connect: Connect, folder: Path) -> None:
    client = connect()
    offered = client.initialize(BARE, folder=folder)["capabilities"]["workspace"]["fileOperations"]
    assert offered == {"willRename": {"filters": [{"scheme": "file", "pattern": {"glob": "**/*"}}]}}
    moves = [{"oldUri": (folder / "shared").as_uri(), "newUri": (folder / "t").as_uri()}]
    found = client.request("workspace/willRenameFiles", {"files": moves})
    assert list(found["changes"]) == [(folder / SUPPORT).as_uri()]
    nowhere = [{"oldUri": "untitled:a", "newUri": "untitled:b"}, {"oldUri": "http://[", "newUri": "x"}]
    assert client.request("workspace/willRenameFiles", {"files": nowhere}) is None


def test_after_any_moves_every_reference_leads_to_the_same_file(connect: Connect, tmp_path: Path) -> None:
    rng = random.Random(3)
    followed = 0
    for number in range(12):
        folder = tmp_path / f"project-{number}"
        for name, text in FILES.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        client = connect()
        client.initialize(VSCODE, folder=folder)
        chosen = rng.sample([n for n in FILES if not n.startswith(".")], 2)
        places = [
            f"{rng.choice(('', 'evals/', 'new/', 'evals/deep/er/'))}{rng.choice('xyz')}{i}-{Path(n).name}"
            for i, n in enumerate(chosen)
        ]
        moves = dict(zip(chosen, places, strict=True))
        before = missing(folder)
        for name, edits in ask(client, folder, moves).items():
            followed += 1
            file = folder / name
            file.write_text(applied(file.read_text(encoding="utf-8"), edits), encoding="utf-8")
        for old, new in moves.items():
            (folder / new).parent.mkdir(parents=True, exist_ok=True)
            (folder / old).rename(folder / new)
        assert missing(folder) == before, moves
        client.close()
    assert followed > 10


def missing(folder: Path) -> list[str]:
    """What suites name that is not there; a pattern does not follow the files that match it."""
    found = []
    for path in sorted(folder.rglob("*.eval.yaml")):
        analysis = analyze(
            LANGUAGE.document(path.read_text(encoding="utf-8"), path), LANGUAGE, path=path, project=Project(DiskFiles())
        )
        found += [d.message for d in analysis.diagnostics if d.code == "missing-file" and "*" not in d.message]
    return found


def test_a_file_that_is_only_above_is_no_reference_where_agentv_looks_beside(connect: Connect, folder: Path) -> None:
    text = "tests: above.yaml\ninput_files: [above.md]\n"
    suite = folder / "evals" / "high.eval.yaml"
    suite.write_text(text, encoding="utf-8")
    (folder / "above.yaml").write_text("- {id: x, input: Hi, criteria: y}\n", encoding="utf-8")
    (folder / "above.md").write_text("Hello", encoding="utf-8")
    client = connect()
    client.initialize(VSCODE, folder)
    client.open(suite.as_uri(), text)
    assert not client.at("definition", suite.as_uri(), 0, len("tests: a"))
    assert client.at("definition", suite.as_uri(), 1, len("input_files: [a"))
    assert lines(client, folder, {"above.yaml": "x.yaml"}) == {}
    assert lines(client, folder, {"above.md": "x.md"}) == {"evals/high.eval.yaml": ["input_files: [x.md]"]}
