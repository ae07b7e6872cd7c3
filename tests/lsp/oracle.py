"""A server that follows edits, and one that reads every text anew: both have to say the same.

`python tests/lsp/oracle.py EDITS [SEED]` goes over the corpus in all three encodings; the tests make a few thousand edits.
"""

import random
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "core"))

from edit_scripts import random_edit

from rubric_core.analysis import Language
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.text import Edit, Encoding, LineIndex, Span, apply_edits
from rubric_lsp import convert
from rubric_lsp.documents.content_changes import ContentChange
from rubric_lsp.documents.navigation import links
from rubric_lsp.documents.semantic_tokens import coloring, token_changes
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.protocol.capabilities import Client
from rubric_lsp.protocol.json_array import JsonArray
from rubric_lsp.router import per_yaml_document
from rubric_lsp.routes import make_server

ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
_CLIENT = Client(
    nested_symbols=True, related_information=True, diagnostic_tags=frozenset({1, 2}), code_description=True, diagnostic_data=True
)  # fmt: skip


class Follower:
    """One server, driven without a wire."""

    def __init__(self, language: Language, encoding: Encoding) -> None:
        self.server = make_server()
        self.server.client = _CLIENT
        self.server.documents.language = language
        self.server.documents.encoding = encoding

    def told(self, snapshot: Snapshot) -> Any:
        """What a client would have of this version: diagnostics, outline, folds, lenses, links, tokens."""
        uri = snapshot.uri
        results = self.server.known.results(snapshot)
        answers = (
            per_yaml_document(lambda d, _: convert.document_symbols(d, _CLIENT), snapshot, {}),
            per_yaml_document(lambda d, _: convert.document_symbols(d, Client()), snapshot, {}),
            per_yaml_document(lambda d, _: convert.folding_ranges(d), snapshot, {}),
            convert.code_lenses(snapshot, results, uri, told=True),
            JsonArray.of(convert.document_links(snapshot, links(self.server.index, snapshot))),
        )
        return self.server.problems(snapshot), [a.items if isinstance(a, JsonArray) else a for a in answers]

    def colors(self, snapshot: Snapshot) -> list[int]:
        """The tokens that a client has which asks for what has changed since the version before."""
        name, before = snapshot.kept.sent_tokens
        told = token_changes(snapshot, {"previousResultId": name})
        numbers = before.numbers
        for edit in told.get("edits", ()):
            numbers[edit["start"] : edit["start"] + edit["deleteCount"]] = edit["data"]
        return numbers if "edits" in told else told["data"].items


#: What runs gave to some cases of the tests.
RESULTS = (
    CaseResult(id="refund", verdict=Verdict.FAILED, score=0.4, reason="too short"),
    CaseResult(id="tides", verdict=Verdict.PASSED, score=0.9),
    CaseResult(id="b", verdict=Verdict.UNSCORED, reason="no judge"),
)


def follow(text: str, rng: random.Random, steps: int, encoding: Encoding, pair: tuple[Follower, Follower]) -> None:
    """Make `steps` edits and compare after each; a difference is an AssertionError that says how to see it again."""
    follower, fresh = pair
    uri = "file:///oracle/a.eval.yaml"
    for result in RESULTS:
        follower.server.known.record.done(uri, result)
        fresh.server.known.record.done(uri, result)
    follower.server.documents.open(uri, "yaml", 0, text)
    undone: list[str] = []
    for step in range(steps):
        edit = random_edit(text, rng)
        if undone and rng.random() < 0.15:
            # Undo: the editor sends the text as a whole, or as one edit of everything.
            edit = Edit(Span(0, len(text)), undone.pop())
        elif len(text) > 12_000:
            edit = Edit(Span(len(text) // 2, len(text)), "")
        # No position of the protocol lies between the two characters of a line break.
        start = edit.span.start - (text[edit.span.start - 1 : edit.span.start + 1] == "\r\n")
        end = edit.span.end + (edit.span.end > start and text[edit.span.end - 1 : edit.span.end + 1] == "\r\n")
        edit = Edit(Span(start, max(start, end)), edit.new_text)
        undone = [*undone[-5:], text]
        lines = LineIndex(text)
        text = apply_edits(text, [edit])
        where = (
            None
            if edit.span == (0, lines.line_start(10**9)) and rng.random() < 0.5
            else lines.range(edit.span, encoding)
        )
        changed = follower.server.documents.change(uri, step + 1, [ContentChange(where, edit.new_text)])
        assert changed is not None
        assert changed.document.text == text, f"step {step}: the text itself differs after {edit}"
        again = fresh.server.documents.open(uri, "yaml", step + 1, text)
        assert follower.told(changed) == fresh.told(again), f"step {step}: {edit}\n{text!r}"
        assert follower.colors(changed) == coloring(again).numbers, f"step {step}: {edit}\n{text!r}"


def pairs(language: Language) -> dict[Encoding, tuple[Follower, Follower]]:
    """A follower and a fresh one for each encoding."""
    return {e: (Follower(language, e), Follower(language, e)) for e in ENCODINGS}


def main() -> None:
    """Make many edits over the corpus."""
    from corpus import suites

    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    rng = random.Random(seed)
    texts = [s.text for s in suites() if len(s.text) < 6_000]
    both = pairs(Language())
    done, begun, per_text = 0, time.monotonic(), 25
    while done < wanted:
        encoding = rng.choice(ENCODINGS)
        text = rng.choice(texts)
        if rng.random() < 0.2:
            text = text.replace("\n", "\r\n")
        follow(text, rng, per_text, encoding, both[encoding])
        done += per_text
    sys.stdout.write(f"{done:,} edits, seed {seed}: the same after every one, in {time.monotonic() - begun:.0f} s\n")


if __name__ == "__main__":
    main()
