"""Handlers of document requests that need several parts of the server."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rubric_core.control_characters import mask
from rubric_core.text import Span
from rubric_lsp import convert
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.features.code_actions import Action, actions
from rubric_lsp.features.family_editor import editor_of
from rubric_lsp.features.hints import HintSettings, hints
from rubric_lsp.features.lenses import included_lenses
from rubric_lsp.features.menu import menu
from rubric_lsp.features.name_occurrence import NameOccurrence, NamePlace
from rubric_lsp.features.results import whole_span
from rubric_lsp.features.run_actions import RunAction, included_actions, run_actions
from rubric_lsp.protocol.errors import CONTENT_MODIFIED, RequestFailedError
from rubric_lsp.protocol.json_array import JsonArray
from rubric_lsp.protocol.uris import path_of
from rubric_lsp.server import RubricServer

if TYPE_CHECKING:
    from rubric_lsp.protocol.wire_types.documents import Location, TextEdit, WorkspaceEdit
    from rubric_lsp.protocol.wire_types.features import (
        CodeAction,
        CompletionItem,
        DocumentHighlight,
        InlayHint,
        PrepareRenamePlaceholder,
        SelectionRange,
        SymbolInformation,
    )

__all__ = [
    "actions_at",
    "chosen_action",
    "definition",
    "follow_moves",
    "formatted",
    "formatted_within",
    "hints_within",
    "hover_at",
    "lenses",
    "offers",
    "references",
    "renamable",
    "rename",
    "resolved",
    "selection_ranges",
    "symbols",
    "targets_of_folder",
]


def offers(s: RubricServer, d: Snapshot, p: Any) -> Any:
    """The suggestions at a position, kept so that one of them can be resolved."""
    # Computed on request: the diagnostics of the file come first.
    from rubric_lsp.documents.referable_names import names_for  # noqa: PLC0415
    from rubric_lsp.features.completion import complete  # noqa: PLC0415

    found = s.offered = complete(
        d.analysis,
        convert.offset(d, p),
        names_for(s.index, d),
        s.documents.usage,
        after_space=convert.after_space(p),
        inside_text=convert.inside_text(p),
    )
    return found


def targets_of_folder(s: RubricServer, uri: str) -> list[str]:
    """The names of the targets for suites in a folder, in their order; empty for what is no folder on disk."""
    from rubric_core.loading.known_names import known_targets  # noqa: PLC0415

    folder = path_of(uri)
    return [] if folder is None else list(known_targets(s.index.project.look(), folder).names)


def resolved(s: RubricServer, item: "CompletionItem") -> "CompletionItem":
    """An item of the newest list with its documentation; an item of an older list is returned unchanged."""
    number = item.get("data")
    chosen = s.offered[number] if isinstance(number, int) and 0 <= number < len(s.offered) else None
    if chosen is None or chosen.label != item["label"]:
        return item
    return convert.resolved(item, chosen, s.client)


async def hover_at(s: RubricServer, d: Snapshot, p: Any) -> Any:
    """The hover text for a position: the meaning of a name, or else of a key or a result."""
    from rubric_lsp.features.hover import hover, row_hover  # noqa: PLC0415

    offset = convert.offset(d, p)
    found = await _name_hover(s, d, offset)
    if found is None and d.is_ours:
        named = s.known.taken_over.named_by_suite(d) if s.known.state(d) is not None else ()
        case = next((each for each in named if whole_span(each).covers(offset)), None)

        def report(name: str) -> str | None:
            return s.reports.markdown(d, name if case is None else case.id)

        found = hover(d.analysis, offset, report, lambda part: s.reports.shared(d, part))
        if found is None and case is not None and d.file_kind.is_table:
            found = row_hover(whole_span(case), report(case.id))
    return convert.hover(d, found, s.client)


async def _name_hover(s: RubricServer, d: Snapshot, offset: int) -> Any:
    """Hover on a name, which takes precedence over the hover of its key."""
    from rubric_lsp.features.name_hover import filled_prompt, name_hover, preview  # noqa: PLC0415

    name = await s.navigation.name_at(d, offset)
    text = s.index.text_of(d.path, name) if name is not None and d.path is not None else None
    if name is not None and text is not None:
        return preview(name, text)
    if name is not None and name.kind in editor_of(d.analysis).described_names:
        return await _described(s, d, name)
    if name is None or name.kind != "variable":
        return name_hover(d.analysis, name, partial(s.index.entry_of, d)) if name is not None else None
    values = await s.navigation.values(d, name)
    shown = [value for value in values if _is_shown(s, value.where, d)]
    told = [(v.case, v.where.path.name if v.where.path else "", v.text) for v in shown]
    return filled_prompt(d.analysis, name, told, named=any(v.named for v in shown))


async def _described(s: RubricServer, d: Snapshot, name: NameOccurrence) -> Any:
    """Hover on a name that is told by its definitions."""
    from rubric_lsp.features.hover import HoverText  # noqa: PLC0415

    found = await s.navigation.definition(d, name.span.start)
    places = [
        NamePlace(each[0].analysis, each[1], each[0].path.name if each[0].path is not None else "this file")
        for each in found
        if not isinstance(each, Path) and _is_shown(s, each[0], d)
    ]
    text = editor_of(d.analysis).name_description(name, places)
    return HoverText(text, name.span) if text else None


def _is_shown(s: RubricServer, where: Snapshot, d: Snapshot) -> bool:
    """Whether the text of a document that another leads to may be displayed there."""
    return where.path is None or d.path is None or s.index.is_shown(where.path, d.path)


def actions_at(s: RubricServer, d: Snapshot, p: Any) -> list[Action]:
    """The actions for a range, kept so that one of them can be resolved."""
    asked, wanted, read = convert.is_explicit_request(p), convert.wanted_kinds(p), s.index.reader(d.path)
    span = convert.within(d, p)

    def runs() -> Iterable[RunAction]:
        if not s.known.suite_at(d).can_run:
            return
        results = s.known.results(d)
        yield from run_actions(d.analysis, span, results, asked=asked)
        named = (each for each in s.known.taken_over.named_by_suite(d) if whole_span(each).covers(span.start))
        yield from included_actions(next(named, None), results, asked=asked)

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


def chosen_action(s: RubricServer, action: "CodeAction") -> "CodeAction":
    """An action of the newest list with its edits; an action of an older list is no longer known."""
    if action.get("command") is not None or action.get("edit") is not None:
        return action  # some clients resolve every action, even a complete one
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


def lenses(s: RubricServer, d: Snapshot) -> JsonArray:
    """The lenses that the settings enable: runs and results, reference counts."""
    shown = s.documents.settings
    running = _run_lenses(s, d) if shown.code_lenses and s.known.suite_at(d).can_run else JsonArray()
    uses = convert.reference_lenses(d, s.navigation.uses(d), s.client) if shown.reference_lenses else []
    return JsonArray.joined((running, JsonArray.of(uses)))


def _run_lenses(s: RubricServer, d: Snapshot) -> JsonArray:
    # Where hints are shown on the same line, the result would appear twice.
    told = not (s.client.shows_hints and s.documents.settings.inlay_hints)
    results, suite, named = s.known.results(d), s.known.suite_at(d).uri, s.known.taken_over.named_by_suite(d)
    there = JsonArray.of(convert.included_lenses(d, included_lenses(named, results, told=told), suite))
    # The entries of a case file have other names, if its suite gives them.
    return (
        there
        if named and not d.can_run
        else JsonArray.joined((convert.code_lenses(d, results, suite, told=told), there))
    )


def hints_within(s: RubricServer, d: Snapshot, p: Any) -> list["InlayHint"]:
    """The hints of a range: results, and values derived from the text."""
    within, given = convert.within(d, p), s.documents.settings
    directory = d.path.parent if d.path is not None else None
    known = s.known.results(d)
    named = s.known.taken_over.named_by_suite(d) if known else ()
    results = hints(d.analysis, known, within, directory, s.known.shared(d), named)
    wanted = HintSettings(given.weight_hints, given.band_hints, given.inherited_hints, given.required_hints)
    derived = editor_of(d.analysis).hints(d.analysis, within, wanted, {hint.offset for hint in results})
    return convert.inlay_hints(d, [*results, *derived], s.client)


def formatted_within(d: Snapshot, p: Any) -> list["TextEdit"]:
    """The edits that format a range."""
    return formatted(d, p, convert.within(d, p))


def formatted(d: Snapshot, p: Any, within: Span | None = None) -> list["TextEdit"]:
    """The edits that format a document, or a range of it."""
    from rubric_core.formatting import format_edits  # noqa: PLC0415  # most conversations are over without

    return convert.text_edits(d, format_edits(d.analysis, within, step=min(max(p["options"]["tabSize"], 2), 8)))


async def renamable(s: RubricServer, d: Snapshot, p: Any) -> "PrepareRenamePlaceholder | None":
    """The name at a position, if it can be renamed."""
    return convert.nameable(d, await s.navigation.renamable(d, convert.offset(d, p)))


async def rename(s: RubricServer, d: Snapshot, p: Any) -> "WorkspaceEdit":
    """The edits that rename a name everywhere."""
    return convert.workspace_edits(await s.navigation.rename(d, convert.offset(d, p), p["newName"]), s.client)


def selection_ranges(d: Snapshot, p: Any) -> list["SelectionRange"]:
    """The ranges to which a selection at each position expands."""
    from rubric_lsp.features.selection_ranges import selections  # noqa: PLC0415  # few ask

    return [convert.selection_range(d, selections(d.analysis, d.offset(each))) for each in convert.positions(p)]


async def definition(s: RubricServer, d: Snapshot, p: Any) -> list["Location"]:
    """Where the name at a position is defined."""
    found = await s.navigation.definition(d, convert.offset(d, p))
    return [
        convert.file_location(each.as_uri()) if isinstance(each, Path) else convert.location(*each) for each in found
    ]


async def references(s: RubricServer, d: Snapshot, p: Any) -> list["Location"]:
    """Where the name at a position is used."""
    declaration = p["context"]["includeDeclaration"]
    found = await s.navigation.references(d, convert.offset(d, p), declaration=declaration)
    return [convert.location(where, name.span) for where, name in found]


async def highlights(s: RubricServer, d: Snapshot, p: Any) -> list["DocumentHighlight"]:
    """Where the name at a position stands in the same document."""
    return convert.highlights(d, await s.navigation.here(d, convert.offset(d, p)))


async def follow_moves(s: RubricServer, p: Any) -> "WorkspaceEdit | None":
    """The edits that update references in suites to files that are about to move."""
    from rubric_lsp.documents.relocation import reference_edits  # noqa: PLC0415  # moves are rare
    from rubric_lsp.features.moved_files import FileMoves  # noqa: PLC0415

    found = await reference_edits(s.index, FileMoves(convert.moves(p)))
    return convert.workspace_edits(found, s.client) if found else None


async def symbols(s: RubricServer, query: str) -> list["SymbolInformation"]:
    """The names of all files that match a query."""
    return convert.found_symbols(await s.navigation.symbols(query))
