"""Asks the user whether a suite may run, and explains how to allow it. Imported when something is run."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from rubric_core.evaluation.engine.run_plan import plan_run
from rubric_core.evaluation.model.plan import Plan
from rubric_core.lazy_compilation import replace
from rubric_core.ports import Ports
from rubric_core.trust import is_wide
from rubric_lsp.features.run_question import details, is_long, question, subject
from rubric_lsp.host import Host
from rubric_lsp.permission import Permission
from rubric_lsp.protocol.errors import RequestFailedError
from rubric_lsp.protocol.notices import INFORMATION, WARNING, notice
from rubric_lsp.running.run_files import run_files
from rubric_lsp.running.selection import SelectedCases
from rubric_lsp.running.virtual_documents import VirtualDocuments

if TYPE_CHECKING:
    from rubric_lsp.protocol.wire_types.window import ShowMessageRequestParams

__all__ = ["Plans", "ask_permission", "settled_plans"]

#: One for each suite of a run.
Plans: TypeAlias = Sequence[Plan]

_ONCE, _MORE, _NO = "Run once", "Show details", "Not now"
_ALWAYS, _ALWAYS_ALL = "Trust this folder", "Trust these folders"
_DETAILS = "what-a-run-would-do.md"
#: Parts of the names of VS Code and its derivatives.
_VSCODE = ("visual studio code", "vscod", "code-server", "code - oss")


async def settled_plans(
    permission: Permission, parts: Sequence[SelectedCases], ports: Ports
) -> tuple[Plans, list[str]]:
    """The plans of suites in trusted folders, and what a person has to allow first, in words."""
    plans = [await _plan(permission, part, ports) for part in parts]
    unknown = [plan.unknown for plan in plans if plan.unknown]
    if unknown:
        return plans, unknown
    # Of one folder together, as its first run is remembered as a whole.
    new = [words for each in _by_folder(permission, parts, plans).items() for words in _to_allow(permission, *each)]
    return plans, new


def _to_allow(permission: Permission, folder: Path, plans: Plans) -> Iterable[str]:
    try:
        return permission.allowed(folder, plans).values()
    except OSError as error:  # then nothing can be compared or remembered
        return [f"anything: what the folder remembers cannot be used ({error})"]


def _by_folder(permission: Permission, parts: Sequence[SelectedCases], plans: Plans) -> dict[Path, list[Plan]]:
    """The plans by the folder that remembers them."""
    found: dict[Path, list[Plan]] = {}
    for part, plan in zip(parts, plans, strict=True):
        found.setdefault(permission.home(part.path), []).append(plan)
    return found


async def _plan(permission: Permission, part: SelectedCases, ports: Ports) -> Plan:
    own = replace(ports, files=run_files(part.texts, ports.files))
    return await plan_run(part.cases, own, permission.roots(part.path))


async def ask_permission(
    host: Host, shown: VirtualDocuments, parts: Sequence[SelectedCases], ports: Ports
) -> Plans | None:
    """The plans that the user allows after seeing them; None if they refuse, or the client cannot ask."""
    permission = host.permission
    is_closed = [not permission.allows(part.path) for part in parts]
    closed = [part for part, is_so in zip(parts, is_closed, strict=True) if is_so]
    folders = list(dict.fromkeys(permission.home(part.path) for part in closed or parts))
    names = " and ".join(map(str, folders))
    # Every client is asked: Emacs supports the request without declaring it. Others respond with an error.
    lasting = not permission.remote and not any(map(is_wide, folders))
    always = _ALWAYS if len(folders) == 1 else _ALWAYS_ALL
    what = subject([case.id for part in parts for case in part.cases])
    plans: list[Plan] = []
    try:
        while True:
            plans = [await _plan(permission, part, ports) for part in parts]
            unknown = next((plan.unknown for plan in plans if plan.unknown), "")
            if unknown:
                host.say(f"rubric: nothing was run: {unknown}", WARNING)
                return None
            new = None if closed else _new_entries(permission, parts, plans)
            about = _About(what, reduce(Plan.joined, plans), permission.home(parts[0].path))
            answer = await _answer(host, shown, parts[0].uri, about, _Choice(always if lasting else "", names, new))
            _read_again(parts)
            # The answer applies to what was shown: files may change while the question is open.
            now = [await _plan(permission, part, ports) for part in parts]
            if answer not in (always, _ONCE) or now == plans:
                break
            host.say("rubric: what the run would do has changed since the question was asked: look again", WARNING)
    except RequestFailedError:
        how = _how(host.client.name, names)
        # The way to allow it comes first: Helix shows only as much of a message as fits into one line.
        host.say(f"rubric: not run yet: {how}", WARNING)
        if host.client.shows_documents:
            text = f"{about.details()}\n{names} is not trusted yet, and this editor cannot ask: {how}.\n"
            await shown.show_text(_DETAILS, parts[0].uri, text)
        return None
    if answer == always:
        try:
            _remember(permission, folders if closed else (), _by_folder(permission, parts, plans))
        except OSError as error:  # for example a full disk: the run is allowed anyway
            host.say(f"rubric: the trust for {names} cannot be saved, so this run is allowed once: {error}", WARNING)
    return plans if answer in (always, _ONCE) else None


def _remember(permission: Permission, folders: Iterable[Path], plans: Mapping[Path, Plans]) -> None:
    for folder in folders:
        permission.add(folder)
    for folder, each in plans.items():
        permission.remember(folder, each)


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


class _Choice(NamedTuple):
    """What the user can choose besides running once."""

    #: To trust the folders; empty if that is not offered.
    always: str
    #: The names of the folders.
    folders: str
    #: The words of what is new, if other runs were allowed before.
    new: Collection[str] | None


class _About(NamedTuple):
    """What is asked about."""

    #: What runs.
    subject: str
    plan: Plan
    #: The folder below which paths are relative.
    folder: Path

    def details(self) -> str:
        """The plan as a document."""
        return details(self.subject, self.plan, self.folder)


async def _answer(host: Host, shown: VirtualDocuments, uri: str, about: _About, choice: _Choice) -> str | None:
    """The user's choice, None for none. Raises RequestFailedError if the client cannot ask."""
    lasting = (choice.always,) if choice.always else ()
    folder = f"“{choice.always}” means {choice.folders}." if choice.always else ""
    titles: tuple[str, ...] = (_ONCE, *lasting, _MORE, _NO)
    if is_long(about.plan, about.folder) and host.client.shows_documents:
        # The plan does not fit into a question, and nobody should answer without having seen all of it.
        await shown.show_text(_DETAILS, uri, about.details())
    while True:
        asks = question(about.subject, about.plan, about.folder, choice.new)
        # What follows the question mark is the detail of a dialog in VS Code.
        # A run that does nothing outside gives no folder a right, so that its question is the short one.
        message = notice(asks if asks.endswith("?") else f"{asks}\n{folder}".rstrip())
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
        await shown.show_text(_DETAILS, uri, about.details())
        titles = (_ONCE, *lasting, _NO)


def _new_entries(permission: Permission, parts: Sequence[SelectedCases], plans: Plans) -> list[str] | None:
    """The words of entries that no folder remembers; None if no folder remembers any."""
    try:
        found = [permission.new_entries(*each) for each in _by_folder(permission, parts, plans).items()]
    except OSError:
        return None
    known = [each for each in found if each is not None]
    return [words for each in known for words in each.values()] if known else None


def _read_again(parts: Sequence[SelectedCases]) -> None:
    """Discard the targets and prompts that were read."""
    for part in parts:
        for case in part.cases:
            case.facts.targets = None
            case.facts.files_in_prompts.clear()
