"""What a person is shown, in the forms that their client knows."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from client import BARE, VSCODE, Client, Connect, ServerError, replaced, until

URI = "file:///suites/a.eval.yaml"
SUITE = """\
# rubric: dialect=agentv-3
name: support
tests:
  - id: bands
    criteria: Shows every band
    input: Rate this answer.
    assertions:
      - type: rubrics
        criteria:
          - id: depth
            outcome: Depth of the analysis
            score_ranges:
              - {score_range: [0, 5], outcome: poor}
              - {score_range: [5, 10], outcome: good}
  - id: renamed
    expected_outcome: Says hello
    input: Hello
    assertions:
      - type: contains
        value: Hello
"""


def at(text: str, needle: str, after: int = 0) -> dict[str, int]:
    offset = text.index(needle) + after
    return {"line": text.count("\n", 0, offset), "character": offset - text.rfind("\n", 0, offset) - 1}


def whole(text: str) -> dict[str, Any]:
    return {"start": {"line": 0, "character": 0}, "end": {"line": text.count("\n"), "character": 0}}


def applied(text: str, edits: list[dict[str, Any]]) -> str:
    """The text with edits of the protocol made; everything here is ASCII."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    offset = lambda p: starts[p["line"]] + p["character"]  # noqa: E731
    for edit in sorted(edits, key=lambda e: offset(e["range"]["start"]), reverse=True):
        text = text[: offset(edit["range"]["start"])] + edit["newText"] + text[offset(edit["range"]["end"]) :]
    return text


def actions(client: Client, only: list[str] | None = None, where: Any = None, **context: Any) -> list[dict[str, Any]]:
    asked = {"diagnostics": client.diagnostics(URI), **({"only": only} if only else {}), **context}
    params = {"textDocument": {"uri": URI}, "range": where or whole(SUITE), "context": asked}
    return list(client.request("textDocument/codeAction", params))


@pytest.fixture
def client(connect: Connect) -> Client:
    client = connect()
    client.initialize()
    client.open(URI, SUITE)
    return client


def test_a_diagnostic_has_all_that_the_client_can_show(client: Client) -> None:
    overlap, renamed = client.diagnostics(URI)
    assert overlap["code"] == "overlapping-bands"
    assert overlap["severity"] == 1
    assert overlap["source"] == "rubric"
    assert overlap["range"]["start"] == at(SUITE, "[5, 10]")
    assert overlap["codeDescription"]["href"].endswith("overlapping_bands.md")
    assert overlap["relatedInformation"][0]["location"]["range"]["start"] == at(SUITE, "[0, 5]")
    _, what_to_do, otherwise = overlap["message"].split("\n")
    assert what_to_do == "fix: start this band at 6, or end the band 0–5 at 4"
    assert otherwise == "agentv skips the whole case and only logs it"
    assert overlap["data"]["fixes"]
    assert renamed["tags"] == [2]
    assert renamed["severity"] == 2


def test_a_quick_fix_takes_its_finding_away(client: Client) -> None:
    found = actions(client, ["quickfix"])
    preferred = [a["title"] for a in found if a.get("isPreferred")]
    assert preferred == ["Rename it to `criteria`"], "of two fixes, none is better"
    first, second = (a for a in found if a["title"] in ("Start this band at 6", "End the band 0–5 at 4"))
    assert [a["diagnostics"][0]["code"] for a in (first, second)] == ["overlapping-bands"] * 2
    edit = first["edit"]["documentChanges"][0]
    assert edit["textDocument"] == {"uri": URI, "version": 1}
    client.change(URI, {"text": applied(SUITE, edit["edits"])})
    assert [d["code"] for d in client.diagnostics(URI)] == ["renamed-key"]


def test_every_safe_fix_at_once(client: Client) -> None:
    (action,) = actions(client, ["source.fixAll"])
    assert action["kind"] == "source.fixAll.rubric"
    client.change(URI, {"text": applied(SUITE, action["edit"]["documentChanges"][0]["edits"])})
    assert [d["code"] for d in client.diagnostics(URI)] == ["overlapping-bands"], (
        "several fixes: for a person to choose"
    )
    assert actions(client, ["source.fixAll"]) == []


def test_only_the_fixes_of_the_place_are_offered(client: Client) -> None:
    here = {"start": at(SUITE, "expected_outcome", 3), "end": at(SUITE, "expected_outcome", 3)}
    fixes = [a["title"] for a in actions(client, ["quickfix"], here)]
    assert "Rename it to `criteria`" in fixes
    assert "Start this band at 6" not in fixes


def test_the_fixes_of_a_line_are_offered_where_the_editor_lists_its_findings(client: Client) -> None:
    """Neovim sends the diagnostics of the line, wherever on it the cursor is."""
    start = {**at(SUITE, "expected_outcome"), "character": 0}
    here = {"start": start, "end": start}
    fixes = [a["title"] for a in actions(client, ["quickfix"], here)]
    assert "Rename it to `criteria`" in fixes
    assert "Start this band at 6" not in fixes, "listed, but on another line"
    assert actions(client, ["quickfix"], here, diagnostics=[]) == [], "neither touched nor listed"


@pytest.mark.parametrize("only", [[""], ["", "quickfix"], None])
def test_the_empty_kind_means_every_kind(client: Client, only: list[str] | None) -> None:
    here = {"start": at(SUITE, "expected_outcome", 3), "end": at(SUITE, "expected_outcome", 3)}
    kinds = {a["kind"] for a in actions(client, only, here)}
    assert kinds >= {"quickfix", "source.fixAll.rubric", "rubric.run"}
    assert {a["kind"] for a in actions(client, ["quickfix"], here)} == {"quickfix"}


def test_the_case_at_the_cursor_can_be_run(client: Client) -> None:
    here = {"start": at(SUITE, "value: Hello"), "end": at(SUITE, "value: Hello")}
    commands = [a["command"] for a in actions(client, ["rubric.run"], here)]
    assert commands[0]["command"] == "rubric.runCase"
    assert commands[0]["arguments"] == [URI, "renamed"]
    assert "‹renamed›" in commands[0]["title"]


def test_an_editor_that_looks_around_is_not_offered_runs_on_every_line(client: Client) -> None:
    here = {"start": at(SUITE, "value: Hello"), "end": at(SUITE, "value: Hello")}
    assert actions(client, ["rubric.run"], here, triggerKind=2) == []
    on_id = {"start": at(SUITE, "id: renamed", 5), "end": at(SUITE, "id: renamed", 5)}
    assert actions(client, ["rubric.run"], on_id, triggerKind=2)


@pytest.mark.parametrize("name", ["", "helix"])
def test_fixes_and_runs_stand_above_migration(connect: Connect, name: str) -> None:
    client = connect()
    client.initialize(clientInfo={"name": name})
    client.open(URI, SUITE)
    here = {"start": at(SUITE, "expected_outcome", 3), "end": at(SUITE, "expected_outcome", 3)}
    every = ["quickfix", "source", "rubric", "refactor"]  # one by one: a menu is shorter
    kinds = list(dict.fromkeys(each["kind"] for each in actions(client, every, here)))
    fixes, runs, rest = (
        ["quickfix", "source.fixAll.rubric"],
        ["rubric.run", "rubric.run.results"],
        ["refactor.rewrite.migrate"],
    )
    # Helix has an order of its own, by the first word; what it does not know is last there.
    assert kinds == [*fixes, *([f"quickfix.{kind}" for kind in runs] if name else runs), *rest]


def test_a_client_without_literals_gets_commands(connect: Connect) -> None:
    client = connect()
    client.initialize({**BARE, "textDocument": {"codeAction": {}}})
    client.open(URI, SUITE)
    here = {"start": at(SUITE, "value: Hello"), "end": at(SUITE, "value: Hello")}
    assert {a["command"] for a in actions(client, where=here)} == {
        "rubric.runCase",
        "rubric.runEvaluator",
        "rubric.runFile",
    }
    assert {a["command"] for a in actions(client)} == {"rubric.runFile"}


def test_lenses_run_the_file_and_each_case(client: Client) -> None:
    lenses = client.request("textDocument/codeLens", {"textDocument": {"uri": URI}})
    assert [(lens["range"]["start"]["line"], lens["command"]["title"]) for lens in lenses] == [
        (2, "▶ Run 2 cases"),
        (3, "▶ Run"),
        (3, "Run 5×"),
        (14, "▶ Run"),
        (14, "Run 5×"),
    ]
    assert lenses[0]["command"]["arguments"] == [URI]
    assert lenses[2]["command"]["arguments"] == [URI, "bands", 5]
    assert lenses[3]["command"]["arguments"] == [URI, "renamed"]


def test_the_outline(client: Client) -> None:
    bands, renamed = client.request("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
    assert (bands["name"], renamed["name"]) == ("bands", "renamed")
    assert bands["children"][0]["children"][0]["name"] == "depth"
    assert renamed["range"]["start"] == at(SUITE, "id: renamed")
    assert renamed["selectionRange"]["start"] == at(SUITE, "renamed")


def test_a_flat_outline(connect: Connect) -> None:
    client = connect()
    client.initialize(BARE)
    client.open(URI, SUITE)
    found = client.request("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
    assert [s["name"] for s in found] == ["bands", "rubrics", "depth", "renamed", "contains-Hello"]
    assert found[2]["containerName"] == "rubrics"


def test_other_ways_to_write_it_are_offered_when_a_person_asks(client: Client) -> None:
    here = {"start": at(SUITE, "[0, 5]"), "end": at(SUITE, "[0, 5]")}
    titles = [a["title"] for a in actions(client, ["refactor"], here)]
    assert "Spread the bands evenly" in titles
    assert "Migrate this file to agentv-5" in titles
    assert {a["kind"].split(".")[0] for a in actions(client, ["refactor"], here)} == {"refactor"}
    assert actions(client, ["refactor"], here, triggerKind=2) == []
    (spread,) = [a for a in actions(client, ["refactor.rewrite"], here) if a["title"] == "Spread the bands evenly"]
    text = applied(SUITE, spread["edit"]["documentChanges"][0]["edits"])
    assert "[0, 4], outcome: poor" in text
    client.change(URI, {"text": text})
    assert [d["code"] for d in client.diagnostics(URI)] == ["renamed-key"]


def test_edits_that_take_long_are_made_when_an_action_is_chosen(connect: Connect) -> None:
    resolving = {
        **VSCODE["textDocument"]["codeAction"],
        "dataSupport": True,
        "resolveSupport": {"properties": ["edit"]},
    }
    client = connect()
    client.initialize({**VSCODE, "textDocument": {**VSCODE["textDocument"], "codeAction": resolving}})
    client.open(URI, SUITE)
    here = {"start": at(SUITE, "tests:"), "end": at(SUITE, "tests:")}
    run = next(a for a in actions(client, ["rubric.run"], here))
    assert client.request("codeAction/resolve", run)["command"] == run["command"], "whole already"
    (whole,) = [a for a in actions(client, ["refactor"], here) if "this file" in a["title"]]
    assert "edit" not in whole
    edits = client.request("codeAction/resolve", whole)["edit"]["documentChanges"][0]["edits"]
    assert "assert:" in applied(SUITE, edits)
    client.change(URI, replaced(SUITE, "support", "supper"))
    with pytest.raises(ServerError, match="changed since"):
        client.request("codeAction/resolve", whole)


def completion(client: Client, text: str) -> dict[str, dict[str, Any]]:
    """What is offered at `<|>`, by label."""
    offset = text.index("<|>")
    clean = text.replace("<|>", "")
    client.open(URI, clean, version=client.versions.get(URI, 0) + 1)
    place = at(text, "<|>")
    found = client.at("completion", URI, place["line"], place["character"])
    for item in found["items"]:
        edit = item["textEdit"]["range"]
        assert edit["start"]["line"] == edit["end"]["line"] == place["line"], "an edit of another line"
        assert edit["start"]["character"] <= place["character"] <= edit["end"]["character"]
    assert offset >= 0
    return {item["label"]: item for item in found["items"]}


OLD = "evalcases:\n  - id: a\n    expected_outcome: Says hello\n    input: Hello\n    "


def test_the_deprecated_key_is_offered_last_with_its_replacement(client: Client) -> None:
    found = completion(client, OLD + "gra<|>")
    assert found["grader"]["tags"] == [1]
    assert found["evaluator"]
    others = [i for i in found.values() if not i.get("tags")]
    assert all(i["sortText"] < found["grader"]["sortText"] for i in others)
    assert "evaluator" in found["grader"]["textEdit"]["newText"]


def test_snippets_go_to_clients_that_know_them(client: Client, connect: Connect) -> None:
    text = SUITE + "      - type: <|>"
    assert any(i.get("insertTextFormat") == 2 for i in completion(client, text).values())
    plain = connect()
    plain.initialize(BARE)
    for item in completion(plain, text).values():
        assert "insertTextFormat" not in item
        assert "${" not in item["textEdit"]["newText"]
        assert item.get("documentation", {"kind": "plaintext"})["kind"] == "plaintext"


def test_lines_of_snippets_say_how_they_are_indented(connect: Connect) -> None:
    text = SUITE + "      - type: <|>"
    item = {**VSCODE["textDocument"]["completion"]["completionItem"], "insertTextModeSupport": {"valueSet": [1, 2]}}
    can = {**VSCODE, "textDocument": {**VSCODE["textDocument"], "completion": {"completionItem": item}}}
    for capabilities, mode in ((can, 2), (BARE, None)):
        client = connect()
        client.initialize(capabilities)
        found = completion(client, text).values()
        several = [i for i in found if "\n" in i["textEdit"]["newText"]]
        assert bool(several) == (capabilities is can), "without snippets there is one line"
        assert {i.get("insertTextMode") for i in several} <= {mode}
        assert not [i for i in found if "insertTextMode" in i and i not in several]


def test_completion_right_behind_an_edit_sees_it(client: Client) -> None:
    text = SUITE.replace("      - type: contains\n", "")
    client.open(URI, text, version=5)
    client.change(URI, replaced(text, "    input: Hello\n", "    input: Hello\n    on_dep\n"))
    line = text.split("\n").index("    input: Hello") + 1
    labels = [i["label"] for i in client.at("completion", URI, line, 10)["items"]]
    assert "on_dependency_failure" in labels


def test_hover(client: Client) -> None:
    place = at(SUITE, "score_ranges", 3)
    found = client.at("hover", URI, place["line"], place["character"])
    assert found["contents"]["kind"] == "markdown"
    assert "0 ─ 5 │ 5 ─ 10\npoor    good" in found["contents"]["value"]
    assert found["range"]["start"] == at(SUITE, "score_ranges")
    assert client.at("hover", URI, 0, 3) is None


@pytest.mark.parametrize("shows", [True, False])
def test_fixes_that_nobody_tried_are_spoken_of(connect: Connect, shows: bool) -> None:
    """Asked about a whole file, it does not try thousands of fixes; it says so to a client that can show it."""
    client, can = connect(), deepcopy(VSCODE)
    can["textDocument"]["codeAction"]["disabledSupport"] = shows
    client.initialize(can)
    same = "".join(f"          - {{id: '{n}', outcome: Greets, required: true}}\n" for n in range(400))
    head = "tests:\n  - id: a\n    criteria: Greets\n    input: Hi\n    assertions:\n      - type: rubrics\n"
    client.open(URI, f"# rubric: dialect=agentv-3\n{head}        criteria:\n{same}")
    found = _asked(client, 0, 500)
    said = [a for a in found if "disabled" in a]
    assert [a["title"].split(" ", 1)[1] for a in said] == ["more fixes, which were not tried"] * shows
    assert all("edit" not in a and a["disabled"]["reason"].endswith("select fewer lines.") for a in said)
    one_line = _asked(client, 300, 301)
    assert any(a["title"] == "Change it to `greets`" for a in one_line)
    assert not any("disabled" in a for a in one_line)


def _asked(client: Client, first: int, last: int) -> list[Any]:
    lines = {"start": {"line": first, "character": 0}, "end": {"line": last, "character": 0}}
    context = {"diagnostics": [], "only": ["quickfix"]}
    asked = {"textDocument": {"uri": URI}, "range": lines, "context": context}
    return client.request("textDocument/codeAction", asked)


@pytest.mark.parametrize("capabilities", [VSCODE, BARE])
def test_every_request_at_every_place_is_answered(connect: Connect, capabilities: Any) -> None:
    client = connect()
    client.initialize(capabilities)
    text = SUITE + "  - id: half\n    assert"
    client.open(URI, text)
    for offset in range(0, len(text), 5):
        place = at(text, text[offset:]) if text[offset:] else at(text, "name")
        for method in ("hover", "completion"):
            client.at(method, URI, place["line"], place["character"])
        span = {"start": place, "end": place}
        context = {"diagnostics": [], "triggerKind": 1}
        client.request("textDocument/codeAction", {"textDocument": {"uri": URI}, "range": span, "context": context})
        client.request("textDocument/inlayHint", {"textDocument": {"uri": URI}, "range": span})
    assert not [m for m in client.heard("window/logMessage") if m["type"] == 1]
    assert "Traceback" not in client.log


def test_every_finding_can_be_ignored_where_it_is(client: Client) -> None:
    (ignore,) = [a for a in actions(client, ["quickfix"]) if a["title"] == "Ignore overlapping-bands here"]
    assert not ignore.get("isPreferred")
    client.change(URI, {"text": applied(SUITE, ignore["edit"]["documentChanges"][0]["edits"])})
    assert [d["code"] for d in client.diagnostics(URI)] == ["renamed-key"]


def test_the_configuration_of_the_project_counts(connect: Connect, tmp_path: Path) -> None:
    client = connect()
    client.initialize(VSCODE, tmp_path)
    uri = (tmp_path / "a.eval.yaml").as_uri()
    client.open(uri, SUITE)
    assert [d["code"] for d in client.diagnostics(uri)] == ["overlapping-bands", "renamed-key"]
    configuration = tmp_path / ".rubric.toml"
    configuration.write_text('ignore = ["overlapping-bands"]\n', encoding="utf-8")
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": configuration.as_uri(), "type": 1}]})
    until("fewer findings", lambda: [d["code"] for d in client.diagnostics(uri)] == ["renamed-key"])


def test_names_of_targets_and_files_are_completed(connect: Connect, tmp_path: Path) -> None:
    (tmp_path / ".agentv").mkdir()
    (tmp_path / ".agentv" / "targets.yaml").write_text(
        "targets:\n  - {name: local, provider: mock}\n", encoding="utf-8"
    )
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "judge.md").write_text("", encoding="utf-8")
    client = connect()
    client.initialize()
    uri = (tmp_path / "a.eval.yaml").as_uri()
    client.open(uri, "execution:\n  target: \ninput_files: [pro]\ntests: []\n")
    assert "local" in [i["label"] for i in client.at("completion", uri, 1, 10)["items"]]
    assert "prompts/judge.md" in [i["label"] for i in client.at("completion", uri, 2, 17)["items"]]


SEVERAL = """\
# rubric: dialect=agentv-3
tests:
  - id: first
    criteria: Says hello
    input: Hello
---
# Kept for later:
# not in use yet.
assertions:
  - {type: contains, value: x}
tests:
  - id: second
    criteria: Says {{ who }}
    wieght: 1
    depends_on: [second]
    input: Hello
---
tests:
  - id: third
    criteria: Says hello
    input: Hello
"""


def test_the_outline_of_a_later_document_follows_an_edit_above_it(client: Client) -> None:
    def lines() -> list[int]:
        symbols = client.request("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
        return [symbol["selectionRange"]["start"]["line"] for symbol in symbols]

    client.open(URI, "tests:\n  - {id: a}\n---\ntests:\n  - {id: b}\n")
    assert lines() == [1, 4]
    start = {"line": 0, "character": 0}
    client.change(URI, {"range": {"start": start, "end": start}, "text": "name: x\n"})
    assert lines() == [2, 5]


def test_several_documents_in_one_file(client: Client) -> None:
    """No dialect reads the second document; its author still gets help, and one message."""
    client.open(URI, SEVERAL + "    ")
    lines = [*SEVERAL.splitlines(), ""]
    found = [(d["code"], lines[d["range"]["start"]["line"]].strip()) for d in client.diagnostics(URI)]
    assert ("several-documents", "---") in found
    assert ("unknown-key", "wieght: 1") in found
    assert [code for code, _ in found].count("several-documents") == 1
    typo = lines.index("    wieght: 1")
    whole = {"textDocument": {"uri": URI}}

    def ask(method: str, **more: Any) -> Any:
        return client.request(f"textDocument/{method}", {**whole, **more})

    symbols = ask("documentSymbol")
    assert [(s["name"], lines[s["selectionRange"]["start"]["line"]].strip()) for s in symbols] == [
        ("first", "- id: first"),
        ("contains-x", "- {type: contains, value: x}"),
        ("second", "- id: second"),
        ("third", "- id: third"),
    ]
    folds = {(f["startLine"], f["endLine"]) for f in ask("foldingRange")}
    assert {(2, 4), (6, 7), (11, 15)} <= folds
    assert max(end for _, end in folds) < len(lines)
    assert len(folds) == len(ask("foldingRange"))

    hover = client.at("hover", URI, 12, 5)
    assert hover["range"]["start"] == {"line": 12, "character": 4}
    labels = [item["label"] for item in client.at("completion", URI, len(lines) - 1, 4)["items"]]
    assert "assertions" in labels
    assert "input" not in labels
    at = {"start": {"line": typo, "character": 5}, "end": {"line": typo, "character": 5}}
    actions = ask("codeAction", range=at, context={"diagnostics": []})
    [removal] = [a for a in actions if a["title"] == "Remove `wieght`"]
    [edit] = removal["edit"]["documentChanges"][0]["edits"]
    assert edit["range"]["start"]["line"] == typo
    assert [a for a in actions if a.get("command", {}).get("command", "").startswith("rubric.run")] == []
    [here] = client.at("definition", URI, 14, 18)
    assert (here["range"]["start"]["line"], here["uri"]) == (11, URI)
    assert {m["range"]["start"]["line"] for m in client.at("documentHighlight", URI, 11, 10)} == {11, 14}
    renamed = client.at("rename", URI, 11, 10, newName="other")["documentChanges"][0]["edits"]
    assert {e["range"]["start"]["line"] for e in renamed} == {11, 14}
    [selection] = ask("selectionRange", positions=[{"line": 11, "character": 10}])
    assert selection["range"]["start"]["line"] == 11
    # Only what is read can be run.
    assert {lens["range"]["start"]["line"] for lens in ask("codeLens")} <= {0, 1, 2}

    data = ask("semanticTokens/full")["data"]
    steps = list(zip(data[::5], data[1::5], strict=True))
    assert all(down > 0 or along > 0 for down, along in steps[1:])
    assert sum(down for down, _ in steps) == lines.index("  - id: third") + 2


def test_an_edit_in_a_later_document(client: Client) -> None:
    client.open(URI, SEVERAL)
    client.diagnostics(URI)
    client.change(URI, replaced(SEVERAL, "wieght: 1", "weight: 1"))
    text = SEVERAL.replace("wieght: 1", "weight: 1")
    client.change(URI, replaced(text, "id: third", "id: three"))
    after = client.diagnostics(URI)
    assert "three" in [s["name"] for s in client.request("textDocument/documentSymbol", {"textDocument": {"uri": URI}})]
    other = URI.replace("a.eval", "z.eval")
    client.open(other, text.replace("id: third", "id: three"))
    assert client.diagnostics(other) == after
