"""Commands and actions about runs, and the documents that they show."""

from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pytest
from client import VSCODE, Client, Connect, ServerError, until
from running import command, line_of, progress, written

CONTENTS = {
    **VSCODE,
    "window": {**VSCODE["window"], "showDocument": {"support": True}},
    "workspace": {**VSCODE["workspace"], "textDocumentContent": {}},
}
SUITE = """\
# rubric: dialect=agentv-3
name: support
execution:
  target: canned
tests:
  - id: refund
    criteria: Explains the refund window
    input: Can I return this?
    expected_output: |
      Yes.
      Within 30 days.
    assertions:
      - type: contains
        value: "30 days"
      - type: rubrics
        name: manners
        criteria:
          - id: tone
            outcome: Stays polite
            min_score: 0.6
            score_ranges: {0: rude, 3: curt, 7: warm}
          - id: depth
            outcome: Says why
            score_ranges: {0: nothing, 5: everything}
"""
REPLY = (
    '{"checks": [{"id": "tone", "score": 4, "reasoning": "curt, no apology"}, '
    '{"id": "depth", "score": 10, "reasoning": "all of it"}], "overall_reasoning": "Short."}'
)
TARGETS = f"""\
targets:
  - name: canned
    provider: mock
    response: |-
      No.
      Within 30 days.
    grader_target: judge
  - name: judge
    provider: mock
    response: '{REPLY}'
"""
line = partial(line_of, SUITE)


@pytest.fixture
def uri(tmp_path: Path) -> str:
    folder = written(tmp_path / "suites", {".agentv/targets.yaml": TARGETS, "a.eval.yaml": SUITE})
    return (folder / "a.eval.yaml").as_uri()


def connected(connect: Connect, uri: str, capabilities: Any = VSCODE) -> Client:
    client = connect()
    client.initialize(
        capabilities,
        Path(uri.removeprefix("file://")).parent,
        initializationOptions={"trusted": True},
    )
    client.open(uri, SUITE)
    client.diagnostics(uri)
    return client


def run(client: Client, name: str, *arguments: Any) -> None:
    """Carry out a command that runs something, to its end."""
    before = len(progress(client, "end"))
    command(client, name, *arguments)
    until("the end of the run", lambda: len(progress(client, "end")) > before)


def titles(client: Client, uri: str, at: str, only: str = "rubric.run") -> dict[str, list[Any]]:
    """The arguments of the commands that are offered at a line, by title."""
    here = {"line": line(at), "character": 10}
    context = {"diagnostics": [], "only": [only], "triggerKind": 1}
    params = {"textDocument": {"uri": uri}, "range": {"start": here, "end": here}, "context": context}
    return {a["title"]: a["command"]["arguments"][1:] for a in client.request("textDocument/codeAction", params)}


def test_actions_before_and_after_a_run(connect: Connect, uri: str) -> None:
    client = connected(connect, uri)
    assert titles(client, uri, "id: refund") == {
        "Run case ‹refund›": ["refund"],
        "Run 5× ‹refund›": ["refund", 5],
        "Run and record ‹refund›": ["refund"],
        "Copy the command line ‹refund›": ["refund"],
        "Open the prompt ‹refund›": ["refund"],
        "Run every case of this file": [],
    }
    assert titles(client, uri, "name: manners")["Run only this evaluator ‹manners›"] == ["refund", "manners"]
    run(client, "runFile", uri)
    new = titles(client, uri, "name: manners", "rubric.run.results")
    assert new == {
        "Open the prompt ‹refund›": ["refund"],
        "Open report ‹refund›": ["refund"],
        "Open the answer ‹refund›": ["refund"],
        "Open the judge's reply ‹manners›": ["refund", "manners"],
        "Open the trace ‹refund›": ["refund"],
        "Compare the answer with the expected output ‹refund›": ["refund"],
        "Clear results": [],
    }
    assert {"Run failed cases", "Run again"} <= set(titles(client, uri, "id: refund"))
    lenses = client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    assert [(n["command"]["title"], n["command"]["command"]) for n in lenses[1:]] == [
        ("▶ Run", "rubric.runCase"),
        ("Run 5×", "rubric.repeat"),
        ("Report", "rubric.openReport"),
    ]


def test_a_failed_criterion_leads_to_its_band(connect: Connect, uri: str) -> None:
    client = connected(connect, uri)
    run(client, "runCase", uri, "refund")
    found = until(
        "the criterion",
        lambda: [d for d in next(client.published(uri))["diagnostics"] if "4/10" in d["message"]],
    )
    assert found[0]["code"] == "criterion-failed"
    assert found[0]["message"] == "failed 4/10 → 0.40  min 0.6: curt, no apology"
    band = found[0]["relatedInformation"][0]
    assert band["message"] == "the band of this score: 3–6 curt"
    assert band["location"]["range"]["start"] == {"line": line("score_ranges"), "character": 36}
    hover = client.at("hover", uri, line("id: refund"), 9)["contents"]["value"]
    assert "To pass: tone at 6 or more" in hover
    assert "| manners | ✘ 0.70 × 1" in hover
    assert "0.35 of 0.50" in hover


def test_an_evaluator_alone_shows_its_marks_only(connect: Connect, uri: str) -> None:
    client = connected(connect, uri)
    run(client, "runEvaluator", uri, "refund", "manners")
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    hints = client.request("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": whole})
    shown = {h["position"]["line"]: h["label"] for h in hints if h["label"][0] in "✔✘"}
    assert set(shown) == {line("type: rubrics"), line("id: tone"), line("id: depth")}
    assert not (Path(uri.removeprefix("file://")).parent / ".rubric").exists(), "it is no result of the case"


def test_repeating_recording_and_doing_it_again(connect: Connect, uri: str) -> None:
    client = connected(connect, uri)
    run(client, "repeat", uri, "refund", 2)
    run(client, "runAgain", uri)
    run(client, "record", uri, "refund")
    begun = [p["value"]["title"] for p in client.heard("$/progress") if p["value"]["kind"] == "begin"]
    assert begun == ["Running refund ×2", "Running refund ×2", "Recording refund"]
    recordings = Path(uri.removeprefix("file://")).with_name("a.recordings.yaml")
    until("a file of recordings", recordings.exists)
    assert "curt, no apology" in recordings.read_text(encoding="utf-8")


def test_documents_for_a_client_that_asks_for_them(connect: Connect, uri: str) -> None:
    client = connected(connect, uri, CONTENTS)
    run(client, "runCase", uri, "refund")

    def text(name: str, *more: str) -> str:
        shown = command(client, name, uri, "refund", *more)
        asked = until("a document", lambda: [p for m, p in client.requests if m == "window/showDocument"][-1:])[0]
        assert asked["uri"] == shown
        return str(client.request("workspace/textDocumentContent", {"uri": shown})["text"])

    assert text("openAnswer") == "No.\nWithin 30 days."
    # As VS Code asks: it decodes a query once, and encodes all of it again.
    path, _, query = command(client, "openAnswer", uri, "refund").partition("?")
    again = {"uri": f"{path}?{quote(unquote(query), safe='')}"}
    assert client.request("workspace/textDocumentContent", again) == {"text": "No.\nWithin 30 days."}
    assert text("openPrompt") == "Can I return this?"
    said = text("openReply", "manners")
    assert "## ✘ tone 4/10" in said
    assert f"## The raw reply\n\n```json\n{REPLY}\n```\n" in said
    assert "## User prompt\n\n```text\n" in said
    assert '"raw_score": 4' in text("openTrace")
    report = text("openReport")
    assert "To pass" in report
    sent = report.partition("\n## What was sent\n")[2]
    assert sent.startswith("\n### target canned (mock)\n\nnothing was sent: mock targets answer by themselves")
    assert "user:\n\n```text\nCan I return this?\n```\n" in sent
    assert "### judge judge (mock) for manners\n" in sent
    for nothing in ("rubric:/other", "rubric://[::1?kind=answer", "//["):
        with pytest.raises(ServerError, match="not a document of rubric's"):
            client.request("workspace/textDocumentContent", {"uri": nothing})


def test_documents_as_files_and_a_comparison_as_a_diff(connect: Connect, uri: str) -> None:
    client = connected(connect, uri)
    with pytest.raises(ServerError, match="has not been run yet"):
        command(client, "openAnswer", uri, "refund")
    run(client, "runCase", uri, "refund")
    for _ in range(2):
        shown = Path(command(client, "diffAnswer", uri, "refund")["difference"].removeprefix("file://"))
        assert "-Yes.\n+No.\n Within 30 days." in shown.read_text(encoding="utf-8")
    assert shown.stat().st_mode & 0o777 == 0o400
    assert any(str(shown) in p["message"] for p in client.heard("window/showMessage"))
    assert command(client, "copyCommand", uri, "refund") == "rubric run a.eval.yaml::refund"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("runEvaluator", ["refund", "nothing"]), ("repeat", ["refund", 0]), ("runFailed", []), ("openPrompt", ["nobody"])],
)
def test_what_cannot_be_done_is_said(connect: Connect, uri: str, name: str, arguments: list[Any]) -> None:
    client = connected(connect, uri)
    with pytest.raises(ServerError, match="-32602"):
        command(client, name, uri, *arguments)


@pytest.mark.parametrize("trusted", [True, False])
def test_the_prompt_of_an_untrusted_suite_is_not_computed(connect: Connect, tmp_path: Path, trusted: bool) -> None:
    bomb = "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"
    cases = "\n".join(
        f"  - {{id: {name}, prompts: ['{text}'], vars: {{q: hi}}, assert: [{{type: contains, value: x}}]}}"
        for name, text in {"kind": "say {{ q | upper }} {{ q }}", "bomb": f"{bomb} {{{{ q }}}}"}.items()
    )
    text = f"# rubric: dialect=agentv-5\nproviders: [canned]\nprompts: ['{{{{ q }}}}']\ntests:\n{cases}\n"
    uri = (written(tmp_path / "suites", {"a.eval.yaml": text}) / "a.eval.yaml").as_uri()
    client = connect()
    client.initialize(CONTENTS, tmp_path / "suites", initializationOptions={"trusted": trusted})
    client.open(uri, text)
    client.diagnostics(uri)

    def prompt(name: str) -> str:
        shown = command(client, "openPrompt", uri, name)
        return str(client.request("workspace/textDocumentContent", {"uri": shown})["text"])

    assert prompt("kind") == ("say HI hi" if trusted else "say {{ q | upper }} hi")
    if trusted:
        with pytest.raises(
            ServerError, match=r"what bomb asks cannot be told: the template took longer than 2 s \(a\.eval\.yaml:6\)"
        ):
            command(client, "openPrompt", uri, "bomb")
    else:
        assert prompt("bomb") == f"{bomb} hi"
