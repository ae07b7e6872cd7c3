"""The real yaml-language-server in a process: schemas and texts in, its diagnostics, completions and hovers out."""

import json
import queue
import shutil
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import npm
from npm import UnavailableError

__all__ = ["VERSION", "UnavailableError", "YamlServer", "installed"]

VERSION = "2.0.0"
PATIENCE = 60.0


def installed() -> Path:
    """The server's program, installed when npm is there. Raises UnavailableError where it cannot be had."""
    return npm.installed("yaml-language-server", VERSION) / "bin" / "yaml-language-server"


class YamlServer:
    """One server with one schema for each folder: a text below /<name>/ is read by the schema of that name."""

    def __init__(self, schemas: Mapping[str, Path]) -> None:
        node = shutil.which("node") or "node"
        self._process = subprocess.Popen(
            [node, str(installed()), "--stdio"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._arrived: queue.Queue[dict[str, Any]] = queue.Queue()
        self._published: dict[str, list[dict[str, Any]]] = {}
        self._number = 0
        threading.Thread(target=self._read, daemon=True).start()
        associations = {path.as_uri(): f"/{name}/*.yaml" for name, path in schemas.items()}
        self._settings = {
            "schemas": associations, "schemaStore": {"enable": False}, "validate": True, "hover": True, "completion": True,
        }  # fmt: skip
        self._configured = False
        self._request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self._notify("initialized", {})
        self._notify("workspace/didChangeConfiguration", {"settings": {}})
        self._wait(lambda _: self._configured)

    def diagnostics(self, texts: Sequence[tuple[str, str]]) -> list[list[dict[str, Any]]]:
        """What the server says about texts, each under the schema of the given name."""
        opened = [self._open(name, text) for name, text in texts]
        waited = set(opened)
        while waited - set(self._published):
            self._wait(lambda m: m.get("method") == "textDocument/publishDiagnostics")
        return [self._published[uri] for uri in opened]

    def completions(self, name: str, text: str, line: int, character: int) -> list[str]:
        """The labels that the server offers at a place."""
        place = {"textDocument": {"uri": self._open(name, text)}, "position": {"line": line, "character": character}}
        answer = self._request("textDocument/completion", place)
        return [item["label"] for item in answer["items"]]

    def hover(self, name: str, text: str, line: int, character: int) -> str:
        """What the server shows at a place."""
        place = {"textDocument": {"uri": self._open(name, text)}, "position": {"line": line, "character": character}}
        answer = self._request("textDocument/hover", place)
        return answer["contents"]["value"] if answer else ""

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait(PATIENCE)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def _open(self, name: str, text: str) -> str:
        self._number += 1
        uri = f"file:///{name}/{self._number}.yaml"
        document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        self._notify("textDocument/didOpen", {"textDocument": document})
        return uri

    def _request(self, method: str, params: dict[str, Any]) -> Any:
        self._number += 1
        number = self._number
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        answer = self._wait(lambda m: m.get("id") == number and "method" not in m)
        assert "error" not in answer, answer
        return answer["result"]

    def _notify(self, method: str, params: dict[str, Any]) -> None:
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps(message).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()

    def _wait(self, wanted: Any) -> dict[str, Any]:
        while True:
            message = self._arrived.get(timeout=PATIENCE)
            if "id" in message and "method" in message:
                self._answer(message)
            if message.get("method") == "textDocument/publishDiagnostics":
                self._published[message["params"]["uri"]] = message["params"]["diagnostics"]
            if wanted(message):
                return message

    def _answer(self, message: dict[str, Any]) -> None:
        result = None
        if message["method"] == "workspace/configuration":
            self._configured = True
            result = [self._settings if item.get("section") == "yaml" else {} for item in message["params"]["items"]]
        self._send({"jsonrpc": "2.0", "id": message["id"], "result": result})

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while header := stream.readline():
            length = int(header.split(b":")[1])
            while stream.readline().strip():
                pass
            self._arrived.put(json.loads(stream.read(length)))
