"""Asking a person whether a suite may be run, and saying how to allow it. Imported when something is run."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rubric_core.disk import DiskFiles
from rubric_core.evaluation.targets import targets_for
from rubric_lsp.features.consent import Suites, details, question
from rubric_lsp.lifecycle import INFORMATION, WARNING
from rubric_lsp.refusal import RefusedError
from rubric_lsp.running.choosing import Part

if TYPE_CHECKING:
    from rubric_lsp.server import RubricServer

__all__ = ["allowed"]

_ONCE, _ALWAYS, _MORE, _NO = "Run once", "Trust this folder", "Show details", "Not now"
_DETAILS = "what-a-run-would-do.md"
#: Parts of the names of Visual Studio Code and of what is made of it.
_VSCODE = ("visual studio code", "vscod", "code-server", "code - oss")


async def allowed(server: "RubricServer", parts: Sequence[Part]) -> bool:
    """Whether a person allows a run, after being told what it would do. A refusal is answered by how to allow it."""
    permission = server.permission
    closed = [part for part in parts if not permission.given(part.path)]
    folders = list(dict.fromkeys(permission.folder_of(part.path) for part in closed))
    names = " and ".join(map(str, folders))
    how = _how(server.client.name, names)
    # Every client is asked: Emacs asks well, and says nothing of it. One that cannot answers with an error.
    try:
        answer = await _answer(server, parts)
    except RefusedError:
        # The way out comes first: Helix shows as much of a message as fits into one line.
        server.say(f"rubric: not run yet: {how}", WARNING)
        if server.client.shows_documents:
            text = f"{details(_suites(parts))}\n{names} is not trusted yet, and this editor cannot ask: {how}.\n"
            await server.reading.show_text(_DETAILS, parts[0].uri, text)
        return False
    if answer == _ALWAYS:
        for folder in folders:
            permission.add(folder)
    if answer in (_ALWAYS, _ONCE):
        return True
    server.say(f"rubric: nothing was run, because {names} is not trusted; {how}", WARNING)
    return False


def _how(client: str, folder: str) -> str:
    """How to allow it, in the words of the editor; in a terminal it can always be done."""
    terminal = f"`rubric trust {folder}` in a terminal allows it"
    name = client.lower()
    if "neovim" in name:
        return f":RubricTrust or {terminal}"
    if any(each in name for each in _VSCODE):
        return f"the command “Rubric: Trust this folder” or {terminal}"
    if "helix" in name:
        return f":lsp-workspace-command rubric.trust or {terminal}"
    return f"the command rubric.trust or {terminal}"


async def _answer(server: "RubricServer", parts: Sequence[Part]) -> str | None:
    """What a person chose, None for nothing. Raises RefusedError where the client does not ask."""
    suites = _suites(parts)
    titles: tuple[str, ...] = (_ONCE, _ALWAYS, _MORE, _NO)
    while True:
        asked = {"type": INFORMATION, "message": question(suites), "actions": [{"title": t} for t in titles]}
        chosen = await server.protocol.ask("window/showMessageRequest", asked)
        title = chosen.get("title") if isinstance(chosen, dict) else None
        if title != _MORE:
            return title
        # Shown once: the question is asked again beside it.
        await server.reading.show_text(_DETAILS, parts[0].uri, details(suites))
        titles = (_ONCE, _ALWAYS, _NO)


def _suites(parts: Sequence[Part]) -> Suites:
    files = DiskFiles()
    return [(part.cases, targets_for(part.cases[0], files)) for part in parts]
