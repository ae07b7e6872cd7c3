"""Whole conversations as real clients hold them: each feature takes the form that the client knows, and none fails."""

import sys
from typing import Any

import pytest
import pytest_lsp
from client import Client, Connect, replaced
from lsprotocol import types
from lsprotocol.converters import get_converter
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

URI = "file:///suites/a.eval.yaml"
SUITE = """\
# rubric: dialect=agentv-3
tests:
  - id: bands 😀
    criteria: Shows every band
    input: Rate this.
    assertions:
      - type: rubrics
        criteria:
          - id: depth
            outcome: Depth
            score_ranges:
              - {score_range: [0, 5], outcome: poor}
              - {score_range: [5, 10], outcome: good}
  - id: other
    expected_outcome: Says hello
    depends_on: [nobody]
    input: Hello
"""
#: Helix: no lenses, no related information, no refreshing, progress all the same.
HELIX: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-8", "utf-32", "utf-16"]},
    "workspace": {"applyEdit": True, "configuration": True, "workspaceFolders": True, "workspaceEdit": {"documentChanges": True}},
    "textDocument": {
        "completion": {"completionItem": {"snippetSupport": True, "resolveSupport": {"properties": ["documentation"]}, "insertReplaceSupport": True}},
        "hover": {"contentFormat": ["markdown"]},
        "rename": {"dynamicRegistration": False, "prepareSupport": True},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["", "quickfix", "refactor"]}}, "isPreferredSupport": True},
        "publishDiagnostics": {"versionSupport": True, "tagSupport": {"valueSet": [1, 2]}},
        "inlayHint": {"dynamicRegistration": False},
    },
    "window": {"workDoneProgress": True},
}  # fmt: skip
PRESETS = ("visual_studio_code@1.65.2", "neovim@0.11.0", "neovim@0.7.0", "emacs@29.1", "helix", "bare")


def capabilities_of(preset: str) -> dict[str, Any]:
    if preset in ("helix", "bare"):
        return HELIX if preset == "helix" else {}
    return dict(get_converter().unstructure(client_capabilities(preset)))


def said(capabilities: dict[str, Any], path: str) -> Any:
    here: Any = capabilities
    for name in path.split("."):
        here = here.get(name) if isinstance(here, dict) else None
    return here


@pytest.mark.parametrize("preset", PRESETS)
def test_a_whole_conversation(connect: Connect, preset: str) -> None:
    can = capabilities_of(preset)
    client = connect()
    offered = client.initialize(can)["capabilities"]
    client.open(URI, SUITE, kind="yaml")
    _diagnostics(client, can)
    _actions(client, can)
    _texts(client, can)
    symbols = client.request("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
    nested = said(can, "textDocument.documentSymbol.hierarchicalDocumentSymbolSupport")
    assert ("children" in symbols[0]) == bool(nested)
    edit = client.at("rename", URI, 2, 9, newName="ranges")
    versioned = said(can, "workspace.workspaceEdit.documentChanges")
    assert ("documentChanges" in edit) == bool(versioned)
    for method in ("foldingRange", "semanticTokens/full", "codeLens", "documentLink"):
        assert client.request(f"textDocument/{method}", {"textDocument": {"uri": URI}}) is not None
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    client.request("textDocument/inlayHint", {"textDocument": {"uri": URI}, "range": whole})
    client.change(URI, replaced(SUITE, "bands", "bonds"))
    assert client.diagnostics(URI)
    _asked_only_what_it_can(client, can)
    assert offered["textDocumentSync"]["change"] == 2
    assert [m for m in client.heard("window/logMessage") if m["type"] == 1] == []
    assert client.shut_down() == 0


def _diagnostics(client: Client, can: dict[str, Any]) -> None:
    found = {d["code"]: d for d in client.diagnostics(URI)}
    assert set(found) == {"overlapping-bands", "renamed-key", "unknown-dependency"} or {
        "overlapping-bands",
        "renamed-key",
    } < set(found)
    assert ("relatedInformation" in found["overlapping-bands"]) == bool(
        said(can, "textDocument.publishDiagnostics.relatedInformation")
    )
    assert ("tags" in found["renamed-key"]) == bool(said(can, "textDocument.publishDiagnostics.tagSupport"))
    assert ("codeDescription" in found["renamed-key"]) == bool(
        said(can, "textDocument.publishDiagnostics.codeDescriptionSupport")
    )


def _actions(client: Client, can: dict[str, Any]) -> None:
    here = {"start": {"line": 14, "character": 6}, "end": {"line": 14, "character": 6}}
    context = {"diagnostics": client.diagnostics(URI)}
    found = client.request("textDocument/codeAction", {"textDocument": {"uri": URI}, "range": here, "context": context})
    known = said(can, "textDocument.codeAction")  # who says nothing of them and asks is taken for a client of today
    literals = known is None or said(can, "textDocument.codeAction.codeActionLiteralSupport")
    assert any("kind" in a for a in found) == bool(literals)
    titles = [a["title"] for a in found]
    assert ("Rename it to `criteria`" in titles) == bool(literals)
    assert any("Run" in title for title in titles)


def _texts(client: Client, can: dict[str, Any]) -> None:
    encoding = (said(can, "general.positionEncodings") or ["utf-16"])[0]
    width = {"utf-8": 4, "utf-16": 2, "utf-32": 1}[encoding]
    # The id ends behind a character that is counted in three ways.
    hover = client.at("hover", URI, 2, 14 + width)
    assert hover["range"]["end"]["character"] == 14 + width
    markdown = "markdown" in (said(can, "textDocument.hover.contentFormat") or [])
    assert hover["contents"]["kind"] == ("markdown" if markdown else "plaintext")
    items = client.at("completion", URI, 16, 4)["items"]
    item = "textDocument.completion.completionItem"
    if not said(can, f"{item}.snippetSupport"):
        assert all(i.get("insertTextFormat", 1) == 1 for i in items)
    for each in items:
        if each["label"] == "grader" or each.get("tags") or each.get("deprecated"):
            assert ("tags" in each) == bool(said(can, f"{item}.tagSupport"))
    resolving = "documentation" in (said(can, f"{item}.resolveSupport.properties") or [])
    assert any("documentation" in i for i in items) != resolving


def _asked_only_what_it_can(client: Client, can: dict[str, Any]) -> None:
    """A request that a client did not announce would be an error there."""
    needs = {
        "workspace/configuration": "workspace.configuration",
        "workspace/codeLens/refresh": "workspace.codeLens.refreshSupport",
        "workspace/inlayHint/refresh": "workspace.inlayHint.refreshSupport",
        "workspace/diagnostic/refresh": "workspace.diagnostics.refreshSupport",
        "window/workDoneProgress/create": "window.workDoneProgress",
    }
    for method, params in list(client.requests):
        if method == "client/registerCapability":
            for each in params["registrations"]:
                area = each["method"].replace("/", ".", 1)
                assert said(can, f"{area}.dynamicRegistration"), each
        else:
            assert said(can, needs[method]), method


@pytest_lsp.fixture(
    params=["visual_studio_code", "neovim", "emacs"],
    config=ClientServerConfig(server_command=[sys.executable, "-m", "rubric_lsp", "--stdio"]),
)
async def real(request: Any, lsp_client: LanguageClient) -> Any:
    """A client of pytest-lsp, which checks what it is sent against what it said that it can do."""
    lsp_client.feature(types.CLIENT_REGISTER_CAPABILITY)(lambda _: None)
    await lsp_client.initialize_session(
        types.InitializeParams(capabilities=client_capabilities(request.param), process_id=None, root_uri=None)
    )
    yield
    await lsp_client.shutdown_session()


async def test_a_client_of_pytest_lsp(real: LanguageClient) -> None:
    document = types.TextDocumentItem(URI, types.LanguageKind.Yaml, 1, SUITE)
    real.text_document_did_open(types.DidOpenTextDocumentParams(document))
    await real.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    assert "overlapping-bands" in [d.code for d in real.diagnostics[URI]]
    here = types.TextDocumentIdentifier(URI)
    found = await real.text_document_completion_async(types.CompletionParams(here, types.Position(16, 4)))
    assert isinstance(found, types.CompletionList)
    assert "on_dependency_failure" in [i.label for i in found.items]
    hover = await real.text_document_hover_async(types.HoverParams(here, types.Position(10, 14)))
    assert hover is not None
    assert real.log_messages == [m for m in real.log_messages if m.type != types.MessageType.Error]
