"""The route table: one line of work for each method."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from rubric_core.control_characters import mask
from rubric_core.text import Span
from rubric_lsp import convert, lifecycle
from rubric_lsp.commands import Commands
from rubric_lsp.documents.navigation import links
from rubric_lsp.documents.relocation import reference_edits
from rubric_lsp.documents.semantic_tokens import all_tokens, token_changes, tokens_within
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.features.code_actions import Action, actions
from rubric_lsp.features.hints import hints
from rubric_lsp.features.menu import menu
from rubric_lsp.features.on_type_formatting import format_on_type
from rubric_lsp.features.run_actions import RunAction, run_actions
from rubric_lsp.features.selection_ranges import selections
from rubric_lsp.protocol.errors import CONTENT_MODIFIED, RequestFailedError
from rubric_lsp.protocol.json_array import JsonArray
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
from rubric_lsp.protocol.wire_types import (
    CodeAction,
    CompletionItem,
    InlayHint,
    Location,
    PrepareRenamePlaceholder,
    SelectionRange,
    SymbolInformation,
    TextEdit,
    WorkspaceEdit,
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
    s.reads("textDocument/completion", AT, lambda d, p: convert.completions(d, _offers(s, d, p), s.client))
    s.answers("completionItem/resolve", {"label": TEXT}, lambda p: _resolved(s, p))
    s.reads("textDocument/hover", AT, lambda d, p: _hover(s, d, p), prompts=True)
    asked = {"diagnostics": [{"range": RANGE}], "only?": [TEXT], "triggerKind?": NUMBER}
    s.reads(
        "textDocument/codeAction",
        {**WITHIN, "context": asked},
        lambda d, p: convert.code_actions(d, _actions(s, d, p), p, s.client, s.known.suite_at(d).uri),
        [],
    )
    s.answers("codeAction/resolve", {"title": TEXT}, lambda p: _chosen(s, p))
    s.reads(
        "textDocument/onTypeFormatting",
        {**AT, "ch": TEXT},
        lambda d, p: convert.text_edits(d, format_on_type(d.analysis, convert.offset(d, p), p["ch"])),
    )
    asked_for = {"options": {"tabSize": NUMBER}}
    s.reads("textDocument/formatting", {**DOCUMENT, **asked_for}, _formatted, [], whole=True)
    s.reads("textDocument/rangeFormatting", {**WITHIN, **asked_for}, _formatted_within, [], whole=True)
    s.reads("textDocument/prepareRename", AT, lambda d, p: _renamable(s, d, p), prompts=True)
    s.reads("textDocument/rename", {**AT, "newName": TEXT}, lambda d, p: _rename(s, d, p), prompts=True)


def _display(s: RubricServer) -> None:
    shown = s.documents.settings_now
    s.reads(
        "textDocument/codeLens",
        DOCUMENT,
        lambda d, _: _lenses(s, d),
        [],
    )
    s.reads("textDocument/inlayHint", WITHIN, lambda d, p: _hints(s, d, p) if shown().inlay_hints else [], [])
    s.reads(
        "textDocument/documentSymbol",
        DOCUMENT,
        lambda d, _: convert.document_symbols(d, s.client),
        [],
    )
    s.reads("textDocument/foldingRange", DOCUMENT, lambda d, _: convert.folding_ranges(d), [])
    s.reads("textDocument/selectionRange", {**DOCUMENT, "positions": [POSITION]}, _selections, [])
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
    s.reads("textDocument/definition", AT, lambda d, p: _definition(s, d, p), [], prompts=True)
    references = {**AT, "context": {"includeDeclaration": FLAG}}
    s.reads("textDocument/references", references, lambda d, p: _references(s, d, p), [], prompts=True)
    s.reads(
        "textDocument/documentHighlight",
        AT,
        lambda d, p: convert.highlights(d, s.navigation.here(d, convert.offset(d, p))),
        [],
    )
    s.reads("textDocument/documentLink", DOCUMENT, lambda d, _: convert.document_links(d, links(s.index, d)), [])
    moved = {"files": [{"oldUri": TEXT, "newUri": TEXT}]}
    s.answers("workspace/willRenameFiles", moved, lambda p: _follow(s, p))
    s.answers("workspace/symbol", {"query": TEXT}, lambda p: _symbols(s, p["query"]))


# -- what takes more than a line ----------------------------------------------------------------------------------------


def _offers(s: RubricServer, d: Snapshot, p: Any) -> Any:
    # Not before somebody asks: first comes what is wrong in the file.
    from rubric_lsp.features.completion import complete  # noqa: PLC0415

    found = s.offered = complete(d.analysis, convert.offset(d, p), s.index.offers(d.path), s.documents.usage)
    return found


def _resolved(s: RubricServer, item: CompletionItem) -> CompletionItem:
    """An item of the newest list with its documentation; one of an older list as it came."""
    number = item.get("data")
    chosen = s.offered[number] if isinstance(number, int) and 0 <= number < len(s.offered) else None
    if chosen is None or chosen.label != item["label"]:
        return item
    return convert.resolved(item, chosen, s.client)


async def _hover(s: RubricServer, d: Snapshot, p: Any) -> Any:
    from rubric_lsp.features.hover import hover  # noqa: PLC0415

    offset = convert.offset(d, p)
    found = await _named(s, d, offset)
    if found is None and d.is_ours:
        found = hover(
            d.analysis, offset, lambda name: s.reports.markdown(d, name), lambda part: s.reports.shared(d, part)
        )
    return convert.hover(d, found, s.client)


async def _named(s: RubricServer, d: Snapshot, offset: int) -> Any:
    """Hover on the name of something: it says more than the key that it stands behind."""
    from rubric_lsp.features.name_hover import filled_prompt, name_hover, preview  # noqa: PLC0415

    name = await s.navigation.name_at(d, offset)
    text = s.index.text_of(d.path, name) if name is not None and d.path is not None else None
    if name is not None and text is not None:
        return preview(name, text)
    if name is None or name.kind != "variable":
        return name_hover(d.analysis, name, partial(s.index.entry_of, d)) if name is not None else None
    values = await s.navigation.values(d, name)
    told = [(v.case, v.where.path.name if v.where.path else "", v.text) for v in values]
    return filled_prompt(d.analysis, name, told, named=any(v.named for v in values))


def _actions(s: RubricServer, d: Snapshot, p: Any) -> list[Action]:
    asked, wanted, read = convert.is_explicit_request(p), convert.wanted_kinds(p), s.index.reader(d.path)
    span = convert.within(d, p)

    def runs() -> Iterable[RunAction]:
        return run_actions(d.analysis, span, s.known.results(d), asked=asked) if s.known.suite_at(d).can_run else ()

    listed = convert.findings_on_line(d, p)
    found = actions(d.analysis, span, asked=asked, wanted=wanted, read=read, runs=runs, listed=listed, gate=d.gate)
    if not s.client.resolves_edits:
        found = [settled for a in found if (settled := a.settled(len(d.document), d.worked_out)) is not None]
    if not s.client.action_literals:  # it is shown commands, and nothing else
        found = [each for each in found if each.command]
    if convert.wants_everything(p):
        found = menu(found)
    s.acted = (d, found)
    return found


def _chosen(s: RubricServer, action: CodeAction) -> CodeAction:
    """An action of the newest list with its edits; one of an older list cannot be known any more."""
    if action.get("command") is not None or action.get("edit") is not None:
        return action  # some clients have everything resolved, also what is whole
    document, known = s.acted
    number = action.get("data")
    chosen = known[number] if isinstance(number, int) and 0 <= number < len(known) else None
    if (
        document is None
        or chosen is None
        or mask(chosen.title) != action["title"]
        or not s.documents.is_newest(document)
    ):
        raise RequestFailedError(CONTENT_MODIFIED, "the document has changed since")
    return convert.resolved_action(document, action, chosen, s.client)


def _lenses(s: RubricServer, d: Snapshot) -> JsonArray:
    shown = s.documents.settings
    running = _run_lenses(s, d) if shown.code_lenses and s.known.suite_at(d).can_run else JsonArray()
    uses = convert.reference_lenses(d, s.navigation.uses(d), s.client) if shown.reference_lenses else []
    return JsonArray.joined((running, JsonArray.of(uses)))


def _run_lenses(s: RubricServer, d: Snapshot) -> JsonArray:
    # Where hints stand on the same line, the result would be there twice.
    told = not (s.client.shows_hints and s.documents.settings.inlay_hints)
    return convert.code_lenses(d, s.known.results(d), s.known.suite_at(d).uri, told=told)


def _hints(s: RubricServer, d: Snapshot, p: Any) -> list[InlayHint]:
    from rubric_lsp.features.derived_hints import HintSettings, derived_hints  # noqa: PLC0415

    within, given = convert.within(d, p), s.documents.settings
    directory = d.path.parent if d.path is not None else None
    results = hints(d.analysis, s.known.results(d), within, directory, s.known.shared(d))
    wanted = HintSettings(given.weight_hints, given.band_hints, given.inherited_hints, given.required_hints)
    # Where a result stands, there is room for nothing else.
    taken = {hint.offset for hint in results}
    more = [hint for hint in derived_hints(d.analysis, within, wanted) if hint.offset not in taken]
    return convert.inlay_hints(d, [*results, *more], s.client)


def _formatted_within(d: Snapshot, p: Any) -> list[TextEdit]:
    return _formatted(d, p, convert.within(d, p))


def _formatted(d: Snapshot, p: Any, within: Span | None = None) -> list[TextEdit]:
    from rubric_core.formatting import format_edits  # noqa: PLC0415  # most conversations are over without

    return convert.text_edits(d, format_edits(d.analysis, within, step=min(max(p["options"]["tabSize"], 2), 8)))


async def _renamable(s: RubricServer, d: Snapshot, p: Any) -> PrepareRenamePlaceholder | None:
    return convert.nameable(d, await s.navigation.renamable(d, convert.offset(d, p)))


async def _rename(s: RubricServer, d: Snapshot, p: Any) -> WorkspaceEdit:
    return convert.workspace_edits(await s.navigation.rename(d, convert.offset(d, p), p["newName"]), s.client)


def _selections(d: Snapshot, p: Any) -> list[SelectionRange]:
    return [convert.selection_range(d, selections(d.analysis, d.offset(each))) for each in convert.positions(p)]


async def _definition(s: RubricServer, d: Snapshot, p: Any) -> list[Location]:
    found = await s.navigation.definition(d, convert.offset(d, p))
    if isinstance(found, Path):
        return [convert.file_location(found.as_uri())]
    return [convert.location(where, span) for where, span in found]


async def _references(s: RubricServer, d: Snapshot, p: Any) -> list[Location]:
    declaration = p["context"]["includeDeclaration"]
    found = await s.navigation.references(d, convert.offset(d, p), declaration=declaration)
    return [convert.location(where, name.span) for where, name in found]


async def _follow(s: RubricServer, p: Any) -> WorkspaceEdit | None:
    found = await reference_edits(s.index, convert.moves(p))
    return convert.workspace_edits(found, s.client) if found else None


async def _symbols(s: RubricServer, query: str) -> list[SymbolInformation]:
    return convert.found_symbols(await s.navigation.symbols(query))
