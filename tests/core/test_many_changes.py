"""Many changes in one notification give what the same changes one by one give."""

import random

import pytest
from pictures import picture
from thorough import seeds

from rubric_core.analysis import Language
from rubric_core.text import Edit, Encoding, LineIndex, Position, TextRange, apply_edits
from rubric_lsp.documents import open_documents as module
from rubric_lsp.documents.content_changes import ContentChange
from rubric_lsp.documents.gc_control import GcControl
from rubric_lsp.documents.open_documents import ClientWorkspace

LANGUAGE = Language()
URI = "file:///project/a.eval.yaml"
SUITE = "# rubric: dialect=agentv-3\nname: x\ntests:\n" + "".join(
    f"  - id: c{n}\n    criteria: Grüße 😀 {n}\n    input: hi\n" for n in range(6)
)
TEXTS = {"suite": SUITE, "crlf": SUITE.replace("\n", "\r\n"), "nothing": "", "old breaks": "a: 1\rb: 2\r\nc\n\rd"}
#: Put in and taken out so that both characters of a line break, and both halves of a pair, come and go by themselves.
PIECES = ("", "x", "\n", "\r", "\r\n", "😀", "ü: 1\n", "  - id: new\n    input: a\n", '"', "    - [a\r", "tests:\n")


def random_change(text: str, rng: random.Random, encoding: Encoding) -> ContentChange:
    index = LineIndex(text)
    if rng.random() < 0.03:
        return ContentChange(None, text[: rng.randrange(len(text) + 1)] + rng.choice(PIECES) + SUITE)
    start = rng.randrange(len(text) + 1)
    ends = [
        index.position(start, encoding),
        index.position(min(len(text), start + rng.choice((0, 0, 1, 2, 30))), encoding),
    ]
    if rng.random() < 0.1:  # beyond a line, beyond the text, the wrong way round
        line, character = ends[1]
        ends[1] = Position(line + rng.choice((0, 0, 900)), character + rng.choice((0, 1, 900)))
        rng.shuffle(ends)
    return ContentChange(TextRange(*ends), rng.choice(PIECES))


def opened(text: str, encoding: Encoding) -> ClientWorkspace:
    workspace = ClientWorkspace(LANGUAGE, GcControl())
    workspace.encoding = encoding
    assert workspace.open(URI, "eval-yaml", 0, text).analysis
    return workspace


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("seed", seeds(12, few=4))
def test_joined_as_one_by_one(name: str, encoding: Encoding, seed: int) -> None:
    rng = random.Random(f"{name} {encoding} {seed}")
    joined, single = opened(TEXTS[name], encoding), opened(TEXTS[name], encoding)
    for round_ in range(3):
        changes, slow = [], None
        for _ in range(rng.randrange(9, 40)):
            changes.append(random_change(single.get(URI).document.text, rng, encoding))
            slow = single.change(URI, round_, changes[-1:])
        fast = joined.change(URI, round_, changes)
        assert fast.document.text == slow.document.text
        assert picture(fast.analysis) == picture(slow.analysis)
        assert fast.writing.at == slow.writing.at


def test_the_edits_lead_from_the_text_before_to_the_text_after() -> None:
    workspace, rng, text = opened(SUITE, "utf-16"), random.Random(1), SUITE
    changes = []
    other = opened(SUITE, "utf-16")
    for _ in range(20):
        changes.append(random_change(other.get(URI).document.text, rng, "utf-16"))
        other.change(URI, 1, changes[-1:])
    snapshot = workspace.change(URI, 1, changes)
    for edit in snapshot.edits:
        text = apply_edits(text, [Edit(*edit)])
    assert text == snapshot.document.text


def test_the_text_is_cut_twice_however_many_changes_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    workspace, cuts = opened(SUITE, "utf-16"), []
    edited = module.Document.edited
    monkeypatch.setattr(module.Document, "edited", lambda self, edit: cuts.append(edit) or edited(self, edit))
    letters = [ContentChange(TextRange(Position(1, 7 + n), Position(1, 7 + n)), "y") for n in range(500)]
    assert workspace.change(URI, 1, letters).document.text == SUITE.replace(": x", f": x{'y' * 500}")
    assert len(cuts) == 2
