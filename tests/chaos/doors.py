"""Sockets: who has no token gets nothing, pages that are not named are refused, and a client there trusts no folder."""

import base64
import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from waiting import until

from .processes import suite_folder
from .tally import Setting, Tally
from .texts import rows_of_cases

__all__ = ["run"]

_ORIGINS = (
    "https://evil.example", "null", "http://localhost:3000", "http://127.0.0.1.evil.example", "http://localhost.evil.example:80", "https://localhost@evil.example",
    "HTTP://LOCALHOST", "file://", "vscode-webview://x",
)  # fmt: skip

_PORT = re.compile(rb":(\d{4,5})\b")


def run(setting: Setting, tally: Tally) -> None:
    """A stranger at TCP, a page at TCP, pages at WebSocket."""
    ran = setting.folder / "ran"
    target = {"name": "default", "provider": "cli", "command": f"touch {ran}; echo hello"}
    suite = suite_folder(setting.folder / "victim", f"name: s\ntests:\n{rows_of_cases(1)}", target) / "s.eval.yaml"
    for token in (None, "wrong", "", 5, ["x"])[: setting.of(2, 5)]:
        with _listening(setting.folder, "--tcp") as port:
            _strange(port, suite, token, tally)
        tally.expect(not ran.exists(), f"a stranger with the token {token!r} runs a program")
    with _listening(setting.folder, "--tcp") as port:
        body = b"".join(_framed(each) for each in _greeting(suite, None))
        got = _sent(
            port, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 20000\r\n\r\n" + body
        )
        tally.expect(b"capabilities" not in got, f"the request of a page is served: {got[:200]!r}")
    for origin in _ORIGINS[:: setting.of(4, 1)]:
        tally.count("origins")
        with _listening(setting.folder, "--ws") as port:
            got = _sent(port, _handshake(origin)).partition(b"\r\n")[0]
            tally.expect(b"101" not in got, f"a page of {origin} is served: {got!r}")
    socket_path = setting.folder / "door"
    with _started(setting.folder, "--unix", str(socket_path)):
        until("the socket", socket_path.exists)
        tally.expect(
            socket_path.stat().st_mode & 0o077 == 0, f"others may use the socket: {socket_path.stat().st_mode:o}"
        )


def _greeting(suite: Path, token: Any) -> list[dict[str, Any]]:
    uri, text = suite.as_uri(), suite.read_text(encoding="utf-8")
    options = {"trusted": True, **({"token": token} if token is not None else {})}
    document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
    return [
        {"id": 1, "method": "initialize", "params": {"capabilities": {}, "initializationOptions": options}},
        {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": {"textDocument": document}},
        {"id": 2, "method": "workspace/executeCommand", "params": {"command": "rubric.runFile", "arguments": [uri]}},
    ]


def _strange(port: int, suite: Path, token: Any, tally: Tally) -> None:
    tally.count("strangers")
    got = _sent(port, b"".join(_framed(each) for each in _greeting(suite, token)))
    tally.expect(
        b"capabilities" not in got and b"runId" not in got,
        f"a stranger with the token {token!r} is served: {got[:200]!r}",
    )


def _framed(message: dict[str, Any]) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def _handshake(origin: str) -> bytes:
    key = base64.b64encode(os.urandom(16)).decode()
    lines = (
        "GET / HTTP/1.1",
        "Host: evil.example",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Key: {key}",
        f"Origin: {origin}",
    )
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def _sent(port: int, data: bytes) -> bytes:
    """What comes back within a few seconds."""
    got = b""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 10) as connection:
        connection.settimeout(2)
        connection.sendall(data)
        while part := connection.recv(65_536):
            got += part
    return got


@contextlib.contextmanager
def _listening(folder: Path, door: str) -> Iterator[int]:
    """A server, by its port: any that is free."""
    with _started(folder, door, "0") as (reading, said):
        until("a port", lambda: not reading.is_alive() or _PORT.search(b"".join(said)))
        found = _PORT.search(b"".join(said))
        if found is None:
            words = b"".join(said).decode(errors="replace").strip()
            raise RuntimeError(f"the server for {door} has ended: {words or 'it said nothing'}")
        yield int(found[1])


@contextlib.contextmanager
def _started(folder: Path, *arguments: str) -> Iterator[tuple[threading.Thread, list[bytes]]]:
    """A server: the thread that reads what it says, which ends with it, and what it has said."""
    said: list[bytes] = []
    environment = {**os.environ, "XDG_STATE_HOME": str(folder / "state")}
    command = [sys.executable, "-m", "rubric_lsp", *arguments]
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        assert process.stdout
        reading = threading.Thread(target=lambda: said.extend(iter(process.stdout.readline, b"")), daemon=True)  # type: ignore[union-attr]
        reading.start()
        try:
            yield reading, said
        finally:
            process.kill()
            reading.join(10)
