"""The menu behind a light bulb: short everywhere, fixes first, and nothing that is chosen often is missing."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from client import Client, Connect
from harness import LANGUAGE, Page, unmarked
from running import command, ended, written
from thorough import sample

from rubric_core.analysis import Analysis, analyze
from rubric_core.fixing import Gate
from rubric_core.text import Span
from rubric_core.validation import rules
from rubric_lsp.features.code_actions import Action, actions
from rubric_lsp.features.menu import MOST, MOST_AT_FINDING, menu
from rubric_lsp.features.run_actions import run_actions

RULES = Path(rules.__file__).parent
EXAMPLES = Path(__file__).parents[2] / "examples"
URI = "file:///menu.eval.yaml"
RAN = """\
# rubric: dialect=agentv-3
name: support
execution:
  target: canned
tests:
  - id: refund
    criteria: Explains the refund window
    input: Can I return this?
    expected_output: Yes
    assertions:
      - type: contains
        value: 30 days
      - type: rubrics
        criteria: [Is polite]
  - id: other
    criteria: Explains the refund window
    input: Can I return this?
"""


def texts() -> Iterator[tuple[str, str]]:
    """Every suite of the pages of rules, and of the examples."""
    for path in sorted(RULES.glob("*.md")):
        for number, block in enumerate(Page(path).blocks("Example")):
            if not re.match(r"--- |\[tool|# \S+\.ya?ml\n", block.text):
                yield f"{path.stem}-{number}", unmarked(block.text)[0]
    for path in sorted(EXAMPLES.rglob("*.eval.yaml")):
        yield path.name, path.read_text(encoding="utf-8")


def at(client: Client, uri: str, line: int, character: int, diagnostics: list[Any], **more: Any) -> list[Any]:
    here = {"line": line, "character": character}
    context = {"diagnostics": diagnostics, "triggerKind": 1, **more}
    params = {"textDocument": {"uri": uri}, "range": {"start": here, "end": here}, "context": context}
    found: list[Any] = client.request("textDocument/codeAction", params)
    return found


@pytest.fixture
def client(connect: Connect) -> Client:
    client = connect()
    client.initialize()
    return client


def offered(analysis: Analysis, gate: Gate, offset: int) -> list[Action]:
    """Everything that can be done at a place, runs included."""
    here = Span(offset, offset)
    return actions(analysis, here, runs=lambda: run_actions(analysis, here, {}, asked=True), gate=gate)


def test_at_most_five_entries_at_a_finding_and_six_elsewhere() -> None:
    looked, longest = 0, {True: 0, False: 0}
    for name, text in sample(list(texts()), 3):
        analysis = analyze(LANGUAGE.document(text), LANGUAGE)
        gate = Gate(analysis)
        lines = [text.index(line, start) for start, line in _lines(text)]
        for offset in sorted({*(d.span.start for d in analysis.diagnostics), *lines}):
            everything = offered(analysis, gate, offset)
            found = menu(everything)
            wrong = any(a.code and a.at is not None for a in everything)
            assert len(found) <= (MOST_AT_FINDING if wrong else MOST), (name, offset, [a.title for a in found])
            first = next((a for a in everything if a.preferred), None)
            assert first is None or first in found, "what is preferred stays"
            assert any(a.ignores for a in found) == any(a.ignores for a in everything), "and one way to ignore it"
            places = [next(n for n, a in enumerate(everything) if a is each) for each in found]
            assert places == sorted(places), "in their order"
            assert len({(a.title, a.edits) for a in found}) == len(found), "nothing twice"
            looked, longest[wrong] = looked + 1, max(longest[wrong], len(found))
    assert looked > 150
    assert longest == {True: MOST_AT_FINDING, False: MOST}, "the limits are reached, so they are tried"


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Where each line begins, and its text without its indentation."""
    start = 0
    for line in text.splitlines(keepends=True):
        if line.strip():
            yield start, line.strip()
        start += len(line)


def test_what_is_used_rarely_is_a_command_only(connect: Connect, tmp_path: Path) -> None:
    targets = "targets: [{name: canned, provider: mock, response: Hello}]\n"
    folder = written(tmp_path, {"a.eval.yaml": RAN, ".agentv/targets.yaml": targets})
    uri = (folder / "a.eval.yaml").as_uri()
    client = connect()
    client.initialize(folder=folder, initializationOptions={"trusted": True})
    client.open(uri, RAN)
    command(client, "runCase", uri, "refund")
    ended(client)
    before = [a["title"] for a in at(client, uri, 10, 10, [])]
    assert before[:3] == [
        "Run case ‹refund›",
        "Run only this evaluator ‹contains-30 days›",
        "Run every case of this file",
    ]
    assert "Open report ‹refund›" in before
    assert len(before) <= MOST
    rare = {"rubric.repeat", "rubric.record", "rubric.copyCommand", "rubric.openPrompt", "rubric.openAnswer", "rubric.openTrace", "rubric.clearResults"}  # fmt: skip
    offered = {a["command"]["command"] for a in at(client, uri, 10, 10, [], only=["rubric.run"])}
    assert rare <= offered, "whoever asks for what runs gets all of it"
    assert not rare & {a["command"]["command"] for a in at(client, uri, 10, 10, []) if "command" in a}


def test_fixes_come_before_runs_and_migrations(client: Client) -> None:
    text = "name: s\ntests:\n  - id: a\n    expected_outcome: x\n    input: hi\n"
    client.open(URI, text)
    kinds = [a["kind"] for a in at(client, URI, 3, 6, client.diagnostics(URI))]
    ranks = [
        ["quickfix", "source.fixAll.rubric", "rubric.run", "refactor.rewrite", "refactor.rewrite.migrate"].index(kind)
        for kind in kinds
    ]
    assert kinds[0] == "quickfix"
    assert "rubric.run" in kinds
    assert ranks == sorted(ranks)


def test_the_texts_have_findings() -> None:
    """The counter-example: a list of texts in which nothing is wrong would pass, too."""
    found = [len(analyze(LANGUAGE.document(text), LANGUAGE).diagnostics) for _, text in texts()]
    assert sum(map(bool, found)) > 100
