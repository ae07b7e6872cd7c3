"""The conversation itself: early, malformed, cancelled and duplicate messages, and how it ends."""

import asyncio
import io
import json
import os
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from client import BARE, PATIENCE, VSCODE, Client, Connect, ServerError, received, until

from rubric_lsp.protocol.transport import Unreadable, Writer, connected

URI = "file:///suites/a.eval.yaml"
SUITE = "name: a\ntests:\n  - id: one\n    criteria: Says hello\n    input: Hello\n"


#: Every request that needs parameters.
METHODS = (
    *(f"textDocument/{name}" for name in (
        "completion", "hover", "codeAction", "formatting", "rangeFormatting", "onTypeFormatting", "prepareRename", "rename", "codeLens", "inlayHint", "documentSymbol", "foldingRange", "selectionRange",
        "semanticTokens/full", "semanticTokens/full/delta", "semanticTokens/range", "definition", "references", "documentHighlight", "documentLink", "diagnostic",
    )),
    "completionItem/resolve", "codeAction/resolve", "workspace/executeCommand", "workspace/diagnostic", "workspace/symbol", "workspace/textDocumentContent",
)  # fmt: skip


def code_of(answer: dict[str, Any]) -> int | None:
    return answer.get("error", {}).get("code")


def test_hello(client: Client) -> None:
    assert client.shut_down() == 0


def test_the_server_says_what_it_is(connect: Connect) -> None:
    result = connect().initialize()
    assert result["serverInfo"]["name"] == "rubric"
    assert result["capabilities"]["textDocumentSync"]["change"] == 2


@pytest.mark.parametrize(
    ("offered", "taken"),
    [
        (["utf-8", "utf-16"], "utf-8"),
        (["utf-32", "utf-8"], "utf-32"),
        (["utf-7", "utf-16"], "utf-16"),
        (["utf-9"], "utf-16"),
        (None, "utf-16"),
    ],
)
def test_the_first_encoding_that_both_know_is_taken(connect: Connect, offered: list[str] | None, taken: str) -> None:
    general = {} if offered is None else {"general": {"positionEncodings": offered}}
    assert connect().initialize(general)["capabilities"]["positionEncoding"] == taken


def test_requests_wait_for_initialize(connect: Connect) -> None:
    client = connect()
    assert code_of(client.answer(client.start("textDocument/hover", {}))) == -32002
    client.notify("textDocument/didOpen", {})
    client.initialize()
    assert client.shut_down() == 0


def test_initialize_comes_once(client: Client) -> None:
    assert code_of(client.answer(client.start("initialize", {"capabilities": {}}))) == -32600


@pytest.mark.parametrize(
    "capabilities",
    [
        {"textDocument": {"publishDiagnostics": {"tagSupport": {"valueSet": [1, 99]}}}},
        {"textDocument": {"semanticTokens": {"formats": ["relative", "absolute"]}, "codeAction": 7}},
        {"general": {"positionEncodings": "utf-8"}, "window": [], "workspace": None},
        {"textDocument": {"completion": {"completionItem": {"documentationFormat": [3, "html", "markdown"]}}}},
    ],
)
def test_words_of_other_versions_do_no_harm(connect: Connect, capabilities: Any) -> None:
    client = connect()
    client.initialize(capabilities, trace="loud", initializationOptions=[], clientInfo="me")
    client.open(URI, SUITE)
    assert client.diagnostics(URI) == []


def test_initialize_without_parameters(connect: Connect) -> None:
    client = connect()
    assert code_of(client.answer(client.start("initialize", None))) == -32602
    client.initialize(BARE)


def test_malformed_parameters_are_answered(client: Client) -> None:
    """Of every request: in words, at once, and without a window."""
    for params in (None, [1, 2], {}, {"textDocument": {"uri": [1]}, "position": {"line": "1"}}):
        for method in METHODS:
            answer = client.answer(client.start(method, params))
            assert code_of(answer) == -32602, method
            assert method in answer["error"]["message"]
    assert client.heard("window/showMessage") == []
    assert client.shut_down() == 0


def test_malformed_commands_are_answered(client: Client) -> None:
    one = {"command": "rubric.runCase", "arguments": [1]}
    for params in ({"command": "rubric.nothing"}, one, {"command": "rubric.runFile"}, {**one, "arguments": "a"}):
        assert code_of(client.answer(client.start("workspace/executeCommand", params))) == -32602


def test_unknown_methods_are_answered(client: Client) -> None:
    assert code_of(client.answer(client.start("textDocument/teleport", {}))) == -32601
    assert code_of(client.answer(client.start("$/unheardOf"))) == -32601
    client.notify("$/unheardOf", {})
    client.notify("rubric/unheardOf", {})
    assert client.shut_down() == 0


def test_what_is_no_json_is_answered(client: Client) -> None:
    for body in (b"{", b"nonsense", b'\xff\xfe{"jsonrpc"', b"[" * 100_000):
        client.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        assert code_of(client.answer(None)) == -32700, body[:20]
    assert client.shut_down() == 0


def test_what_is_no_message_is_answered(client: Client) -> None:
    for message in ([], [{}], {}, 1, None, {"jsonrpc": "1.0", "id": 1, "method": "shutdown"}):
        client.send(message)
        assert code_of(client.answer(None)) == -32600, message
    assert client.shut_down() == 0


def test_an_id_is_a_number_or_a_string(client: Client) -> None:
    for number in (None, True, 1.5, [], {}):
        client.send({"jsonrpc": "2.0", "id": number, "method": "shutdown"})
        assert code_of(client.answer(None)) == -32600, number
    assert client.shut_down() == 0


def test_ids_come_back_as_they_were(client: Client) -> None:
    for number in ("seven", 7, "7", 0, -1, ""):
        answer = client.answer(client.start("textDocument/documentSymbol", {"textDocument": {"uri": URI}}, number))
        assert answer["id"] == number


def test_answers_to_nothing_are_dropped(client: Client) -> None:
    client.send({"jsonrpc": "2.0", "id": "nobody", "result": None})
    client.send({"jsonrpc": "2.0", "id": [], "error": 3})
    assert client.shut_down() == 0


def framed(message: Any) -> bytes:
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


SYMBOLS = {"jsonrpc": "2.0", "method": "textDocument/documentSymbol", "params": {"textDocument": {"uri": URI}}}


def test_messages_may_come_in_pieces(client: Client) -> None:
    for size in (1, 7, 20):
        data = framed({**SYMBOLS, "id": f"a{size}"}) + framed({**SYMBOLS, "id": f"b{size}"})
        with client.writing:
            for start in range(0, len(data), size):
                client.write(data[start : start + size])
        assert client.answer(f"a{size}")["result"] == []
        assert client.answer(f"b{size}")["result"] == []


def test_headers_are_read_leniently(client: Client) -> None:
    for header in (
        b"content-length: %d\r\n\r\n",
        b"CONTENT-LENGTH:%d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n",
        b"Content-Type: x\r\nContent-Length:   %d\r\n\r\n",
        b"\r\n\r\nContent-Length: %d\r\n\r\n",
        b"Content-Length: %d\n\n",
        b"Content-Length: " + b"0" * 5_000 + b"%d\r\n\r\n",
    ):
        body = json.dumps({**SYMBOLS, "id": header.decode()}).encode()
        client.write(header % len(body) + body)
        assert client.answer(header.decode())["result"] == []


@pytest.mark.parametrize(
    "header",
    [
        b"Content-Type: nothing",
        b"Content-Length: 1099511627776",
        # Python refuses to read a number of so many digits.
        b"Content-Length: " + b"9" * 5_000,
    ],
    ids=["none", "too-large", "5000-digits"],
)
def test_a_header_without_length_is_answered(client: Client, header: bytes) -> None:
    client.write(header + b"\r\n\r\n")
    assert code_of(client.answer(None)) == -32700
    client.write(framed({**SYMBOLS, "id": "a"}))
    assert client.answer("a")["result"] == []


def test_a_request_can_be_cancelled(client: Client) -> None:
    client.open(URI, SUITE)
    request = framed({**SYMBOLS, "id": "a"})
    cancel = framed({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "a"}})
    client.write(request + cancel)
    assert code_of(client.answer("a")) in (-32800, None)
    client.notify("$/cancelRequest", {"id": "long gone"})
    for params in ({"id": [1]}, {"id": {}}, {}, [], None):
        client.notify("$/cancelRequest", params)
    assert client.shut_down() == 0
    assert [m["message"] for m in client.heard("window/logMessage") if m["type"] == 1] == []


def test_a_cancelled_request_is_answered_before_it_is_worked_on(client: Client) -> None:
    """The check of a large suite keeps the server busy while request and cancellation wait in line."""
    text = SUITE + "".join(f"  - id: c{n}\n    criteria: C\n    input: I\n" for n in range(4000))
    document = {"uri": URI, "languageId": "eval-yaml", "version": 1, "text": text}
    opened = framed({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}})
    cancel = framed({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "a"}})
    client.write(opened + framed({**SYMBOLS, "id": "a"}) + cancel)
    assert code_of(client.answer("a")) == -32800


def test_an_id_that_is_in_use_is_refused(client: Client) -> None:
    client.open(URI, SUITE + "".join(f"  - id: c{n}\n    criteria: C\n    input: I\n" for n in range(2000)))
    client.write(framed({**SYMBOLS, "id": "a"}) + framed({**SYMBOLS, "id": "a"}))
    codes = {code_of(client.answer("a")), code_of(client.answer("a"))}
    assert codes in ({None}, {None, -32600})


def test_a_stale_request_is_told_so(client: Client) -> None:
    client.open(URI, SUITE + "".join(f"  - id: c{n}\n    criteria: C\n    input: I\n" for n in range(2000)))
    end = {"line": 0, "character": 0}
    client.start("textDocument/documentSymbol", {"textDocument": {"uri": URI}}, "a")
    client.change(URI, {"range": {"start": end, "end": end}, "text": "# b\n"})
    client.start("textDocument/documentSymbol", {"textDocument": {"uri": URI}}, "b")
    assert code_of(client.answer("a")) in (-32801, None)
    assert code_of(client.answer("b")) is None


def test_shutdown_while_requests_wait(client: Client) -> None:
    client.open(URI, SUITE + "".join(f"  - id: c{n}\n    criteria: C\n    input: I\n" for n in range(500)))
    burst = b"".join(framed({**SYMBOLS, "id": f"r{n}"}) for n in range(20))
    client.write(burst + framed({"jsonrpc": "2.0", "id": "end", "method": "shutdown"}))
    assert client.answer("end")["result"] is None
    assert all(code_of(client.answer(f"r{n}")) in (None, -32800) for n in range(20))
    client.notify("exit")
    assert client.process.wait(PATIENCE) == 0


def test_nothing_is_done_after_shutdown(client: Client) -> None:
    client.request("shutdown")
    assert code_of(client.answer(client.start("textDocument/documentSymbol", {}))) == -32600
    assert code_of(client.answer(client.start("shutdown"))) == -32600
    client.notify("exit")
    assert client.process.wait(PATIENCE) == 0


def test_shutdown_and_exit_in_one_breath(client: Client) -> None:
    shutdown = framed({"jsonrpc": "2.0", "id": "end", "method": "shutdown"})
    client.write(shutdown + framed({"jsonrpc": "2.0", "method": "exit"}))
    assert client.process.wait(PATIENCE) == 0


def test_exit_without_shutdown_is_an_error(client: Client) -> None:
    client.notify("exit")
    assert client.process.wait(PATIENCE) == 1


def test_exit_before_initialize(connect: Connect) -> None:
    client = connect()
    client.notify("exit")
    assert client.process.wait(PATIENCE) == 1


def test_the_end_of_input_ends_the_server(client: Client) -> None:
    assert client.process.stdin
    client.process.stdin.close()
    assert client.process.wait(PATIENCE) == 1


def test_half_a_message_and_the_end_of_input(client: Client) -> None:
    client.write(b"Content-Length: 500\r\n\r\n{")
    assert client.process.stdin
    client.process.stdin.close()
    assert client.process.wait(PATIENCE) == 1


def test_an_interrupt_ends_the_server(client: Client) -> None:
    client.open(URI, SUITE)
    client.diagnostics(URI)
    client.process.send_signal(signal.SIGINT)
    assert client.process.wait(PATIENCE) in (1, 130)


@pytest.mark.skipif(sys.platform == "win32", reason="the end of standard input has to do on Windows")
def test_the_server_ends_with_the_editor(connect: Connect) -> None:
    """An editor that is killed says nothing, and another process may hold the pipe open."""
    editor = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    client = connect()
    client.request("initialize", {"processId": editor.pid, "capabilities": {}, "rootUri": None})
    client.notify("initialized", {})
    editor.kill()
    editor.wait()
    assert editor.stdin
    editor.stdin.close()
    assert client.process.wait(PATIENCE) == 1


def test_a_process_that_cannot_be_seen_is_not_watched(connect: Connect) -> None:
    client = connect()
    client.request("initialize", {"processId": 2**22 + 7, "capabilities": {}, "rootUri": None})
    client.notify("initialized", {})
    client.request("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
    assert client.shut_down() == 0


def test_faults_in_the_background_open_no_window(client: Client) -> None:
    client.versions[URI] = 1
    client.change(URI, {"text": "x"})
    client.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    client.notify("textDocument/didOpen", {"textDocument": 1})
    client.request("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
    assert client.heard("window/showMessage") == []
    assert client.shut_down() == 0


def test_requests_take_as_long_as_the_trace_says(client: Client) -> None:
    client.notify("$/setTrace", {"value": "messages"})
    client.request("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
    assert until("a trace", lambda: client.heard("$/logTrace"))[0]["message"].startswith("textDocument/documentSymbol")
    assert "verbose" not in client.heard("$/logTrace")[0]
    client.notify("$/setTrace", {"value": "verbose"})
    client.request("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
    assert until("more of it", lambda: client.heard("$/logTrace")[1:])[0]["verbose"] == URI
    client.notify("$/setTrace", {"value": "off"})
    seen = len(client.heard("$/logTrace"))
    client.request("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
    assert len(client.heard("$/logTrace")) == seen


def test_settings_that_make_no_sense_are_said_once(connect: Connect) -> None:
    client = connect()
    client.initialize(BARE, initializationOptions={"trusted": "yes", "dialect": "agentv-99", "unheard": 1})
    message = until("a message", lambda: client.heard("window/showMessage"))[0]["message"]
    for words in (
        "rubric.trusted must be true or false",
        "there is no dialect agentv-99",
        "no setting rubric.unheard",
    ):
        assert words in message
    assert len(client.heard("window/showMessage")) == 1


def test_settings_are_asked_for_and_can_change(connect: Connect) -> None:
    client = connect()
    client.replies["workspace/configuration"] = lambda _: [{"codeLenses": False}]
    client.initialize(VSCODE)
    client.open(URI, SUITE)

    def lenses() -> list[Any]:
        return client.request("textDocument/codeLens", {"textDocument": {"uri": URI}})

    until("no lenses", lambda: not lenses())
    client.replies["workspace/configuration"] = lambda _: [{}]
    client.notify("workspace/didChangeConfiguration", {"settings": None})
    until("lenses", lenses)


def test_a_workspace_cannot_trust_itself(connect: Connect) -> None:
    client = connect()
    client.replies["workspace/configuration"] = lambda _: [{"trusted": True}]
    client.initialize(VSCODE)
    message = until("a message", lambda: client.heard("window/showMessage"))[0]["message"]
    assert "only when the editor starts the server" in message


class Door(NamedTuple):
    """Where a server listens, and the token that it printed."""

    host: str
    port: int
    token: str


def door(server: Client) -> Door:
    until("a token", lambda: server.log.endswith("\n") and "token: " in server.log)
    address, token = (server.log.split(words)[1].split("\n")[0] for words in ("listens on ", "token: "))
    host, _, port = address.rpartition(":")
    return Door(host, int(port), token)


def hello(token: object = None, **options: Any) -> dict[str, Any]:
    return {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"capabilities": {}, "initializationOptions": {"token": token, **options}},
    }


def asked(connection: socket.socket, message: Any) -> Any:
    """The answer to a request; None when the server hangs up."""
    with connection.makefile("rb") as stream:
        connection.sendall(framed(message))
        return next((m for m in iter(lambda: received(stream), None) if m.get("id") == message["id"]), None)


def leave(connection: socket.socket, server: Client) -> None:
    assert asked(connection, {"jsonrpc": "2.0", "id": 2, "method": "shutdown"})["result"] is None
    connection.sendall(framed({"jsonrpc": "2.0", "method": "exit"}))
    assert server.process.wait(PATIENCE) == 0


def test_tcp(connect: Connect) -> None:
    server = connect("--tcp", "0")
    host, port, token = door(server)
    with socket.create_connection((host, port), PATIENCE) as connection:
        assert asked(connection, hello(token))["result"]["serverInfo"]["name"] == "rubric"
        leave(connection, server)
    assert server.log.splitlines()[2:] == [], "the token is not a setting that nobody knows"


@pytest.mark.parametrize("token", [None, "", "x" * 32, 7, ["a"]])
def test_a_client_without_the_token_is_sent_away_and_keeps_nobody_out(connect: Connect, token: object) -> None:
    server = connect("--tcp", "0")
    host, port, right = door(server)
    with (
        socket.create_connection((host, port), PATIENCE) as silent,
        socket.create_connection((host, port), PATIENCE) as wrong,
    ):
        answer = asked(wrong, hello(token))
        assert "the token is missing or wrong" in answer["error"]["message"]
        assert right not in json.dumps(answer)
        assert wrong.recv(1) == b"", "it hangs up"
        with socket.create_connection((host, port), PATIENCE) as connection:
            assert "result" in asked(connection, hello(right))
            leave(connection, server)
        assert silent.fileno() > 0


def test_nothing_but_a_greeting_lets_anybody_in(connect: Connect) -> None:
    server = connect("--tcp", "0")
    host, port, token = door(server)
    options = {"initializationOptions": {"token": token}}
    for message in (
        {"id": 1, "method": "shutdown", "params": options},
        {"id": 1, "method": "workspace/executeCommand", "params": {"command": "rubric.trust", **options}},
    ):
        with socket.create_connection((host, port), PATIENCE) as connection:
            assert "error" in asked(connection, {"jsonrpc": "2.0", **message})
    assert server.process.poll() is None


def test_the_token_can_come_from_the_environment(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUBRIC_LSP_TOKEN", "a-token-of-my-own-choice")
    server = connect("--tcp", "0")
    assert door(server).token == "a-token-of-my-own-choice"
    monkeypatch.setenv("RUBRIC_LSP_TOKEN", "short")
    assert connect("--tcp", "0").process.wait(PATIENCE) == 2


def test_a_client_behind_a_socket_cannot_allow_runs(connect: Connect, tmp_path: Path) -> None:
    text = "# rubric: dialect=agentv-3\ntests:\n  - id: a\n    criteria: x\n    input: hi\n    assertions: [{type: code-grader, command: [touch, ran]}]\n"
    suite = tmp_path / "a.eval.yaml"
    suite.write_text(text)
    server = connect("--tcp", "0")
    host, port, token = door(server)
    with socket.create_connection((host, port), PATIENCE) as connection, connection.makefile("rb") as stream:
        begin = hello(token, trusted=True)
        begin["params"] |= {"rootUri": tmp_path.as_uri()}
        assert "result" in asked(connection, begin)
        connection.sendall(framed({"jsonrpc": "2.0", "method": "initialized", "params": {}}))
        refused = asked(
            connection,
            {"jsonrpc": "2.0", "id": 3, "method": "workspace/executeCommand", "params": {"command": "rubric.trust"}},
        )
        assert "cannot allow runs" in refused["error"]["message"]
        command = {"command": "rubric.runFile", "arguments": [suite.as_uri()]}
        connection.sendall(framed({"jsonrpc": "2.0", "id": 4, "method": "workspace/executeCommand", "params": command}))
        question = next(
            m for m in iter(lambda: received(stream), None) if m.get("method") == "window/showMessageRequest"
        )
        assert [a["title"] for a in question["params"]["actions"]] == ["Run once", "Show details", "Not now"]
        connection.sendall(framed({"jsonrpc": "2.0", "id": question["id"], "result": {"title": "Trust this folder"}}))
        connection.sendall(framed({"jsonrpc": "2.0", "id": 5, "method": "shutdown"}))
        assert next(m for m in iter(lambda: received(stream), None) if m.get("id") == 5)["result"] is None
    assert not (tmp_path / "ran").exists()
    assert not (tmp_path / "state" / "rubric" / "trust.json").exists()


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="the system has no Unix sockets")
def test_a_unix_socket_is_for_its_user_alone(connect: Connect, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        server = connect("--unix", "s")
    finally:
        os.umask(before)
    until("an address", lambda: "listens on s" in server.log)
    assert stat.S_IMODE((tmp_path / "s").stat().st_mode) == 0o600
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(os.path.relpath(tmp_path / "s"))
        assert "result" in asked(connection, hello())
        leave(connection, server)


def test_websocket(connect: Connect) -> None:
    from websockets.sync.client import connect as open_socket

    server = connect("--ws", "0")
    host, port, token = door(server)
    with open_socket(f"ws://{host}:{port}") as wrong:
        wrong.send(json.dumps(hello("wrong")))
        assert "the token is missing or wrong" in json.loads(wrong.recv(PATIENCE))["error"]["message"]
    with open_socket(f"ws://{host}:{port}//[/?token={token}") as connection:
        ask = lambda message: connection.send(json.dumps({"jsonrpc": "2.0", **message}))  # noqa: E731
        ask({"id": 1, "method": "initialize", "params": {"capabilities": {}}})
        assert json.loads(connection.recv(PATIENCE))["result"]["serverInfo"]["name"] == "rubric"
        connection.send("{")
        assert json.loads(connection.recv(PATIENCE))["error"]["code"] == -32700
        ask({"id": 2, "method": "shutdown"})
        assert json.loads(connection.recv(PATIENCE)) == {"jsonrpc": "2.0", "id": 2, "result": None}
        ask({"method": "exit"})
        assert server.process.wait(PATIENCE) == 0


@pytest.mark.parametrize(
    "origin",
    [
        "https://example.com",
        "http://localhost:3000",
        "http://127.0.0.1:8080",
        "http://localhost:5173.evil.example",
        "null",
    ],
)
def test_a_page_may_connect_only_where_it_is_named(connect: Connect, origin: str) -> None:
    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import connect as open_socket

    server = connect("--ws", "0", "--page", "http://localhost:5173")
    host, port, token = door(server)
    with pytest.raises(InvalidStatus, match="403"):
        open_socket(f"ws://{host}:{port}/?token={token}", origin=origin)  # type: ignore[arg-type]  # an Origin is a str
    with open_socket(f"ws://{host}:{port}", origin="http://localhost:5173") as connection:  # type: ignore[arg-type]
        connection.send(json.dumps(hello(token)))
        assert "result" in json.loads(connection.recv(PATIENCE))


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--version"], 0, "rubric-lsp "),
        (["--help"], 0, "--stdio"),
        (["--tcp", "nowhere"], 2, "is not a port"),
        (["--stdio", "--tcp", "1"], 2, "not allowed"),
        (["--ws", "70000"], 2, "is not a port"),
        (["--log-file", "/nowhere/at/all"], 2, "cannot write"),
    ],
)
def test_the_command_line(arguments: list[str], code: int, words: str) -> None:
    done = subprocess.run([sys.executable, "-m", "rubric_lsp", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert words in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="looks at open files by /proc")
def test_programs_cannot_write_into_the_conversation(client: Client) -> None:
    """Whatever inherits standard output writes to the log instead, and what reads standard input finds nothing."""
    files = Path(f"/proc/{client.process.pid}/fd")
    assert (files / "1").readlink() == (files / "2").readlink()
    assert str((files / "0").readlink()) == os.devnull


def test_faults_are_in_the_log_of_the_editor(client: Client) -> None:
    client.notify("textDocument/didOpen", {"textDocument": 1})
    message = until("a line of the log", lambda: client.heard("window/logMessage"))[0]
    assert message["type"] == 2
    assert "textDocument/didOpen" in message["message"]
    assert client.shut_down() == 0
    assert client.log == ""


def test_errors_of_clients_are_taken(client: Client) -> None:
    with pytest.raises(ServerError):
        client.request("workspace/executeCommand", {"command": "rubric.runFile", "arguments": ["untitled:1"]})
    assert client.shut_down() == 0


class _Heard:
    """A connection that keeps what it is told."""

    def __init__(self) -> None:
        self.messages: list[object] = []
        self.over = asyncio.get_running_loop().create_future()

    def opened(self, writer: Writer) -> None:
        self.writer = writer

    def receive(self, message: object) -> None:
        self.messages.append(message)

    def lost(self) -> None:
        self.over.set_result(1)

    async def finished(self) -> int:
        return int(await self.over)


def test_what_fails_in_reading_a_message_is_answered_and_the_next_one_read(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    read = json.loads

    def broken(body: bytes) -> object:
        if b"secret" in body:
            raise MemoryError
        return read(body)

    monkeypatch.setattr("rubric_lsp.protocol.transport.json.loads", broken)
    pieces = iter([framed({"a": 1}), framed({"a": "secret"}), framed({"a": 2}), b""])

    async def served() -> tuple[int, list[object]]:
        heard = _Heard()
        return await connected(heard, lambda: next(pieces), io.BytesIO()), heard.messages

    code, messages = asyncio.run(asyncio.wait_for(served(), PATIENCE))
    assert (code, messages) == (1, [{"a": 1}, Unreadable("it cannot be read: MemoryError"), {"a": 2}])
    assert "cannot be read" in caplog.text
    assert "secret" not in caplog.text


def test_a_server_that_hears_nothing_any_more_ends(caplog: pytest.LogCaptureFixture) -> None:
    def read() -> bytes:
        raise RuntimeError("odd")

    async def served() -> int:
        return await connected(_Heard(), read, io.BytesIO())

    assert asyncio.run(asyncio.wait_for(served(), PATIENCE)) == 1
    assert "reading from the client failed" in caplog.text
