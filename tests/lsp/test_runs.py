"""Running cases: permission, progress, and the display of results."""

import asyncio
import json
import sys
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from client import BARE, VSCODE, Client, Connect, ServerError, replaced, until
from running import command, ended, hints, kept, line_of, outcomes, progress, run, store, written
from waiting import alive

from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.text import Span
from rubric_lsp.convert import actions as converted_actions
from rubric_lsp.features.lenses import Lens, LensedCase, case_lenses
from rubric_lsp.routes import make_server

SUITE = """\
# rubric: dialect=agentv-3
name: support
execution:
  target: canned
tests:
  - id: refund
    criteria: Explains the refund window
    input: Can I return this?
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
        value: refund
  - id: judged
    criteria: Stays polite
    input: Hello
    assertions:
      - type: rubrics
        criteria:
          - id: tone
            outcome: Stays polite
            required: true
"""
SLOW = """\
# rubric: dialect=agentv-3
name: slow
execution:
  target: sleeper
tests:
  - id: slow
    criteria: Answers
    input: Hello
    assertions:
      - type: contains
        value: Hello
"""
TARGETS = """\
targets:
  - name: canned
    provider: mock
    response: You can return it within 30 days and get a full refund.
  - name: sleeper
    provider: cli
    command: {command}
"""
line = partial(line_of, SUITE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    marker = tmp_path / "alive"
    program = f"import time, os; open(r'{marker}', 'w').write(str(os.getpid())); time.sleep(600)"
    sleep = json.dumps(f'{sys.executable} -c "{program}"')
    targets = TARGETS.replace("{command}", sleep)
    files = {".agentv/targets.yaml": targets, "a.eval.yaml": SUITE, "slow.eval.yaml": SLOW}
    return written(tmp_path / "suites", files)


@pytest.fixture
def uri(folder: Path) -> str:
    return (folder / "a.eval.yaml").as_uri()


@pytest.fixture
def slow(folder: Path) -> str:
    return (folder / "slow.eval.yaml").as_uri()


def connected(connect: Connect, folder: Path, uri: str, capabilities: Any = VSCODE, *, trusted: bool = True) -> Client:
    client = connect()
    client.initialize(capabilities, folder, initializationOptions={"trusted": trusted})
    client.open(uri, SLOW if "slow" in uri else SUITE)
    assert client.diagnostics(uri) == []
    return client


def firsts(client: Client, uri: str) -> dict[int, str]:
    """The hints without what follows their marks."""
    return {at: text.partition("  ")[0] for at, text in hints(client, uri).items()}


def test_a_pass_stands_on_its_line(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder, uri)
    run(client, uri, "refund")
    ended(client)
    shown = hints(client, uri)
    assert shown[line("id: refund")].startswith("✔ 1.00")
    assert shown[line("type: contains")] == "✔"
    assert outcomes(client, uri) == {}
    lens = client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})[1]
    assert lens["command"]["title"] == "▶ Run", "the hint on the same line has the result"
    report = client.at("hover", uri, line("id: refund"), 9)["contents"]["value"]
    assert "passed 1.00" in report
    assert "rubric run a.eval.yaml::refund" in report


def test_a_failure_is_a_problem_on_its_lines(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder, uri)
    run(client, uri, "late")
    ended(client)
    found = until("problems", lambda: outcomes(client, uri))
    assert set(found) == {"case-failed", "criterion-failed"}
    assert found["case-failed"]["severity"] == 1
    assert found["case-failed"]["range"]["start"]["line"] == line("id: late")
    criterion = found["criterion-failed"]
    assert criterion["range"]["start"]["line"] == line("value: sorry") - 1
    assert "sorry" in criterion["message"]
    assert criterion["relatedInformation"][0]["location"]["range"]["start"]["line"] == line("id: late")
    assert all(len(label) <= 43 for label in hints(client, uri).values())


def test_what_cannot_be_scored_is_a_warning_with_its_reason(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder, uri)
    run(client, uri, "judged")
    ended(client)
    unscored = until("a problem", lambda: outcomes(client, uri).get("case-unscored"))
    assert unscored["severity"] == 2
    assert len(unscored["message"]) > len("unscored: ")
    assert hints(client, uri)[line("id: judged")].startswith("○ unscored")


def test_passes_are_listed_when_asked_for(connect: Connect, folder: Path, uri: str) -> None:
    client = connect()
    client.initialize(VSCODE, folder, initializationOptions={"trusted": True, "showPassed": True})
    client.open(uri, SUITE)
    run(client, uri, "refund")
    found = until("problems", lambda: outcomes(client, uri) if "case-passed" in outcomes(client, uri) else None)
    assert {code: each["severity"] for code, each in found.items()} == {"case-passed": 3, "criterion-passed": 3}


def test_progress_begins_before_anything_runs(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder, uri)
    run(client, uri)
    ended(client)
    begun = progress(client, "begin")
    assert begun == [{"kind": "begin", "title": "Running 3 cases", "percentage": 0, "cancellable": True}]
    assert [m for m, _ in client.requests if m == "window/workDoneProgress/create"]
    assert any("case 2/3" in p["message"] for p in progress(client, "report"))
    assert progress(client, "end")[0]["message"] == "✔ 1  ✘ 1  ○ 1"


@pytest.mark.parametrize("how", ["command", "token"])
def test_cancelling_ends_the_program(connect: Connect, folder: Path, slow: str, tmp_path: Path, how: str) -> None:
    client = connected(connect, folder, slow)
    run(client, slow, "slow")
    process = int(until("a program", lambda: (tmp_path / "alive").exists() and (tmp_path / "alive").read_text()))
    assert hints(client, slow)[5].startswith("⟳")
    if how == "command":
        command(client, "cancel", slow)
    else:
        client.notify("window/workDoneProgress/cancel", {"token": client.heard("$/progress")[0]["token"]})
    ended(client)
    assert progress(client, "end")[0]["message"] == "1 not run"
    until("the end of the program", lambda: not alive(process))
    assert hints(client, slow) == {}


def test_what_is_judged_already_is_shown_while_the_rest_runs(
    connect: Connect, folder: Path, uri: str, tmp_path: Path
) -> None:
    client = connected(connect, folder, uri)
    program = f"import os, time; open({str(tmp_path / 'alive')!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    slow = f"      - type: code-grader\n        command: {json.dumps([sys.executable, '-c', program])}\n"
    client.change(uri, replaced(SUITE, "  - id: late", f"{slow}  - id: late"))
    run(client, uri, "refund")
    until("a program", (tmp_path / "alive").exists)
    shown = until("both", lambda: h if (h := hints(client, uri)).get(line("type: contains")) else None)
    assert shown[line("type: contains")] == "✔"
    assert shown[line("id: refund")] == "⟳ 2/2 code-grader"
    command(client, "cancel", uri)
    ended(client)
    assert hints(client, uri) == {}


def test_turns_show_what_is_judged_already(connect: Connect, folder: Path, tmp_path: Path) -> None:
    program = f"import os, time; open({str(tmp_path / 'alive')!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    text = f"""\
# rubric: dialect=agentv-3
execution: {{target: canned}}
tests:
  - id: chat
    mode: conversation
    input: You help.
    criteria: Helps
    turns:
      - input: Hello
        assertions:
          - {{type: contains, value: 30 days}}
      - input: Bye
        assertions:
          - {{type: contains, value: sorry}}
          - type: code-grader
            command: {json.dumps([sys.executable, "-c", program])}
    assertions:
      - {{type: contains, value: refund}}
"""
    suite = folder / "chat.eval.yaml"
    suite.write_text(text, encoding="utf-8")
    uri = suite.as_uri()
    client = connect()
    client.initialize(VSCODE, folder, initializationOptions={"trusted": True})
    client.open(uri, text)
    run(client, uri, "chat")
    until("a program", (tmp_path / "alive").exists)
    want = {3: "⟳ turn 2, 2/2 code-grader", 10: "✔", 13: "✘"}
    until("both turns as far as they are", lambda: firsts(client, uri) == want)
    command(client, "cancel", uri)
    ended(client)
    quick = "\n".join(one for one in text.splitlines() if "code-grader" not in one and "command" not in one)
    client.change(uri, {"text": quick})
    for order in ("runCase", "runEvaluator"):
        name = ["contains-refund"] if order == "runEvaluator" else []
        client.request("workspace/executeCommand", {"command": f"rubric.{order}", "arguments": [uri, "chat", *name]})
        ended(client, 2 + len(name))
        assert firsts(client, uri) == {3: "✘ 0.67", 8: "✔", 10: "✔", 11: "✘", 13: "✘", 15: "✔"}


def test_the_end_of_the_server_ends_the_program(connect: Connect, folder: Path, slow: str, tmp_path: Path) -> None:
    client = connected(connect, folder, slow)
    run(client, slow, "slow")
    process = int(until("a program", lambda: (tmp_path / "alive").exists() and (tmp_path / "alive").read_text()))
    assert client.shut_down() == 0, "it does not wait for the program, which takes ten minutes"
    until("the end of the program", lambda: not alive(process))


def test_a_run_in_the_way_of_nothing(connect: Connect, folder: Path, slow: str, tmp_path: Path) -> None:
    client = connected(connect, folder, slow)
    run(client, slow, "slow")
    until("a program", (tmp_path / "alive").exists)
    client.change(slow, replaced(SLOW, "name: slow", "naem: slow"))
    assert [d["code"] for d in client.diagnostics(slow)] == ["unknown-key"]
    assert client.at("hover", slow, 4, 2)


def test_a_second_run_of_a_case_replaces_the_first(connect: Connect, folder: Path, slow: str, tmp_path: Path) -> None:
    client = connected(connect, folder, slow)
    run(client, slow, "slow")
    first = int(until("a program", lambda: (tmp_path / "alive").exists() and (tmp_path / "alive").read_text()))
    run(client, slow, "slow")
    ended(client)
    until("the end of the first program", lambda: not alive(first))
    second = int(
        until("another program", lambda: (p := (tmp_path / "alive").read_text()) not in ("", str(first)) and p)
    )
    assert alive(second)


def test_an_edited_case_has_a_stale_result_and_undo_brings_it_back(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder, uri)
    run(client, uri, "refund")
    run(client, uri, "late")
    ended(client, 2)
    until("the failure", lambda: "case-failed" in outcomes(client, uri))
    client.change(uri, replaced(SUITE, "value: sorry", "value: apologies"))
    client.diagnostics(uri)
    found = outcomes(client, uri)
    assert list(found) == ["case-stale"]
    assert found["case-stale"]["severity"] == 4
    assert found["case-stale"]["message"] == "stale: was ✘ 0.50"
    shown = hints(client, uri)
    assert shown[line("id: late")].startswith("◌ stale")
    assert {shown[n][:3] for n in shown if n > line("id: late") and n < line("id: judged")} == {"◌ ✘", "◌ ✔"}, (
        "in place"
    )
    assert shown[line("id: refund")].startswith("✔"), "the neighbour is as it was"
    client.change(uri, {"text": SUITE})
    client.diagnostics(uri)
    assert "case-failed" in outcomes(client, uri)


def test_results_move_with_their_cases(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder, uri)
    run(client, uri, "late")
    ended(client)
    client.change(uri, replaced(SUITE, "  - id: refund", "  - id: new\n    criteria: C\n    input: I\n  - id: refund"))
    client.diagnostics(uri)
    assert outcomes(client, uri)["case-failed"]["range"]["start"]["line"] == line("id: late") + 3


def test_a_target_that_changes_makes_results_stale(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder, uri)
    run(client, uri, "late")
    ended(client)
    targets = folder / ".agentv" / "targets.yaml"
    targets.write_text(targets.read_text().replace("30 days", "60 days"), encoding="utf-8")
    change = {"uri": targets.as_uri(), "type": 2}
    client.notify("workspace/didChangeWatchedFiles", {"changes": [change]})
    until("a stale result", lambda: "case-stale" in outcomes(client, uri))


def test_what_is_run_is_what_stands_in_the_editor(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder, uri)
    client.change(uri, replaced(SUITE, "value: sorry", "value: You can"))
    run(client, uri, "late")
    ended(client)
    assert hints(client, uri)[line("id: late")].startswith("✔ 1.00")
    assert "sorry" in (folder / "a.eval.yaml").read_text()


def test_results_can_be_cleared(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder, uri)
    run(client, uri, "late")
    ended(client)
    until("the failure", lambda: outcomes(client, uri))
    command(client, "clearResults", uri)
    until("nothing", lambda: not outcomes(client, uri))
    assert hints(client, uri) == {}
    run(client, uri, "refund")
    ended(client, 2)
    path = folder / "a.eval.yaml"
    until("the end of both runs", lambda: kept(path, 2))
    # Another program adds a result. With it, the server reads again what was cleared.
    later = datetime.now(tz=timezone.utc) + timedelta(minutes=1)
    known = ResultDatabase.of(path).latest(path)
    store(path, replace(known["refund"].result, id="judged", at=later.isoformat(timespec="seconds")))
    assert {"refund", "late", "judged"} <= set(ResultDatabase.of(path).latest(path))
    client.notify(
        "workspace/didChangeWatchedFiles", {"changes": [{"uri": (folder / ".rubric/results.db").as_uri(), "type": 2}]}
    )
    until("the result of the other program", lambda: line("id: judged") in hints(client, uri))
    assert line("id: late") not in hints(client, uri), "what was cleared stays so"


def test_what_another_program_stores_in_the_second_of_a_clear_is_seen(folder: Path, uri: str) -> None:
    path, server = folder / "a.eval.yaml", make_server()
    record = server.known.record

    def stored(name: str, **more: Any) -> set[str]:
        now = datetime.now(tz=timezone.utc).isoformat(timespec="seconds")
        store(path, CaseResult(id=name, verdict=Verdict.PASSED, score=1.0, at=now, **more))
        asyncio.run(record.load(uri, path))
        return set(record.last(uri))

    assert stored("refund") == {"refund"}
    record.clear(uri)
    assert stored("late") == {"late"}, "what was cleared stays so"
    assert stored("refund", duration_ms=7.0) == {"late", "refund"}


def test_results_outlive_the_server(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder, uri)
    run(client, uri, "late")
    ended(client)
    until("the end of the run", lambda: kept(folder / "a.eval.yaml"))
    client.shut_down()
    again = connect()
    again.initialize(VSCODE, folder)
    again.open(uri, SUITE)
    until("the failure", lambda: "case-failed" in outcomes(again, uri))
    assert hints(again, uri)[line("id: late")].startswith("✘ 0.50")


def test_results_of_another_user_are_shown_as_such(
    connect: Connect, folder: Path, uri: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as somebody:
        somebody.setenv("XDG_STATE_HOME", str(tmp_path / "somebody"))
        store(folder / "a.eval.yaml", CaseResult(id="late", verdict=Verdict.PASSED, score=1.0))
    client = connected(connect, folder, uri)
    found = until("the result", lambda: outcomes(client, uri).get("case-stale"))
    assert found["message"] == "not run by you: was ✔ 1.00"
    assert hints(client, uri)[line("id: late")] == "◌ not run by you · was ✔ 1.00"


def test_a_case_with_mistakes_is_unscored(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder, uri)
    client.change(uri, replaced(SUITE, "- id: tone", "- id: tone\n            weight: heavy"))
    run(client, uri, "judged")
    assert "wrong-type" in until("a result", lambda: outcomes(client, uri).get("case-unscored"))["message"]


# -- trust --------------------------------------------------------------------------------------------------------------


def asked_often(client: Client, times: int) -> None:
    until("a question", lambda: [m for m, _ in client.requests].count("window/showMessageRequest") == times)


def test_nothing_runs_without_trust(connect: Connect, folder: Path, slow: str, tmp_path: Path) -> None:
    client = connected(connect, folder, slow, BARE, trusted=False)
    run(client, slow, "slow")
    asked_often(client, 1)
    assert client.heard("window/showMessage") == []
    assert not (tmp_path / "alive").exists()
    assert hints(client, slow) == {}


def test_a_person_is_told_what_would_happen(connect: Connect, folder: Path, slow: str, tmp_path: Path) -> None:
    client = connected(connect, folder, slow, trusted=False)
    run(client, slow, "slow")
    asked = until("a question", lambda: [p for m, p in client.requests if m == "window/showMessageRequest"])[0]
    assert asked["message"].startswith("Run `slow`? It will execute")
    assert "time.sleep(600)" in asked["message"]
    assert [a["title"] for a in asked["actions"]] == ["Run once", "Trust this folder", "Show details", "Not now"]
    assert asked["message"].endswith(f"\n“Trust this folder” means {folder}.")
    assert not (tmp_path / "alive").exists()


def test_details_are_shown_before_a_person_decides(connect: Connect, folder: Path, uri: str, tmp_path: Path) -> None:
    (folder / "prepare.py").touch()
    hook = "workspace:\n  hooks:\n    before_all: {command: [python, prepare.py]}\n"
    client = connect()
    client.initialize({**VSCODE, "window": {**VSCODE["window"], "showDocument": {"support": True}}}, folder)
    client.open(uri, SUITE + hook)
    answers = iter(("Show details", "Not now"))
    client.replies["window/showMessageRequest"] = lambda _: {"title": next(answers)}
    run(client, uri, "refund")
    asked_often(client, 2)
    asked = [p for m, p in client.requests if m == "window/showMessageRequest"]
    assert "execute `python prepare.py`" in asked[0]["message"]
    assert [a["title"] for a in asked[1]["actions"]] == ["Run once", "Trust this folder", "Not now"]
    shown = until("the text", lambda: next((p["uri"] for m, p in client.requests if m == "window/showDocument"), ""))
    assert "\n```text\npython prepare.py\n```\n" in Path(shown.removeprefix("file://")).read_text(encoding="utf-8")


def test_a_client_that_cannot_ask_shows_what_would_happen(connect: Connect, folder: Path, slow: str) -> None:
    client = connect()
    client.unknown.add("window/showMessageRequest")
    client.initialize(BARE, folder, clientInfo={"name": "helix"})
    client.open(slow, SLOW)
    run(client, slow, "slow")
    shown = until("a text", lambda: next((p["uri"] for m, p in client.requests if m == "window/showDocument"), ""))
    text = Path(shown.removeprefix("file://")).read_text(encoding="utf-8")
    assert "time.sleep(600)" in text
    assert f":lsp-workspace-command rubric.trust or `rubric trust {folder}`" in text
    assert client.heard("window/showMessage")[0]["message"].startswith("rubric: not run yet: :lsp-workspace-command")
    client.request("workspace/executeCommand", {"command": "rubric.trust"})
    assert f"{folder} is trusted" in client.heard("window/showMessage")[-1]["message"]


def test_who_presses_twice_is_asked_once(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder, uri, trusted=False)
    press = ("workspace/executeCommand", {"command": "rubric.runCase", "arguments": [uri, "refund"]})
    # The other press is on its way before the answer.
    more: list[Any] = []
    client.replies["window/showMessageRequest"] = lambda _: None if more else more.append(client.start(*press))
    client.request(*press)
    until("the other press", lambda: more)
    client.answer(more[0])
    assert [m for m, _ in client.requests].count("window/showMessageRequest") == 1


def test_once(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder, uri, trusted=False)
    client.replies["window/showMessageRequest"] = lambda _: {"title": "Run once"}
    run(client, uri, "refund")
    ended(client)
    assert hints(client, uri)
    client.replies["window/showMessageRequest"] = lambda _: None
    run(client, uri, "refund")
    asked_often(client, 2)


def test_for_good(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder, uri, trusted=False)
    client.replies["window/showMessageRequest"] = lambda _: {"title": "Trust this folder"}
    run(client, uri, "refund")
    ended(client)
    again = connected(connect, folder, uri, BARE, trusted=False)
    run(again, uri, "refund")
    until("a result", lambda: hints(again, uri).get(line("id: refund"), "").startswith("✔"))
    assert again.heard("window/showMessage") == []


def test_trust_by_command(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder, uri, BARE, trusted=False)
    command(client, "trust", folder.as_uri())
    run(client, uri, "refund")
    until("a result", lambda: hints(client, uri).get(line("id: refund"), "").startswith("✔"))


def test_the_editor_vouches_for_its_folders_only(connect: Connect, folder: Path, uri: str, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere"
    other.mkdir()
    client = connect()
    client.initialize(BARE, other, initializationOptions={"trusted": True})
    client.open(uri, SUITE)
    run(client, uri, "refund")
    asked_often(client, 1)


# -- other ways to ask --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [["{uri}", "nobody"], ["untitled:1", "refund"], ["file:///nowhere.yaml", "x"]])
def test_what_cannot_be_run_is_said(connect: Connect, folder: Path, uri: str, arguments: list[str]) -> None:
    client = connected(connect, folder, uri)
    given = [a.format(uri=uri) for a in arguments]
    with pytest.raises(ServerError, match="-32602"):
        client.request("workspace/executeCommand", {"command": "rubric.runCase", "arguments": given})


def test_a_suite_that_is_not_open_can_be_run(connect: Connect, folder: Path, uri: str) -> None:
    client = connect()
    client.initialize(VSCODE, folder, initializationOptions={"trusted": True})
    run(client, uri, "refund")
    ended(client)
    assert progress(client, "end")[0]["message"] == "✔ 1"


def test_a_client_without_progress_and_refresh(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder, uri, BARE)
    run(client, uri, "late")
    until("the failure", lambda: "case-failed" in outcomes(client, uri))
    lens = client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})[4]
    assert lens["command"]["title"].startswith("✘ 0.50"), "without hints, the lens has the result"
    assert client.requests == []
    assert client.heard("$/progress") == []


def test_clients_that_can_are_asked_to_look_again(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder, uri)
    run(client, uri, "late")
    ended(client)
    wanted = {"workspace/codeLens/refresh", "workspace/inlayHint/refresh"}
    until("refreshes", lambda: wanted <= {m for m, _ in client.requests})


def test_a_case_with_several_prompts_is_run_with_each_of_them(connect: Connect, folder: Path) -> None:
    text = """\
# rubric: dialect=agentv-5
providers: [canned]
prompts: ["{{ question }}", "Shortly: {{ question }}"]
tests:
  - id: refund
    vars: {question: [Can I return this?, May I?]}
    assert: [{type: contains, value: 30 days}]
"""
    (folder / "m.eval.yaml").write_text(text, encoding="utf-8")
    uri = (folder / "m.eval.yaml").as_uri()
    client = connect()
    client.initialize(VSCODE, folder, initializationOptions={"trusted": True})
    client.open(uri, text)
    run(client, uri, "refund")
    ended(client)
    until("a result", lambda: hints(client, uri).get(4, "").startswith("✔ 1.00"))
    asked = {"textDocument": {"uri": uri}, "position": {"line": 4, "character": 12}}
    hover = client.request("textDocument/hover", asked)["contents"]["value"]
    assert "**refund** — ✔ passed 1.00" in hover


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems do not tell what left its group")
def test_what_a_grader_leaves_behind_ends_while_the_server_stays(connect: Connect, folder: Path) -> None:
    daemon = "env -i setsid sh -c 'trap \\\"\\\" TERM; echo $$ > pid; sleep 600' >/dev/null 2>&1 &"
    command = f"{daemon} while [ ! -s pid ]; do sleep 0.01; done; echo '{{\\\"score\\\": 1}}'"
    text = SLOW.partition("tests:")[0].replace("sleeper", "canned") + (
        "tests:\n  - id: a\n    criteria: c\n    input: hi\n    assertions:\n"
        f'      - type: code-grader\n        command: [sh, -c, "{command}"]\n'
    )
    (folder / "leaves.eval.yaml").write_text(text, encoding="utf-8")
    uri = (folder / "leaves.eval.yaml").as_uri()
    client = connect()
    client.initialize(VSCODE, folder, initializationOptions={"trusted": True})
    client.open(uri, text)
    run(client, uri, "a")
    ended(client)
    found = until(
        "a process", lambda: [path for path in folder.rglob("pid") if path.read_text(encoding="utf-8").strip()]
    )
    until("its end", lambda: not alive(int(found[0].read_text(encoding="utf-8"))))
    assert next(iter(hints(client, uri).values())).startswith("✔")


def test_progress_says_each_name_once(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder, uri)
    run(client, uri, "refund")
    ended(client)
    command(client, "runEvaluator", uri, "refund", "contains-30 days")
    ended(client, 2)
    titles = [p["title"] for p in progress(client, "begin")]
    assert titles[0] == "Running refund"
    for report in progress(client, "report"):
        assert "refund" not in report["message"]
    alone = [p["value"] for p in client.heard("$/progress")]
    alone = alone[[n for n, v in enumerate(alone) if v["kind"] == "begin"][1] :]
    name = titles[1].removeprefix("Running ").partition(" of ")[0]
    assert not any(name in each["message"] for each in alone if each["kind"] == "report")


def test_of_begin_and_end_of_a_run_a_client_hears_at_once(connect: Connect, folder: Path, uri: str) -> None:
    """Lenses and marks are asked for before anything else is: who never answers about progress sees them all the same."""
    client = connected(connect, folder, uri)
    run(client, uri, "late")
    ended(client)
    asked = [method for method, _ in client.requests]
    assert asked.index("workspace/codeLens/refresh") < asked.index("window/workDoneProgress/create")
    assert asked.index("workspace/inlayHint/refresh") < asked.index("window/workDoneProgress/create")


def test_a_run_of_a_case_makes_the_lenses_of_that_case_anew_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """In 10,000 lines, too: the work is counted."""
    text = "# rubric: dialect=agentv-3\ntests:\n"
    text += "".join(f"  - id: case-{n}\n    criteria: c\n    input: |\n{'      x' * 2}\n" for n in range(500))
    server, uri = make_server(), "file:///long.eval.yaml"
    server.documents.open(uri, "eval-yaml", 1, text)
    snapshot = server.documents.get(uri)
    made: list[str] = []

    def counted(span: Span, case: LensedCase) -> list[Lens]:
        made.append(case.name)
        return case_lenses(span, case)

    monkeypatch.setattr(converted_actions, "case_lenses", counted)

    def titles() -> list[str]:
        made.clear()
        found = converted_actions.code_lenses(snapshot, server.known.results(snapshot), uri, told=False).items
        return [each["command"]["title"] for each in found]

    assert titles().count("▶ Run") == 500
    assert len(made) == 500
    server.known.record.running(uri, "case-250", "waiting")
    assert titles().count("■ Cancel") == 2, "of the file and of the case"
    assert made == ["case-250"]
    server.known.record.running(uri, "case-250", "")
    assert titles().count("■ Cancel") == 0
    assert len(made) <= 1


def test_a_client_that_draws_results_is_told_which_hints_they_are(connect: Connect, folder: Path, uri: str) -> None:
    client = connected(connect, folder, uri, {**VSCODE, "experimental": {"rubricTests": True}})
    run(client, uri)
    ended(client)
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 999, "character": 0}}

    def states() -> dict[int, str]:
        found = client.request("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": whole})
        return {hint["position"]["line"]: hint["data"]["state"] for hint in found if "data" in hint}

    before = until("results", lambda: s if (s := states()).get(line("id: late")) == "failed" else None)
    assert before[line("id: refund")] == "passed"
    assert before[line("id: judged")] == "unscored"
    client.change(uri, replaced(SUITE, "value: sorry", "value: apologies"))
    after = states()
    assert set(after) == set(before), "every result is where it was"
    assert {n for n in after if after[n] == "stale"} == {
        n for n in before if line("id: late") <= n < line("id: judged")
    }
    plain = connected(connect, folder, uri)
    asked = {"textDocument": {"uri": uri}, "range": whole}
    found = until("stored results", lambda: plain.request("textDocument/inlayHint", asked))
    assert not any("data" in hint for hint in found)


def test_a_case_that_runs_alone_is_compared_with_itself_and_the_others_are_counted(
    connect: Connect, folder: Path, uri: str
) -> None:
    client = connected(connect, folder, uri)
    about = {"textDocument": {"uri": uri}}
    run(client, uri)
    until("the whole run", lambda: kept(folder / "a.eval.yaml"))
    run(client, uri, "refund")
    until("the run of one case", lambda: kept(folder / "a.eval.yaml", 2))
    text = client.request("rubric/compareRuns", about)["text"]
    assert "2 cases of the first run were not part of the second" in text
    assert "not in the second run" not in text
    data = client.request("rubric/runReport", {**about, "compare": True})["data"]
    assert [each["id"] for each in data["comparison"]["pairs"]] == ["refund"]
    assert data["comparison"]["words"].endswith("2 cases of the first run were not part of the second.")
    run(client, uri)
    until("the second whole run", lambda: kept(folder / "a.eval.yaml", 3))
    assert [each.partial for each in ResultDatabase.of(folder / "a.eval.yaml").runs()] == [False, True, False]
