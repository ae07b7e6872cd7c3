"""A client that sends faster than the server works: it is not read any further, and loses nothing."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from waiting import until

from rubric_lsp.protocol.errors import CONTENT_MODIFIED
from rubric_lsp.protocol.transport import Framing

EDITS = 3_000
CASES = "".join(
    f"  - {{id: a{n}, criteria: c, input: hi there, assertions: [{{type: contains, value: x}}]}}\n" for n in range(50)
)
#: Far more than pipes, buffers and the backlog hold together, and far less than is sent.
MOST_READ = 400


def frame(**message: Any) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def flood(uri: str) -> Iterator[bytes]:
    """An edit and two requests, again and again."""
    document = {"uri": uri, "languageId": "yaml", "version": 1, "text": f"tests:\n{CASES}"}
    yield frame(id=0, method="initialize", params={"capabilities": {}})
    yield frame(method="initialized", params={})
    yield frame(method="textDocument/didOpen", params={"textDocument": document})
    place = {"line": 3, "character": 40}
    for number in range(1, EDITS + 1):
        edit = {"range": {"start": place, "end": place}, "text": "y"}
        about = {"uri": uri, "version": number + 1}
        symbols = frame(id=f"s{number}", method="textDocument/documentSymbol", params={"textDocument": {"uri": uri}})
        hover = frame(
            id=f"h{number}", method="textDocument/hover", params={"textDocument": {"uri": uri}, "position": place}
        )
        yield (
            frame(method="textDocument/didChange", params={"textDocument": about, "contentChanges": [edit]})
            + symbols
            + hover
        )


@pytest.mark.skipif(sys.platform == "win32", reason="pipes that do not block")
def test_a_client_that_floods_is_not_read_beyond_a_bound(tmp_path: Path) -> None:
    answered: dict[str, Any] = {}
    written = [0]
    with subprocess.Popen(
        [sys.executable, "-m", "rubric_lsp", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        cwd=tmp_path,
    ) as process:  # fmt: skip
        assert process.stdin
        assert process.stdout
        source, sink = process.stdout.fileno(), process.stdin.fileno()

        def write() -> None:
            for piece in flood((tmp_path / "a.eval.yaml").as_uri()):
                rest = piece
                while rest:
                    rest = rest[os.write(sink, rest) :]
                written[0] += 1

        def read() -> None:
            framing = Framing()
            while data := os.read(source, 1 << 16):
                for body in framing.feed(data):
                    message = json.loads(body if isinstance(body, bytes) else b"{}")
                    if "id" in message and "method" not in message:
                        answered[str(message["id"])] = message

        def stands_still() -> bool:
            before = written[0]
            time.sleep(1)
            return before == written[0] > 3

        writing = threading.Thread(target=write, daemon=True)
        writing.start()
        until("the end of reading", stands_still)
        assert written[0] < MOST_READ, "it does not stop reading although nobody reads what it says"
        threading.Thread(target=read, daemon=True).start()
        until("every answer", lambda: len(answered) == 2 * EDITS + 1)
        process.kill()
    codes = {each["error"]["code"] for each in answered.values() if "error" in each}
    assert codes == {CONTENT_MODIFIED}
    assert "result" in answered[f"h{EDITS}"], "the newest version has an answer"
