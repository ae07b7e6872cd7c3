"""Code actions and lenses."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rubric_lsp.capabilities import Client
from rubric_lsp.convert.places import Json, range_of, workspace_edit
from rubric_lsp.features.code_actions import Action
from rubric_lsp.features.lenses import Lens
from rubric_lsp.workspace import Snapshot

if TYPE_CHECKING:
    from lsprotocol import types


__all__ = ["code_actions", "code_lenses", "resolved_action"]


def code_actions(
    snapshot: Snapshot, found: Iterable[Action], params: "types.CodeActionParams", client: Client, suite: str
) -> list[Json]:
    """Actions, plain commands for a client that knows nothing else; `suite` is the URI that commands are about."""
    wanted = list(found)
    if not client.action_literals:
        return [_command(suite, a) for a in wanted if a.command]
    given = {(str(d.code), d.range.start.line, d.range.start.character): d for d in params.context.diagnostics}
    return [_code_action(snapshot, a, given, client, n, suite) for n, a in enumerate(wanted)]


def resolved_action(snapshot: Snapshot, given: "types.CodeAction", action: Action, client: Client) -> Any:
    """An action as the client has it, with its edits."""
    edits = action.later() if action.later is not None else action.edits
    edit = workspace_edit(snapshot, edits, client)
    return {"title": given.title, "kind": action.kind, "edit": edit}


def _code_action(
    snapshot: Snapshot,
    action: Action,
    given: Mapping[tuple[str, int, int], Any],
    client: Client,
    number: int,
    suite: str,
) -> Json:
    made: Json = {"title": action.title, "kind": action.kind}
    if action.later is not None and client.resolves_edits:
        made["data"] = number
    elif action.edits:
        made["edit"] = workspace_edit(snapshot, action.edits, client)
    if action.command:
        made["command"] = _command(suite, action)
    if action.preferred and client.preferred_actions:
        made["isPreferred"] = True
    at = snapshot.position(action.at.start) if action.at is not None else None
    solved = given.get((action.code, at.line, at.character)) if at is not None else None
    if solved is not None:
        made["diagnostics"] = [solved]
    return made


def _command(suite: str, what: Action | Lens) -> Json:
    about = [what.case_id, *what.more] if what.case_id else []
    return {"title": what.title, "command": what.command, "arguments": [suite, *about]}


def code_lenses(snapshot: Snapshot, found: Iterable[Lens], suite: str) -> list[Json]:
    """Code lenses, none of which needs resolving; `suite` is the URI that commands are about."""
    return [{"range": range_of(snapshot, n.span), "command": _command(suite, n)} for n in found]
