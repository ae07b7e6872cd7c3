"""Why the server replaces parts of pygls: each fault in a real server of pygls alone, and the same conversation with ours.

Where a test of the plain server fails, the installed pygls no longer has that fault: `docs/pygls.md` says what can go then.
"""

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

import pytest
from pygls.workspace import TextDocument
from thorough import only_thorough
from two_servers import CONFIDENTIAL
from waiting import PATIENCE, until
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect as open_socket

REPOSITORY = Path(__file__).parents[2]
URI = "file:///suites/a.eval.yaml"
CASE = "    criteria: c\n    input: i\n"
SYMBOLS = {"textDocument": {"uri": URI}}


def framed(message: object) -> bytes:
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class Conversation:
    """Messages to and from one server over a pair of streams; everything that comes is kept."""

    def __init__(self, source: IO[bytes], sink: IO[bytes]) -> None:
        self._source, self._sink = source, sink
        self._numbers = iter(range(1000))
        self.heard: list[dict[str, Any]] = []
        #: Lines that belong to no message.
        self.noise: list[bytes] = []

    def write(self, data: bytes) -> None:
        self._sink.write(data)
        self._sink.flush()

    def notify(self, method: str, params: object) -> None:
        self.write(framed({"jsonrpc": "2.0", "method": method, "params": params}))

    def start(self, method: str, params: object) -> int:
        """Send a request and do not wait."""
        number = next(self._numbers)
        self.write(framed({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
        return number

    def read(self) -> dict[str, Any]:
        """The next message; an empty one at the end of the conversation."""
        length = 0
        while line := self._source.readline():
            name, _, value = line.partition(b":")
            if not line.strip():
                self.heard.append(json.loads(self._source.read(length)))
                return self.heard[-1]
            if name.lower() == b"content-length":
                length = int(value)
            elif name.lower() != b"content-type":
                self.noise.append(line)
        return {}

    def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The next message of a kind; an empty one at the end of the conversation."""
        with contextlib.suppress(ConnectionResetError):
            while message := self.read():
                if wanted(message):
                    return message
        return {}

    def answer(self, number: object) -> dict[str, Any]:
        """The answer to a request: one that came already, or the next one."""
        came = [m for m in self.heard if "method" not in m and m["id"] == number]
        return came[0] if came else self.until(lambda m: "method" not in m and m["id"] == number)

    def request(self, method: str, params: object) -> dict[str, Any]:
        return self.answer(self.start(method, params))

    def initialize(self, **params: object) -> dict[str, Any]:
        answer = self.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}, **params})
        self.notify("initialized", {})
        return answer

    def open(self, text: str) -> None:
        document = {"uri": URI, "languageId": "eval-yaml", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def change(self, line: int, start: int, end: int, text: str) -> None:
        span = {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}
        document = {"uri": URI, "version": 2}
        changes = [{"range": span, "text": text}]
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    @property
    def names(self) -> list[str]:
        """The names in the outline."""
        return [each["name"] for each in self.request("textDocument/documentSymbol", SYMBOLS)["result"]]

    def unanswered(self, *numbers: object) -> bool:
        """Whether a request has no answer when a later one has. Both servers answer these in their order."""
        self.request("test/path", {"uri": URI})
        return any(all("method" in m or m["id"] != number for m in self.heard) for number in numbers)

    @property
    def windows(self) -> list[str]:
        """The messages that were opened by what has been sent so far."""
        self.request("test/path", {"uri": URI})
        return [m["params"]["message"] for m in self.heard if m.get("method") == "window/showMessage"]


class Server(Conversation):
    """A process of one of the two kinds; ended at the latest when patience is over, so that no reading waits for ever."""

    def __init__(self, kind: str, door: str = "--stdio") -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  # closed with the process
        command = [sys.executable, str(Path(__file__).parent / "two_servers.py"), kind, door]
        environment = {k: v for k, v in os.environ.items() if k != "RUBRIC_LSP_TOKEN"}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=self._log, env=environment)
        assert self.process.stdin
        assert self.process.stdout
        super().__init__(self.process.stdout, self.process.stdin)
        self._watch = threading.Timer(PATIENCE, self.process.kill)
        self._watch.start()

    @property
    def log(self) -> str:
        """What it wrote to standard error, and to the log of the client."""
        wrote = os.pread(self._log.fileno(), 1 << 20, 0).decode()
        return wrote + "".join(m["params"]["message"] for m in self.heard if m.get("method") == "window/logMessage")

    @property
    def address(self) -> tuple[str, int]:
        found = until("an address", lambda: re.search(r"listens on ([\d.]+):(\d+)", self.log))
        return found[1], int(found[2])

    @property
    def token(self) -> str:
        """Empty for a server that has none."""
        found = re.search(r"token: (\S+)", self.log)
        return found[1] if found else ""

    def end(self) -> int:
        """Wait for the end: the exit code."""
        while self.read():
            pass
        return self.process.wait(PATIENCE)

    def close(self) -> None:
        self._watch.cancel()
        self.process.kill()
        self.process.wait()
        for stream in (self._source, self._sink, self._log):
            with contextlib.suppress(OSError):
                stream.close()


Start = Callable[..., Server]
FAULTS: dict[str, Callable[[Start], bool]] = {}
#: Those that other tests show our server not to have.
SHOWN_ELSEWHERE: set[str] = set()


def fault(name: str, *, ours: str = "") -> Callable[[Callable[[Start], bool]], Callable[[Start], bool]]:
    """A conversation that gives whether a server has the fault of that name; `ours`: the tests that show ours not to."""
    assert not ours or (REPOSITORY / "tests" / ours).is_file()

    def kept(held: Callable[[Start], bool]) -> Callable[[Start], bool]:
        FAULTS[name] = held
        if ours:
            SHOWN_ELSEWHERE.add(name)
        return held

    return kept


# -- documents ---------------------------------------------------------------------------------------------------------


@fault("Lines end at characters that are not line breaks in LSP")
def _lines(start: Start) -> bool:
    server = start()
    server.initialize()
    server.open(f"tests:\n  - id: a\u2028b\n{CASE}  - id: one\n{CASE}")
    server.change(4, 8, 11, "two")
    return "two" not in server.names


@fault("A position after the end of the last line is one character too early")
def _behind_the_end(start: Start) -> bool:
    server = start()
    server.initialize()
    server.open(f"tests:\n  - id: x\n{CASE}  - id: on")
    server.change(4, 99, 99, "e")
    return "one" not in server.names


@fault("An edit of a document that is not open opens a window")
def _not_open(start: Start) -> bool:
    server = start()
    server.initialize()
    server.change(0, 0, 0, "a")
    return server.windows != []


@fault("The name of a file that is not UTF-8 becomes another name")
def _name(start: Start) -> bool:
    server = start()
    server.initialize()
    return (
        bytes.fromhex(server.request("test/path", {"uri": "file:///suites/%FF.yaml"})["result"]) != b"/suites/\xff.yaml"
    )


# -- what comes in -----------------------------------------------------------------------------------------------------


@fault("A request with malformed parameters is never answered")
def _malformed(start: Start) -> bool:
    server = start()
    server.initialize()
    return server.unanswered(server.start("textDocument/documentSymbol", {}))


@fault("One unknown word in the capabilities of a client keeps the server from starting")
def _unknown_word(start: Start) -> bool:
    server = start()
    tags = {"textDocument": {"publishDiagnostics": {"tagSupport": {"valueSet": [1, 99]}}}}
    first = server.start("initialize", {"processId": None, "rootUri": None, "capabilities": tags})
    server.initialize()
    return server.unanswered(first)


@fault("What is no JSON, or no message, is not answered")
def _no_message(start: Start) -> bool:
    server = start()
    server.initialize()
    server.write(b"Content-Length: 1\r\n\r\n{" + framed([1]))
    server.request("test/path", {"uri": URI})
    return [m["error"]["code"] for m in server.heard if "error" in m and m.get("id") is None] != [-32700, -32600]


@fault("A header in small letters loses its message and the next one")
def _small_letters(start: Start) -> bool:
    server = start()
    server.initialize()
    message = framed({"jsonrpc": "2.0", "id": "small", "method": "test/path", "params": {"uri": URI}})
    server.write(message.replace(b"Content-Length", b"content-length"))
    following = server.start("test/path", {"uri": URI})
    server.write(b"\r\n")  # the end of what pygls takes for a header: without it, it never hears anything again
    return server.unanswered("small", following)


@fault("A trace value of another version opens a window")
def _trace(start: Start) -> bool:
    server = start()
    server.initialize()
    server.notify("$/setTrace", {"value": "compact"})
    return server.windows != []


@fault("A command without its arguments fails with a traceback")
def _no_arguments(start: Start) -> bool:
    server = start()
    server.initialize()
    return server.request("workspace/executeCommand", {"command": "rubric.runFile"})["error"]["code"] != -32602


# -- the lifecycle -----------------------------------------------------------------------------------------------------


@fault("A request before `initialize` has the wrong error")
def _too_early(start: Start) -> bool:
    return start().request("textDocument/documentSymbol", SYMBOLS)["error"]["code"] != -32002


@fault("`initialize` may come twice, and forgets what is open")
def _twice(start: Start) -> bool:
    server = start()
    server.initialize()
    return "result" in server.initialize()


@fault("A request after `shutdown` is never answered")
def _too_late(start: Start) -> bool:
    server = start()
    server.initialize()
    server.request("shutdown", None)
    late = server.start("textDocument/documentSymbol", SYMBOLS)
    server.notify("exit", None)
    server.end()
    return all(m.get("id") != late for m in server.heard)


@fault("The exit code is 0 without `shutdown`")
def _exit_code(start: Start) -> bool:
    server = start()
    server.initialize()
    server.notify("exit", None)
    return server.end() != 1


@fault("A request is worked on although its cancellation has arrived")
def _cancelled(start: Start) -> bool:
    """Opening a large suite keeps either server busy meanwhile."""
    server = start()
    server.initialize()
    text = "tests:\n" + "".join(f"  - id: c{n}\n{CASE}" for n in range(4000))
    document = {"uri": URI, "languageId": "eval-yaml", "version": 1, "text": text}
    opened = framed({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}})
    request = framed({"jsonrpc": "2.0", "id": "a", "method": "textDocument/documentSymbol", "params": SYMBOLS})
    cancel = framed({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "a"}})
    server.write(opened + request + cancel)
    return "result" in server.answer("a")


# -- what goes out -----------------------------------------------------------------------------------------------------


@fault("A reply to a request that was given up opens a window")
def _late_reply(start: Start) -> bool:
    server = start()
    server.initialize()
    asking = server.start("test/ask", {})
    asked = server.until(lambda m: m.get("method") == "workspace/configuration")
    server.notify("$/cancelRequest", {"id": asking})
    server.answer(asking)
    server.write(framed({"jsonrpc": "2.0", "id": asked["id"], "result": [None]}))
    return server.windows != []


@fault("The error of a failed request has its traceback and the texts in it")
def _failed(start: Start) -> bool:
    server = start()
    server.initialize()
    return CONFIDENTIAL in json.dumps(server.request("test/fail", {})["error"])


@fault("A result that cannot be written leaves its request unanswered")
def _unwritable(start: Start) -> bool:
    server = start()
    server.initialize()
    return server.unanswered(server.start("test/unwritable", {}))


@fault("The log has the texts of documents")
def _texts_in_the_log(start: Start) -> bool:
    server = start()
    server.initialize()
    server.open(f"tests:\n  - id: {CONFIDENTIAL}\n{CASE}")
    assert CONFIDENTIAL in server.names
    return CONFIDENTIAL in server.log


@fault("Tokens of progress are kept for ever")
def _tokens(start: Start) -> bool:
    server = start()
    server.initialize()
    working = server.start("test/progress", {})
    create = server.until(lambda m: m.get("method") == "window/workDoneProgress/create")
    server.write(framed({"jsonrpc": "2.0", "id": create["id"], "result": None}))
    return server.answer(working)["result"] != 0


@fault("The text of virtual documents is not offered")
def _text_document_content(start: Start) -> bool:
    capabilities = start().initialize(capabilities={"workspace": {"textDocumentContent": {}}})["result"]["capabilities"]
    return "textDocumentContent" not in capabilities["workspace"]


@fault("Options for code actions are sent to clients that know only a flag")
def _code_action_options(start: Start) -> bool:
    capabilities = {"textDocument": {"codeAction": {}}}
    return start().initialize(capabilities=capabilities)["result"]["capabilities"]["codeActionProvider"] is not True


# -- transports --------------------------------------------------------------------------------------------------------


@fault("Programs that a handler starts write into the conversation")
def _noise(start: Start) -> bool:
    server = start()
    server.initialize()
    server.request("test/print", {})
    return server.noise != []


@fault("Any program on the machine is served over TCP")
def _anybody(start: Start) -> bool:
    with _connected(start("--tcp")) as stranger:
        return "result" in stranger.initialize()


@fault("A second client over TCP gets the answers to the first")
def _second_client(start: Start) -> bool:
    server = start("--tcp")
    with _connected(server) as first:
        assert "result" in first.initialize(initializationOptions={"token": server.token})
        with _connected(server) as second:
            second.initialize()
            first.write(framed({"jsonrpc": "2.0", "id": "first", "method": "test/path", "params": {"uri": URI}}))
            return second.answer("first") != {}


@fault("Any web page may open a WebSocket")
def _web_page(start: Start) -> bool:
    host, port = start("--ws").address
    try:
        with open_socket(f"ws://{host}:{port}", origin="https://evil.example"):  # type: ignore[arg-type]  # an Origin is a str
            return True
    except InvalidStatus:
        return False


@contextlib.contextmanager
def _connected(server: Server) -> Iterator[Conversation]:
    """A client of a server on a port."""
    with (
        socket.create_connection(server.address, PATIENCE) as made,
        made.makefile("rb") as source,
        made.makefile("wb") as sink,
    ):
        yield Conversation(source, sink)


# -- costs -------------------------------------------------------------------------------------------------------------


@fault("Nearly all classes of lsprotocol are made at each start", ours="lsp/test_framework.py")
def _classes(_: Start) -> bool:
    count = "sum(isinstance(c, type) and attrs.has(c) for c in vars(types).values())"
    code = f"import attrs, pygls.lsp.server\nfrom lsprotocol import types\nprint({count})"
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    return int(made) > 500


@fault("The lines of a document are split again at each access", ours="core/test_incremental.py")
def _lines_again(_: Start) -> bool:
    document = TextDocument(URI, "a\nb\n")
    return document.lines is not document.lines


@fault("The server stays when its editor is gone", ours="lsp/test_protocol.py")
def _orphan(start: Start) -> bool:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as editor:
        server, ours = start(), Server("rubric")
        for each in (server, ours):
            each.initialize(processId=editor.pid)
        editor.kill()
    try:
        assert ours.end() == 1, "it has noticed"
    finally:
        ours.close()
    return "result" in server.request("test/path", {"uri": URI})


# -- both servers ------------------------------------------------------------------------------------------------------


@pytest.fixture
def servers() -> Iterator[list[Server]]:
    """Every server of a test, closed behind it."""
    started: list[Server] = []
    yield started
    for each in started:
        each.close()


def _starting(kind: str, servers: list[Server]) -> Start:
    def start(door: str = "--stdio") -> Server:
        servers.append(Server(kind, door))
        return servers[-1]

    return start


@pytest.mark.parametrize("name", FAULTS)
@only_thorough
def test_pygls_has_the_fault(name: str, servers: list[Server]) -> None:
    gone = f"pygls {version('pygls')} has this fault no more: docs/pygls.md says which part of ours can go"
    assert FAULTS[name](_starting("plain", servers)), gone


@pytest.mark.parametrize("name", [name for name in FAULTS if name not in SHOWN_ELSEWHERE])
def test_our_server_has_not(name: str, servers: list[Server]) -> None:
    assert not FAULTS[name](_starting("rubric", servers))


def test_the_page_lists_these_faults_and_no_others() -> None:
    page = (REPOSITORY / "docs/pygls.md").read_text(encoding="utf-8")
    table = page.partition("| Fault of pygls |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| ([^-|].*?) \|", table, re.MULTILINE) == list(FAULTS)


def test_the_page_names_parts_that_are_there() -> None:
    page = (REPOSITORY / "docs/pygls.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:protocol|documents)/\w+\.py|\w+\.py)`", page)
    assert len(named) > 10
    assert [each for each in named if not (REPOSITORY / "rubric_lsp" / each).is_file()] == []
