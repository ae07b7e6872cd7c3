"""A small client that talks to a real server process and checks the shape of everything that it is sent."""

import contextlib
import itertools
import json
import os
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import warm
from lsprotocol import types
from lsprotocol.converters import get_converter
from waiting import PATIENCE, until

CONVERTER = get_converter()

#: What several real clients say that they can do, as far as it matters to a server of YAML.
VSCODE: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-16"]},
    "window": {"workDoneProgress": True, "showMessage": {"messageActionItem": {"additionalPropertiesSupport": True}}},
    "workspace": {
        "configuration": True,
        "workspaceFolders": True,
        "workspaceEdit": {"documentChanges": True},
        "didChangeConfiguration": {"dynamicRegistration": True},
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "codeLens": {"refreshSupport": True},
        "inlayHint": {"refreshSupport": True},
    },
    "textDocument": {
        "publishDiagnostics": {
            "relatedInformation": True,
            "tagSupport": {"valueSet": [1, 2]},
            "codeDescriptionSupport": True,
            "dataSupport": True,
            "versionSupport": True,
        },
        "completion": {
            "completionItem": {
                "snippetSupport": True,
                "documentationFormat": ["markdown", "plaintext"],
                "tagSupport": {"valueSet": [1]},
            }
        },
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}},
            "isPreferredSupport": True,
        },
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "rename": {"prepareSupport": True},
        "foldingRange": {"lineFoldingOnly": True},
        "inlayHint": {},
        "codeLens": {},
    },
}
CONTENT_MODIFIED = -32801
_UNKNOWN = {"code": -32601, "message": "Method not found"}
#: The least that a client can say.
BARE: dict[str, Any] = {}


class ServerError(Exception):
    """An error in answer to a request."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(f"{error.get('code')}: {error.get('message')}")
        self.code = error.get("code")


class Client:
    """One server process and the conversation with it."""

    def __init__(
        self,
        *,
        cwd: Path | None = None,
        arguments: tuple[str, ...] = (),
        state: Path | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        environment = {
            **os.environ,
            **(variables or {}),
            **({"XDG_STATE_HOME": str(state), "XDG_CACHE_HOME": str(state / "cache")} if state else {}),
        }
        #: Another client may come as long as the server lives: it does not end with this one.
        self._stays = any(door in arguments for door in ("--tcp", "--ws", "--unix"))
        self.process = warm.start("rubric_lsp", arguments, cwd=cwd, env=environment)
        #: Held while a message is written: the thread that reads answers the server's requests meanwhile.
        self.writing = threading.RLock()
        self._numbers = itertools.count(1)
        self._answers: queue.Queue[dict[str, Any]] = queue.Queue()
        self._answered: dict[Any, dict[str, Any]] = {}
        self.notifications: list[tuple[str, Any]] = []
        self.requests: list[tuple[str, Any]] = []
        #: What to answer to a request of the server's; null when it is not here.
        self.replies: dict[str, Callable[[Any], Any]] = {}
        #: Requests of the server's that are answered with an error: this client does not know them.
        self.unknown: set[str] = set()
        self.versions: dict[str, int] = {}
        self._stderr: list[bytes] = []
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._read, self._read_log)]
        for thread in self._threads:
            thread.start()

    # -- the wire -----------------------------------------------------------------------------------------------------

    def write(self, data: bytes) -> None:
        assert self.process.stdin
        with self.writing:
            self.process.stdin.write(data)
            self.process.stdin.flush()

    def send(self, message: Any) -> None:
        body = json.dumps(message).encode()
        self.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def _read_log(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            self._stderr.append(line)

    @property
    def log(self) -> str:
        return b"".join(self._stderr).decode(errors="replace")

    def _read(self) -> None:
        assert self.process.stdout
        while (message := received(self.process.stdout)) is not None:
            method = message.get("method")
            if method is None:
                self._answers.put(message)
            elif "id" in message:
                self._serve(message)
            else:
                _check(method, message)
                self.notifications.append((method, message.get("params")))
        self._answers.put({"closed": True})

    def _serve(self, message: dict[str, Any]) -> None:
        method = message["method"]
        self.requests.append((method, message.get("params")))
        reply = self.replies.get(method, lambda _: [None] if method == "workspace/configuration" else None)
        answer = {"result": reply(message.get("params"))} if method not in self.unknown else {"error": _UNKNOWN}
        with contextlib.suppress(BrokenPipeError, ValueError):
            self.send({"jsonrpc": "2.0", "id": message["id"], **answer})

    # -- asking -------------------------------------------------------------------------------------------------------

    def notify(self, method: str, params: Any = None) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def start(self, method: str, params: Any = None, number: Any = None) -> Any:
        """Send a request and do not wait."""
        number = next(self._numbers) if number is None else number
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return number

    def answer(self, number: Any, patience: float = PATIENCE) -> dict[str, Any]:
        """The whole answer to a request."""
        end = time.monotonic() + patience
        while number not in self._answered:
            try:
                message = self._answers.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no answer to {number!r}\n{self.log}") from None
            if "closed" in message:
                raise AssertionError(f"the server closed the conversation\n{self.log}")
            self._answered[message.get("id")] = message
        return self._answered.pop(number)

    def request(self, method: str, params: Any = None) -> Any:
        """The result of a request, asked for again if the document has changed meanwhile. Raises ServerError."""
        answer = self.answer(self.start(method, params))
        if answer.get("error", {}).get("code") == CONTENT_MODIFIED:
            answer = self.answer(self.start(method, params))
        if "error" in answer:
            raise ServerError(answer["error"])
        kind = types.METHOD_TO_TYPES.get(method, (None, None))[1]
        if kind is not None:
            CONVERTER.structure(answer, kind)
        return answer["result"]

    def initialize(
        self, capabilities: Mapping[str, Any] = VSCODE, folder: Path | None = None, **more: Any
    ) -> dict[str, Any]:
        folders = [{"uri": folder.as_uri(), "name": folder.name}] if folder else None
        params = {"processId": os.getpid(), "rootUri": None, "workspaceFolders": folders, "capabilities": capabilities}
        result: dict[str, Any] = self.request("initialize", {**params, **more})
        self.notify("initialized", {})
        return result

    # -- documents ----------------------------------------------------------------------------------------------------

    def open(self, uri: str, text: str, kind: str = "eval-yaml", version: int = 1) -> None:
        self.versions[uri] = version
        document = {"uri": uri, "languageId": kind, "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def change(self, uri: str, *changes: Mapping[str, Any]) -> int:
        """Send changes as one new version: its number."""
        self.versions[uri] += 1
        document = {"uri": uri, "version": self.versions[uri]}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": list(changes)})
        return self.versions[uri]

    def published(self, uri: str) -> Iterator[dict[str, Any]]:
        """Every publication for a document so far, the newest first."""
        newest_first = reversed(self.notifications)
        return (p for m, p in newest_first if m == "textDocument/publishDiagnostics" and p["uri"] == uri)

    def diagnostics(self, uri: str) -> list[dict[str, Any]]:
        """The diagnostics of the newest version."""
        version = self.versions[uri]
        look = lambda: next((p for p in self.published(uri) if p.get("version") == version), None)  # noqa: E731
        return list(until(f"diagnostics of version {version}\n{self.log}", look)["diagnostics"])

    def saved(self, uri: str) -> list[dict[str, Any]]:
        """The diagnostics of the newest version when it is saved: nothing waits then for what may still be written."""
        self.diagnostics(uri)
        self.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        for _ in range(3):  # what it sets off is done between two requests
            self.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
        return self.diagnostics(uri)

    def heard(self, method: str) -> list[Any]:
        """The parameters of every notification of a method."""
        return [params for name, params in list(self.notifications) if name == method]

    def at(self, method: str, uri: str, line: int, character: int, **more: Any) -> Any:
        """A request about a position."""
        place = {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}
        return self.request(f"textDocument/{method}", {**place, **more})

    # -- the end ------------------------------------------------------------------------------------------------------

    def shut_down(self) -> int:
        """End the conversation as the protocol says; the exit code."""
        self.request("shutdown")
        self.notify("exit")
        return self.process.wait(PATIENCE)

    def close(self) -> None:
        """End the process, if it has not ended."""
        with contextlib.suppress(OSError, ValueError):
            assert self.process.stdin
            self.process.stdin.close()
        if self._stays:
            self.process.kill()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for thread in self._threads:
            thread.join(PATIENCE)
        for stream in (self.process.stdout, self.process.stderr):
            if stream:
                stream.close()


def received(stream: Any) -> dict[str, Any] | None:
    """The next message of a stream; none when it has ended."""
    length = 0
    while line := stream.readline():
        if not line.strip():
            return json.loads(stream.read(length))
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return None


def _check(method: str, message: dict[str, Any]) -> None:
    """Whether a notification has the form that the protocol gives it."""
    kind = types.METHOD_TO_TYPES.get(method, (None,))[0]
    if kind is not None and method != "$/progress":
        CONVERTER.structure(message, kind)


def place(text: str, offset: int) -> dict[str, int]:
    """An offset as a position in UTF-16 units; lines end where the protocol says."""
    before = text[:offset].replace("\r\n", "\n").replace("\r", "\n")
    line = before.rpartition("\n")[2]
    return {"line": before.count("\n"), "character": len(line.encode("utf-16-le", "surrogatepass")) // 2}


def replaced(text: str, old: str, new: str) -> dict[str, Any]:
    """The change that puts `new` in the place of the first `old`."""
    start = text.index(old)
    return {"range": {"start": place(text, start), "end": place(text, start + len(old))}, "text": new}


#: Starts a server, with the arguments of `Client`.
Connect = Callable[..., Client]
