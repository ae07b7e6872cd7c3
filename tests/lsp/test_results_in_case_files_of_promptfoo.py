"""Cases of promptfoo in other files exist in the editor as in the command line: lenses, tests, runs, and results where they stand."""

from pathlib import Path
from typing import Any

import pytest
from client import VSCODE, Client, Connect, replaced, until
from running import command, ended, hints, run, written

NAME = "promptfooconfig.yaml"
SUITE = """\
prompts: ['Hi {{name}}']
providers: [echo]
tests:
  - file://rows.csv
  - vars: {name: Zoe}
    assert: [{type: contains, value: Zoe}]
  - file://lines.jsonl
  - file://some.yaml
  - file://some.json
"""
FILES = {
    "rows.csv": "name,__expected,__description\nAnn,contains:Ann,greets Ann\nBob,contains:Eve,greets Bob\n",
    "lines.jsonl": '{"vars": {"name": "Kim"}, "assert": [{"type": "contains", "value": "Kim"}]}\n',
    "some.yaml": "- vars: {name: Zoe}\n  assert:\n    - type: contains\n      value: Eve\n    - type: contains\n      value: Zoe\n",
    "some.json": '[\n  {"vars": {"name": "Max"}, "assert": [{"type": "contains", "value": "Max"}]}\n]\n',
}
#: The cases of each file as the configuration names them, with the lines on which they begin.
CASES = {
    NAME: {"name=Zoe": 4},
    "rows.csv": {"greets Ann": 1, "greets Bob": 2},
    "lines.jsonl": {"name=Kim": 0},
    "some.yaml": {"name=Zoe~2": 0},
    "some.json": {"name=Max": 1},
}


#: What editors call each kind of file; without an extension for tables, VS Code calls them plain text.
KINDS = {".csv": "plaintext", ".jsonl": "jsonl", ".json": "json", ".yaml": "yaml"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written(tmp_path / "suites", {**FILES, NAME: SUITE})


def opened(connect: Connect, folder: Path, **more: Any) -> Client:
    client = connect()
    client.initialize({**VSCODE, **more}, folder, initializationOptions={"trusted": True})
    for name, text in {NAME: SUITE, **FILES}.items():
        client.open((folder / name).as_uri(), text, kind=KINDS[Path(name).suffix])
    assert client.diagnostics((folder / NAME).as_uri()) == []
    return client


def offered(client: Client, uri: str) -> dict[str, int]:
    """The cases with a lens that runs them, with its line."""
    found = client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    runs = [each for each in found if each["command"]["command"] == "rubric.runCase"]
    return {each["command"]["arguments"][1]: each["range"]["start"]["line"] for each in runs}


def test_each_case_has_its_lens_and_its_test(connect: Connect, folder: Path) -> None:
    client = opened(connect, folder, experimental={"rubricTests": True})
    uri = (folder / NAME).as_uri()
    tests = client.request("rubric/discoverTests", {"textDocument": {"uri": uri}})["tests"]
    for name, cases in CASES.items():
        where = (folder / name).as_uri()
        assert offered(client, where) == cases
        there = [each for each in tests if each["kind"] == "case" and each["textDocument"]["uri"] == where]
        assert {each["label"]: each["range"]["start"]["line"] for each in there} == cases
    lenses = client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    assert lenses[0]["command"]["title"] == "▶ Run every case"


def test_results_stand_at_the_path_and_at_each_row(connect: Connect, folder: Path) -> None:
    client, uri = opened(connect, folder), (folder / NAME).as_uri()
    run(client, uri)
    ended(client)

    def shown(name: str) -> dict[int, str]:
        return {at: text.partition("  ")[0] for at, text in hints(client, (folder / name).as_uri()).items()}

    assert hints(client, uri)[3] == "✔ 1  ✘ 1"
    assert shown(NAME) == {3: "✔ 1", 4: "✔ 1.00", 5: "✔", 6: "✔ 1", 7: "✘ 1", 8: "✔ 1"}
    assert shown("rows.csv") == {1: "✔ 1.00", 2: "✘ 0.00"}
    assert shown("lines.jsonl") == {0: "✔ 1.00"}
    assert shown("some.yaml") == {0: "✘ 0.50", 2: "✘", 4: "✔"}
    assert shown("some.json") == {1: "✔ 1.00"}


def test_problems_and_reports_stand_at_each_row(connect: Connect, folder: Path) -> None:
    client, uri = opened(connect, folder), (folder / NAME).as_uri()
    run(client, uri)
    ended(client)

    def problems(name: str) -> list[tuple[str, int]]:
        shown = next(client.published((folder / name).as_uri()))["diagnostics"]
        return [(each["code"], each["range"]["start"]["line"]) for each in shown]

    def report(name: str, line: int, character: int) -> str:
        found = client.at("hover", (folder / name).as_uri(), line, character)
        return found["contents"]["value"].partition("\n")[0].strip() if found else ""

    until("problems", lambda: problems("some.yaml"))
    assert problems("some.yaml") == [("case-failed", 0), ("criterion-failed", 2)]
    assert until("problems", lambda: problems("rows.csv")) == [("case-failed", 2), ("criterion-failed", 2)]
    assert problems("lines.jsonl") == problems("some.json") == []
    assert report("rows.csv", 1, 1) == "**greets Ann** — ✔ passed 1.00"
    assert report("rows.csv", 2, 8) == "**greets Bob** — ✘ failed 0.00"
    # In structured text it stands at the first key, as in a configuration.
    assert report("lines.jsonl", 0, 3) == "**name=Kim** — ✔ passed 1.00"
    assert report("some.yaml", 0, 3) == r"**name=Zoe\~2** — ✘ failed 0.50"
    assert report("some.json", 1, 5) == "**name=Max** — ✔ passed 1.00"
    assert report("some.yaml", 1, 3).startswith("**assert**")


def test_tests_of_scenarios_have_lenses_tests_and_results(connect: Connect, tmp_path: Path) -> None:
    """Each row makes a case of each test, and all of them are written in one place."""
    text = """\
prompts: ['Hi {{name}} {{word}}']
providers: [echo]
scenarios:
  - config:
      - vars: {word: one}
      - vars: {word: two}
    tests:
      - vars: {name: Ann}
        assert:
          - {type: contains, value: one}
"""
    folder = written(tmp_path / "rows", {NAME: text})
    client, uri = connect(), (folder / NAME).as_uri()
    client.initialize(
        {**VSCODE, "experimental": {"rubricTests": True}}, folder, initializationOptions={"trusted": True}
    )
    client.open(uri, text, kind="yaml")
    client.diagnostics(uri)
    cases = {"word=one,name=Ann": 7, "word=two,name=Ann": 7}
    assert offered(client, uri) == cases
    lenses = client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    assert [each["command"]["title"] for each in lenses] == ["▶ Run every case", *(f"▶ Run ‹{each}›" for each in cases)]
    tests = client.request("rubric/discoverTests", {"textDocument": {"uri": uri}})["tests"]
    assert [each["label"] for each in tests if each["kind"] == "case"] == [*cases]
    run(client, uri)
    ended(client)
    assert hints(client, uri) == {7: "✔ 1  ✘ 1", 9: '✘  does not contain "one"'}
    client.change(uri, replaced(text, "value: one", "value: Hi"))
    assert hints(client, uri)[7] == "◌ 2 stale"


def test_a_row_is_run_from_its_file(connect: Connect, folder: Path) -> None:
    client, uri, rows = opened(connect, folder), (folder / NAME).as_uri(), (folder / "rows.csv").as_uri()
    here = {"line": 2, "character": 3}
    asked = {"textDocument": {"uri": rows}, "range": {"start": here, "end": here}}
    found = client.request("textDocument/codeAction", {**asked, "context": {"diagnostics": [], "triggerKind": 1}})
    arguments = next(each["command"]["arguments"] for each in found if each["title"] == "Run case ‹greets Bob›")
    assert arguments == [uri, "greets Bob"]
    command(client, "runCase", *arguments)
    ended(client)
    assert hints(client, rows).keys() == {2}
    client.change(rows, replaced(FILES["rows.csv"], "Eve", "Bob"))
    command(client, "runCase", *arguments)
    ended(client, 2)
    assert until("what stands in the editor", lambda: hints(client, rows).get(2, "")).startswith("✔ 1.00")


def test_what_is_sent_is_what_is_said(connect: Connect, tmp_path: Path) -> None:
    """A suite and its case files are those in the editor; what else they name is on disk, and is named."""
    suite = "prompts: [file://prompt.txt]\nproviders: [echo]\ntests: [file://rows.csv]\n"
    rows = "name,more,__expected\nAnn,file://more.txt,contains:Hi Eve of the disk on disk\n"
    files = {NAME: suite, "rows.csv": rows, "prompt.txt": "Hi {{name}} {{more}} on disk", "more.txt": "of the disk"}
    folder = written(tmp_path / "saved", files)
    client = connect()
    client.initialize(VSCODE, folder, initializationOptions={"trusted": True})
    for name, text in files.items():
        client.open((folder / name).as_uri(), text, kind="yaml")
    uri, table = (folder / NAME).as_uri(), (folder / "rows.csv").as_uri()
    client.diagnostics(uri)
    client.change((folder / "prompt.txt").as_uri(), {"text": "Bye {{name}} {{more}} in the editor"})
    client.change((folder / "more.txt").as_uri(), {"text": "of the editor"})
    client.change(table, {"text": rows.replace("Ann", "Eve", 1)})
    run(client, uri)
    ended(client)
    said = until("a word", lambda: client.heard("window/showMessage"))[0]["message"]
    assert said == "rubric: prompt.txt, more.txt are not saved: this run uses the text on disk"
    assert hints(client, table)[1].startswith("✔ 1.00"), "and it is not stale"
    client.change(table, {"text": rows})
    assert hints(client, table).get(1, "◌ ").startswith("◌ ")


def test_a_run_is_cancelled_from_the_file_of_its_row(connect: Connect, folder: Path) -> None:
    (folder / NAME).write_text(SUITE.replace("echo", "'exec:sleep 600'"), encoding="utf-8")
    client = connect()
    client.initialize(VSCODE, folder, initializationOptions={"trusted": True})
    uri, rows = (folder / NAME).as_uri(), (folder / "rows.csv").as_uri()
    client.open(uri, (folder / NAME).read_text("utf-8"), kind="yaml")
    client.open(rows, FILES["rows.csv"], kind="csv")
    client.diagnostics(uri)
    command(client, "runCase", uri, "greets Bob")
    until("a run", lambda: any("⟳" in each for each in hints(client, rows).values()))
    command(client, "cancel", rows)
    ended(client)
    assert hints(client, rows) == {}


@pytest.mark.parametrize(
    "items", ["3, {}, {}", "x.csv, [a], {}", "null, {}, 3, x.csv, {}, {vars: 3}", "{}, x.csv, null, {}"]
)
def test_a_case_keeps_its_number_beside_what_is_no_case(connect: Connect, tmp_path: Path, items: str) -> None:
    """Cases without a description or variables are named by their number: lenses and the tree of tests have the same."""
    text = f"prompts: [Hi]\nproviders: [echo]\ntests: [{items}]\n"
    folder = written(tmp_path / "odd", {NAME: text})
    uri, client = (folder / NAME).as_uri(), connect()
    client.initialize(
        {**VSCODE, "experimental": {"rubricTests": True}}, folder, initializationOptions={"trusted": True}
    )
    client.open(uri, text)
    tests = client.request("rubric/discoverTests", {"textDocument": {"uri": uri}})["tests"]
    listed = {each["id"].partition("::")[2] for each in tests if each["kind"] == "case"}
    assert set(offered(client, uri)) == listed
