"""Every request at places all over a text: `python tests/lsp/everywhere.py [STEP] [PREFIXES] [PART/PARTS]` goes over the corpus."""

import asyncio
import itertools
import logging
import random
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "core"))

from client import VSCODE, Client, place
from waiting import PATIENCE

from rubric_lsp.routes import make_server

URI = "file:///everywhere/a.eval.yaml"
#: Requests about the document, and about a position or a stretch of it.
WHOLE = (
    "documentSymbol", "foldingRange", "codeLens", "documentLink", "semanticTokens/full", "diagnostic",
)  # fmt: skip
AT = (
    "hover", "completion", "definition", "references", "documentHighlight", "prepareRename", "selectionRange", "codeAction", "inlayHint",
    "semanticTokens/range", "rangeFormatting", "onTypeFormatting", "rename",
)  # fmt: skip
#: Requests that wait for an answer at the same time.
_AT_ONCE = 100
#: A refusal that a person is shown: there is no name here, or it cannot be called so.
_REFUSED = -32803


def params_at(method: str, at: dict[str, int], uri: str = URI) -> dict[str, Any]:
    """The parameters of a request about a position, or about a few lines from there."""
    span = {"start": at, "end": {"line": at["line"] + 3, "character": 0}}
    document = {"textDocument": {"uri": uri}}
    more: dict[str, Any] = {
        "references": {"context": {"includeDeclaration": True}},
        "selectionRange": {"positions": [at]},
        "codeAction": {"range": span, "context": {"diagnostics": []}},
        "inlayHint": {"range": span},
        "semanticTokens/range": {"range": span},
        "rangeFormatting": {"range": span, "options": {"tabSize": 2, "insertSpaces": True}},
        "onTypeFormatting": {"ch": "\n", "options": {"tabSize": 2, "insertSpaces": True}},
        "rename": {"newName": "other"},
    }.get(method, {})
    pointed = (
        {}
        if method in ("selectionRange", "codeAction", "inlayHint", "semanticTokens/range", "rangeFormatting")
        else {"position": at}
    )
    return {**document, **pointed, **more}


def ask_everything(client: "Client | Direct", text: str, offsets: Iterable[int]) -> int:
    """Ask everything about `text`; how many requests there were. An error in answer is an AssertionError."""
    client.open(URI, text, version=client.versions.get(URI, 0) + 1)
    asked = [(m, {"textDocument": {"uri": URI}}) for m in WHOLE]
    for offset in offsets:
        asked += [(m, params_at(m, place(text, offset))) for m in AT]
    for first in range(0, len(asked), _AT_ONCE):
        numbers = [(client.start(f"textDocument/{m}", p), m, p) for m, p in asked[first : first + _AT_ONCE]]
        for number, method, params in numbers:
            error = client.answer(number).get("error")
            refused = method in ("rename", "prepareRename") and error is not None and error["code"] == _REFUSED
            assert error is None or refused, (method, params, error, text)
    return len(asked)


def assert_quiet(client: "Client | Direct") -> None:
    """Nothing went wrong that only the log knows of."""
    assert [m["message"] for m in client.heard("window/logMessage") if m["type"] == 1] == []
    assert "Traceback" not in client.log, client.log


def prefixes(texts: list[str], rng: random.Random, count: int) -> Iterator[str]:
    """Texts that end in the middle of something."""
    for _ in range(count):
        text = rng.choice(texts)
        yield text[: rng.randint(0, min(len(text), 4_000))]


class Direct:
    """A server in this process, without a wire: a million messages would take longer than all that they ask."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self.loop)
        self.server = make_server()
        self.answers: dict[Any, dict[str, Any]] = {}
        self.notifications: list[tuple[str, Any]] = []
        self.versions: dict[str, int] = {}
        self.log = ""
        self._numbers = itertools.count(1)
        self.server.protocol.send = self._sent  # type: ignore[method-assign]
        handler = logging.Handler(logging.ERROR)
        handler.emit = lambda record: setattr(
            self, "log", f"{self.log}Traceback? {record.getMessage()} {record.exc_info}\n"
        )  # type: ignore[method-assign]
        logging.getLogger().addHandler(handler)

    def _sent(self, message: dict[str, Any]) -> None:
        if "id" in message and "method" not in message:
            self.answers[message["id"]] = message

    def _received(self, message: dict[str, Any]) -> None:
        async def receive() -> None:
            self.server.protocol.receive({"jsonrpc": "2.0", **message})

        self.loop.run_until_complete(receive())

    def initialize(self, capabilities: Mapping[str, Any]) -> None:
        self.answer(self.start("initialize", {"capabilities": capabilities}))

    def open(self, uri: str, text: str, version: int) -> None:
        self.versions[uri] = version
        document = {"uri": uri, "languageId": "eval-yaml", "version": version, "text": text}
        self._received({"method": "textDocument/didOpen", "params": {"textDocument": document}})

    def change(self, uri: str, version: int, changes: list[dict[str, Any]]) -> None:
        document = {"uri": uri, "version": version}
        self._received(
            {"method": "textDocument/didChange", "params": {"textDocument": document, "contentChanges": changes}}
        )

    def close(self, uri: str) -> None:
        self._received({"method": "textDocument/didClose", "params": {"textDocument": {"uri": uri}}})

    def start(self, method: str, params: Any) -> int:
        number = next(self._numbers)
        self._received({"id": number, "method": method, "params": params})
        return number

    def answer(self, number: int) -> dict[str, Any]:
        end = time.monotonic() + PATIENCE
        while number not in self.answers:
            assert time.monotonic() < end, f"no answer to {number}"
            self.loop.run_until_complete(asyncio.sleep(0))
        return self.answers.pop(number)

    def end(self) -> None:
        """Let go of everything."""
        self.loop.run_until_complete(self.server.closed())
        self.loop.close()

    def heard(self, method: str) -> list[Any]:
        return [params for name, params in self.notifications if name == method]


def main() -> None:
    """Go over the corpus."""
    from corpus import suites

    step, count = (int(sys.argv[1]) if len(sys.argv) > 1 else 7), (int(sys.argv[2]) if len(sys.argv) > 2 else 200)
    part, parts = map(int, sys.argv[3].split("/")) if len(sys.argv) > 3 else (0, 1)
    texts = [s.text for s in suites()][part::parts]
    rng = random.Random(7 + part)
    client = Direct()
    client.initialize(VSCODE)
    total = 0
    for text in [*texts, *prefixes(texts, rng, count)]:
        total += ask_everything(client, text, range(0, len(text) + 1, step))
        assert_quiet(client)
    sys.stdout.write(f"{total:,} requests about {len(texts) + count} texts: no error, nothing in the log\n")


if __name__ == "__main__":
    main()
