"""Initialization, and changes to folders, settings and tracing."""

import asyncio
import logging
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rubric_core.configuration import CONFIGURATION_FILES
from rubric_lsp.documents.open_documents import folders_after
from rubric_lsp.documents.settings import SECTION
from rubric_lsp.protocol.capabilities import Client, folders_of, server_capabilities
from rubric_lsp.protocol.errors import RequestFailedError
from rubric_lsp.protocol.notices import WARNING, notice
from rubric_lsp.protocol.parent_watch import is_alive, watch_parent
from rubric_lsp.server import RubricServer

if TYPE_CHECKING:
    from rubric_lsp.protocol.wire_types.handshake import (
        ConfigurationParams,
        FileSystemWatcher,
        InitializeResult,
        Registration,
        RegistrationParams,
    )
    from rubric_lsp.protocol.wire_types.window import ShowMessageParams

__all__ = ["change_folders", "configure", "initialize", "initialized", "trace"]

log = logging.getLogger("rubric")
#: Files that suites refer to: other YAML, data sets, prompts, programs.
_AROUND = "**/*.{yaml,yml,jsonl,ndjson,md,markdown,txt,j2,njk,prompt,json,csv,py,sh,js,mjs,cjs,ts,mts}"


def initialize(server: RubricServer, params: Mapping[str, Any], commands: Iterable[str]) -> "InitializeResult":
    """Handle `initialize`: read the client's capabilities, and return the server's."""
    client = server.client = Client.of(params)
    server.documents.encoding = client.encoding
    server.documents.folders = folders_of(params)
    server.permission.folders = server.documents.folders
    _use(server, params.get("initializationOptions"), startup=True)
    server.permission.editor_trusts = server.documents.settings.trusted
    trace(server, params.get("trace"))
    server.protocol.initialized()
    server.workspace_check.shown = client.progress
    server.workspace_check.unwatched = not client.registers_watchers
    if client.pulls_diagnostics:
        server.checks.pulled = server.pull.refresh
    # Checked before the response: a process id that does not exist is from another process namespace.
    if client.process is not None and is_alive(client.process):
        server.keep(watch_parent(client.process, server.protocol.lost))
    capabilities = server_capabilities(client, commands)
    if client.tests:
        capabilities["experimental"] = {"rubricTests": {"version": 1}}
    return {"capabilities": capabilities, "serverInfo": {"name": server.name, "version": server.version}}


def initialized(server: RubricServer) -> None:
    """The client is ready for requests."""
    server.keep(_register(server))
    if server.documents.folders:
        server.workspace_check.changed(publishing=not server.client.pulls_diagnostics)
    if server.client.configuration:
        configure(server, None)


async def _register(server: RubricServer) -> None:
    registrations: list[Registration] = []
    if server.client.registers_configuration:
        registrations.append(
            {"id": "settings", "method": "workspace/didChangeConfiguration", "registerOptions": {"section": SECTION}}
        )
    if server.client.registers_watchers:
        globs = (_AROUND, "**/.rubric/results.{db,db-wal}", *(f"**/{name}" for name in CONFIGURATION_FILES))
        watchers: list[FileSystemWatcher] = [{"globPattern": glob} for glob in globs]
        registrations.append(
            {"id": "files", "method": "workspace/didChangeWatchedFiles", "registerOptions": {"watchers": watchers}}
        )
    if registrations:
        try:
            wanted: RegistrationParams = {"registrations": registrations}
            await server.protocol.ask("client/registerCapability", wanted)
        except RequestFailedError as refusal:
            log.warning("the client registers nothing: %s", refusal)


def trace(server: RubricServer, value: object) -> None:
    """Turn the reports of request durations on or off."""
    server.protocol.tracing = value in ("messages", "verbose")
    server.protocol.tracing_verbosely = value == "verbose"


def change_folders(server: RubricServer, added: Mapping[str, str], removed: Iterable[str]) -> None:
    """Folders were opened or closed."""
    server.documents.folders = folders_after(server.documents.folders, added, removed)
    server.permission.folders = server.documents.folders
    server.workspace_check.changed(publishing=not server.client.pulls_diagnostics)


def configure(server: RubricServer, pushed: object) -> None:
    """The settings have changed. They are requested from clients that support it; others have sent them."""
    if server.client.configuration:
        server.keep(_fetch(server))
    elif isinstance(pushed, Mapping):
        _use(server, pushed.get(SECTION, {}))


async def _fetch(server: RubricServer) -> None:
    asked: ConfigurationParams = {"items": [{"section": SECTION}]}
    try:
        given = await server.protocol.ask("workspace/configuration", asked)
    except RequestFailedError as refusal:
        log.warning("the client gives no settings: %s", refusal)
        return
    _use(server, given[0] if isinstance(given, list) and given else None)


def _use(server: RubricServer, given: object, *, startup: bool = False) -> None:
    """Apply settings; invalid ones are reported in a single message."""
    before = server.documents.settings
    names = [d.name for d in server.language.dialects]
    # A setting that is no longer set returns to its initial value.
    settings, problems = server.first_settings.changed(given, names, startup=startup)
    server.documents.settings = settings
    if startup:
        server.first_settings = settings
    for problem in problems:
        log.warning("%s", problem)
    if problems:
        message: ShowMessageParams = {"type": WARNING, "message": notice("rubric: " + "\n".join(problems))}
        # Nothing else may be sent before the response to `initialize`.
        asyncio.get_running_loop().call_soon(server.protocol.tell, "window/showMessage", message)
    if settings == before or startup:
        return
    server.documents.invalidate_all()
    server.checks.schedule_all()
    server.workspace_check.changed(publishing=not server.client.pulls_diagnostics)
    server.runs.refresh()
