"""The same few methods in a plain pygls server and in ours: `python two_servers.py plain|rubric [--tcp|--ws]`.

The plain one is written as the documentation of pygls writes a server. The methods below `test/` go wrong on purpose.
"""

import logging
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any

CONFIDENTIAL = "a-confidential-text"
#: What `test/print` starts: a program that inherits standard output.
NOISY = [sys.executable, "-c", "print('noise')"]


def plain(door: str) -> None:
    """A server by pygls alone."""
    from lsprotocol import types
    from pygls.lsp.server import LanguageServer
    from pygls.uris import to_fs_path

    logging.basicConfig(level=logging.INFO)
    server = LanguageServer("plain", "1")

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def symbols(ls: LanguageServer, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        """The ids of a suite."""
        source = ls.workspace.get_text_document(params.text_document.uri).source
        start = types.Range(types.Position(0, 0), types.Position(0, 0))
        found = re.findall(r"- id: ([^\n]*)", source)
        return [types.DocumentSymbol(name, types.SymbolKind.Method, start, start) for name in found]

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(["quickfix"]))
    def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        return []

    @server.feature(types.WORKSPACE_TEXT_DOCUMENT_CONTENT, types.TextDocumentContentOptions(["rubric"]))
    def content(params: types.TextDocumentContentParams) -> types.TextDocumentContentResult:
        return types.TextDocumentContentResult("")

    @server.command("rubric.runFile")
    def run_file(uri: str) -> None: ...

    @server.feature("test/path")
    def path(params: Any) -> str:
        return os.fsencode(to_fs_path(params.uri) or "").hex()

    @server.feature("test/ask")
    async def ask(ls: LanguageServer, params: Any) -> None:
        await ls.workspace_configuration_async(types.ConfigurationParams([types.ConfigurationItem(section="x")]))

    @server.feature("test/progress")
    async def progress(ls: LanguageServer, params: Any) -> int:
        board = ls.work_done_progress
        await board.create_async("token")
        board.begin("token", types.WorkDoneProgressBegin("work"))
        board.end("token", types.WorkDoneProgressEnd())
        return len(board.tokens)

    @server.feature("test/print")
    def noisy(params: Any) -> None:
        subprocess.run(NOISY, check=False)

    @server.feature("test/unwritable")
    def unwritable(params: Any) -> object:
        return object()

    @server.feature("test/fail")
    def fail(params: Any) -> None:
        raise ValueError(CONFIDENTIAL)

    def announce() -> None:
        while not (listening := server._server):
            time.sleep(0.01)
        os.write(2, b"listens on 127.0.0.1:%d\n" % next(iter(listening.sockets)).getsockname()[1])

    if door == "--stdio":
        server.start_io()
        return
    threading.Thread(target=announce, daemon=True).start()
    (server.start_tcp if door == "--tcp" else server.start_ws)("127.0.0.1", 0)


def rubric(door: str) -> int:
    """The program `rubric-lsp` with the methods below `test/` added."""
    from rubric_lsp import __main__, routes
    from rubric_lsp.protocol.params import NOTHING
    from rubric_lsp.protocol.uris import path_of
    from rubric_lsp.router import Router
    from rubric_lsp.server import RubricServer

    make = routes.make_server

    def make_more() -> RubricServer:
        server = make()

        def path(params: Mapping[str, str]) -> str:
            return os.fsencode(path_of(params["uri"]) or "").hex()

        async def ask(_: object) -> None:
            await server.protocol.ask("workspace/configuration", {"items": []})

        async def progress(_: object) -> int:
            board = server.workspace_check.board
            shown = await board.begin("work", lambda: None, shown=True)
            token = shown.token
            shown.end("")
            board.ended(token)
            return len(board._cancels)

        def noisy(_: object) -> None:
            subprocess.run(NOISY, check=False)

        def fail(_: object) -> None:
            raise ValueError(CONFIDENTIAL)

        router = Router(server.protocol, server.documents)
        router.request("test/path", NOTHING, path)
        router.request("test/ask", NOTHING, ask)
        router.request("test/progress", NOTHING, progress)
        router.request("test/print", NOTHING, noisy)
        router.request("test/unwritable", NOTHING, lambda _: object())
        router.request("test/fail", NOTHING, fail)
        return server

    routes.make_server = make_more
    return __main__.main(["-v", "--stdio"] if door == "--stdio" else ["-v", door, "0"])


if __name__ == "__main__":
    _, kind, *rest = sys.argv
    sys.exit((plain if kind == "plain" else rubric)(rest[0] if rest else "--stdio"))
