"""Going where names lead, renaming them, and the shapes that editors draw around text."""

import random
from pathlib import Path
from typing import Any

import pytest
from client import BARE, VSCODE, Client, Connect, ServerError, place, replaced

SUITE = """\
# rubric: dialect=agentv-3
name: support
execution:
  target: local
# A note
# over two lines
tests:
  - id: login
    criteria: &polite Stays polite
    input: Hello {{ name }}
    vars:
      name: Ada
    assertions:
      - type: rubrics
        criteria:
          - id: tone
            outcome: Stays polite
  - id: 'refund'
    depends_on: [login]
    criteria: *polite
    input: |
      Can I
      return this?
    input_files: [order.json]
    assertions:
      - type: contains
        value: "yes"
  - id: third
    expected_outcome: Says yes
    input: Hello
"""
TARGETS = """\
targets:
  - name: local
    provider: mock
    response: yes
  - name: judge
    provider: mock
    grader_target: local
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / ".agentv").mkdir(parents=True)
    (folder / ".agentv" / "targets.yaml").write_text(TARGETS, encoding="utf-8")
    (folder / "a.eval.yaml").write_text(SUITE, encoding="utf-8")
    (folder / "b.eval.yaml").write_text(SUITE.replace("id: login", "id: signup"), encoding="utf-8")
    (folder / "order.json").write_text("{}", encoding="utf-8")
    return folder


@pytest.fixture
def uri(folder: Path) -> str:
    return (folder / "a.eval.yaml").as_uri()


@pytest.fixture
def client(connect: Connect, folder: Path, uri: str) -> Client:
    client = connect()
    client.initialize(VSCODE, folder)
    client.open(uri, SUITE)
    return client


def on(word: str, nth: int = 1, text: str = SUITE) -> tuple[int, int]:
    """Inside the nth occurrence of a word."""
    at = -1
    for _ in range(nth):
        at = text.index(word, at + 1)
    found = place(text, at + 1)
    return found["line"], found["character"]


def spans(found: list[dict[str, Any]], text: str = SUITE) -> list[str]:
    """What is written in ranges of one line."""
    lines = text.split("\n")
    ranges = [f.get("range", f.get("targetRange")) for f in found]
    return [lines[r["start"]["line"]][r["start"]["character"] : r["end"]["character"]] for r in ranges]


def lines_of(found: list[dict[str, Any]]) -> list[tuple[str, int]]:
    return sorted((f["uri"].rpartition("/")[2], f["range"]["start"]["line"]) for f in found)


def test_a_dependency_leads_to_its_case(client: Client, uri: str) -> None:
    (found,) = client.at("definition", uri, *on("login", 2))
    assert found["range"]["start"] == place(SUITE, SUITE.index("login"))


def test_an_alias_leads_to_its_anchor(client: Client, uri: str) -> None:
    (found,) = client.at("definition", uri, *on("polite", 4))
    assert found["range"]["start"] == place(SUITE, SUITE.index("polite"))


def test_a_target_leads_to_the_file_of_targets(client: Client, uri: str) -> None:
    (found,) = client.at("definition", uri, *on("local"))
    assert found["uri"].endswith("/.agentv/targets.yaml")
    assert found["range"]["start"] == place(TARGETS, TARGETS.index("local"))


def test_a_path_leads_to_its_file(client: Client, uri: str) -> None:
    (found,) = client.at("definition", uri, *on("order.json"))
    assert found["uri"].endswith("/order.json")
    (link,) = client.request("textDocument/documentLink", {"textDocument": {"uri": uri}})
    assert link["target"].endswith("/order.json")
    assert spans([link]) == ["order.json"]


def test_a_variable_leads_to_its_value(client: Client, uri: str) -> None:
    (found,) = client.at("definition", uri, *on("name }}"))
    assert found["range"]["start"] == place(SUITE, SUITE.index("name: Ada"))


def test_nothing_leads_nowhere(client: Client, uri: str) -> None:
    assert client.at("definition", uri, *on("criteria")) == []
    assert client.at("references", uri, *on("criteria"), context={"includeDeclaration": True}) == []
    assert client.at("prepareRename", uri, *on("criteria")) is None
    assert client.at("prepareRename", uri, *on("order.json")) is None


def test_references_in_the_document(client: Client, uri: str) -> None:
    found = client.at("references", uri, *on("login"), context={"includeDeclaration": True})
    assert spans(found) == ["login", "login"]
    found = client.at("references", uri, *on("login"), context={"includeDeclaration": False})
    assert [f["range"]["start"]["line"] for f in found] == [on("login", 2)[0]]


def test_references_in_other_files(client: Client, uri: str) -> None:
    found = client.at("references", uri, *on("local"), context={"includeDeclaration": True})
    assert lines_of(found) == [("a.eval.yaml", 3), ("b.eval.yaml", 3), ("targets.yaml", 1), ("targets.yaml", 6)]


def test_highlights_tell_writing_from_reading(client: Client, uri: str) -> None:
    found = client.at("documentHighlight", uri, *on("login"))
    assert [(h["range"]["start"]["line"], h["kind"]) for h in found] == [(7, 3), (18, 2)]


def test_renaming_a_case(client: Client, uri: str) -> None:
    assert client.at("prepareRename", uri, *on("refund"))["placeholder"] == "refund"
    edit = client.at("rename", uri, *on("login"), newName="sign in")
    (change,) = edit["documentChanges"]
    assert [e["newText"] for e in change["edits"]] == ["sign in", "sign in"]
    edit = client.at("rename", uri, *on("refund"), newName="it's")
    assert edit["documentChanges"][0]["edits"][0]["newText"] == "it''s", "quotes stay as they are"


def test_renaming_a_target_everywhere(client: Client, uri: str) -> None:
    edit = client.at("rename", uri, *on("local"), newName="yes")
    changed = {c["textDocument"]["uri"].rpartition("/")[2]: c for c in edit["documentChanges"]}
    assert {name: len(c["edits"]) for name, c in changed.items()} == {
        "a.eval.yaml": 1,
        "b.eval.yaml": 1,
        "targets.yaml": 2,
    }
    assert changed["a.eval.yaml"]["textDocument"]["version"] == 1
    assert changed["b.eval.yaml"]["textDocument"]["version"] is None


def test_names_that_cannot_be_are_refused(client: Client, uri: str) -> None:
    for word, name, why in (
        ("login", "refund", "there is already a case refund"),
        ("login", " ", "must not be empty"),
        ("polite Stays", "a b", "an anchor must not contain spaces"),
        ("name }}", "a-b", "made of letters"),
        ("criteria", "x", "no name to rename here"),
    ):
        with pytest.raises(ServerError, match=why):
            client.at("rename", uri, *on(word), newName=name)


def test_a_client_without_versions_gets_plain_changes(connect: Connect, folder: Path, uri: str) -> None:
    client = connect()
    client.initialize(BARE, folder)
    client.open(uri, SUITE)
    edit = client.at("rename", uri, *on("tone"), newName="voice")
    assert list(edit) == ["changes"]
    assert [e["newText"] for e in edit["changes"][uri]] == ["voice"]


def test_symbols_of_the_workspace(client: Client) -> None:
    found = client.request("workspace/symbol", {"query": "sgp"})
    assert [(s["name"], s["containerName"]) for s in found] == [("signup", "b.eval.yaml")]
    everything = client.request("workspace/symbol", {"query": ""})
    assert {s["name"] for s in everything} >= {"login", "signup", "refund"}
    [target] = [s for s in everything if s["name"] == "judge"]
    assert target["location"]["uri"].endswith("/.agentv/targets.yaml"), "a file of targets need not be open"


def test_a_case_that_is_referred_to(client: Client, uri: str) -> None:
    line = next(n for n, text in enumerate(SUITE.split("\n")) if "depends_on" in text)
    hover = client.at("hover", uri, line, SUITE.split("\n")[line].index("login") + 1)
    assert hover["contents"]["value"].startswith("`login` — a case of this suite\n\n")


def test_folds(client: Client, uri: str) -> None:
    found = client.request("textDocument/foldingRange", {"textDocument": {"uri": uri}})
    folds = {(f["startLine"], f["endLine"]) for f in found}
    assert (7, 16) in folds, "a case"
    assert (6, 29) in folds, "all cases"
    assert (20, 22) in folds, "a text over several lines"
    assert {(f["startLine"], f["endLine"]) for f in found if f.get("kind") == "comment"} == {(4, 5)}


@pytest.mark.parametrize(
    ("about", "text", "expected"),
    [
        ("comments above and below do not belong to it", "a: 1\ntests:\n\n  # first\n  - id: a\n    input: b\n  - id: c\n    input: |\n      # d\n\n# end\n", (1, 8)),
        ("what follows the list", "tests:\n- id: a\n  input: b\n\nname: x\nmetadata:\n  a: 1\n", (0, 2)),
        ("line breaks of two characters", "name: x\r\ntests:\r\n  - id: a\r\n    input: b", (1, 3)),
        ("the second YAML document", "name: x\n---\ntests:\n  - id: a\n    input: b\n", (2, 4)),
    ],
)  # fmt: skip
def test_the_list_of_cases_is_folded(client: Client, about: str, text: str, expected: tuple[int, int]) -> None:
    client.open("file:///suites/folds.eval.yaml", text)
    params = {"textDocument": {"uri": "file:///suites/folds.eval.yaml"}}
    found = [(f["startLine"], f["endLine"]) for f in client.request("textDocument/foldingRange", params)]
    assert found.count(expected) == 1, about
    assert [f for f in found if f[0] == expected[0]] == [expected], "one fold from each line"


def test_a_selection_grows_from_word_to_text(client: Client, uri: str) -> None:
    line, character = on("refund")
    params = {"textDocument": {"uri": uri}, "positions": [{"line": line, "character": character}]}
    (found,) = client.request("textDocument/selectionRange", params)
    widths = []
    while found:
        widths.append((found["range"]["start"]["line"], found["range"]["end"]["line"]))
        found = found.get("parent")
    assert widths[0] == (line, line)
    assert widths[-1] == (0, SUITE.count("\n"))
    assert len(widths) >= 5


def decoded(numbers: list[int], text: str, legend: dict[str, list[str]]) -> list[tuple[str, str, list[str]]]:
    """Tokens as words: what is written, its type, its modifiers."""
    lines, line, start = text.split("\n"), 0, 0
    found = []
    for at in range(0, len(numbers), 5):
        down, right, length, kind, bits = numbers[at : at + 5]
        line, start = line + down, right if down else start + right
        marks = [m for n, m in enumerate(legend["tokenModifiers"]) if bits & (1 << n)]
        found.append((lines[line][start : start + length], legend["tokenTypes"][kind], marks))
    return found


def test_semantic_tokens(connect: Connect, folder: Path, uri: str) -> None:
    client = connect()
    legend = client.initialize(VSCODE, folder)["capabilities"]["semanticTokensProvider"]["legend"]
    client.open(uri, SUITE)
    data = client.request("textDocument/semanticTokens/full", {"textDocument": {"uri": uri}})["data"]
    found = decoded(data, SUITE, legend)
    assert ("rubrics", "type", []) in found
    assert ("login", "variable", ["declaration"]) in found
    assert ("login", "variable", []) in found
    assert ("name", "parameter", []) in found
    assert ("polite", "macro", ["declaration"]) in found
    assert ("expected_outcome", "property", ["deprecated"]) in found
    assert all(number >= 0 for number in data)


def test_tokens_of_a_range_and_changes_of_tokens(client: Client, uri: str) -> None:
    document = {"textDocument": {"uri": uri}}
    full = client.request("textDocument/semanticTokens/full", document)
    span = {"start": {"line": 7, "character": 0}, "end": {"line": 7, "character": 99}}
    part = client.request("textDocument/semanticTokens/range", {**document, "range": span})["data"]
    assert part[0] == 7
    assert len(part) == 10, "a key and an id"
    client.change(uri, replaced(SUITE, "id: login", "id: log"))
    delta = client.request("textDocument/semanticTokens/full/delta", {**document, "previousResultId": full["resultId"]})
    data = list(full["data"])
    for edit in reversed(delta["edits"]):
        data[edit["start"] : edit["start"] + edit["deleteCount"]] = edit["data"]
    again = client.request("textDocument/semanticTokens/full", document)
    assert data == again["data"]
    assert sum(len(e["data"]) for e in delta["edits"]) < 20
    unknown = client.request("textDocument/semanticTokens/full/delta", {**document, "previousResultId": "?"})
    assert unknown["data"] == again["data"]


def test_tokens_after_random_edits_are_those_of_a_fresh_document(client: Client, uri: str) -> None:
    random_ = random.Random(7)
    text = SUITE
    for number in range(60):
        at = random_.randrange(len(text))
        new = random_.choice(["x", "\n", "  - id: n\n", "{{ a }}", "😀", "&b ", "# c\n", ""])
        end = min(len(text), at + random_.randrange(4))
        change = {"range": {"start": place(text, at), "end": place(text, end)}, "text": new}
        text = text[:at] + new + text[end:]
        client.change(uri, change)
        fresh = uri.replace("a.eval", f"fresh{number}.eval")
        client.open(fresh, text)
        for method in ("semanticTokens/full", "foldingRange", "documentLink"):
            answers = [client.request(f"textDocument/{method}", {"textDocument": {"uri": u}}) for u in (uri, fresh)]
            if method.startswith("semantic"):
                answers = [a["data"] for a in answers]
            assert answers[0] == answers[1], f"{method} after edit {number}: {text!r}"
        client.notify("textDocument/didClose", {"textDocument": {"uri": fresh}})


def test_a_list_goes_on_while_typing(client: Client) -> None:
    for number, (before, typed, after) in enumerate([
        ("    assertions:\n      - Says so\n<|>", "\n", "    assertions:\n      - Says so\n      - "),
        ("    assertions:\n      - Says so\n      <|>", "\n", "    assertions:\n      - Says so\n      - "),
        ("    assertions:\n      - type: x\n<|>", "\n", "    assertions:\n      - type: x\n"),
        ("    assertions:\n      - Says so\n      - \n      <|>", "\n", "    assertions:\n      - Says so\n\n    "),
        ("    assertions:\n      - {type: x}\n<|>", "\n", "    assertions:\n      - {type: x}\n      - "),
        ("    assertions:\n      - {type: x,\n<|>", "\n", "    assertions:\n      - {type: x,\n"),
        ("    input: |\n      - a\n<|>", "\n", "    input: |\n      - a\n"),
        ("    input: |\n      Question:\n        <|>", "\n", "    input: |\n      Question:\n      "),
        ("    input: |\n      if x:\n        <|>", "\n", "    input: |\n      if x:\n        "),
        ("    input: |\n        <|>", "\n", "    input: |\n        "),
        ("    assertions:\n      <|>", "\n", "    assertions:\n      "),
        ("    assertions:\n      - Says so\n       -<|>", "-", "    assertions:\n      - Says so\n      -"),
    ]):  # fmt: skip
        assert after_typing(client, f"file:///suites/{number}.eval.yaml", before, typed) == after


def after_typing(client: Client, uri: str, before: str, typed: str) -> str:
    head = "name: a\ntests:\n  - id: one\n    criteria: C\n"
    text = head + before
    offset = text.index("<|>")
    text = text.replace("<|>", "")
    client.open(uri, text, version=9)
    at = place(text, offset)
    options = {"tabSize": 2, "insertSpaces": True}
    found = client.at("onTypeFormatting", uri, at["line"], at["character"], ch=typed, options=options)
    lines = text.split("\n")
    for edit in sorted(found, key=lambda e: e["range"]["start"]["line"], reverse=True):
        line, start, end = (
            edit["range"]["start"]["line"],
            edit["range"]["start"]["character"],
            edit["range"]["end"]["character"],
        )
        lines[line] = lines[line][:start] + edit["newText"] + lines[line][end:]
    return "\n".join(lines).removeprefix(head)


# -- prompts in files of their own, and YAML documents behind the first ---------------------------------------------------

ASKED = """\
# rubric: dialect=agentv-5
prompts: [file://prompts/ask.txt, "Shortly: {{ question }}"]
default_test: {vars: {language: English}}
tests:
  - id: why
    vars: {question: Why?}
  - id: how
    vars: {question: How?}
    criteria: Names {{ tone }}
    assert: [{type: llm-rubric, prompt: file://prompts/judge.md}]
"""
ASK, JUDGE = "Ask {{ question }} in {{ language }}\n", "{{ output }} against {{ criteria }}\n"


@pytest.fixture
def asked(connect: Connect, folder: Path) -> tuple[Client, Path]:
    """A client with two prompts open; the suite that names them is on disk."""
    (folder / "c.eval.yaml").write_text(ASKED, encoding="utf-8")
    client = connect()
    client.initialize(VSCODE, folder)
    for name, text in (("ask.txt", ASK), ("judge.md", JUDGE), ("notes.md", ASK)):
        path = folder / "prompts" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        client.open(path.as_uri(), text, kind="markdown")
    return client, folder / "prompts"


def where(found: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """File and the first word of each place, in their order."""
    texts = {"c.eval.yaml": ASKED, "ask.txt": ASK, "judge.md": JUDGE}
    named = [(each["uri"].rpartition("/")[2], each) for each in found]
    return sorted((name, spans([each], texts[name])[0]) for name, each in named)


def test_a_variable_of_a_prompt_leads_to_its_values(asked: tuple[Client, Path]) -> None:
    client, prompts = asked
    ask, judge = ((prompts / name).as_uri() for name in ("ask.txt", "judge.md"))
    assert lines_of(client.at("definition", ask, *on("question", 1, ASK))) == [("c.eval.yaml", 5), ("c.eval.yaml", 7)]
    assert lines_of(client.at("definition", ask, *on("language", 1, ASK))) == [("c.eval.yaml", 2)]
    assert where(client.at("definition", judge, *on("criteria", 1, JUDGE))) == [("c.eval.yaml", "criteria")]
    assert client.at("definition", judge, *on("output", 1, JUDGE)) == []
    hover = client.at("hover", ask, *on("question", 1, ASK))["contents"]["value"]
    assert "- `why` in c.eval.yaml: `Why?`\n- `how` in c.eval.yaml: `How?`" in hover
    assert (
        "every case in c.eval.yaml: `English`" in client.at("hover", ask, *on("language", 1, ASK))["contents"]["value"]
    )
    assert "`how` in c.eval.yaml: `Names" in client.at("hover", judge, *on("criteria", 1, JUDGE))["contents"]["value"]


def test_a_prompt_is_used_by_suites(asked: tuple[Client, Path]) -> None:
    client, prompts = asked
    every = {"includeDeclaration": True}
    found = client.at("references", (prompts / "judge.md").as_uri(), *on("against", 1, JUDGE), context=every)
    assert where(found) == [("c.eval.yaml", "file://prompts/judge.md")]
    ask = (prompts / "ask.txt").as_uri()
    found = client.at("references", ask, *on("question", 1, ASK), context=every)
    assert where(found) == [("ask.txt", "question"), *[("c.eval.yaml", "question")] * 3]
    changes = client.at("rename", ask, *on("question", 1, ASK), newName="query")["documentChanges"]
    assert {c["textDocument"]["uri"].rpartition("/")[2]: len(c["edits"]) for c in changes} == {
        "ask.txt": 1,
        "c.eval.yaml": 3,
    }
    with pytest.raises(ServerError, match="cannot be renamed"):
        client.at("rename", (prompts / "judge.md").as_uri(), *on("criteria", 1, JUDGE), newName="query")
    # A text that no suite names is none of ours.
    for method in ("definition", "hover", "prepareRename"):
        assert not client.at(method, (prompts / "notes.md").as_uri(), *on("question", 1, ASK))


def test_targets_of_later_documents_are_found(connect: Connect, folder: Path) -> None:
    targets = folder / ".agentv" / "targets.yaml"
    text = f"{TARGETS}---\ntargets:\n  - {{name: later, provider: mock}}\n---\n# of others\ntargets:\n  - {{name: last, provider: mock}}\n"
    targets.write_text(text, encoding="utf-8")
    suite = SUITE.replace("target: local", "target: later")
    other = f"name: first\n---\n{SUITE.replace('target: local', 'target: last')}"
    (folder / "b.eval.yaml").write_text(other, encoding="utf-8")
    client = connect()
    client.initialize(VSCODE, folder)
    uri = (folder / "a.eval.yaml").as_uri()
    client.open(uri, suite)
    assert lines_of(client.at("definition", uri, *on("later", 1, suite))) == [("targets.yaml", 9)]
    assert "provider: mock" in client.at("hover", uri, *on("later", 1, suite))["contents"]["value"]
    client.open(targets.as_uri(), text, kind="yaml")
    for name, places in (
        ("later", [("a.eval.yaml", 3), ("targets.yaml", 9)]),
        ("last", [("b.eval.yaml", 5), ("targets.yaml", 13)]),
    ):
        at = on(name, 1, text)
        assert lines_of(client.at("references", targets.as_uri(), *at, context={"includeDeclaration": True})) == places
        assert len(client.at("rename", targets.as_uri(), *at, newName="fresh")["documentChanges"]) == 2
    names = [each["name"] for each in client.request("workspace/symbol", {"query": "la"})]
    assert {"later", "last"} <= set(names)


def test_files_of_cases_are_linked_and_texts_are_not(connect: Connect, tmp_path: Path) -> None:
    cases, suite = tmp_path / "more.cases.yaml", tmp_path / "a.eval.yaml"
    listed = "tests:\n  - more.cases.yaml\n  - file://more.cases.yaml\n  - id: a\n    criteria: c\n    input:\n      - role: user\n"
    blocks = "        content:\n          - {type: text, value: more.cases.yaml}\n          - {type: file, value: more.cases.yaml}\n"
    cases.write_text("- id: first\n  input: Hi\n  criteria: c\n- id: second\n  depends_on: [first]\n", encoding="utf-8")
    suite.write_text(listed + blocks, encoding="utf-8")
    client = connect()
    client.initialize(VSCODE, tmp_path)
    client.open(suite.as_uri(), listed + blocks)
    found = client.request("textDocument/documentLink", {"textDocument": {"uri": suite.as_uri()}})
    assert [each["range"]["start"]["line"] for each in found] == [1, 2, 9]
    assert {each["target"] for each in found} == {cases.as_uri()}


def test_a_file_that_begins_with_a_case_has_each_name_once(connect: Connect, tmp_path: Path) -> None:
    text = "- id: first\n  input: Hi\n  criteria: c\n- id: second\n  input: Hi\n  depends_on: [first]\n"
    cases = tmp_path / "more.cases.yaml"
    client = connect()
    client.initialize(VSCODE, tmp_path)
    client.open(cases.as_uri(), text, kind="yaml")
    changes = client.at("rename", cases.as_uri(), *on("first", 1, text), newName="start")["documentChanges"]
    assert [each["range"]["start"]["line"] for each in changes[0]["edits"]] == [0, 5]
    folds = client.request("textDocument/foldingRange", {"textDocument": {"uri": cases.as_uri()}})
    assert [(each["startLine"], each["endLine"]) for each in folds] == [(0, 2), (3, 5)]
