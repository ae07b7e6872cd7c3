"""The route table: one line for each method."""

from rubric_lsp import answers, convert, lifecycle
from rubric_lsp.commands import Commands
from rubric_lsp.documents.navigation import links
from rubric_lsp.documents.semantic_tokens import all_tokens, token_changes, tokens_within
from rubric_lsp.features.on_type_formatting import format_on_type
from rubric_lsp.protocol.params import (
    ANYTHING,
    AT,
    DOCUMENT,
    FLAG,
    ID,
    INTEGER,
    NOTHING,
    NUMBER,
    POSITION,
    RANGE,
    TEXT,
    WITHIN,
)
from rubric_lsp.router import Router
from rubric_lsp.server import RubricServer
from rubric_lsp.suite_status import suite_status

__all__ = ["make_server"]


def make_server() -> RubricServer:
    """A server with a route for each method."""
    server = RubricServer()
    _route(server, Commands(server))
    return server


def _route(s: RubricServer, commands: Commands) -> None:
    """Register every method of the server."""
    r = Router(s.protocol, s.documents)
    _conversation(r, s, commands)
    _documents(r, s)
    _writing(r, s)
    _display(r, s)
    _navigation(r, s)
    _tests(r, s)


def _conversation(r: Router, s: RubricServer, commands: Commands) -> None:
    folder = {"uri": TEXT, "name?": TEXT}
    r.request("initialize", {"capabilities": ANYTHING}, lambda p: lifecycle.initialize(s, p, commands.names))
    r.notification("initialized", ANYTHING, lambda _: lifecycle.initialized(s))
    r.notification("$/setTrace", {"value": TEXT}, lambda p: lifecycle.trace(s, p["value"]))
    r.notification("workspace/didChangeConfiguration", NOTHING, lambda p: lifecycle.configure(s, p.get("settings")))
    r.notification(
        "workspace/didChangeWorkspaceFolders",
        {"event": {"added": [folder], "removed": [folder]}},
        lambda p: lifecycle.change_folders(s, *convert.folders(p)),
    )
    r.notification(
        "workspace/didChangeWatchedFiles",
        {"changes": [{"uri": TEXT}]},
        lambda p: s.files_changed(convert.changed_files(p)),
    )
    r.request(
        "workspace/executeCommand",
        {"command": TEXT, "arguments?": [ANYTHING]},
        lambda p: commands.execute(*convert.arguments(p)),
    )
    r.notification("window/workDoneProgress/cancel", {"token": ID}, lambda p: _cancel(s, p["token"]))


def _cancel(s: RubricServer, token: object) -> None:
    s.runs.cancel_token(token)
    s.workspace_check.board.cancel(token)


def _documents(r: Router, s: RubricServer) -> None:
    whole = {"uri": TEXT, "languageId?": TEXT, "version?": INTEGER, "text": TEXT}
    r.notification("textDocument/didOpen", {"textDocument": whole}, s.opened)
    step = {"range?": RANGE, "text": TEXT}
    edited = {"textDocument": {"uri": TEXT, "version?": INTEGER}, "contentChanges": [step]}
    r.notification("textDocument/didChange", edited, s.changed)
    r.notification("textDocument/didClose", DOCUMENT, s.closed_document)
    r.notification("textDocument/didSave", DOCUMENT, s.saved)
    r.document_request(
        "textDocument/diagnostic",
        {**DOCUMENT, "previousResultId?": TEXT},
        lambda d, p: s.pull.document(d, p.get("previousResultId")),
        {"kind": "full", "items": []},
        whole=True,
    )
    r.request(
        "workspace/diagnostic",
        {"previousResultIds": [{"uri": TEXT, "value": TEXT}], "partialResultToken?": ID, "workDoneToken?": ID},
        lambda p: s.pull.workspace(*convert.known_diagnostics(p)),
    )


def _writing(r: Router, s: RubricServer) -> None:
    r.document_request(
        "textDocument/completion",
        {**AT, "context?": {"triggerCharacter?": TEXT}},
        lambda d, p: convert.completions(d, answers.offers(s, d, p), s.client),
    )
    r.request("completionItem/resolve", {"label": TEXT}, lambda p: answers.resolved(s, p))
    r.document_request("textDocument/hover", AT, lambda d, p: answers.hover_at(s, d, p), finds_use=True)
    asked = {"diagnostics": [{"range": RANGE}], "only?": [TEXT], "triggerKind?": NUMBER}
    r.document_request(
        "textDocument/codeAction",
        {**WITHIN, "context": asked},
        lambda d, p: convert.code_actions(d, answers.actions_at(s, d, p), p, s.client, s.known.suite_at(d).uri),
        [],
    )
    r.request("codeAction/resolve", {"title": TEXT}, lambda p: answers.chosen_action(s, p))
    r.document_request(
        "textDocument/onTypeFormatting",
        {**AT, "ch": TEXT},
        lambda d, p: convert.text_edits(d, format_on_type(d.analysis, convert.offset(d, p), p["ch"])),
    )
    asked_for = {"options": {"tabSize": NUMBER}}
    r.document_request("textDocument/formatting", {**DOCUMENT, **asked_for}, answers.formatted, [], whole=True)
    r.document_request(
        "textDocument/rangeFormatting", {**WITHIN, **asked_for}, answers.formatted_within, [], whole=True
    )
    r.document_request("textDocument/prepareRename", AT, lambda d, p: answers.renamable(s, d, p), finds_use=True)
    r.document_request(
        "textDocument/rename", {**AT, "newName": TEXT}, lambda d, p: answers.rename(s, d, p), finds_use=True
    )


def _display(r: Router, s: RubricServer) -> None:
    shown = s.documents.settings_now
    r.document_request(
        "textDocument/codeLens",
        DOCUMENT,
        lambda d, _: answers.lenses(s, d),
        [],
    )
    r.document_request(
        "textDocument/inlayHint", WITHIN, lambda d, p: answers.hints_within(s, d, p) if shown().inlay_hints else [], []
    )
    r.document_request(
        "textDocument/documentSymbol",
        DOCUMENT,
        lambda d, _: convert.document_symbols(d, s.client),
        [],
    )
    r.document_request("textDocument/foldingRange", DOCUMENT, lambda d, _: convert.folding_ranges(d), [])
    r.document_request(
        "textDocument/selectionRange", {**DOCUMENT, "positions": [POSITION]}, answers.selection_ranges, []
    )
    r.document_request("textDocument/semanticTokens/full", DOCUMENT, lambda d, _: all_tokens(d), whole=True)
    r.document_request(
        "textDocument/semanticTokens/full/delta", {**DOCUMENT, "previousResultId": TEXT}, token_changes, whole=True
    )
    r.document_request("textDocument/semanticTokens/range", WITHIN, tokens_within, whole=True)


def _tests(r: Router, s: RubricServer) -> None:
    r.request("rubric/discoverTests", NOTHING, s.tree.discover)
    r.request("rubric/runTests", NOTHING, s.tests.run)
    r.request("rubric/cancelTests", NOTHING, s.tests.cancel)
    r.request("rubric/debugGrader", NOTHING, s.grader_debug.launch)
    r.request("rubric/report", NOTHING, s.tests.report)
    r.request("rubric/runReport", NOTHING, s.run_reports.report)
    r.request("rubric/runCase", NOTHING, s.run_reports.case)
    r.request("rubric/compareRuns", NOTHING, s.run_reports.comparison)
    r.request("rubric/targets", {"uri": TEXT}, lambda p: answers.targets_of_folder(s, p["uri"]))
    r.request("rubric/suite", NOTHING, lambda p: suite_status(s, p))
    r.request("workspace/textDocumentContent", {"uri": TEXT}, lambda p: s.virtual_documents.content(p["uri"]))


def _navigation(r: Router, s: RubricServer) -> None:
    r.document_request("textDocument/definition", AT, lambda d, p: answers.definition(s, d, p), [], finds_use=True)
    references = {**AT, "context": {"includeDeclaration": FLAG}}
    r.document_request(
        "textDocument/references", references, lambda d, p: answers.references(s, d, p), [], finds_use=True
    )
    r.document_request(
        "textDocument/documentHighlight", AT, lambda d, p: answers.highlights(s, d, p), [], finds_use=True
    )
    r.document_request(
        "textDocument/documentLink", DOCUMENT, lambda d, _: convert.document_links(d, links(s.index, d)), []
    )
    moved = {"files": [{"oldUri": TEXT, "newUri": TEXT}]}
    r.request("workspace/willRenameFiles", moved, lambda p: answers.follow_moves(s, p))
    r.request("workspace/symbol", {"query": TEXT}, lambda p: answers.symbols(s, p["query"]))
