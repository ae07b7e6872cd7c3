"""Files that depend on one another: an edit of one is a check of the others, open or not; and clients that ask."""

from pathlib import Path
from typing import Any

import pytest
from client import VSCODE, Client, Connect, replaced, until

SUITE = """\
# rubric: dialect=agentv-3
execution: {target: local}
tests: file://cases.yaml
assertions:
  - {type: contains, value: x}
"""
TARGETS = "targets:\n  - {name: local, provider: mock}\n"
CASES = "- {id: a, criteria: x, input: hi}\n"

#: VS Code asks for diagnostics, and can be told to ask again.
PULLING: dict[str, Any] = {
    **VSCODE,
    "textDocument": {**VSCODE["textDocument"], "diagnostic": {"relatedDocumentSupport": True}},
    "workspace": {**VSCODE["workspace"], "diagnostics": {"refreshSupport": True}},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / ".agentv").mkdir(parents=True)
    (folder / ".agentv" / "targets.yaml").write_text(TARGETS, encoding="utf-8")
    (folder / "cases.yaml").write_text(CASES, encoding="utf-8")
    for name in ("a", "b"):
        (folder / f"{name}.eval.yaml").write_text(SUITE, encoding="utf-8")
    return folder


def codes(items: Any) -> list[str]:
    return [d["code"] for d in items]


def shown(client: Client, uri: str) -> list[str]:
    """The codes of the newest publication."""
    newest = next(client.published(uri), None)
    return codes(newest["diagnostics"]) if newest else []


def told(client: Client, path: Path, kind: int = 2) -> None:
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": path.as_uri(), "type": kind}]})


def test_an_edit_of_targets_checks_the_suites_that_use_them(connect: Connect, folder: Path) -> None:
    client = connect()
    client.initialize(VSCODE, folder)
    open_one, closed_one = ((folder / f"{n}.eval.yaml").as_uri() for n in ("a", "b"))
    targets = (folder / ".agentv" / "targets.yaml").as_uri()
    client.open(open_one, SUITE)
    assert client.diagnostics(open_one) == []
    client.open(targets, TARGETS)
    client.change(targets, replaced(TARGETS, "name: local", "name: cloud"))
    # Nothing is saved: what is open counts, for the suite that is not open too.
    until("the open suite", lambda: shown(client, open_one) == ["unknown-target"])
    until("the closed suite", lambda: shown(client, closed_one) == ["unknown-target"])
    client.notify("textDocument/didClose", {"textDocument": {"uri": targets}})
    until("the open suite, from disk", lambda: shown(client, open_one) == [])
    until("the closed suite, from disk", lambda: shown(client, closed_one) == [])


def test_a_change_on_disk_checks_what_depends_on_it(connect: Connect, folder: Path) -> None:
    client = connect()
    client.initialize(VSCODE, folder)
    uri, other = ((folder / f"{n}.eval.yaml").as_uri() for n in ("a", "b"))
    client.open(uri, SUITE)
    assert client.diagnostics(uri) == []
    (folder / "cases.yaml").unlink()
    told(client, folder / "cases.yaml", 3)
    until("the open suite", lambda: shown(client, uri) == ["missing-file"])
    until("the closed suite", lambda: shown(client, other) == ["missing-file"])
    (folder / "cases.yaml").write_text("- {id: a, criteria: x}\n", encoding="utf-8")
    told(client, folder / "cases.yaml", 1)
    until("the open suite again", lambda: shown(client, uri) == [])
    until("the file of cases", lambda: shown(client, (folder / "cases.yaml").as_uri()) == ["missing-key"])


def test_a_mistake_in_the_configuration_is_shown_there(connect: Connect, folder: Path) -> None:
    configuration = folder / ".rubric.toml"
    configuration.write_text('ignor = ["x"]\n', encoding="utf-8")
    client = connect()
    client.initialize(VSCODE, folder)
    until("the mistake", lambda: shown(client, configuration.as_uri()) == ["bad-configuration"])
    configuration.write_text("", encoding="utf-8")
    told(client, configuration)
    until("no mistake", lambda: shown(client, configuration.as_uri()) == [])


def test_only_open_files_where_that_is_wanted(connect: Connect, folder: Path) -> None:
    (folder / "b.eval.yaml").write_text("tests: 1\n", encoding="utf-8")
    client = connect()
    client.initialize(PULLING, folder, initializationOptions={"checkWorkspace": False})
    uri = (folder / "a.eval.yaml").as_uri()
    client.open(uri, SUITE)
    found = client.request("workspace/diagnostic", {"previousResultIds": []})
    assert [(r["uri"], r["items"]) for r in found["items"]] == [(uri, [])]


def test_types_that_the_workspace_uses_are_offered_first(connect: Connect, folder: Path) -> None:
    client = connect()
    client.initialize(VSCODE, folder)
    uri = (folder / "a.eval.yaml").as_uri()
    client.open(uri, f"{SUITE}  - type: \n")

    def first() -> str:
        items = client.at("completion", uri, 5, 10)["items"]
        return str(min(items, key=lambda item: item["sortText"])["label"])

    assert first() == "contains", "as in front of it in the same file"
    checks = "".join(f"  - {{type: contains, value: x}}\n  - {{type: latency, threshold: {n}}}\n" for n in range(9))
    (folder / "b.eval.yaml").write_text(SUITE + checks, encoding="utf-8")
    told(client, folder / "b.eval.yaml")
    until("the other suite counts", lambda: first() == "latency")


def offered_paths(client: Client, uri: str, line: str) -> list[str]:
    """What is offered at the end of a file whose last line is `line`."""
    text = f"{SUITE}{line}"
    client.change(uri, {"text": text})
    items = client.at("completion", uri, text.count("\n"), len(line.rpartition("\n")[2]))["items"]
    return [i["label"] for i in sorted(items, key=lambda i: i["sortText"]) if i["kind"] == 17]


def test_files_above_the_suite_are_offered(connect: Connect, folder: Path) -> None:
    inner = folder / "evals" / "deep"
    for path in (folder / "graders", folder / "evals" / "prompts", inner / "mine", folder.parent / "outside"):
        path.mkdir(parents=True)
        (path / "x.md").write_text("x", encoding="utf-8")
    (inner / "b.eval.yaml").write_text(SUITE, encoding="utf-8")
    client = connect()
    client.initialize(VSCODE, folder)
    uri = (inner / "a.eval.yaml").as_uri()
    client.open(uri, SUITE)
    prompt = "  - type: llm-grader\n    prompt: "
    assert offered_paths(client, uri, prompt) == ["mine/x.md", "../prompts/x.md", "../../graders/x.md"], (
        "near ones first"
    )
    assert offered_paths(client, uri, f"{prompt}../") == ["../prompts/x.md", "../../graders/x.md"]
    assert offered_paths(client, uri, f"{prompt}./") == ["./mine/x.md", "../prompts/x.md", "../../graders/x.md"]


@pytest.mark.parametrize("kind", ["targets", "cases"])
def test_the_files_around_are_checked_as_such(connect: Connect, folder: Path, kind: str) -> None:
    client = connect()
    client.initialize(VSCODE, folder)
    client.open((folder / "a.eval.yaml").as_uri(), SUITE)
    client.diagnostics((folder / "a.eval.yaml").as_uri())
    path, text, code = {
        "targets": (folder / ".agentv" / "targets.yaml", "targets:\n  - {name: x}\n", "missing-key"),
        "cases": (folder / "cases.yaml", "- {id: a, criteria: x}\n", "missing-key"),
    }[kind]
    client.open(path.as_uri(), text, kind="yaml")
    assert code in codes(client.diagnostics(path.as_uri()))


def pull(client: Client, uri: str, **more: Any) -> dict[str, Any]:
    return dict(client.request("textDocument/diagnostic", {"textDocument": {"uri": uri}, **more}))


def test_a_client_that_asks_is_not_sent_the_same_again(connect: Connect, folder: Path) -> None:
    client = connect()
    offered = client.initialize(PULLING, folder)["capabilities"]
    assert offered["diagnosticProvider"]["interFileDependencies"] is True
    uri = (folder / "a.eval.yaml").as_uri()
    broken = SUITE.replace("local", "nobody")
    client.open(uri, broken)
    first = pull(client, uri)
    assert codes(first["items"]) == ["unknown-target"]
    again = pull(client, uri, previousResultId=first["resultId"])
    assert again == {"kind": "unchanged", "resultId": first["resultId"]}
    client.change(uri, replaced(broken, "nobody", "local"))
    assert pull(client, uri, previousResultId=first["resultId"])["items"] == []
    assert not client.heard("textDocument/publishDiagnostics")


def test_the_suites_that_depend_come_with_the_file(connect: Connect, folder: Path) -> None:
    client = connect()
    client.initialize(PULLING, folder)
    uri, targets = (folder / "a.eval.yaml").as_uri(), (folder / ".agentv" / "targets.yaml").as_uri()
    client.open(uri, SUITE)
    pull(client, uri)
    client.open(targets, TARGETS)
    client.change(targets, replaced(TARGETS, "name: local", "name: cloud"))
    related = pull(client, targets)["relatedDocuments"]
    assert codes(related[uri]["items"]) == ["unknown-target"]
    until("a word that there is something new", lambda: ("workspace/diagnostic/refresh", None) in client.requests)


def test_the_whole_workspace(connect: Connect, folder: Path) -> None:
    (folder / "b.eval.yaml").write_text(SUITE.replace("local", "nobody"), encoding="utf-8")
    client = connect()
    client.initialize(PULLING, folder)
    found = {r["uri"]: r for r in client.request("workspace/diagnostic", {"previousResultIds": []})["items"]}
    names = {uri.rpartition("/")[2]: codes(r["items"]) for uri, r in found.items()}
    assert names == {"a.eval.yaml": [], "b.eval.yaml": ["unknown-target"], "targets.yaml": [], "cases.yaml": []}
    # A client that has everything is answered when there is something new.
    known = [{"uri": uri, "value": r["resultId"]} for uri, r in found.items()]
    asked = client.start("workspace/diagnostic", {"previousResultIds": known, "workDoneToken": "w"})
    # At once: the server may be reading it just now.
    (folder / "draft").write_text(SUITE, encoding="utf-8")
    (folder / "draft").replace(folder / "b.eval.yaml")
    told(client, folder / "b.eval.yaml")
    (changed,) = client.answer(asked)["result"]["items"]
    assert (changed["uri"], changed["items"]) == ((folder / "b.eval.yaml").as_uri(), [])
    kinds = [p["value"]["kind"] for p in client.heard("$/progress") if p["token"] == "w"]
    assert (kinds[0], kinds[-1]) == ("begin", "end")
    # One that waits can be told to stop.
    known = [{**k, "value": changed["resultId"]} if k["uri"] == changed["uri"] else k for k in known]
    asked = client.start("workspace/diagnostic", {"previousResultIds": known})
    client.notify("$/cancelRequest", {"id": asked})
    assert client.answer(asked)["error"]["code"] == -32800


def test_a_client_that_cannot_be_told_is_published_to(connect: Connect, folder: Path) -> None:
    capabilities = {**PULLING, "workspace": VSCODE["workspace"]}
    client = connect()
    assert "diagnosticProvider" not in client.initialize(capabilities, folder)["capabilities"]
    uri = (folder / "a.eval.yaml").as_uri()
    client.open(uri, SUITE.replace("local", "nobody"))
    assert codes(client.diagnostics(uri)) == ["unknown-target"]


@pytest.mark.parametrize("open_targets", [False, True])
def test_a_target_that_no_suite_names(connect: Connect, folder: Path, open_targets: bool) -> None:
    """It is said once every suite is known, and not any longer than it is true."""
    targets = folder / ".agentv" / "targets.yaml"
    text = TARGETS + "  - {name: spare, provider: mock}\n"
    targets.write_text(text, encoding="utf-8")
    client = connect()
    client.initialize(VSCODE, folder)
    uri, suite = targets.as_uri(), (folder / "a.eval.yaml").as_uri()
    if open_targets:
        client.open(uri, text)
    until("nobody names it", lambda: shown(client, uri) == ["unused-target"])
    assert next(client.published(uri))["diagnostics"][0]["tags"] == [1]
    client.open(suite, SUITE)
    client.change(suite, replaced(SUITE, "target: local", "target: spare"))
    until("it is named in what is typed", lambda: shown(client, uri) == [])
    client.notify("textDocument/didClose", {"textDocument": {"uri": suite}})
    until("it is not named on disk", lambda: shown(client, uri) == ["unused-target"])
    third = folder / "c.eval.yaml"
    third.write_text(SUITE.replace("local", "spare"), encoding="utf-8")
    told(client, third, 1)
    until("another suite names it", lambda: shown(client, uri) == [])
    third.unlink()
    told(client, third, 3)
    until("that suite is gone", lambda: shown(client, uri) == ["unused-target"])
    (folder / "cases.yaml").write_text(CASES.replace("input: hi", "input: hi, execution: {target: spare}"), "utf-8")
    told(client, folder / "cases.yaml")
    until("a case of another file names it", lambda: shown(client, uri) == [])


def test_pulling_one_document_reports_unused_targets(connect: Connect, folder: Path) -> None:
    targets = folder / ".agentv" / "targets.yaml"
    text = TARGETS + "  - {name: spare, provider: mock}\n"
    targets.write_text(text, encoding="utf-8")
    client = connect()
    client.initialize(PULLING, folder)
    client.open(targets.as_uri(), text)
    asked = {"textDocument": {"uri": targets.as_uri()}}
    until("news", lambda: "workspace/diagnostic/refresh" in [method for method, _ in client.requests])
    assert codes(client.request("textDocument/diagnostic", asked)["items"]) == ["unused-target"]


def test_a_client_that_pulls_for_the_workspace_alone_is_told(connect: Connect, folder: Path) -> None:
    """Neovim 0.12, told to ask again, leaves out the documents that are open."""
    client = connect()
    offered = client.initialize(PULLING, folder, clientInfo={"name": "Neovim", "version": "0.12.4"})
    assert "diagnosticProvider" not in offered["capabilities"]
    uri = (folder / "a.eval.yaml").as_uri()
    client.open(uri, SUITE.replace("tests:", "tets:"))
    assert codes(client.diagnostics(uri))


@pytest.mark.parametrize("name", ["judge.md", "judge.txt", "judge.j2"])
def test_the_prompt_of_a_judge_in_a_file_of_its_own(connect: Connect, folder: Path, name: str) -> None:
    """An editor that sends it, under whatever language id, is helped once a suite is found that names it."""
    prompt, other = folder / "prompts" / name, folder / "notes.md"
    text = "Answer: {{ output }}\nIn short: {{ anwser }}\n{{ "
    prompt.parent.mkdir()
    for path in (prompt, other):
        path.write_text(text, encoding="utf-8")
    judge = f"  - {{type: llm-grader, prompt: file://prompts/{name}}}\n"
    (folder / "b.eval.yaml").write_text(SUITE + judge, encoding="utf-8")
    client = connect()
    client.initialize(VSCODE, folder)
    for path in (prompt, other):
        client.open(path.as_uri(), text, kind="markdown")
    uri = prompt.as_uri()
    until("what is wrong in the prompt", lambda: shown(client, uri) == ["template-variable"])
    assert next(client.published(uri))["diagnostics"][0]["range"]["start"]["line"] == 1
    labels = [item["label"] for item in client.at("completion", uri, 2, 3)["items"]]
    assert {"output", "criteria", "input"} <= set(labels)
    assert "tests" not in labels
    assert "filled in for the judge" in client.at("hover", uri, 0, 13)["contents"]["value"]
    assert client.at("completion", uri, 0, 0)["items"] == []
    assert client.request("textDocument/codeLens", {"textDocument": {"uri": uri}}) == []
    # What no suite names is none of ours.
    assert shown(client, other.as_uri()) == []
    assert client.at("completion", other.as_uri(), 2, 3) is None
    client.change(uri, replaced(text, "anwser", "output"))
    assert client.diagnostics(uri) == []
