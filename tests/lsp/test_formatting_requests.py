"""Formatting of a document and of a range of it, as editors ask for it."""

from pathlib import Path
from typing import Any

from client import BARE, Client, Connect, replaced
from test_features import applied, at

URI = "file:///suites/a.eval.yaml"
MESSY = """\
name:  ä   # the name
tests:
    - id:  a
      criteria:   x

      input: |
        stays
          here  
    -   id: b
        input:  y
"""  # noqa: W291  # blanks of a text stay
TIDY = """\
name: ä   # the name
tests:
    - id: a
      criteria: x

      input: |
        stays
          here  
    - id: b
      input: y
"""  # noqa: W291


def formatted(client: Client, uri: str = URI, within: dict[str, Any] | None = None, tab: int = 2) -> Any:
    method, more = ("rangeFormatting", {"range": within}) if within else ("formatting", {})
    params = {"textDocument": {"uri": uri}, "options": {"tabSize": tab, "insertSpaces": True}, **more}
    return client.request(f"textDocument/{method}", params)


def test_a_document_is_formatted_by_edits_of_blanks(client: Client) -> None:
    client.open(URI, MESSY)
    edits = formatted(client)
    assert applied(MESSY, edits) == TIDY
    assert all(not edit["newText"].strip(" :") for edit in edits)
    client.open(URI, TIDY, version=2)
    assert formatted(client) == []


def test_a_document_is_formatted_whatever_range_comes_with_it(client: Client) -> None:
    client.open(URI, MESSY)
    params = {"textDocument": {"uri": URI}, "options": {"tabSize": 2, "insertSpaces": True}}
    for odd in (None, True, {"start": "x", "end": 1}):
        assert applied(MESSY, client.request("textDocument/formatting", {**params, "range": odd})) == TIDY
    assert [m["message"] for m in client.heard("window/logMessage") if m["type"] == 1] == []


def test_a_range_changes_its_lines_only(client: Client) -> None:
    client.open(URI, MESSY)
    line = at(MESSY, "criteria")["line"]
    first, behind = {"line": line, "character": 3}, {"line": line + 1, "character": 0}
    edits = formatted(client, within={"start": first, "end": behind})
    assert applied(MESSY, edits) == MESSY.replace("criteria:   x", "criteria: x")
    start = {"line": 0, "character": 0}
    assert applied(MESSY, formatted(client, within={"start": start, "end": start})) == MESSY.replace(
        "name:  ä", "name: ä"
    )


def test_the_newest_text_counts(client: Client) -> None:
    client.open(URI, TIDY)
    client.change(URI, replaced(TIDY, "criteria: x", "criteria:    z"))
    (edit,) = formatted(client)
    assert edit["range"]["start"] == at(TIDY, ": x")


def test_the_editors_step_counts_where_the_text_has_none(client: Client) -> None:
    client.open(URI, "execution:\n   target: x\n")
    assert applied("execution:\n   target: x\n", formatted(client, tab=4)) == "execution:\n    target: x\n"
    client.request("workspace/symbol", {"query": ""})
    for odd in (0, 1, 1_000_000):
        assert formatted(client, tab=odd) is not None


def test_a_document_with_a_syntax_error_is_left_untouched(client: Client) -> None:
    client.open(URI, 'name:  a\ntests:\n  - id: "a\n')
    assert formatted(client) == []


def test_what_is_no_suite_is_left_untouched(client: Client, tmp_path: Path) -> None:
    for name, kind, text in (("a.md", "markdown", "a:   b\n"), ("compose.yaml", "yaml", "services:   {}\n")):
        uri = (tmp_path / name).as_uri()
        client.open(uri, text, kind)
        assert formatted(client, uri) in ([], None), name


def test_clients_of_few_words_are_answered(connect: Connect) -> None:
    client = connect()
    client.initialize(BARE)
    client.open(URI, MESSY)
    assert applied(MESSY, formatted(client)) == TIDY
