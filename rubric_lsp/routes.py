"""The route table: one line of work for each method."""

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
    """Every method that the server knows."""
    r = Router(s.protocol, s.documents)
    _conversation(r, s, commands)
    _documents(r, s)
    _writing(r, s)
    _display(r, s)
    _navigation(r, s)
    _tests(r, s)


def _conversation(r: Router, s: RubricServer, commands: Commands) -> None:
    folder = {"uri": TEXT, "name?": TEXT}
    r.answers("initialize", {"capabilities": ANYTHING}, lambda p: lifecycle.initialize(s, p, commands.names))
    r.hears("initialized", ANYTHING, lambda _: lifecycle.initialized(s))
    r.hears("$/setTrace", {"value": TEXT}, lambda p: lifecycle.trace(s, p["value"]))
    r.hears("workspace/didChangeConfiguration", NOTHING, lambda p: lifecycle.configure(s, p.get("settings")))
    r.hears(
        "workspace/didChangeWorkspaceFolders",
        {"event": {"added": [folder], "removed": [folder]}},
        lambda p: lifecycle.change_folders(s, *convert.folders(p)),
    )
    r.hears(
        "workspace/didChangeWatchedFiles",
        {"changes": [{"uri": TEXT}]},
        lambda p: s.files_changed(convert.changed_files(p)),
    )
    r.answers(
        "workspace/executeCommand",
        {"command": TEXT, "arguments?": [ANYTHING]},
        lambda p: commands.execute(*convert.arguments(p)),
    )
    r.hears("window/workDoneProgress/cancel", {"token": ID}, lambda p: _cancel(s, p["token"]))


def _cancel(s: RubricServer, token: object) -> None:
    s.runs.cancel_token(token)
    s.workspace_check.board.cancel(token)


def _documents(r: Router, s: RubricServer) -> None:
    whole = {"uri": TEXT, "languageId?": TEXT, "version?": INTEGER, "text": TEXT}
    r.hears("textDocument/didOpen", {"textDocument": whole}, s.opened)
    step = {"range?": RANGE, "text": TEXT}
    edited = {"textDocument": {"uri": TEXT, "version?": INTEGER}, "contentChanges": [step]}
    r.hears("textDocument/didChange", edited, s.changed)
    r.hears("textDocument/didClose", DOCUMENT, s.closed_document)
    r.hears("textDocument/didSave", DOCUMENT, s.saved)
    r.reads(
        "textDocument/diagnostic",
        {**DOCUMENT, "previousResultId?": TEXT},
        lambda d, p: s.pull.document(d, p.get("previousResultId")),
        {"kind": "full", "items": []},
        whole=True,
    )
    r.answers(
        "workspace/diagnostic",
        {"previousResultIds": [{"uri": TEXT, "value": TEXT}], "partialResultToken?": ID, "workDoneToken?": ID},
        lambda p: s.pull.workspace(*convert.known_diagnostics(p)),
    )


def _writing(r: Router, s: RubricServer) -> None:
    r.reads("textDocument/completion", AT, lambda d, p: convert.completions(d, answers.offers(s, d, p), s.client))
    r.answers("completionItem/resolve", {"label": TEXT}, lambda p: answers.resolved(s, p))
    r.reads("textDocument/hover", AT, lambda d, p: answers.hover_at(s, d, p), prompts=True)
    asked = {"diagnostics": [{"range": RANGE}], "only?": [TEXT], "triggerKind?": NUMBER}
    r.reads(
        "textDocument/codeAction",
        {**WITHIN, "context": asked},
        lambda d, p: convert.code_actions(d, answers.actions_at(s, d, p), p, s.client, s.known.suite_at(d).uri),
        [],
    )
    r.answers("codeAction/resolve", {"title": TEXT}, lambda p: answers.chosen_action(s, p))
    r.reads(
        "textDocument/onTypeFormatting",
        {**AT, "ch": TEXT},
        lambda d, p: convert.text_edits(d, format_on_type(d.analysis, convert.offset(d, p), p["ch"])),
    )
    asked_for = {"options": {"tabSize": NUMBER}}
    r.reads("textDocument/formatting", {**DOCUMENT, **asked_for}, answers.formatted, [], whole=True)
    r.reads("textDocument/rangeFormatting", {**WITHIN, **asked_for}, answers.formatted_within, [], whole=True)
    r.reads("textDocument/prepareRename", AT, lambda d, p: answers.renamable(s, d, p), prompts=True)
    r.reads("textDocument/rename", {**AT, "newName": TEXT}, lambda d, p: answers.rename(s, d, p), prompts=True)


def _display(r: Router, s: RubricServer) -> None:
    shown = s.documents.settings_now
    r.reads(
        "textDocument/codeLens",
        DOCUMENT,
        lambda d, _: answers.lenses(s, d),
        [],
    )
    r.reads(
        "textDocument/inlayHint", WITHIN, lambda d, p: answers.hints_within(s, d, p) if shown().inlay_hints else [], []
    )
    r.reads(
        "textDocument/documentSymbol",
        DOCUMENT,
        lambda d, _: convert.document_symbols(d, s.client),
        [],
    )
    r.reads("textDocument/foldingRange", DOCUMENT, lambda d, _: convert.folding_ranges(d), [])
    r.reads("textDocument/selectionRange", {**DOCUMENT, "positions": [POSITION]}, answers.selection_ranges, [])
    r.reads("textDocument/semanticTokens/full", DOCUMENT, lambda d, _: all_tokens(d), whole=True)
    r.reads("textDocument/semanticTokens/full/delta", {**DOCUMENT, "previousResultId": TEXT}, token_changes, whole=True)
    r.reads("textDocument/semanticTokens/range", WITHIN, tokens_within, whole=True)


def _tests(r: Router, s: RubricServer) -> None:
    r.answers("rubric/discoverTests", NOTHING, s.tree.discover)
    r.answers("rubric/runTests", NOTHING, s.tests.run)
    r.answers("rubric/cancelTests", NOTHING, s.tests.cancel)
    r.answers("rubric/report", NOTHING, s.tests.report)
    r.answers("rubric/runReport", NOTHING, s.run_reports.report)
    r.answers("rubric/runCase", NOTHING, s.run_reports.case)
    r.answers("rubric/compareRuns", NOTHING, s.run_reports.comparison)
    r.answers("rubric/suite", NOTHING, lambda p: suite_status(s, p))
    r.answers("workspace/textDocumentContent", {"uri": TEXT}, lambda p: s.virtual_documents.content(p["uri"]))


def _navigation(r: Router, s: RubricServer) -> None:
    r.reads("textDocument/definition", AT, lambda d, p: answers.definition(s, d, p), [], prompts=True)
    references = {**AT, "context": {"includeDeclaration": FLAG}}
    r.reads("textDocument/references", references, lambda d, p: answers.references(s, d, p), [], prompts=True)
    r.reads(
        "textDocument/documentHighlight",
        AT,
        lambda d, p: convert.highlights(d, s.navigation.here(d, convert.offset(d, p))),
        [],
    )
    r.reads("textDocument/documentLink", DOCUMENT, lambda d, _: convert.document_links(d, links(s.index, d)), [])
    moved = {"files": [{"oldUri": TEXT, "newUri": TEXT}]}
    r.answers("workspace/willRenameFiles", moved, lambda p: answers.follow_moves(s, p))
    r.answers("workspace/symbol", {"query": TEXT}, lambda p: answers.symbols(s, p["query"]))
