"""The test protocol: the tree, its runs, and the states of its tests."""

import contextlib
import copy
import json
import random
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest
from client import VSCODE, Client, Connect, ServerError, replaced, until
from running import progress, written

from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.text import Position, TextRange
from rubric_lsp.documents.content_changes import ContentChange
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.routes import make_server
from rubric_lsp.running.explorer_tree import tree_change
from rubric_lsp.server import RubricServer

TREE = {**VSCODE, "experimental": {"rubricTests": True}}
CHANGES = {**VSCODE, "experimental": {"rubricTests": True, "rubricTestChanges": True}}
SUITE = """\
# rubric: dialect=agentv-3
name: support
execution:
  target: canned
tests:
  - id: refund
    criteria: Explains the refund window
    input: Can I return this?
    expected_output: Yes, within 30 days.
    assertions:
      - type: contains
        value: 30 days
  - id: late
    criteria: Apologises
    input: My order is late.
    assertions:
      - type: contains
        value: sorry
      - type: contains
        value: sorry
"""
OTHER = """\
# rubric: dialect=agentv-3
name: other
execution:
  target: canned
tests:
  - id: hello
    criteria: Greets
    input: Hello
    assertions:
      - type: contains
        value: days
"""
TARGETS = """\
targets:
  - name: canned
    provider: mock
    response: You can return it within 30 days.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written(tmp_path / "suites", {".agentv/targets.yaml": TARGETS, "a.eval.yaml": SUITE, "b.eval.yaml": OTHER})


@pytest.fixture
def uri(folder: Path) -> str:
    return (folder / "a.eval.yaml").as_uri()


@pytest.fixture
def other(folder: Path) -> str:
    return (folder / "b.eval.yaml").as_uri()


def connected(connect: Connect, folder: Path, capabilities: Any = TREE, *, trusted: bool = True) -> Client:
    client = connect()
    answer = client.initialize(capabilities, folder, initializationOptions={"trusted": trusted})
    assert answer["capabilities"].get("experimental", {}) == (
        {"rubricTests": {"version": 1}} if "experimental" in capabilities else {}
    )
    return client


def run(client: Client, *include: str, **more: Any) -> dict[str, Any]:
    """Run tests to their end: the answer."""
    before = len(client.heard("rubric/runEnded"))
    answer: dict[str, Any] = client.request("rubric/runTests", {"include": list(include), **more})
    until("the end of the run", lambda: len(client.heard("rubric/runEnded")) > before)
    return answer


def states(client: Client, run_id: str | None = None) -> list[tuple[str, str]]:
    """Test, without the folder, and state, in the order in which they came."""
    heard = [p for p in client.heard("rubric/testState") if run_id is None or p["runId"] == run_id]
    return [(p["testId"].rsplit("/", 1)[1].partition("::")[2], p["state"]) for p in heard]


def test_a_run_is_over_when_its_results_are_stored(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder)
    run(client, uri)
    database = ResultDatabase.of(folder / "a.eval.yaml").path
    with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as other_program:
        other_program.execute("BEGIN IMMEDIATE")
        answer = client.request("rubric/runTests", {"include": [uri]})
        done = {("refund", "passed"), ("late", "failed")}
        until("both results", lambda: done <= set(states(client, answer["runId"])))
        until("the end of the progress", lambda: len(progress(client, "end")) == 2)
        about = {"textDocument": {"uri": uri}}
        assert "has one run only" in client.request("rubric/compareRuns", about)["trouble"]
        assert len(client.heard("rubric/runEnded")) == 1
        other_program.execute("COMMIT")
    until("the end of the run", lambda: len(client.heard("rubric/runEnded")) == 2)
    compared = client.request("rubric/compareRuns", about)["text"].splitlines()
    assert "the same: every score is what it was (2 cases)" in compared


def test_suites_first_then_what_is_in_one(connect: Connect, folder: Path, uri: str, other: str) -> None:
    client = connected(connect, folder)
    top = client.request("rubric/discoverTests", {})
    assert [(t["label"], t["description"], t["kind"], t["canResolveChildren"]) for t in top["tests"]] == [
        ("a.eval.yaml", "support", "suite", True),
        ("b.eval.yaml", "other", "suite", True),
    ]
    assert top["scope"] == [uri, other]
    inside = client.request("rubric/discoverTests", {"testId": uri})
    assert inside == client.request("rubric/discoverTests", {"textDocument": {"uri": uri}})
    assert [(t["kind"], t["id"].removeprefix(uri), t["label"]) for t in inside["tests"][1:]] == [
        ("case", "::refund", "refund"),
        ("evaluator", "::refund::contains-30 days", "contains-30 days"),
        ("case", "::late", "late"),
        ("evaluator", "::late::contains-sorry", "contains-sorry"),
        ("evaluator", "::late::contains-sorry #2", "contains-sorry #2"),
    ]
    case = inside["tests"][1]
    assert case["range"] == {"start": {"line": 5, "character": 4}, "end": {"line": 12, "character": 0}}
    assert case["parent"] == uri
    assert [t["sortText"] for t in inside["tests"][1:]] == sorted(t["sortText"] for t in inside["tests"][1:])


def test_the_tree_follows_edits_that_matter(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder)
    client.open(uri, SUITE)
    until("the tree", lambda: client.heard("rubric/discoveredTests"))
    client.change(uri, replaced(SUITE, "Apologises", "Says sorry"))
    text = SUITE.replace("Apologises", "Says sorry")
    until("another description", lambda: len(client.heard("rubric/discoveredTests")) == 2)
    client.change(uri, replaced(text, "value: sorry", "value: sorry  # a comment"))
    client.change(uri, replaced(text.replace("value: sorry", "value: sorry  # a comment", 1), "id: late", "id: tardy"))
    last = until("another name", lambda: client.heard("rubric/discoveredTests")[2:])
    assert len(last) == 1
    assert [t["label"] for t in last[0]["tests"] if t["kind"] == "case"] == ["refund", "tardy"]
    assert last[0]["scope"] == [uri]


HEAD = SUITE[: SUITE.index("  - id: refund")]
CASE = "  - id: case-{:04}\n    criteria: Names the window\n    input: Can I return this?\n    assertions:\n      - {{type: contains, value: 30 days}}\n"


def carried_out(known: list[dict[str, Any]], change: dict[str, Any]) -> list[dict[str, Any]]:
    """The tests that a client has after `rubric/changedTests`, in the order of the text."""
    uri, moved = change["textDocument"]["uri"], change.get("moved")
    found = {test["id"]: copy.deepcopy(test) for test in known if test["id"] not in change["removed"]}
    for test in found.values():
        if moved and "range" in test and test["textDocument"]["uri"] == uri:
            lower = moved["by"] if test["range"]["start"]["line"] >= moved["line"] else 0
            for end in test["range"].values():
                end["line"] += lower
    found.update({test["id"]: test for test in change["tests"]})
    suite = found.pop(uri)
    return [suite, *sorted(found.values(), key=lambda test: test["sortText"])]


def test_an_edit_tells_what_it_changed_not_the_whole_tree(connect: Connect, folder: Path, uri: str) -> None:
    """In a suite of many cases: one message for each pause in typing, as long as for a suite of few cases."""
    sizes: dict[int, list[int]] = {}
    edits = [
        ("    input: Can I return this?\n", "    input: |\n      Can I\n      return this?\n"),  # lines come
        ("      Can I\n", ""),  # and go
        ("value: 30 days", "value: 31 days"),  # a name
        ("case-0003", "another"),
        ("Names the window", "Names a window"),  # words that are shown
    ]
    for count in (20, 1000):
        text = HEAD + "".join(CASE.format(n) for n in range(count))
        client = connected(connect, folder, CHANGES)
        client.open(uri, text)
        [whole] = until("the tree", lambda client=client: client.heard("rubric/discoveredTests"))
        tree = whole["tests"]
        for number, (old, new) in enumerate(edits, 1):
            client.change(uri, replaced(text, old, new))
            text = text.replace(old, new, 1)
            heard = until("a change", lambda client=client, n=number: client.heard("rubric/changedTests")[n - 1 :])
            tree = carried_out(tree, heard[0])
            assert tree == client.request("rubric/discoverTests", {"testId": uri})["tests"], new
        told = client.heard("rubric/changedTests")
        assert (len(client.heard("rubric/discoveredTests")), len(told)) == (1, len(edits))
        sizes[count] = [len(json.dumps(change)) for change in told]
    assert max(sizes[1000]) < 2000
    assert all(
        abs(few - many) < 20 for few, many in zip(sizes[20], sizes[1000], strict=True)
    )  # but for the digits of lines


def test_a_suite_that_loses_its_cases_or_its_file_is_given_as_a_whole(connect: Connect, folder: Path, uri: str) -> None:
    """What a client shows it under goes or comes with it."""
    client = connected(connect, folder, CHANGES)
    client.open(uri, SUITE)
    [whole] = until("the tree", lambda: client.heard("rubric/discoveredTests"))
    assert client.heard("rubric/changedTests") == []
    client.change(uri, replaced(SUITE, SUITE, "name: support\n"))
    *_, none = until("no tree", lambda: client.heard("rubric/discoveredTests")[1:])
    assert none == {"tests": [], "scope": [uri]}
    client.change(uri, replaced("name: support\n", "name: support\n", SUITE))
    *_, again = until("the tree again", lambda: client.heard("rubric/discoveredTests")[2:])
    assert again == whole

    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    (folder / "a.eval.yaml").unlink()
    assert uri not in client.request("rubric/discoverTests", {})["scope"]
    client.open(uri, SUITE.replace("Apologises", "Says\n      sorry"))
    *_, back = until("the tree of a new file", lambda: client.heard("rubric/discoveredTests")[3:])
    assert len(back["tests"]) == len(whole["tests"])
    assert client.heard("rubric/changedTests") == []


def test_a_client_that_knows_no_changes_gets_the_tree(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder)
    client.open(uri, SUITE)
    until("the tree", lambda: client.heard("rubric/discoveredTests"))
    client.change(uri, replaced(SUITE, "Apologises", "Says\n      sorry"))
    until("the tree again", lambda: len(client.heard("rubric/discoveredTests")) == 2)
    assert client.heard("rubric/changedTests") == []


@pytest.mark.parametrize("seed", range(6))
def test_applying_all_changes_gives_the_current_tree(folder: Path, uri: str, seed: int) -> None:
    """Cases and lines that come, go, move and are named anew, at random."""
    chance = random.Random(seed)
    cases = [CASE.format(n).replace("?\n", "?\n" + "    # a note\n" * chance.randrange(3)) for n in range(12)]
    server = make_server()
    before: list[dict[str, Any]] = []
    carried = 0
    for version in range(1, 60):
        match chance.randrange(5):
            case 0:
                cases.insert(chance.randrange(len(cases) + 1), CASE.format(100 + version))
            case 1 if len(cases) > 4:
                del cases[chance.randrange(len(cases))]
            case 2:
                at = chance.randrange(len(cases))
                cases[at] = cases[at].replace("    input:", "    # a line\n    input:", 1)
            case 3:
                at = chance.randrange(len(cases))
                cases[at] = cases[at].replace("    # a line\n", "").replace("30 days", f"{version} days")
            case _:
                at = chance.randrange(len(cases))
                cases[at] = cases[at].replace("- id: ", "- id: x", 1)
        snapshot = server.documents.open(uri, "eval-yaml", version, HEAD + "".join(cases))
        now = server.tree.items(snapshot)
        change = tree_change(uri, before, now)
        if change is not None:
            carried += 1
            assert carried_out(before, change) == now
        before = now
    assert carried > 20


def test_items_that_are_kept_are_those_that_would_be_made_anew(folder: Path, uri: str) -> None:
    def opened(text: str) -> tuple[RubricServer, Snapshot]:
        server = make_server()
        return server, server.documents.open(uri, "eval-yaml", 1, text)

    server, snapshot = opened(SUITE)
    text = SUITE
    edits = [("Apologises", "Says\n      sorry"), ("  - id: refund", "  - id: new\n    input: x\n  - id: refund"), ("id: late", "id: refund"),
             ("name: support", "name: support\nassertions: [Is short]"), ("    input: x\n", ""), ("value: sorry", "value: [")]  # fmt: skip
    for number, (old, new) in enumerate(edits, 2):
        server.tree.items(snapshot)
        at = text.index(old)
        start, end = (Position(text[:o].count("\n"), len(text[:o].rpartition("\n")[2])) for o in (at, at + len(old)))
        text = text.replace(old, new, 1)
        changed = server.documents.change(uri, number, [ContentChange(TextRange(start, end), new)])
        assert changed is not None
        snapshot = changed
        other, whole = opened(text)
        assert server.tree.items(snapshot) == other.tests.tree.items(whole), new


def test_a_run_of_all(connect: Connect, folder: Path, uri: str, other: str) -> None:
    client = connected(connect, folder)
    answer = run(client)
    assert answer["tests"] == [f"{uri}::refund", f"{uri}::late", f"{other}::hello"]
    began = client.heard("rubric/runBegan")
    assert began == [{"runId": answer["runId"], "tests": answer["tests"], "label": "Running 3 cases"}]
    seen = states(client, answer["runId"])
    assert seen[:3] == [("refund", "enqueued"), ("late", "enqueued"), ("hello", "enqueued")]
    for test, verdict in (("refund", "passed"), ("late", "failed"), ("late::contains-sorry #2", "failed")):
        assert [s for t, s in seen if t == test][-2:] == ["started", verdict]
    ended = client.heard("rubric/runEnded")[0]
    assert {k: v for k, v in ended.items() if k not in ("durationMs", "runId")} == {
        "passed": 2, "borderline": 0, "failed": 1, "unscored": 0, "cancelled": False,
    }  # fmt: skip
    failed = next(
        p for p in client.heard("rubric/testState") if p["testId"] == f"{uri}::late" and p["state"] == "failed"
    )
    assert failed["score"] == 0
    assert failed["messages"][0]["message"] == "failed with 0.00, needs 0.80"
    assert failed["messages"][0]["location"]["range"]["start"]["line"] == 12
    assert failed["messages"][1]["message"] == 'does not contain "sorry"'
    assert failed["messages"][1]["location"]["range"]["start"]["line"] == 16
    assert any("late" in p["text"] for p in client.heard("rubric/testOutput"))


BROKEN = """\
# rubric: dialect=agentv-3
name: broken
execution:
  target: canned
tests:
  - id: crash
    criteria: c
    input: hi
    assertions:
      - {type: contains, value: days, weight: 9}
      - {type: code-grader, name: check, command: [python3, -c, "raise SystemExit('boo')"]}
  - id: gone
    criteria: c
    input: hi
    assertions:
      - {type: contains, value: days, weight: 9}
      - {type: code-grader, name: check, command: [no-such-program]}
  - id: wrong
    criteria: c
    input: hi
    assertions:
      - {type: contains, value: months, weight: 9}
      - {type: code-grader, name: check, command: [no-such-program], weight: 0}
"""


JUDGED = """\
# rubric: dialect=agentv-3
name: judged
execution:
  target: canned
tests:
  - id: window
    criteria: Names the window
    input: Can I return this?
    assertions:
      - type: rubrics
        criteria:
          - {id: tone, outcome: Stays polite}
          - {id: days, outcome: Names the days}
"""
RECORDED = {
    "judge": "hand-written", "prompt": "built-in 1", "question": "Can I return this?", "goal": "Names the window",
    "answer": "You can return it within 30 days.",
    "criteria": [
        {"criterion": outcome, "reply": {"satisfied": False, "reasoning": "not at all"}}
        for outcome in ("Stays polite", "Names the days")
    ],
}  # fmt: skip


def test_a_message_names_its_criterion_for_clients_that_show_no_place(connect: Connect, folder: Path) -> None:
    uri = (folder / "j.eval.yaml").as_uri()
    (folder / "j.eval.yaml").write_text(JUDGED)
    (folder / "j.recordings.yaml").write_text(json.dumps({"version": 1, "recordings": [RECORDED]}))
    client = connected(connect, folder)
    client.open(uri, JUDGED)
    run(client, uri)
    told = {p["testId"].removeprefix(f"{uri}::"): p for p in client.heard("rubric/testState")}
    said = {
        test: [(m.get("subject"), m["message"]) for m in p["messages"]] for test, p in told.items() if "messages" in p
    }
    assert [subject for subject, message in said["window::rubrics"] if "not at all" in message] == ["tone", "days"]
    assert said["window"][0][0] is None


def test_a_case_whose_grader_failed_is_in_trouble_whatever_its_score(connect: Connect, folder: Path) -> None:
    uri = (folder / "c.eval.yaml").as_uri()
    (folder / "c.eval.yaml").write_text(BROKEN)
    client = connected(connect, folder)
    client.open(uri, BROKEN)
    run(client, uri)
    told = {p["testId"].removeprefix(f"{uri}::"): p for p in client.heard("rubric/testState")}
    assert {test: (p["state"], p.get("score"), p.get("graderErrors")) for test, p in told.items()} == {
        "crash": ("unscored", 0.9, 1), "crash::contains-days": ("passed", 1, None), "crash::check": ("unscored", 0, 1),
        "gone": ("unscored", None, 1), "gone::contains-days": ("passed", 1, None), "gone::check": ("unscored", None, 1),
        "wrong": ("unscored", 0, 1), "wrong::contains-months": ("failed", 0, None), "wrong::check": ("unscored", None, 1),
    }  # fmt: skip
    messages = [m["message"] for m in told["crash"]["messages"]]
    assert messages[0].startswith("unscored: ⚠ 1 grader failed: check: python3 -c ")
    assert messages[1].startswith("the grader failed: python3 -c ")
    assert told["wrong"]["messages"][0]["message"].startswith("⚠ 1 grader failed: check: no-such-program")
    assert [m["severity"] for m in told["crash"]["messages"]] == ["warning", "error"]
    (ended,) = client.heard("rubric/runEnded")
    assert [ended[name] for name in ("passed", "failed", "unscored", "graderErrors")] == [0, 1, 2, 3]

    def problems() -> list[tuple[int, int]]:
        found = next(client.published(uri))["diagnostics"]
        return [(d["severity"], d["range"]["start"]["line"]) for d in found if d["code"] == "grader-failed"]

    # Some of the cases may be published before the others.
    until("problems", lambda: problems() == [(1, 10), (1, 16), (1, 22)])
    report = client.request("rubric/report", {"testId": f"{uri}::crash"})
    assert (report["verdict"], report["score"]) == ("unscored", 0.9)
    assert report["graderErrors"] == [{"evaluator": "check", "error": report["evaluators"][1]["error"]}]
    assert "⚠ 1 grader failed: check" in report["markdown"]
    target, program = report["requests"]
    assert (target["title"], target["texts"]) == ("target canned (mock)", [{"name": "user", "text": "hi"}])
    assert (program["role"], program["evaluator"], program["title"]) == ("program", "check", "program for check")
    assert program["before"][0].startswith("$ python3 -c ")
    assert '"output": "You can return it within 30 days."' in program["texts"][0]["text"]
    labels = [h["label"] for h in hints(client, uri) if "⚠" in h["label"]]
    assert labels[0].startswith("○ 0.90  ⚠ 1 grader failed: check  ")
    assert labels[1].startswith("⚠ failed: python3 -c ")
    assert run(client, uri, lacking=True)["tests"] == [f"{uri}::{name}" for name in ("crash", "gone", "wrong")]


def hints(client: Client, uri: str) -> list[dict[str, Any]]:
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    found = client.request("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": whole})
    return [{**hint, "label": hint["label"].strip()} for hint in found]


def test_failed_ones_again_and_some_left_out(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder)
    run(client, uri)
    assert run(client, uri, failed=True)["tests"] == [f"{uri}::late"]
    assert run(client, uri, exclude=[f"{uri}::late"])["tests"] == [f"{uri}::refund"]
    assert client.heard("rubric/runBegan")[2]["label"] == "Running refund"
    run(client, f"{uri}::refund", repeat=3)
    report = client.request("rubric/report", {"testId": f"{uri}::refund"})
    assert "3/3 runs passed" in report["markdown"]
    for bad in ({"include": ["nothing"]}, {"include": [f"{uri}::nobody"]}, {"repeat": 0}, {"include": "x"}):
        with pytest.raises(ServerError, match="-32602"):
            client.request("rubric/runTests", bad)


def test_lacking_runs_only_cases_without_a_valid_pass(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder)
    run(client, uri)
    assert run(client, uri, lacking=True)["tests"] == [f"{uri}::late"]
    passed = {"include": [f"{uri}::refund"], "lacking": True}
    assert client.request("rubric/runTests", passed) == {"runId": "", "tests": []}
    # An edit counts at once, before anybody was told that the result is stale.
    client.open(uri, SUITE)
    client.change(uri, replaced(SUITE, "id: refund", "id: refund\n    metadata: {a: 1}"))
    assert client.request("rubric/runTests", passed)["tests"] == [f"{uri}::refund"]


def test_one_evaluator_alone_leaves_the_case_as_it_was(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder)
    test = f"{uri}::late::contains-sorry #2"
    answer = run(client, test)
    assert answer["tests"] == [test]
    name = "late::contains-sorry #2"
    assert states(client, answer["runId"]) == [(name, "enqueued"), (name, "started"), (name, "failed")]
    assert client.request("rubric/report", {"testId": f"{uri}::late"}) is None, "the case itself has no result"


ENOUGH = """\
# rubric: dialect=agentv-3
name: enough
execution:
  target: canned
tests:
  - id: enough
    criteria: Names the window
    input: Can I return this?
    assertions:
      - {type: contains, value: 30 days, weight: 9}
      - {type: contains, name: regret, value: sorry}
"""


def test_no_evaluator_stands_worse_than_its_case(connect: Connect, folder: Path) -> None:
    """A tree shows the worst of a case and its evaluators at the case. Clients keep the worst that a run has said of a test, too."""
    suite = folder / "enough.eval.yaml"
    for threshold, verdict, inside in (("0.8", "passed", "passed"), ("0.95", "failed", "failed")):
        suite.write_text(ENOUGH.replace("    input", f"    execution: {{threshold: {threshold}}}\n    input"), "utf-8")
        client = connected(connect, folder)
        ran = run(client, f"{suite.as_uri()}::enough")
        told = [p for p in client.heard("rubric/testState") if p["runId"] == ran["runId"]]
        over = [p for p in told if p["state"] not in ("enqueued", "started")]
        assert [(p["testId"].rsplit("::", 1)[-1], p["state"], p.get("description", "")) for p in over] == [
            ("contains-30 days", "passed", ""),
            ("regret", inside, "" if inside == "failed" else "✘"),
            ("enough", verdict, ""),
        ]
        assert ("messages" in over[1]) == (inside == "failed")


def test_plain_strings_have_the_place_of_their_list(connect: Connect, folder: Path) -> None:
    """They are one evaluator, of which the first string may be met and the second not."""
    suite = folder / "strings.eval.yaml"
    two = "      - Names the days\n      - Names the shop\n"
    for strings, line in ((two, 8), ("      - Names the days\n", 9)):
        suite.write_text(OTHER.replace("      - type: contains\n        value: days\n", strings), "utf-8")
        client = connected(connect, folder)
        found = client.request("rubric/discoverTests", {"textDocument": {"uri": suite.as_uri()}})["tests"]
        assert [each["range"]["start"]["line"] for each in found if each["kind"] == "evaluator"] == [line]


def test_stale_and_fresh_as_a_person_types(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder)
    client.open(uri, SUITE)
    run(client, uri)
    client.change(uri, replaced(SUITE, "within 30", "within thirty"))
    until("outdated", lambda: states(client, "") == [("refund", "outdated")])
    assert client.request("rubric/report", {"testId": f"{uri}::refund"})["stale"] is True
    client.change(uri, {"text": SUITE})
    until("fresh", lambda: states(client, "")[1:] == [("refund", "fresh")])


def test_results_of_the_terminal_are_told(connect: Connect, folder: Path, uri: str) -> None:
    run(connected(connect, folder), uri)
    client = connected(connect, folder)
    client.open(uri, SUITE)
    until("what is on disk", lambda: {("refund", "passed"), ("late", "failed")} <= set(states(client, "")))


def test_the_report(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder)
    test = f"{uri}::refund"
    assert client.request("rubric/report", {"testId": test}) is None
    run(client, test)
    run(client, test)
    report = client.request("rubric/report", {"testId": test})
    assert {k: report[k] for k in ("testId", "caseId", "verdict", "score", "threshold", "stale", "dialect", "target")} == {
        "testId": test, "caseId": "refund", "verdict": "passed", "score": 1, "threshold": 0.8, "stale": False, "dialect": "agentv-3", "target": "canned",
    }  # fmt: skip
    assert report["prompt"] == "Can I return this?"
    assert report["answer"] == "You can return it within 30 days."
    assert report["expectedOutput"] == "Yes, within 30 days."
    assert report["command"] == "rubric run a.eval.yaml::refund"
    assert [h["verdict"] for h in report["history"]] == ["passed", "passed"]
    evaluator = report["evaluators"][0]
    assert (evaluator["name"], evaluator["share"], evaluator["contribution"]) == ("contains-30 days", 1, 1)
    assert evaluator["range"]["start"]["line"] == 10


def test_without_trust_nothing_begins_and_the_run_is_told_later(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder, trusted=False)
    client.replies["window/showMessageRequest"] = lambda _: {"title": "Run once"}
    assert client.request("rubric/runTests", {"include": [uri]}) == {"runId": "", "tests": []}
    began = until("the run", lambda: client.heard("rubric/runBegan"))
    assert began[0]["runId"]


@pytest.mark.parametrize("chosen", ["Run once", "Not now"])
def test_a_waiting_request_returns_the_users_answer(connect: Connect, folder: Path, uri: str, chosen: str) -> None:
    client = connected(connect, folder, trusted=False)
    client.replies["window/showMessageRequest"] = lambda _: {"title": chosen}
    answer = client.request("rubric/runTests", {"include": [f"{uri}::refund"], "wait": True})
    began = client.heard("rubric/runBegan")
    if chosen == "Not now":
        assert (answer, began) == ({"runId": "", "tests": []}, [])
    else:
        assert answer == {"runId": began[0]["runId"], "tests": [f"{uri}::refund"]}
        assert client.heard("rubric/testState")[0]["state"] == "enqueued", "begun before it is answered"


def test_who_gives_up_while_a_person_is_asked_is_answered(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder, trusted=False)
    free = threading.Event()
    client.replies["window/showMessageRequest"] = lambda _: free.wait(60) and {"title": "Not now"}
    number = client.start("rubric/runTests", {"include": [uri], "wait": True})
    until("the question", lambda: [m for m, _ in client.requests if m == "window/showMessageRequest"])
    client.notify("$/cancelRequest", {"id": number})
    free.set()
    assert client.answer(number)["error"]["code"] == -32800
    assert not client.heard("rubric/runBegan")


def test_only_what_has_changed_since_it_ran(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder)
    client.open(uri, SUITE)
    with pytest.raises(ServerError, match="no case has changed since it ran last"):
        client.request("rubric/runTests", {"outdated": True})
    run(client, uri)
    client.change(uri, replaced(SUITE, "id: refund", "id: refund\n    metadata: {a: 1}"))
    assert run(client, outdated=True)["tests"] == [f"{uri}::refund"], "neither one that failed nor one that never ran"


def test_results_of_suites_that_nobody_looked_at_are_read(connect: Connect, folder: Path, uri: str, other: str) -> None:
    run(connected(connect, folder), uri, other)
    (folder / "b.eval.yaml").write_text(OTHER.replace("Hello", "Hello!"), encoding="utf-8")
    client = connected(connect, folder)
    assert run(client, outdated=True)["tests"] == [f"{other}::hello"]
    assert run(connected(connect, folder), failed=True)["tests"] == [f"{uri}::late"]


def test_a_client_that_does_not_ask_is_told_nothing(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder, VSCODE)
    client.open(uri, SUITE)
    client.request("workspace/executeCommand", {"command": "rubric.runFile", "arguments": [uri]})
    until("the end", lambda: any(p["value"]["kind"] == "end" for p in client.heard("$/progress")))
    assert [m for m, _ in client.notifications if m.startswith("rubric/")] == []


def test_what_a_suite_is_and_asks(connect: Connect, folder: Path, uri: str) -> None:
    (folder / ".agentv" / "targets.yaml").write_text(
        f"{TARGETS}    grader_target: ${{{{ JUDGE }}}}\n", encoding="utf-8"
    )
    client = connected(connect, folder)
    assert client.request("rubric/suite", {"textDocument": {"uri": uri}}) is None
    client.open(uri, SUITE)
    about = client.request("rubric/suite", {"textDocument": {"uri": uri}})
    assert about.pop("because")
    assert about == {"dialect": "agentv-3", "target": "canned", "judge": "${{ JUDGE }}", "cases": 2, "trusted": True}
    client.change(uri, {"text": SUITE.replace("target: canned", "target: nowhere")})
    assert client.request("rubric/suite", {"textDocument": {"uri": uri}})["target"] == "nowhere"


def test_a_conversation_has_the_states_of_its_evaluators(connect: Connect, folder: Path) -> None:
    """Its turns have results of their own, which come before those of the evaluators and are no tests."""
    text = OTHER.replace(
        "    input: Hello\n", "    input: Be kind\n    mode: conversation\n    turns: [{input: Hello}]\n"
    )
    (folder / "b.eval.yaml").write_text(text, encoding="utf-8")
    client = connected(connect, folder)
    ran = run(client, (folder / "b.eval.yaml").as_uri())
    assert [each for each in states(client, ran["runId"]) if each[1] not in ("enqueued", "started")] == [
        ("hello::contains-days", "passed"), ("hello", "passed"),
    ]  # fmt: skip


def test_a_suite_that_is_removed_while_it_runs(connect: Connect, folder: Path) -> None:
    """As when a file gets another name: what runs goes on to its end."""
    suite = folder / "b.eval.yaml"
    targets = f"{TARGETS}  - name: eraser\n    provider: cli\n    command: rm -f {suite}; echo Nothing\n"
    (folder / ".agentv" / "targets.yaml").write_text(targets, encoding="utf-8")
    case = OTHER[OTHER.index("  - id") :]
    suite.write_text(
        OTHER.replace("canned", "eraser\n  workers: 1") + case.replace("hello", "second"), encoding="utf-8"
    )
    client = connected(connect, folder)
    ran = run(client, suite.as_uri())
    assert not suite.exists()
    ends = [each for each in states(client, ran["runId"]) if each[0] in ("hello", "second")]
    assert [state for _, state in ends if state not in ("enqueued", "started")] == ["failed", "failed"]


def test_the_targets_of_a_folder_are_told_in_their_order(connect: Connect, tmp_path: Path) -> None:
    """For editors that write a new suite, which names one of them."""
    (tmp_path / ".agentv").mkdir()
    named = "targets:\n  - {name: shop, provider: mock}\n  - {name: judge, provider: mock}\n"
    (tmp_path / ".agentv" / "targets.yaml").write_text(named, encoding="utf-8")
    client = connect()
    client.initialize(folder=tmp_path)
    inner, other = (tmp_path / "evals").as_uri(), tmp_path.parent.as_uri()
    assert client.request("rubric/targets", {"uri": inner}) == ["shop", "judge"]
    assert client.request("rubric/targets", {"uri": other}) == []
    assert client.request("rubric/targets", {"uri": "untitled:a"}) == []
