"""Code actions and lenses."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rubric_core.control_characters import mask
from rubric_lsp.convert.params import Params
from rubric_lsp.convert.positions import location, range_of, workspace_edit
from rubric_lsp.documents.block_answers import RelativePlaces
from rubric_lsp.documents.name_uses import NameUses
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.features.code_actions import QUICK_FIX, RUN, RUN_RESULTS, Action
from rubric_lsp.features.lenses import Lens, LensedCase, case_lenses, file_lenses, lensed_cases
from rubric_lsp.features.results import Results
from rubric_lsp.protocol.capabilities import Client
from rubric_lsp.protocol.json_array import JsonArray

if TYPE_CHECKING:
    from rubric_core.analysis import LocalText
    from rubric_lsp.protocol.wire_types.features import CodeAction, CodeLens, Command, CommandWithArguments

__all__ = ["code_actions", "code_lenses", "included_lenses", "reference_lenses", "resolved_action"]


def code_actions(
    snapshot: Snapshot, found: Iterable[Action], params: Params, client: Client, suite: str
) -> list["CodeAction"] | list["CommandWithArguments"]:
    """Actions, or plain commands for a client without support; `suite` is the URI that commands refer to."""
    wanted = list(found)
    if not client.action_literals:
        return [_command(suite, a) for a in wanted if a.command]
    given = {_identity(d): d for d in params["context"]["diagnostics"]}
    shown = ((n, a) for n, a in enumerate(wanted) if client.disabled_actions or not a.disabled)
    return [_code_action(snapshot, a, given, client, n, suite) for n, a in shown]


def _identity(diagnostic: Params) -> tuple[str, int, int]:
    """The identity of a diagnostic: its code and its start."""
    start = diagnostic["range"]["start"]
    return str(diagnostic.get("code")), start["line"], start["character"]


def resolved_action(snapshot: Snapshot, given: "CodeAction", action: Action, client: Client) -> "CodeAction":
    """The client's action, with its edits."""
    edits = action.later() if action.later is not None else action.edits
    return {**given, "edit": workspace_edit(snapshot, edits, client)}


def _code_action(
    snapshot: Snapshot,
    action: Action,
    given: Mapping[tuple[str, int, int], Any],
    client: Client,
    number: int,
    suite: str,
) -> "CodeAction":
    # Runs are listed with the fixes, above everything else, even if the client has its own order.
    lifted = client.sorts_actions and action.kind in (RUN, RUN_RESULTS)
    made: CodeAction = {"title": mask(action.title), "kind": f"{QUICK_FIX}.{action.kind}" if lifted else action.kind}
    if action.later is not None and client.resolves_edits:
        made["data"] = number
    elif action.edits:
        made["edit"] = workspace_edit(snapshot, action.edits, client)
    if action.command:
        made["command"] = _command(suite, action)
    if action.preferred and client.preferred_actions:
        made["isPreferred"] = True
    if action.disabled:
        made["disabled"] = {"reason": action.disabled}
    at = snapshot.position(action.at.start) if action.at is not None else None
    solved = given.get((action.code, at.line, at.character)) if at is not None else None
    if solved is not None:
        made["diagnostics"] = [solved]
    return made


def _command(suite: str, what: Action | Lens) -> "CommandWithArguments":
    about = [what.case_id, *what.more] if what.case_id else []
    return {"title": mask(what.title), "command": what.command, "arguments": [suite, *about]}


def reference_lenses(snapshot: Snapshot, found: Iterable[NameUses], client: Client) -> list["CodeLens"]:
    """Code lenses with reference counts; a client that can list references also gets their locations."""
    return [
        {"range": range_of(snapshot, each.name.span), "command": _listing(snapshot, each, client)} for each in found
    ]


def _listing(snapshot: Snapshot, uses: NameUses, client: Client) -> "Command | CommandWithArguments":
    if not client.shows_references or not uses.places:
        return {"title": mask(uses.title), "command": ""}
    start = range_of(snapshot, uses.name.span)["start"]
    places = [location(where, span) for where, span in uses.places]
    return {"title": mask(uses.title), "command": "rubric.showReferences", "arguments": [snapshot.uri, start, places]}


def code_lenses(snapshot: Snapshot, results: Results, suite: str, *, told: bool) -> JsonArray:
    """Code lenses, complete without resolving; `suite` is the URI that commands refer to."""
    lensed = lensed_cases(snapshot.analysis, results, told=told)
    keys = [tuple(lensed.get(number, ())) for number in range(len(snapshot.document.blocks))]
    whole = file_lenses(snapshot.analysis, results, sum(map(len, lensed.values())))
    above = ({"range": range_of(snapshot, n.span), "command": _command(suite, n)} for n in whole)
    return JsonArray.joined(
        (JsonArray.of(above), snapshot.by_block(_case_lenses, keys, tuple(lensed.get(-1, ())), suite).frame_first)
    )


def included_lenses(snapshot: Snapshot, found: Iterable[Lens], suite: str) -> list["CodeLens"]:
    """Code lenses of cases that the suite names; `suite` is the URI that commands refer to."""
    return [{"range": range_of(snapshot, each.span), "command": _command(suite, each)} for each in found]


def _case_lenses(
    _: "LocalText", places: RelativePlaces, lensed: tuple[LensedCase, ...], suite: str
) -> Iterator["CodeLens"]:
    for each in lensed:
        for lens in case_lenses(each.case.at("id"), each):
            yield {"range": places.range(lens.span), "command": _command(suite, lens)}
