"""Every request at places all over a text: `python tests/lsp/everywhere.py [STEP] [PREFIXES] [PART/PARTS]` goes over the corpus."""

import random
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "core"))

from client import VSCODE, Client, place

URI = "file:///everywhere/a.eval.yaml"
#: Requests about the document, and about a position or a stretch of it.
_WHOLE = (
    "documentSymbol", "foldingRange", "codeLens", "documentLink", "semanticTokens/full", "diagnostic",
)  # fmt: skip
_AT = (
    "hover", "completion", "definition", "references", "documentHighlight", "prepareRename", "selectionRange", "codeAction", "inlayHint",
    "semanticTokens/range", "onTypeFormatting", "rename",
)  # fmt: skip
#: A refusal that a person is shown: there is no name here, or it cannot be called so.
_REFUSED = -32803


def _params(method: str, at: dict[str, int]) -> dict[str, Any]:
    span = {"start": at, "end": {"line": at["line"] + 3, "character": 0}}
    document = {"textDocument": {"uri": URI}}
    more: dict[str, Any] = {
        "references": {"context": {"includeDeclaration": True}},
        "selectionRange": {"positions": [at]},
        "codeAction": {"range": span, "context": {"diagnostics": []}},
        "inlayHint": {"range": span},
        "semanticTokens/range": {"range": span},
        "onTypeFormatting": {"ch": "\n", "options": {"tabSize": 2, "insertSpaces": True}},
        "rename": {"newName": "other"},
    }.get(method, {})
    pointed = (
        {} if method in ("selectionRange", "codeAction", "inlayHint", "semanticTokens/range") else {"position": at}
    )
    return {**document, **pointed, **more}


def ask_everything(client: Client, text: str, offsets: Iterable[int]) -> int:
    """Ask everything about `text`; how many requests there were. An error in answer is an AssertionError."""
    client.open(URI, text, version=client.versions.get(URI, 0) + 1)
    asked = [(m, {"textDocument": {"uri": URI}}) for m in _WHOLE]
    for offset in offsets:
        asked += [(m, _params(m, place(text, offset))) for m in _AT]
    numbers = [(client.start(f"textDocument/{method}", params), method, params) for method, params in asked]
    for number, method, params in numbers:
        error = client.answer(number).get("error")
        assert error is None or (method in ("rename", "prepareRename") and error["code"] == _REFUSED), (
            method,
            params,
            error,
            text,
        )
    return len(numbers)


def assert_quiet(client: Client) -> None:
    """Nothing went wrong that only the log knows of."""
    assert [m["message"] for m in client.heard("window/logMessage") if m["type"] == 1] == []
    assert "Traceback" not in client.log, client.log


def prefixes(texts: list[str], rng: random.Random, count: int) -> Iterator[str]:
    """Texts that end in the middle of something."""
    for _ in range(count):
        text = rng.choice(texts)
        yield text[: rng.randint(0, min(len(text), 4_000))]


def main() -> None:
    """Go over the corpus."""
    from corpus import suites

    step, count = (int(sys.argv[1]) if len(sys.argv) > 1 else 7), (int(sys.argv[2]) if len(sys.argv) > 2 else 200)
    part, parts = map(int, sys.argv[3].split("/")) if len(sys.argv) > 3 else (0, 1)
    texts = [s.text for s in suites()][part::parts]
    rng = random.Random(7 + part)
    client = Client()
    client.initialize(VSCODE)
    total = 0
    for text in [*texts, *prefixes(texts, rng, count)]:
        total += ask_everything(client, text, range(0, len(text) + 1, step))
        assert_quiet(client)
    client.close()
    sys.stdout.write(f"{total:,} requests about {len(texts) + count} texts: no error, nothing in the log\n")


if __name__ == "__main__":
    main()
