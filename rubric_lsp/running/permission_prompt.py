"""Asks the user whether a suite may run, and explains how to allow it. Imported when something is run."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from rubric_core.disk import DiskFiles
from rubric_core.evaluation.cases.target_choice import shared_targets
from rubric_core.lazy_compilation import replace
from rubric_core.trust import is_wide
from rubric_lsp.features.run_effects import RunConsequences, Suites, consequences_of, identity
from rubric_lsp.features.run_question import details, is_long, question
from rubric_lsp.host import Host
from rubric_lsp.permission import Permission
from rubric_lsp.protocol.errors import RequestFailedError
from rubric_lsp.protocol.notices import INFORMATION, WARNING, notice
from rubric_lsp.running.selection import SelectedCases
from rubric_lsp.running.virtual_documents import VirtualDocuments

if TYPE_CHECKING:
    from rubric_lsp.protocol.wire_types.window import ShowMessageRequestParams

__all__ = ["Plans", "ask_permission", "settled_plans"]

#: The verb for each part of a run.
Plans: TypeAlias = Sequence[RunConsequences]

_ONCE, _ALWAYS, _MORE, _NO = "Run once", "Trust this folder", "Show details", "Not now"
_DETAILS = "what-a-run-would-do.md"
#: Parts of the names of VS Code and its derivatives.
_VSCODE = ("visual studio code", "vscod", "code-server", "code - oss")


def settled_plans(permission: Permission, parts: Sequence[SelectedCases]) -> Plans | None:
    """The effects of suites in trusted folders; None if not all were allowed: a changed command, host or variable is new."""
    # All of them, so that all are remembered.
    found = [plan for part in parts for plan in _settled(permission, part)]
    return None if None in found else [plan for plan in found if plan is not None]


def _settled(permission: Permission, part: SelectedCases) -> list[RunConsequences | None]:
    """First runs of a case are allowed even when the effects of other cases in the run have changed."""
    before = permission.run_before(part.path)
    old = tuple(case for case in part.cases if identity("case", case.id) in before)
    new = tuple(case for case in part.cases if identity("case", case.id) not in before)
    return [_covered(permission, replace(part, cases=cases)) for cases in (old, new) if cases]


def _covered(permission: Permission, part: SelectedCases) -> RunConsequences | None:
    plan = _plan(permission, part)
    is_covered = permission.covers(part.path, _ids(part), plan.identities, outside=bool(plan.outside))
    return plan if is_covered else None


def _plan(permission: Permission, part: SelectedCases) -> RunConsequences:
    return consequences_of(_suites([part]), permission.roots(part.path))


def _ids(part: SelectedCases) -> list[str]:
    """Hashes of the cases' ids, so that the stored list does not reveal them."""
    return [identity("case", case.id) for case in part.cases]


async def ask_permission(host: Host, shown: VirtualDocuments, parts: Sequence[SelectedCases]) -> Plans | None:
    """The effects that the user allows after seeing them; None if they refuse, which is answered by how to allow it."""
    permission = host.permission
    closed = [part for part in parts if not permission.allows(part.path)]
    folders = list(dict.fromkeys(permission.folder_of(part.path) for part in closed or parts))
    names = " and ".join(map(str, folders))
    how = _how(host.client.name, names)
    # Every client is asked: Emacs supports the request without declaring it. Others respond with an error.
    lasting = not permission.remote and not any(map(is_wide, folders))
    try:
        while True:
            plans = [_plan(permission, part) for part in parts]
            answer = await _answer(host, shown, parts, lasting=lasting)
            _read_again(parts)
            # The answer applies to what was shown: files may change while the question is open.
            now = [_plan(permission, part) for part in parts]
            if answer not in (_ALWAYS, _ONCE) or _identities(now) == _identities(plans):
                break
            host.say("rubric: what the run would do has changed since the question was asked: look again", WARNING)
    except RequestFailedError:
        # The way to allow it comes first: Helix shows only as much of a message as fits into one line.
        host.say(f"rubric: not run yet: {how}", WARNING)
        if host.client.shows_documents:
            text = f"{details(_suites(parts), _roots(host, parts))}\n{names} is not trusted yet, and this editor cannot ask: {how}.\n"
            await shown.show_text(_DETAILS, parts[0].uri, text)
        return None
    if answer == _ALWAYS:
        try:
            _remember(permission, folders if closed else (), zip(parts, plans, strict=True))
        except OSError as error:  # for example a full disk: the run is allowed anyway
            host.say(f"rubric: the trust for {names} cannot be saved, so this run is allowed once: {error}", WARNING)
    if answer in (_ALWAYS, _ONCE):
        return plans
    host.say(f"rubric: nothing was run, because {names} is not trusted; {how}", WARNING)
    return None


def _remember(
    permission: Permission, folders: Iterable[Path], plans: Iterable[tuple[SelectedCases, RunConsequences]]
) -> None:
    for folder in folders:
        permission.add(folder)
    for part, plan in plans:
        permission.allow(part.path, _ids(part), plan.identities)


def _how(client: str, folder: str) -> str:
    """How to allow the run, in terms of the editor; it is always possible in a terminal."""
    terminal = f"`rubric trust {folder}` in a terminal allows it"
    name = client.lower()
    if "neovim" in name:
        return f":RubricTrust or {terminal}"
    if any(each in name for each in _VSCODE):
        return f"the command “Rubric: Trust this folder” or {terminal}"
    if "helix" in name:
        return f":lsp-workspace-command rubric.trust or {terminal}"
    return f"the command rubric.trust or {terminal}"


async def _answer(host: Host, shown: VirtualDocuments, parts: Sequence[SelectedCases], *, lasting: bool) -> str | None:
    """The user's choice, None for none; `lasting`: whether it can be permanent. Raises RequestFailedError if the client cannot ask."""
    suites, roots = _suites(parts), _roots(host, parts)
    always = (_ALWAYS,) if lasting else ()
    titles: tuple[str, ...] = (_ONCE, *always, _MORE, _NO)
    if is_long(suites, roots) and host.client.shows_documents:
        # The plan does not fit into a question, and nobody should answer without having seen all of it.
        await shown.show_text(_DETAILS, parts[0].uri, details(suites, roots))
    while True:
        message = notice(question(suites, roots, _known(host, parts)))
        asked: ShowMessageRequestParams = {
            "type": INFORMATION,
            "message": message,
            "actions": [{"title": t} for t in titles],
        }
        chosen = await host.protocol.ask("window/showMessageRequest", asked)
        title = chosen.get("title") if isinstance(chosen, dict) else None
        if title != _MORE:
            return title if title in titles else None
        # Shown once: the question is repeated beside it.
        await shown.show_text(_DETAILS, parts[0].uri, details(suites, roots))
        titles = (_ONCE, *always, _NO)


def _known(host: Host, parts: Sequence[SelectedCases]) -> frozenset[str] | None:
    """The effects that were allowed before; None if there are none."""
    found = [host.permission.known(part.path, _ids(part)) for part in parts]
    known = [each for each in found if each is not None]
    return frozenset().union(*known) if known else None


def _roots(host: Host, parts: Sequence[SelectedCases]) -> list[Path]:
    return list(dict.fromkeys(root for part in parts for root in host.permission.roots(part.path)))


def _suites(parts: Sequence[SelectedCases]) -> Suites:
    """The suites with their targets, read once and then used by the run."""
    files = DiskFiles()
    return [(part.cases, shared_targets(part.cases[0], files)) for part in parts]


def _identities(plans: Plans) -> list[frozenset[str]]:
    return [plan.identities for plan in plans]


def _read_again(parts: Sequence[SelectedCases]) -> None:
    """Discard the targets and prompts that were read."""
    for part in parts:
        for case in part.cases:
            case.facts.targets = None
            case.facts.files_in_prompts.clear()
