"""Documents and versions: edits, units of positions, and what is published."""

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from client import BARE, VSCODE, Client, Connect, replaced, until
from thorough import seeds

URI = "file:///suites/a.eval.yaml"
OTHER = "file:///suites/b.eval.yaml"
CLEAN = "name: a\ntests:\n  - id: one\n    criteria: Says hello\n    input: Hello\n"
BROKEN = CLEAN + "    assertions:\n      - type: contians\n        value: x\n"
#: Breaks for Python's `splitlines` and for YAML 1.1, and ordinary characters for the protocol.
NO_BREAKS = "\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e"


def start(line: int, character: int, text: str = "") -> dict[str, Any]:
    """An insertion."""
    at = {"line": line, "character": character}
    return {"range": {"start": at, "end": at}, "text": text}


def codes(found: list[dict[str, Any]]) -> list[str]:
    return [each["code"] for each in found]


def test_every_publication_has_its_version(client: Client) -> None:
    client.open(URI, CLEAN, version=7)
    assert client.diagnostics(URI) == []
    client.change(URI, replaced(CLEAN, "criteria", "critera"))
    assert codes(client.diagnostics(URI)) == ["unknown-key"]
    assert [p["version"] for p in client.published(URI)] == [8, 7]


def test_a_burst_of_edits_is_checked_to_the_last_one(client: Client) -> None:
    client.open(URI, CLEAN)
    for _ in range(40):
        client.change(URI, start(0, 7, "x"))
    assert client.versions[URI] == 41
    client.diagnostics(URI)
    published = [p["version"] for p in client.published(URI)]
    assert published[0] == 41
    assert published == sorted(published, reverse=True), "an older version never comes behind a newer one"


def test_several_changes_in_one_message_build_on_each_other(client: Client) -> None:
    client.open(URI, CLEAN)
    client.change(URI, start(0, 0, "# one\n"), start(1, 0, "# two\n"), start(2, 6, "bc"))
    line = client.at("hover", URI, 4, 6)["range"]["start"]["line"]
    assert line == 4


def test_the_whole_text_may_be_sent_as_well(client: Client) -> None:
    client.open(URI, CLEAN)
    client.change(URI, {"text": BROKEN})
    assert codes(client.diagnostics(URI)) == ["unknown-type"]
    client.change(URI, {"text": ""})
    client.diagnostics(URI)
    client.change(URI, {"text": CLEAN}, replaced(CLEAN, "Says hello", "Says bye"))
    assert client.diagnostics(URI) == []


def test_closing_takes_the_findings_away(client: Client) -> None:
    client.open(URI, BROKEN)
    assert client.diagnostics(URI)
    client.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    gone = until("an empty publication", lambda: (p := next(client.published(URI)))["diagnostics"] == [] and p)
    assert "version" not in gone
    assert client.request("textDocument/documentSymbol", {"textDocument": {"uri": URI}}) == []


def test_closed_and_opened_again(client: Client) -> None:
    client.open(URI, BROKEN, version=9)
    client.diagnostics(URI)
    client.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    client.open(URI, CLEAN, version=1)
    assert until("version 1", lambda: next(client.published(URI)).get("version") == 1)
    assert next(client.published(URI))["diagnostics"] == []


def test_positions_past_the_end_are_clamped(client: Client) -> None:
    client.open(URI, "name: a\n")
    client.change(URI, start(0, 999, "b"), start(999, 999, "tests: []\n"))
    symbols = client.request("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
    assert symbols == []
    assert client.at("hover", URI, 0, 1)["range"]["end"]["character"] == 4


def test_language_ids(client: Client) -> None:
    for kind in ("yaml", "eval-yaml", "yaml.eval"):
        uri = f"file:///{kind}/a.eval.yaml"
        client.open(uri, BROKEN, kind)
        assert codes(client.diagnostics(uri)) == ["unknown-type"], kind


def test_other_yaml_is_left_alone(client: Client) -> None:
    for number, (name, text, checked) in enumerate([
        ("compose.yaml", "services: {web: {image: nginx}}\n", False),
        (".agentv/targets.yaml", "targets:\n  - name: x\n    provider: mock\n", False),
        (".agentv/notes.yaml", BROKEN, False),
        ("targets.yaml", "targets:\n  - name: x\n    provder: mock\n", True),
        ("odd.yaml", BROKEN, True),
        ("odd.yaml", "# rubric: dialect=agentv-3\nnaem: x\n", True),
        ("my-eval.yaml", "naem: x\n", True),
        ("evals/suite.yaml", "suite: web\ntests:\n  - it: works\n    asserts: [{isKind: {of: Service}}]\n", False),
        ("suite.yaml", BROKEN, True),
        ("site.yml", "- hosts: all\n  vars: {port: 80}\n  tasks: [{ping: {}}]\n", False),
        ("site.test.yml", "- hosts: all\n  vars: {port: 80}\n  tasks: [{ping: {}}]\n", False),
        ("rules.test.yaml", "tests:\n  - interval: 1m\n    input_series: []\n    alert_rule_test: []\n", False),
        ("greeting.test.yaml", "- vars: {name: Ann}\n  assert: [{type: contains, value: Ann}]\n", False),
        ("greeting.test.yaml", "- id: a\n  vars: {name: Ann}\n  assert: [{type: contains, value: Ann}]\n", True),
        ("venom.yaml", "name: Login\ntestcases:\n- name: logs in\n  steps: [{type: exec}]\n", False),
        ("targets.yaml", "- targets: ['10.0.0.1:9100']\n  labels: {env: prod}\n", False),
        ("suite.grader-scores.yaml", "- test_id: a\n  grader: rubrics\n  range: {min: 0.3}\n", False),
    ]):  # fmt: skip
        uri = f"file:///suites-{number}/{name}"
        client.open(uri, text, "yaml")
        assert bool(client.diagnostics(uri)) is checked, name


def test_untitled_documents_are_checked(client: Client) -> None:
    client.open("untitled:Untitled-1", BROKEN)
    assert codes(client.diagnostics("untitled:Untitled-1")) == ["unknown-type"]


def test_characters_that_are_no_line_breaks(client: Client) -> None:
    for character in NO_BREAKS:
        uri, other = (f"file:///{ord(character)}/{name}.eval.yaml" for name in ("a", "b"))
        text = CLEAN.replace("Says hello", f'"Says{character}hello"')
        client.open(uri, text)
        client.change(uri, start(4, 11, "O"), start(2, 8, "x"))
        expected = text.replace("Hello\n", "HOello\n").replace("id: one", "id: xone")
        client.open(other, expected)
        hover = client.at("hover", uri, 2, 9)
        assert hover["range"] == {"start": {"line": 2, "character": 8}, "end": {"line": 2, "character": 12}}
        assert client.diagnostics(uri) == client.diagnostics(other), hex(ord(character))


UNITS: dict[str, Callable[[str], int]] = {
    "utf-8": lambda text: len(text.encode()),
    "utf-16": lambda text: len(text.encode("utf-16-le")) // 2,
    "utf-32": len,
}


@pytest.mark.parametrize("encoding", UNITS)
def test_columns_are_counted_as_agreed(connect: Connect, encoding: str) -> None:
    client = connect()
    client.initialize({**VSCODE, "general": {"positionEncodings": [encoding]}})
    units = UNITS[encoding]
    before = '    criteria: "Grüße 😀 말"'
    text = CLEAN.replace("    criteria: Says hello", f"{before} # {{}}") + "    assertions: [{type: 😀, value: x}]\n"
    client.open(URI, text)
    found = client.diagnostics(URI)
    line = "    assertions: [{type: 😀, value: x}]"
    at = line.index("😀")
    unknown = next(f for f in found if f["code"] == "unknown-type")
    assert unknown["range"]["start"]["character"] == units(line[:at])
    assert unknown["range"]["end"]["character"] == units(line[: at + 1])
    client.change(URI, start(3, units(before), "  "))
    client.change(
        URI,
        {
            **start(5, 0),
            "range": {
                "start": {"line": 5, "character": units(line[:at])},
                "end": {"line": 5, "character": units(line[: at + 1])},
            },
            "text": "contains",
        },
    )
    assert client.diagnostics(URI) == []


# -- incremental equals fresh -------------------------------------------------------------------------------------------

_BREAK = re.compile(r"\r\n?|\n")
PIECES = [
    "x", ":", " ", "\n", "\r\n", "\r", "- ", "#", '"', "'", "{", "[", "]", "|", "\t", "é", "😀", "\u2028", "\x85", "&a ", "*a", "---\n", "  ",
    "  - id: new\n    criteria: C\n    input: I\n", "tests:\n", "weight: 2.0\n", "      - Says so\n", "evaluator: llm_judge\n", "\n\n", "<<: *a",
]  # fmt: skip


class Text:
    """A text as an editor holds it: by the protocol's lines and UTF-16 columns."""

    def __init__(self, text: str, units: Callable[[str], int]) -> None:
        self.text = text
        self.units = units

    def position(self, offset: int) -> dict[str, int]:
        # An editor's cursor never stands between the two characters of one line break.
        if self.text[offset - 1 : offset + 1] == "\r\n":
            offset -= 1
        starts = [0, *(m.end() for m in _BREAK.finditer(self.text))]
        line = max(n for n, s in enumerate(starts) if s <= offset)
        return {"line": line, "character": self.units(self.text[starts[line] : offset])}

    def edit(self, start: int, end: int, new: str) -> dict[str, Any]:
        """The change that an editor would send; afterwards it is made."""
        for_both = [o - 1 if self.text[o - 1 : o + 1] == "\r\n" else o for o in (start, end)]
        change = {"range": {"start": self.position(start), "end": self.position(end)}, "text": new}
        self.text = self.text[: for_both[0]] + new + self.text[for_both[1] :]
        return change


def random_edit(random_: random.Random, text: Text, snippets: list[str]) -> dict[str, Any]:
    """One edit, of the kinds that people make."""
    length = len(text.text)
    kind = random_.random()
    at = random_.randint(0, length)
    if kind < 0.45:
        return text.edit(at, at, random_.choice(PIECES))
    if kind < 0.7:
        return text.edit(at, min(length, at + random_.randint(1, 12)), "")
    if kind < 0.85:
        return text.edit(at, min(length, at + random_.randint(0, 200)), random_.choice(snippets))
    return text.edit(at, min(length, at + random_.randint(0, 8)), random_.choice(PIECES))


def sources() -> list[str]:
    corpus = Path(__file__).resolve().parents[3] / "shared" / "corpus"
    found = (
        sorted(corpus.glob("v[134].*/**/rubric/**/*.eval.yaml"))[:4] + sorted(corpus.glob("v2.*/**/*.eval.yaml"))[:2]
    )
    return [BROKEN, f"{BROKEN}---\n{BROKEN}", *(path.read_text(encoding="utf-8") for path in found)]


@pytest.mark.parametrize(("seed", "encoding"), [(1, "utf-16"), (2, "utf-8"), (3, "utf-32")])
def test_incremental_equals_fresh(connect: Connect, seed: int, encoding: str) -> None:
    """After every edit the findings and the outline are those of a document that was never edited."""
    client = connect()
    client.initialize({**VSCODE, "general": {"positionEncodings": [encoding]}})
    random_ = random.Random(seed)
    texts = sources()
    snippets = [t[a : a + random_.randint(1, 400)] for t in texts for a in (0, len(t) // 3, len(t) // 2)]
    for edits in seeds(90, few=20):
        if edits % 30 == 0:
            text = Text(random_.choice(texts), UNITS[encoding])
            client.open(URI, text.text, version=client.versions.get(URI, 0) + 1)
            history: list[str] = []
        before = text.text
        if history and random_.random() < 0.1:
            change = text.edit(0, len(text.text), history.pop())
        else:
            change = random_edit(random_, text, snippets)
        history.append(before)
        client.change(URI, change)
        fresh = f"file:///suites/fresh-{edits}.eval.yaml"
        client.open(fresh, text.text)
        context = f"edit {edits} of seed {seed}: {change}\n{before!r}"
        assert comparable(client, URI) == comparable(client, fresh), context
        client.notify("textDocument/didClose", {"textDocument": {"uri": fresh}})
    assert "Traceback" not in client.log
    assert not [m for m in client.heard("window/logMessage") if m["type"] == 1]


def comparable(client: Client, uri: str) -> Any:
    asked = client.start("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    symbols = client.answer(asked)["result"]
    return json.loads(json.dumps([client.saved(uri), symbols]).replace(uri, ""))


def test_bare_clients_get_nothing_that_they_did_not_ask_for(connect: Connect) -> None:
    client = connect()
    client.initialize(BARE)
    text = (
        CLEAN
        + "    assertions:\n      - type: rubrics\n        criteria:\n          - id: a\n            outcome: b\n            score_ranges:\n              - {score_range: [0, 5], outcome: c}\n              - {score_range: [5, 10], outcome: d}\n"
    )
    client.open(URI, text.replace("criteria: Says", "expected_outcome: Says"))
    for found in client.diagnostics(URI):
        assert not {"relatedInformation", "codeDescription", "tags", "data"} & set(found)
    assert client.requests == []
