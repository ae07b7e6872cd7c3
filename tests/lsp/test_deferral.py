"""What waits while a person writes, and until when."""

import random
from collections import Counter
from pathlib import Path

import pytest
from harness import LANGUAGE, cursor
from oracle import random_edit
from test_oracle import OLD, SMALL
from thorough import seeds

from rubric_core.analysis import Language
from rubric_core.text import Edit, LineIndex, Span, apply_edits
from rubric_core.validation.rule import Diagnostic
from rubric_lsp.documents.content_changes import ContentChange
from rubric_lsp.documents.deferral import IDLE, Deferral
from rubric_lsp.features.deferred_findings import leave_out_deferred
from rubric_lsp.routes import make_server

HEAD = "name: a\ntests:\n"
CASE = f"{HEAD}  - id: a\n    criteria: Greets\n    input: Hi\n"
RUBRIC = f"{CASE}    assertions:\n      - type: rubrics\n        criteria:\n        "
BANDS = f"""{CASE}    assertions:
      - type: rubrics
        criteria:
          - id: tone
            outcome: Is friendly
            score_ranges:
              """


class Desk:
    """A server without a wire, and a clock that goes when it is told to."""

    def __init__(self, text: str, uri: str = "file:///suites/a.eval.yaml") -> None:
        self.now = 0.0
        self.server = make_server()
        self.server.documents.language = LANGUAGE
        self.server.documents.encoding = "utf-32"
        self.server.deferral = Deferral(lambda: self.now)
        self.uri = uri
        self.at = 0
        self.open(uri, text)

    def open(self, uri: str, text: str) -> None:
        self.server.documents.open(uri, "eval-yaml", 0, text)
        self.server.deferral.forget(uri)
        self.said(uri)

    @property
    def text(self) -> str:
        snapshot = self.server.documents.get(self.uri)
        assert snapshot is not None
        return snapshot.document.text

    def edit(self, *edits: Edit, after: float = 0.1) -> None:
        """Edits that are sent at once, each of the text that the one before leaves."""
        self.now += after
        text, changes = self.text, []
        for edit in edits:
            changes.append(ContentChange(LineIndex(text).range(edit.span, "utf-32"), edit.new_text))
            text = apply_edits(text, [edit])
            self.at = edit.span.start + len(edit.new_text)
        snapshot = self.server.documents.change(self.uri, 1, changes)
        assert snapshot is not None
        self.server.deferral.edited(snapshot)

    def type(self, keys: str, at: int | None = None) -> None:
        """Type letter by letter; the findings are examined after each one."""
        self.at = self.at if at is None else at
        for key in keys:
            self.edit(Edit(Span(self.at, self.at), key))
            self.said()

    def split(self, uri: str | None = None) -> tuple[list[Diagnostic], list[Diagnostic]]:
        """The findings that are shown, and those that are held back."""
        snapshot = self.server.documents.get(uri or self.uri)
        assert snapshot is not None
        analysis = snapshot.analysis
        told = leave_out_deferred(analysis.listed, self.server.deferral.numbers(snapshot)).placed(analysis.document)
        return [*told], [d for d in analysis.listed.placed(analysis.document) if d not in told]

    def said(self, uri: str | None = None) -> list[str]:
        return [d.code for d in self.split(uri)[0]]

    def waiting(self, uri: str | None = None) -> list[str]:
        return [d.code for d in self.split(uri)[1]]


def typed(text: str, keys: str) -> Desk:
    """`keys` typed at the cursor of a text."""
    whole, at = cursor(text)
    desk = Desk(whole)
    desk.type(keys, at)
    return desk


@pytest.mark.parametrize(
    ("about", "text", "keys", "said", "waiting"),
    [
        ("a word without a colon", f"{CASE}    <|>", "expect", [], ["syntax-error"]),
        ("the beginning of a value", f"{CASE}    assertions:\n      - type: <|>", "conta", [], ["unknown-type"]),
        ("a key without a value", f"{CASE}    <|>", "expected_output: ", [], ["wrong-type"]),
        ("a case that is not whole", f"{HEAD}  - <|>", "id: a\n    input: b\n    x", [], ["nothing-asserted", "syntax-error"]),
        ("the text that lacks its cases", "<|>", "name: a\n", [], ["missing-key"]),
        ("a key while its value is written", f"{CASE}    <|>", "critera: x", [], ["unknown-key"]),
        ("a key when the next one is", f"{CASE}    <|>", "critera: x\n    t", ["unknown-key"], ["syntax-error"]),
        ("a list that may be one of cases", "<|>", "- id: a\n  c", [], ["not-a-suite", "syntax-error"]),
        ("a line when the next one is", f"{CASE}    <|>", "metadata: 5\n    ", ["wrong-type"], []),
        ("an evaluator when the next one is", f"{CASE}    assertions:\n      - <|>", "type: regex\n      - t", ["missing-key"], []),
        ("a case when the next one is", f"{HEAD}  - <|>", "id: a\n    input: b\n  - i", ["nothing-asserted"], ["case-entry"]),
        ("brackets as a whole", f"{CASE}    assertions: [<|>]", "{type: contians, va", [], ["syntax-error"]),
        ("a list item without its text", f"{CASE}    assertions:\n      - type: rubrics\n        criteria:\n          - <|>", "id: x\n            outcome: y\n          - ", [], ["wrong-type"]),
        ("that nothing counts while the list is written", f"{RUBRIC}  <|>", "- {id: x, outcome: y, weight: 0}\n          - ", [], ["all-weights-zero", "wrong-type"]),
        ("that nothing counts when the list ends", f"{RUBRIC}  <|>", "- {id: x, outcome: y, weight: 0}\n      - ", ["all-weights-zero"], ["wrong-type"]),
        ("a list in the column of its key", f"{RUBRIC}<|>", "- {id: x, outcome: y, weight: 0}\n        - ", [], ["all-weights-zero", "wrong-type"]),
        ("a key that ends such a list", f"{RUBRIC}<|>", "- {id: x, outcome: y, weight: 0}\n        weight: 2", ["all-weights-zero"], []),
        ("a gap until the list ends", f"{BANDS}<|>", "- score_range: [0, 4]\n                outcome: curt", [], ["gapped-bands"]),
        ("a gap when the list ends", f"{BANDS}<|>", "- score_range: [0, 4]\n                outcome: curt\n          - ", ["gapped-bands"], ["wrong-type"]),
    ],
)  # fmt: skip
def test_what_waits(about: str, text: str, keys: str, said: list[str], waiting: list[str]) -> None:
    desk = typed(text, keys)
    assert desk.said() == said, about
    assert sorted(desk.waiting()) == sorted(waiting), about


def test_what_was_said_stays_said_and_what_is_mended_goes_at_once() -> None:
    desk = Desk(f"{CASE}    metadata: 5\n    expected_outpt: x\n")
    assert desk.said() == ["wrong-type", "unknown-key"]
    desk.type("u", desk.text.index("outpt") + len("outp"))
    assert (desk.said(), desk.waiting()) == (["wrong-type"], [])


def test_a_pause_says_everything_and_typing_on_takes_nothing_back() -> None:
    desk = typed(f"{CASE}    metadata:\n      <|>", "ta")
    assert desk.waiting() == ["wrong-type"]
    desk.now += IDLE
    assert (desk.said(), desk.waiting()) == (["wrong-type"], [])
    desk.type("r")
    assert (desk.said(), desk.waiting()) == (["wrong-type"], [])
    desk.type("get: x")
    assert desk.said() == []


def test_nothing_waits_once_the_person_writes_elsewhere() -> None:
    desk = typed(f"# note\n{CASE}    <|>", "expect")
    assert desk.waiting() == ["syntax-error"]
    desk.type("s", len("# note"))
    assert (desk.said(), desk.waiting()) == (["syntax-error"], [])


def test_what_is_missing_is_said_once_the_person_writes_elsewhere() -> None:
    desk = typed(f"# note\n{HEAD}  - <|>", "id: a\n    input: Hi")
    assert desk.waiting() == ["nothing-asserted"]
    desk.type("s", len("# note"))
    assert (desk.said(), desk.waiting()) == (["nothing-asserted"], [])


def test_saving_says_everything() -> None:
    desk = typed(f"{CASE}    <|>", "expect")
    desk.server.deferral.end()
    assert (desk.said(), desk.waiting()) == (["syntax-error"], [])


def test_a_line_that_is_deleted_and_typed_anew() -> None:
    desk = Desk(f"{CASE}    assertions:\n      - type: contains\n        value: x\n")
    start, end = desk.text.index("        value"), len(desk.text)
    desk.edit(Edit(Span(start, end), ""))
    assert (desk.said(), desk.waiting()) == ([], ["missing-key"])
    desk.type("        val")
    assert desk.said() == []
    desk.type("ue: x")
    assert (desk.said(), desk.waiting()) == ([], [])


def test_a_line_that_is_only_deleted_is_missed_after_a_pause() -> None:
    desk = Desk(f"{CASE}    assertions:\n      - type: contains\n        value: x\n")
    desk.edit(Edit(Span(desk.text.index("        value"), len(desk.text)), ""))
    desk.now += IDLE
    assert (desk.said(), desk.waiting()) == (["missing-key"], [])


def test_a_replacement_is_no_typing() -> None:
    desk = Desk(CASE)
    at = desk.text.index("criteria")
    desk.edit(Edit(Span(at, at + len("criteria")), "outcom"))
    assert "unknown-key" in desk.said()
    assert desk.waiting() == []


def test_lines_that_are_pasted_are_said_at_once_but_for_the_last() -> None:
    desk = Desk(CASE)
    desk.at = len(desk.text)
    desk.edit(Edit(Span(desk.at, desk.at), "    critera: x\n    inptu: y"))
    assert (desk.said(), desk.waiting()) == (["unknown-key"], ["unknown-key"])
    desk.edit(Edit(Span(desk.at, desk.at), "\n    weigh"))
    assert desk.waiting() == ["syntax-error"]


def test_changes_that_come_together_are_followed_one_by_one() -> None:
    desk = Desk(CASE)
    at = len(desk.text)
    first = "    metadata: 5"
    desk.edit(
        Edit(Span(at, at), first),
        Edit(Span(at + len(first), at + len(first)), "\n"),
        Edit(Span(at + 16, at + 16), "    cri"),
    )
    assert (desk.said(), desk.waiting()) == (["wrong-type"], ["syntax-error"])


def test_other_documents_wait_too(tmp_path: Path) -> None:
    targets = tmp_path / ".agentv" / "targets.yaml"
    targets.parent.mkdir()
    written = "targets:\n  - name: local\n    provider: mock\n"
    targets.write_text(written, encoding="utf-8")
    desk = Desk(written, targets.as_uri())
    suite = (tmp_path / "a.eval.yaml").as_uri()
    desk.open(suite, f"execution:\n  target: local\n{CASE}")
    assert desk.said(suite) == []
    at = written.index("local") + len("local")
    desk.edit(Edit(Span(at - 1, at), ""))
    desk.server.documents.refresh_outdated()
    assert (desk.said(suite), desk.waiting(suite)) == ([], ["unknown-target"])
    desk.type("l", at - 1)
    desk.server.documents.refresh_outdated()
    assert (desk.said(suite), desk.waiting(suite)) == ([], [])
    desk.edit(Edit(Span(at - 1, at), ""))
    desk.now += IDLE
    desk.server.documents.refresh_outdated()
    assert (desk.said(suite), desk.waiting(suite)) == (["unknown-target"], [])


def test_the_rest_is_said_where_somebody_goes_on_in_another_document() -> None:
    desk = typed(f"{CASE}    <|>", "expect")
    first, second = desk.uri, "file:///suites/b.eval.yaml"
    desk.open(second, CASE)
    desk.uri = second
    desk.type("x", len(CASE))
    assert (desk.said(first), desk.waiting(first)) == (["syntax-error"], [])


@pytest.mark.parametrize("text", [SMALL, OLD, "", CASE], ids=["small", "old", "nothing", "case"])
def test_any_edits(text: str) -> None:
    """Findings that were shown and still exist stay; after a pause, none is held back."""
    rng = random.Random(f"quiet {len(text)}")
    desk = Desk(text)
    for _ in seeds(150, few=60):
        said, waiting = desk.split()
        # Of two of which one was said the other may be the one that is left.
        half = {(d.code, d.message) for d in waiting}
        before = Counter(key for d in said if (key := (d.code, d.message)) not in half)
        edit = random_edit(desk.text, rng)
        desk.edit(edit, after=rng.choice((0.05, 0.1, 0.3)))
        snapshot = desk.server.documents.get(desk.uri)
        assert snapshot is not None
        listed = list(snapshot.analysis.listed.placed(snapshot.document))
        every = Counter((d.code, d.message) for d in listed)
        said, waiting = desk.split()
        assert len(said) + len(waiting) == every.total(), edit
        assert before & every <= Counter((d.code, d.message) for d in said), edit
        if rng.random() < 0.2:
            desk.now += IDLE
            assert (desk.split()[0], desk.waiting()) == (listed, []), edit
        if len(desk.text) > 4_000:
            desk = Desk(text)


def test_every_rule_that_waits_is_about_something_missing() -> None:
    waiting = {rule.code: rule.awaits for rule in Language().rules if rule.awaits}
    assert {code for code, what in waiting.items() if what == "item"} == {
        "gapped-bands",
        "all-weights-zero",
        "dominant-criterion",
    }
    assert waiting["missing-key"] == "entry"
    assert "unknown-key" not in waiting
