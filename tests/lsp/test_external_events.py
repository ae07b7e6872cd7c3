"""What happens outside of the server: other programs that run, files that change, judges that go away, servers that are killed."""

import json
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from client import VSCODE, Client, Connect, until
from running import ended, hints, line_of, run, written
from waiting import alive

from rubric_core.evaluation.results.database import ResultDatabase

CAN_WATCH: Any = VSCODE
CANNOT_WATCH = {k: v for k, v in VSCODE.items() if k != "workspace"} | {
    "workspace": {k: v for k, v in VSCODE["workspace"].items() if k != "didChangeWatchedFiles"}
}
SUITE = """\
# rubric: dialect=agentv-3
name: support
execution:
  target: {target}
  workers: 1
tests:
  - id: refund
    criteria: Explains
    input: Can I return this?
    input_files: [note.md]
    assertions:
      - type: contains
        value: days
  - id: sleepy
    criteria: Explains
    input: sleep
    assertions:
      - type: contains
        value: days
  - file://more/cases.yaml
"""
CASES = """\
- id: elsewhere
  criteria: Explains
  input: Anything else?
  assertions:
    - type: contains
      value: weeks
"""
TARGETS = """\
targets:
  - name: canned
    provider: mock
    response: within 30 days
  - name: program
    provider: cli
    command: {command}
  - name: judged
    provider: mock
    response: within 30 days
    grader_target: judge
  - name: judge
    provider: openai
    base_url: http://127.0.0.1:9/v1
    model: m
    api_key: x
    max_retries: 0
"""
line = partial(line_of, SUITE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    answer = tmp_path / "answer.py"
    answer.write_text(
        "import os, sys, time\n"
        "if 'sleep' in sys.argv[1]:\n"
        f"    open({str(tmp_path / 'alive')!r}, 'w').write(str(os.getpid()))\n"
        "    time.sleep(600)\n"
        "print('within 30 days')\n",
        encoding="utf-8",
    )
    command = json.dumps(f"{sys.executable} {answer} {{PROMPT}}")
    files = {
        ".agentv/targets.yaml": TARGETS.replace("{command}", command),
        "a.eval.yaml": SUITE.replace("{target}", "canned"),
        "more/cases.yaml": CASES,
        "note.md": "A note.",
    }
    return written(tmp_path / "suites", files)


def connected(connect: Connect, folder: Path, target: str = "canned", capabilities: Any = CAN_WATCH) -> Client:
    client = connect()
    client.initialize(capabilities, folder, initializationOptions={"trusted": True})
    client.open(uri_of(folder), SUITE.replace("{target}", target))
    client.diagnostics(uri_of(folder))
    return client


def uri_of(folder: Path) -> str:
    return (folder / "a.eval.yaml").as_uri()


@pytest.mark.parametrize("watches", [True, False])
def test_a_run_in_the_terminal_is_seen_in_the_editor(connect: Connect, folder: Path, watches: bool) -> None:
    client = connected(connect, folder, capabilities=CAN_WATCH if watches else CANNOT_WATCH)
    if watches:
        registered = until("watchers", lambda: [p for m, p in client.requests if m == "client/registerCapability"])
        assert ".rubric/results.{db,db-wal}" in json.dumps(registered)
    done = subprocess.run(
        [sys.executable, "-m", "rubric_core.cli", "run", "a.eval.yaml::refund"],
        check=False,
        cwd=folder,
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
    if watches:
        results = folder / ".rubric" / "results.db"
        client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": results.as_uri(), "type": 1}]})
    until("the result", lambda: hints(client, uri_of(folder)).get(line("id: refund"), "").startswith("✔ 1.00"))


def test_cases_of_other_files_run_and_are_counted_on_their_line(connect: Connect, folder: Path) -> None:
    client = connected(connect, folder)
    run(client, uri_of(folder))
    ended(client)
    shown = hints(client, uri_of(folder))
    assert shown[line("- file://")] == "✘ 1"
    cases = folder / "more" / "cases.yaml"
    client.open(cases.as_uri(), CASES)
    client.change(cases.as_uri(), {"text": CASES.replace("weeks", "days")})
    until("a stale result", lambda: hints(client, uri_of(folder))[line("- file://")] == "◌ 1 stale")
    assert hints(client, uri_of(folder))[line("id: refund")].startswith("✔")


def test_what_is_not_saved_is_said(connect: Connect, folder: Path) -> None:
    client = connected(connect, folder)
    note = (folder / "note.md").as_uri()
    client.open(note, "A note.", "markdown")
    run(client, uri_of(folder), "refund")
    ended(client)
    assert client.heard("window/showMessage") == []
    client.change(note, {"text": "Another note."})
    run(client, uri_of(folder), "refund")
    said = until("a word", lambda: client.heard("window/showMessage"))[0]["message"]
    assert said == "rubric: note.md is not saved: this run uses the text on disk"


def test_a_judge_that_is_gone(connect: Connect, folder: Path) -> None:
    client = connected(connect, folder, "judged")
    client.change(
        uri_of(folder),
        {"text": SUITE.replace("{target}", "judged").replace("type: contains\n        value: days", "Stays polite", 1)},
    )
    run(client, uri_of(folder), "refund")
    ended(client)
    uri = uri_of(folder)
    found = until(
        "a warning", lambda: [d for d in next(client.published(uri))["diagnostics"] if d["code"] == "case-unscored"]
    )
    assert found[0]["severity"] == 2
    assert "127.0.0.1:9" in found[0]["message"]


def test_a_server_that_is_killed_loses_nothing_that_was_done(connect: Connect, folder: Path, tmp_path: Path) -> None:
    client = connected(connect, folder, "program")
    run(client, uri_of(folder))
    program = int(until("a program", lambda: (tmp_path / "alive").exists() and (tmp_path / "alive").read_text()))
    suite = folder / "a.eval.yaml"
    until("a stored result", lambda: ResultDatabase.of(suite).latest(suite))
    client.process.send_signal(signal.SIGKILL)
    until("the end of the program", lambda: not alive(program))
    again = connected(connect, folder, "program")
    until("the result", lambda: hints(again, uri_of(folder)).get(line("id: refund"), "").startswith("✔"))
    assert line("id: sleepy") not in hints(again, uri_of(folder))


@pytest.mark.parametrize(
    ("name", "way"),
    [("Neovim", ":RubricTrust"), ("Visual Studio Code", "“Rubric: Trust this folder”"), ("Emacs", "rubric.trust")],
)
def test_who_cannot_be_asked_is_told_how_to_allow_it_here(connect: Connect, folder: Path, name: str, way: str) -> None:
    client = connect()
    client.unknown.add("window/showMessageRequest")
    client.initialize({}, folder, clientInfo={"name": name})
    run(client, uri_of(folder), "refund")
    said = until("a word", lambda: client.heard("window/showMessage"))[0]["message"]
    assert way in said
    assert f"`rubric trust {folder}`" in said
    assert not (folder / ".rubric").exists()
