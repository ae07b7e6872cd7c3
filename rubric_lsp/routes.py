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
    _conversation(s, commands)
    _documents(s)
    _writing(s)
    _display(s)
    _navigation(s)
    _tests(s)


def _conversation(s: RubricServer, commands: Commands) -> None:
    folder = {"uri": TEXT, "name?": TEXT}
    s.answers("initialize", {"capabilities": ANYTHING}, lambda p: lifecycle.initialize(s, p, commands.names))
    s.hears("initialized", ANYTHING, lambda _: lifecycle.initialized(s))
    s.hears("$/setTrace", {"value": TEXT}, lambda p: lifecycle.trace(s, p["value"]))
    s.hears("workspace/didChangeConfiguration", NOTHING, lambda p: lifecycle.configure(s, p.get("settings")))
    s.hears(
        "workspace/didChangeWorkspaceFolders",
        {"event": {"added": [folder], "removed": [folder]}},
        lambda p: lifecycle.change_folders(s, *convert.folders(p)),
    )
    s.hears(
        "workspace/didChangeWatchedFiles",
        {"changes": [{"uri": TEXT}]},
        lambda p: s.files_changed(convert.changed_files(p)),
    )
    s.answers(
        "workspace/executeCommand",
        {"command": TEXT, "arguments?": [ANYTHING]},
        lambda p: commands.execute(*convert.arguments(p)),
    )
    s.hears("window/workDoneProgress/cancel", {"token": ID}, lambda p: _cancel(s, p["token"]))


def _cancel(s: RubricServer, token: object) -> None:
    s.runs.cancel_token(token)
    s.workspace_check.board.cancel(token)


def _documents(s: RubricServer) -> None:
    whole = {"uri": TEXT, "languageId?": TEXT, "version?": INTEGER, "text": TEXT}
    s.hears("textDocument/didOpen", {"textDocument": whole}, s.opened)
    step = {"range?": RANGE, "text": TEXT}
    edited = {"textDocument": {"uri": TEXT, "version?": INTEGER}, "contentChanges": [step]}
    s.hears("textDocument/didChange", edited, s.changed)
    s.hears("textDocument/didClose", DOCUMENT, s.closed_document)
    s.hears("textDocument/didSave", DOCUMENT, s.saved)
    s.reads(
        "textDocument/diagnostic",
        {**DOCUMENT, "previousResultId?": TEXT},
        lambda d, p: s.pull.document(d, p.get("previousResultId")),
        {"kind": "full", "items": []},
        whole=True,
    )
    s.answers(
        "workspace/diagnostic",
        {"previousResultIds": [{"uri": TEXT, "value": TEXT}], "partialResultToken?": ID, "workDoneToken?": ID},
        lambda p: s.pull.workspace(*convert.known_diagnostics(p)),
    )


def _writing(s: RubricServer) -> None:
    s.reads("textDocument/completion", AT, lambda d, p: convert.completions(d, answers.offers(s, d, p), s.client))
    s.answers("completionItem/resolve", {"label": TEXT}, lambda p: answers.resolved(s, p))
    s.reads("textDocument/hover", AT, lambda d, p: answers.hover_at(s, d, p), prompts=True)
    asked = {"diagnostics": [{"range": RANGE}], "only?": [TEXT], "triggerKind?": NUMBER}
    s.reads(
        "textDocument/codeAction",
        {**WITHIN, "context": asked},
        lambda d, p: convert.code_actions(d, answers.actions_at(s, d, p), p, s.client, s.known.suite_at(d).uri),
        [],
    )
    s.answers("codeAction/resolve", {"title": TEXT}, lambda p: answers.chosen_action(s, p))
    s.reads(
        "textDocument/onTypeFormatting",
        {**AT, "ch": TEXT},
        lambda d, p: convert.text_edits(d, format_on_type(d.analysis, convert.offset(d, p), p["ch"])),
    )
    asked_for = {"options": {"tabSize": NUMBER}}
    s.reads("textDocument/formatting", {**DOCUMENT, **asked_for}, answers.formatted, [], whole=True)
    s.reads("textDocument/rangeFormatting", {**WITHIN, **asked_for}, answers.formatted_within, [], whole=True)
    s.reads("textDocument/prepareRename", AT, lambda d, p: answers.renamable(s, d, p), prompts=True)
    s.reads("textDocument/rename", {**AT, "newName": TEXT}, lambda d, p: answers.rename(s, d, p), prompts=True)


def _display(s: RubricServer) -> None:
    shown = s.documents.settings_now
    s.reads(
        "textDocument/codeLens",
        DOCUMENT,
        lambda d, _: answers.lenses(s, d),
        [],
    )
    s.reads(
        "textDocument/inlayHint", WITHIN, lambda d, p: answers.hints_within(s, d, p) if shown().inlay_hints else [], []
    )
    s.reads(
        "textDocument/documentSymbol",
        DOCUMENT,
        lambda d, _: convert.document_symbols(d, s.client),
        [],
    )
    s.reads("textDocument/foldingRange", DOCUMENT, lambda d, _: convert.folding_ranges(d), [])
    s.reads("textDocument/selectionRange", {**DOCUMENT, "positions": [POSITION]}, answers.selection_ranges, [])
    s.reads("textDocument/semanticTokens/full", DOCUMENT, lambda d, _: all_tokens(d), whole=True)
    s.reads("textDocument/semanticTokens/full/delta", {**DOCUMENT, "previousResultId": TEXT}, token_changes, whole=True)
    s.reads("textDocument/semanticTokens/range", WITHIN, tokens_within, whole=True)


def _tests(s: RubricServer) -> None:
    s.answers("rubric/discoverTests", NOTHING, s.tree.discover)
    s.answers("rubric/runTests", NOTHING, s.tests.run)
    s.answers("rubric/cancelTests", NOTHING, s.tests.cancel)
    s.answers("rubric/report", NOTHING, s.tests.report)
    s.answers("rubric/runReport", NOTHING, s.run_reports.report)
    s.answers("rubric/runCase", NOTHING, s.run_reports.case)
    s.answers("rubric/compareRuns", NOTHING, s.run_reports.comparison)
    s.answers("rubric/suite", NOTHING, lambda p: suite_status(s, p))
    s.answers("workspace/textDocumentContent", {"uri": TEXT}, lambda p: s.virtual_documents.content(p["uri"]))


def _navigation(s: RubricServer) -> None:
    s.reads("textDocument/definition", AT, lambda d, p: answers.definition(s, d, p), [], prompts=True)
    references = {**AT, "context": {"includeDeclaration": FLAG}}
    s.reads("textDocument/references", references, lambda d, p: answers.references(s, d, p), [], prompts=True)
    s.reads(
        "textDocument/documentHighlight",
        AT,
        lambda d, p: convert.highlights(d, s.navigation.here(d, convert.offset(d, p))),
        [],
    )
    s.reads("textDocument/documentLink", DOCUMENT, lambda d, _: convert.document_links(d, links(s.index, d)), [])
    moved = {"files": [{"oldUri": TEXT, "newUri": TEXT}]}
    s.answers("workspace/willRenameFiles", moved, lambda p: answers.follow_moves(s, p))
    s.answers("workspace/symbol", {"query": TEXT}, lambda p: answers.symbols(s, p["query"]))
