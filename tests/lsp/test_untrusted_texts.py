"""Names, answers and reasons come from strangers: whoever shows them renders nothing of them, loads nothing, and obeys nothing."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from client import VSCODE, Client, Connect
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from running import command, ended, run, written

from rubric_core.control_characters import mask, reveal
from rubric_core.language.markdown import code, plain, plain_lines
from rubric_lsp.features.markdown import fenced
from rubric_lsp.protocol.notices import notice

HTML = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
#: What Markdown acts on, words, and what stands between them.
MARKDOWN = st.lists(
    st.sampled_from([*"\\`*_[]()!<>&#+-=~|:.@'\"/ \n\t1a", "```", "~~~", "---", "&lt;", "&#33;", "http://a", "<img src=x>", "![a](b)", "a@b.c", "| - |", ": "])
).map("".join)  # fmt: skip
ACTING = "\x1b[2J \x1b[8m \x9b2J \x07 \u202eabc\u202c \u2066d\u2069 \u200f"
EVIL = f"![i](https://evil.example/1.png) <img src='https://evil.example/2.png'> [l](command:x) https://evil.example/3 www.evil.example *b* `t` | {ACTING}"


def collapsed(text: str) -> str:
    return " ".join(text.split())


def shown(html: str) -> str:
    """What a reader sees."""
    words = re.sub(r"<[^>]*>", "", html)
    for entity, sign in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        words = words.replace(entity, sign)
    return collapsed(words)


@given(MARKDOWN)
@example("___a___ snake_case __init__")
@example("a | b\n| --- | --- |\n| c | d |")
@example("12. twelve\n- x\n# h\n> q")
def test_a_text_in_markdown_is_seen_letter_by_letter(text: str) -> None:
    for written_ in (plain(text), plain_lines(text)):
        html = HTML.render(written_)
        assert set(re.findall(r"<(\w+)", html)) <= {"p", "br"}
        assert shown(html) == collapsed(text)


@given(MARKDOWN)
def test_a_text_in_a_table_is_seen_letter_by_letter(text: str) -> None:
    html = HTML.render(f"| a | b |\n|---|---|\n| {plain(text)} | end |")
    assert set(re.findall(r"<(\w+)", html)) == {"table", "thead", "tbody", "tr", "th", "td"}
    assert re.findall(r"<td>(.*?)</td>", html, re.DOTALL)[1:] == ["end"]
    assert shown(re.findall(r"<td>(.*?)</td>", html, re.DOTALL)[0]) == collapsed(text)


@given(MARKDOWN)
def test_code_and_fences_hold_what_is_in_them(text: str) -> None:
    assert set(re.findall(r"<(\w+)", HTML.render(fenced(text) + "\n\nend"))) == {"pre", "code", "p"}
    assert set(re.findall(r"<(\w+)", HTML.render(f"x {code(text)} y"))) <= {"p", "code"}


def test_addresses_are_no_links_where_these_are_made_of_them() -> None:
    assert plain("see https://a.b/c, www.a.b or me@a.b") == r"see https\://a.b/c, www\.a.b or me\@a.b"


def test_prose_stays_readable_where_markdown_is_not_rendered() -> None:
    told = "It says 30 days (not 40), costs $5; snake_case & co. are fine - it's 3 < 4."
    assert plain(told) == told.replace("<", r"\<")


def test_characters_that_act_are_marked() -> None:
    assert mask("a\x1b[2J\u202eb\x9b\r\n\tc\rd\ud800") == "a�[2J�b�\r\n\tc�d�"
    assert reveal("rm -rf x\u202e y\u200b\n") == "rm -rf x⟨U+202E⟩ y⟨U+200B⟩\n"
    assert mask("👩‍👩‍👧 می‌خواهم") == "👩‍👩‍👧 می‌خواهم", "what joins letters is part of them"
    assert notice("[a](command:x)\x1b") == "[a] (command:x)⟨U+001B⟩"


# -- what a server sends ------------------------------------------------------------------------------------------------

GRADER = (
    f"import json; print(json.dumps({{'score': 0.2, 'reasoning': {EVIL!r}, 'hits': [{EVIL!r}], 'misses': [{EVIL!r}]}}))"
)


def suite() -> str:
    """Every name and text in it is hostile."""
    evil, grader = json.dumps(EVIL), json.dumps([sys.executable, "grader.py"])
    band = json.dumps(f"``` {EVIL}")
    return f"""\
# rubric: dialect=agentv-3
name: {evil}
execution: {{target: canned}}
assertions:
  - {{name: {evil}, type: code-grader, command: {grader}}}
tests:
  - id: {evil}
    criteria: {evil}
    input: {evil}
    expected_output: {evil}
    assertions:
      - {{name: {evil}, type: contains, value: {evil}}}
      - {{name: {evil}, type: code-grader, command: {grader}}}
      - name: {evil}
        type: rubrics
        criteria:
          - id: {evil}
            outcome: {evil}
            score_ranges: {{0: {band}, 3: {band}, 7: {band}}}
          - {evil}
  - id: {json.dumps(EVIL + "2")}
    depends_on: [{evil}]
    criteria: x
    input: "{{{{ v }}}}"
    vars: {{v: {evil}}}
    {evil}: 1
"""


@pytest.fixture
def client(connect: Connect, tmp_path: Path) -> Client:
    return opened(connect, tmp_path, VSCODE)


def opened(connect: Connect, tmp_path: Path, capabilities: Any) -> Client:
    targets = json.dumps({"targets": [{"name": "canned", "provider": "mock", "response": EVIL}]})
    files = {".agentv/targets.yaml": targets, "a.eval.yaml": suite(), "grader.py": GRADER}
    folder = written(tmp_path / "suites", files)
    made = connect()
    made.initialize(capabilities, folder, initializationOptions={"trusted": True})
    made.uri = (folder / "a.eval.yaml").as_uri()  # type: ignore[attr-defined]  # of this file alone
    made.open(made.uri, suite())  # type: ignore[attr-defined]
    made.diagnostics(made.uri)  # type: ignore[attr-defined]
    return made


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from strings(each)


def asked(client: Client) -> Iterator[Any]:
    """Everything that an editor asks for while a person looks around."""
    uri = client.uri  # type: ignore[attr-defined]
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 999, "character": 0}}
    about = {"textDocument": {"uri": uri}}
    yield client.request("textDocument/inlayHint", {**about, "range": whole})
    for method in ("codeLens", "documentSymbol"):
        for each in client.request(f"textDocument/{method}", about):
            (each.get("command") or {}).pop("arguments", None)  # what a command is about, for the server alone
            yield each
    for number, line in enumerate(suite().split("\n")):
        for column in {len(line) - len(line.lstrip()), line.find(":") + 4, len(line) - 2}:
            if 0 <= column < len(line):
                yield client.at("hover", uri, number, column)
    yield from client.heard("textDocument/publishDiagnostics")
    yield from client.heard("window/showMessage")
    yield from client.heard("$/progress")


def test_nothing_that_is_shown_acts_or_is_rendered(client: Client) -> None:
    uri = client.uri  # type: ignore[attr-defined]
    run(client, uri)
    ended(client)
    hovers = 0
    for answer in asked(client):
        for text in strings(answer):
            assert mask(text) == text, text
        contents = (answer or {}).get("contents") if isinstance(answer, dict) else None
        if contents:
            hovers += "evil.example" in contents["value"]
            tags = re.findall(r"<(\w+)", HTML.render(contents["value"]))
            assert not {"img", "a", "script", "h1", "iframe"} & set(tags), contents["value"]
    assert hovers >= 12, "their texts are shown, not left out"


def test_documents_about_a_run_render_nothing(connect: Connect, tmp_path: Path) -> None:
    client = opened(connect, tmp_path, {**VSCODE, "workspace": {**VSCODE["workspace"], "textDocumentContent": {}}})
    run(client, client.uri, EVIL)  # type: ignore[attr-defined]
    ended(client)
    target = command(client, "openReport", client.uri, EVIL)  # type: ignore[attr-defined]
    text = client.request("workspace/textDocumentContent", {"uri": target})["text"]
    html = HTML.render(text)
    assert {"img", "a", "script"}.isdisjoint(re.findall(r"<(\w+)", html)), text
    assert "evil.example/1.png" in html
    assert mask(text) == text
