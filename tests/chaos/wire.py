"""Malformed messages, wrong parameters, odd clients and floods: the server answers afterwards, and logs no mistake of its own."""

import contextlib
import json
import os
import random
import signal
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from client import BARE, VSCODE, Client
from everywhere import AT, WHOLE

from .tally import Setting, Tally

__all__ = ["run", "server"]

URI = "file:///nowhere/a.eval.yaml"
TEXT = "tests:\n  - id: a\n    input: hi\n    criteria: x\n    assertions:\n      - type: contains\n        value: 😀e\u0301\n"
#: Seconds for an answer afterwards; the machine may be busy.
PATIENCE = 60.0
_INTERNAL_ERROR, _NOT_INITIALIZED, _INVALID_REQUEST = -32603, -32002, -32600


def run(setting: Setting, tally: Tally) -> None:
    """One kind of fault after the other."""
    for about in (_framing, _messages, _stages, _greetings, _parameters, _cancelled, _clients):
        about(setting, tally)


@contextlib.contextmanager
def server(setting: Setting, tally: Tally, name: str, *, greeted: bool = True, **more: Any) -> Iterator[Client]:
    """A server with one document, which has to answer in the end unless it was meant to be gone by then."""
    client = Client(cwd=setting.folder, state=setting.folder / "state", **more)
    try:
        if greeted:
            client.initialize(BARE)
            client.open(URI, TEXT)
        yield client
    except AssertionError as error:
        tally.fault(f"{name}: {str(error)[-600:]}")
    except (OSError, ValueError) as error:
        tally.fault(f"{name}: the server is gone: {error} {client.log[-400:]}")
    finally:
        client.close()
        if "Traceback" in client.log:
            tally.fault(f"{name}: a traceback: {client.log[-600:]}", log=client.log)


def alive(client: Client) -> None:
    """It still answers."""
    client.answer(client.start("workspace/symbol", {"query": "zz"}), PATIENCE)


def quiet(client: Client, tally: Tally, name: str) -> None:
    """It has logged no mistake."""
    for message in client.heard("window/logMessage"):
        if message["type"] == 1:
            tally.fault(f"{name}: logged: {message['message'][-500:]}", message=message["message"])


def _framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def _frames() -> dict[str, Any]:
    body = json.dumps({"jsonrpc": "2.0", "id": 900, "method": "workspace/symbol", "params": {"query": ""}}).encode()
    length = len(body)
    return {
        "no length": b"Foo: bar\r\n\r\n",
        "length not a number": b"Content-Length: abc\r\n\r\n",
        "negative length": b"Content-Length: -5\r\n\r\n",
        "length of 5,000 digits": b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n",
        "length of 2**40": b"Content-Length: 1099511627776\r\n\r\n",
        "length zero": b"Content-Length: 0\r\n\r\n",
        "header with only LF": b"Content-Length: %d\n\n" % length + body,
        "header in small letters": b"content-length: %d\r\n\r\n" % length + body,
        "two lengths": b"Content-Length: 3\r\nContent-Length: %d\r\n\r\n{}x" % length,
        "length too short": b"Content-Length: %d\r\n\r\n" % (length - 10) + body + b"\r\n\r\n",
        "header that does not end": b"A" * 200_000 + b"\r\n\r\n",
        "body not UTF-8": _framed(b"\xff\xfe\xfd{"),
        "body in UTF-16": _framed(body.decode().encode("utf-16")),
        "body with a byte order mark": _framed(b"\xef\xbb\xbf" + body),
        "not JSON": _framed(b"{{{{{"),
        "deep JSON": _framed(b"[" * 200_000),
        "deep JSON that is closed": _framed(b"[" * 900 + b"]" * 900),
        "number of 10,000 digits": _framed(b'{"jsonrpc":"2.0","id":' + b"1" * 10_000 + b',"method":"shutdown"}'),
        "byte by byte": [bytes([each]) for each in _framed(body)],
    }


def _framing(setting: Setting, tally: Tally) -> None:
    garbage = setting.random("garbage").randbytes(3_000) + b"\r\n\r\n"
    for name, data in setting.some({**_frames(), "garbage": garbage}, 3).items():
        tally.count("frames")
        with server(setting, tally, f"framing, {name}") as client:
            for part in data if isinstance(data, list) else [data]:
                client.write(part)
            alive(client)
    tally.count("frames")
    with server(setting, tally, "framing, a body cut off by the end") as client:
        client.write(b'Content-Length: 500\r\n\r\n{"jsonrpc"')
        assert client.process.stdin
        client.process.stdin.close()
        client.process.wait(PATIENCE)


_CANCELLED: tuple[Any, ...] = ({"id": {}}, {"id": []}, [1], None)


def _bodies() -> list[Any]:
    def request(number: Any, method: Any = "workspace/symbol", **more: Any) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": number, "method": method, **more}

    def told(method: Any, **more: Any) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "method": method, **more}

    cancelled = [told("$/cancelRequest", params=params) for params in _CANCELLED]
    replies = [{"jsonrpc": "2.0", "id": 99, "result": 1}, {"jsonrpc": "2.0", "id": {}, "result": 1}]
    replies += [{"jsonrpc": "2.0", "id": "rubric-1", "error": error} for error in (5, {"code": "x"})]
    return [
        [], {}, 0, "x", None, True, [request(1, "shutdown")], {"jsonrpc": "1.0", "id": 1, "method": "x"}, {"jsonrpc": "2.0"},
        request({}), request([1]), request(None, params={"query": ""}), request(True, "shutdown"), request(1.5),
        request("x" * 1_000_000, params={"query": "z"}), request(10**300, params={"query": "z"}),
        request(-1, ["a"]), told({"a": 1}), request(-5, "no/such"), told("no/such"), told("$/x"), request(-77, "$/x"),
        *replies, told("$/cancelRequest"), *cancelled, told("$/setTrace", params={"value": 5}),
        told("$/setTrace", params={"value": "x"}), told("$/progress", params={}), request(-1, "initialize", params={"capabilities": {}}),
    ]  # fmt: skip


def _messages(setting: Setting, tally: Tally) -> None:
    with server(setting, tally, "messages that are none") as client:
        for body in _bodies():
            client.send(body)
            tally.count("messages")
        alive(client)
        quiet(client, tally, "messages that are none")


def _stages(setting: Setting, tally: Tally) -> None:
    """Requests before the beginning and after the end, and the exit codes that the protocol wants."""
    with server(setting, tally, "after shutdown") as client:
        client.answer(client.start("shutdown"), PATIENCE)
        answer = client.answer(client.start("workspace/symbol", {"query": ""}), PATIENCE)
        tally.expect(answer.get("error", {}).get("code") == _INVALID_REQUEST, f"a request after shutdown: {answer}")
        client.notify("exit")
        tally.expect(client.process.wait(PATIENCE) == 0, "exit after shutdown")
    with server(setting, tally, "before initialize", greeted=False) as client:
        answer = client.answer(client.start("textDocument/hover", {}), PATIENCE)
        tally.expect(answer.get("error", {}).get("code") == _NOT_INITIALIZED, f"a request before initialize: {answer}")
        client.notify("exit")
        tally.expect(client.process.wait(PATIENCE) == 1, "exit without shutdown")


_CAPABILITIES: tuple[Any, ...] = (
    None, 5, [], {"general": 5}, {"general": {"positionEncodings": "x"}}, {"general": {"positionEncodings": [1, None, "utf-7"]}},
    {"textDocument": {"completion": {"completionItem": {"documentationFormat": 7, "tagSupport": {"valueSet": "x"}}}}},
    {"workspace": {"workspaceEdit": []}}, {"textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": [{}, 1]}}}}},
)  # fmt: skip
_OTHERS: tuple[dict[str, Any], ...] = (
    {},
    {"processId": "x", "rootUri": 5, "workspaceFolders": 7, "initializationOptions": [1], "trace": {}, "clientInfo": "x"},
    {"processId": -1, "workspaceFolders": [{"uri": 1}, 5, {}], "initializationOptions": {"trusted": "yes", "dialect": 5, "x": {}}, "clientInfo": {"name": 1}, "locale": 5},
    {"processId": 2**70, "rootUri": "http://[::1", "rootPath": "\0"},
)  # fmt: skip


def _greetings(setting: Setting, tally: Tally) -> None:
    """Odd ways to begin: refused in words, or served."""
    pairs = [(capabilities, more) for capabilities in _CAPABILITIES for more in _OTHERS]
    for capabilities, more in setting.random("greetings").sample(pairs, setting.of(2, 18)):
        name = f"initialize with {capabilities} and {more}"
        tally.count("greetings")
        with server(setting, tally, name, greeted=False) as client:
            answer = client.answer(client.start("initialize", {"capabilities": capabilities, **more}), PATIENCE)
            if "error" in answer:
                tally.expect(answer["error"]["code"] != _INTERNAL_ERROR, f"{name}: {answer}")
                continue
            client.notify("initialized", {})
            client.open(URI, TEXT)
            alive(client)


METHODS = (
    *(f"textDocument/{name}" for name in (*WHOLE, *AT, "semanticTokens/full/delta", "formatting")), "workspace/symbol", "completionItem/resolve",
    "codeAction/resolve", "workspace/executeCommand", "rubric/discoverTests", "rubric/runTests", "rubric/cancelTests", "rubric/debugGrader", "rubric/report", "rubric/runReport", "rubric/runCase", "rubric/compareRuns", "rubric/suite", "rubric/targets",
    "workspace/textDocumentContent", "workspace/willRenameFiles", "no/such",
)  # fmt: skip
_NOTIFICATIONS = (
    "textDocument/didOpen", "textDocument/didChange", "textDocument/didSave", "workspace/didChangeWatchedFiles", "workspace/didChangeConfiguration",
    "window/workDoneProgress/cancel", "$/setTrace", "$/cancelRequest", "initialized", "textDocument/didClose", "workspace/didChangeWorkspaceFolders",
)  # fmt: skip
_ODD: tuple[Any, ...] = (
    None, 0, -1, 1.5, 1e308, 2**31, 2**63, 10**200, True, "", "x", "\0", "\ud800", "file:///", "file://h/x", "http://[", "file:///%00", "file:///%ff%fe.eval.yaml",
    "untitled:1", "rubric:/x", "x" * 5000, [], [None], [[]], {}, {"a": 1}, {"line": 1}, URI,
)  # fmt: skip


def _sound() -> dict[str, Any]:
    """Parameters that fit every method."""
    place, start = {"line": 1, "character": 5}, {"line": 0, "character": 0}
    return {
        "textDocument": {"uri": URI, "version": 3, "languageId": "yaml", "text": TEXT}, "position": place, "positions": [place],
        "range": {"start": start, "end": {"line": 3, "character": 0}}, "ch": "\n", "newName": "b", "previousResultId": "1", "query": "a",
        "context": {"diagnostics": [], "includeDeclaration": True, "only": ["quickfix"], "triggerKind": 1}, "options": {"tabSize": 2, "insertSpaces": True},
        "command": "rubric.clearResults", "arguments": [URI], "contentChanges": [{"range": {"start": start, "end": start}, "text": ""}],
        "changes": [{"uri": URI, "type": 2}], "event": {"added": [], "removed": []}, "settings": {"rubric": {}}, "token": "x", "value": "off",
        "label": "x", "title": "x", "data": 0, "uri": URI, "id": 1, "include": [{"uri": URI, "id": "a"}], "runId": "x",
        "files": [{"oldUri": URI, "newUri": URI + "x"}],
    }  # fmt: skip


def _spoilt(value: Any, rng: random.Random) -> Any:
    """The same with one member replaced by something odd, or left out."""
    if rng.random() < 0.25 or not isinstance(value, dict | list) or not value:
        return rng.choice(_ODD)
    if isinstance(value, list):
        at = rng.randrange(len(value))
        return [_spoilt(each, rng) if number == at else each for number, each in enumerate(value)]
    key = rng.choice(list(value))
    spoilt = {**value, key: _spoilt(value[key], rng)}
    if rng.random() < 0.15:
        spoilt.pop(key)
    return spoilt


def _parameters(setting: Setting, tally: Tally) -> None:
    """Parameters of wrong types: an error that says so, or an answer."""
    rng = setting.random("parameters")
    with server(setting, tally, "wrong parameters") as client:
        for _ in range(setting.of(10, 150)):
            asked = [each for _ in range(20) if (each := _spoilt_message(client, rng, tally)) is not None]
            for number, method, params in asked:
                error = client.answer(number, PATIENCE).get("error", {})
                if error.get("code") == _INTERNAL_ERROR:
                    tally.fault(
                        f"{method}: {error['message']}: {json.dumps(params)[:300]}", method=method, params=params
                    )
        alive(client)
        quiet(client, tally, "wrong parameters")


def _spoilt_message(client: Client, rng: random.Random, tally: Tally) -> tuple[int, str, Any] | None:
    params: Any = _sound()
    for _ in range(rng.choice((0, 1, 1, 2))):
        params = _spoilt(params, rng)
    tally.count("messages")
    if rng.random() < 0.8:
        method = rng.choice(METHODS)
        return client.start(method, params), method, params
    method = rng.choice(_NOTIFICATIONS)
    client.notify(method, params)
    if method in ("textDocument/didClose", "workspace/didChangeWorkspaceFolders"):
        client.open(URI, TEXT)
    return None


def _cancelled(setting: Setting, tally: Tally) -> None:
    """A storm of requests, most of which are cancelled: each is answered once."""
    rng = setting.random("cancelled")
    with server(setting, tally, "cancelled requests") as client:
        numbers: list[int] = []
        for number in range(setting.of(300, 10_000)):
            numbers.append(client.start(rng.choice(METHODS[:19]), _sound()))
            if rng.random() < 0.8:
                client.notify("$/cancelRequest", {"id": numbers[-1] - rng.choice((0, 0, 0, 1, 5))})
            if rng.random() < 0.05:
                client.change(URI, {"text": TEXT + "#" * (number % 7)})
        codes = [client.answer(number, PATIENCE).get("error", {}).get("code") for number in numbers]
        tally.count("cancelled or answered", len(codes))
        tally.expect(_INTERNAL_ERROR not in codes, "an internal error in a storm of cancelled requests")
        quiet(client, tally, "cancelled requests")


def _clients(setting: Setting, tally: Tally) -> None:
    """Clients that go away in every way: the server ends with them."""
    # What this process ignores, such as below `nohup`, its children ignore, too.
    heard = [
        name
        for name in ("SIGTERM", "SIGINT", "SIGHUP")
        if signal.getsignal(getattr(signal, name)) is not signal.SIG_IGN
    ]
    ways: dict[str, Callable[[Client], object]] = {
        "closes its stream": lambda client: client.process.stdin.close(),  # type: ignore[union-attr]
        **{name: partial(_signal, number=getattr(signal, name)) for name in heard},
    }
    for name, leave in setting.some(ways, 1).items():
        tally.count("ends")
        with server(setting, tally, name) as client:
            alive(client)
            leave(client)
            _ends(client, tally, name)
    tally.count("ends")
    with (
        subprocess.Popen(["sleep", "600"]) as editor,
        server(setting, tally, "an editor that is killed", greeted=False) as client,
    ):
        client.initialize(VSCODE, processId=editor.pid)
        editor.kill()
        editor.wait()
        _ends(client, tally, "an editor that is killed, whose stream stays open")
    _never_reads(setting.folder, tally)


def _signal(client: Client, number: int) -> None:
    os.kill(client.process.pid, number)


def _ends(client: Client, tally: Tally, name: str) -> None:
    try:
        client.process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        tally.fault(f"{name}: the server stays")


def _never_reads(folder: Path, tally: Tally) -> None:
    """A client that sends and never reads: SIGTERM ends the server."""
    import select
    import sys

    tally.count("ends")
    command = [sys.executable, "-m", "rubric_lsp"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder
    ) as process:
        assert process.stdin
        stream = process.stdin.fileno()

        def send(**message: Any) -> None:
            os.write(stream, _framed(json.dumps({"jsonrpc": "2.0", **message}).encode()))

        send(id=0, method="initialize", params={"capabilities": {}})
        send(method="initialized", params={})
        document = {"uri": URI, "languageId": "yaml", "version": 1, "text": TEXT}
        send(method="textDocument/didOpen", params={"textDocument": document})
        number = 0
        while number < 20_000 and select.select([], [process.stdin], [], 3)[1]:
            number += 1
            send(id=number, method="textDocument/documentSymbol", params={"textDocument": {"uri": URI}})
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            tally.fault(f"a client that never reads, after {number} requests: SIGTERM does not end the server")
            process.kill()
