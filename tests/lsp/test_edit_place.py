"""Where a person writes, as the edits tell, and what of it is unfinished."""

import pytest
from harness import LANGUAGE, cursor

from rubric_core.text import Edit, Span
from rubric_lsp.features.edit_place import EditPlace, continue_edit, unfinished


def after(text: str, *edits: tuple[int, int, str]) -> EditPlace:
    """Where a person writes after some edits, each of the text that the one before leaves."""
    document, writing = LANGUAGE.document(text), None
    for start, end, new in edits:
        edit = Edit(Span(start, end), new)
        writing = continue_edit(writing, document, edit)
        document = document.edited(edit)
    assert writing is not None
    return writing


@pytest.mark.parametrize(
    ("about", "text", "expected"),
    [
        ("a word", "tests:\n  - id: a\n    crit<|>", "crit"),
        ("a key without a value", "tests:\n  - id: a\n    criteria: <|>", "criteria: "),
        ("a value is not part of its key", "tests:\n  - id: a\n    criteria: Sa<|>", "Sa"),
        ("a key behind a dash", "tests:\n  - id:<|>", "id:"),
        ("an empty item, and the key that has only that", "a: 1\ntests:\n  -<|>", "tests:\n  -"),
        ("an empty line below a key", "score_ranges:\n  <|>", "score_ranges:\n  "),
        ("comments and empty lines do not count", "tests:\n\n  # cases\n  - <|>", "tests:\n\n  # cases\n  - "),
        ("a comment is nothing yet", "tests:\n  # cas<|>", "tests:\n  # cas"),
        ("below a value the line is empty", "name: a\n<|>", ""),
        ("a block of text that has not begun", "criteria: |\n  <|>", "criteria: |\n  "),
        ("an item that is one", "criteria:\n  - >-\n    <|>", "criteria:\n  - >-\n    "),
        ("an anchor in front of nothing", "x: &base<|>", "x: &base"),
        ("brackets until they are closed", "bands: {score_range: [0, 4<|>]}", "{score_range: [0, 4]}"),
        ("behind them the value", "bands: [0, 4]<|>", "[0, 4]"),
        ("quotes", 'value: "14 da<|>"', '"14 da"'),
        ("what an editor puts behind the cursor", "- type: re<|>gex", "regex"),
    ],
)
def test_what_is_unfinished(about: str, text: str, expected: str) -> None:
    whole, at = cursor(text)
    document = LANGUAGE.document(whole)
    span = unfinished(document, EditPlace(at, Span(at, at)))
    assert span is not None, about
    assert whole[span.start : span.end] == expected, about


def test_typing_goes_on_over_line_breaks() -> None:
    first = after("name: a\n", (8, 8, "t"), (9, 9, "e"), (10, 10, "\n  "), (13, 13, "-"))
    assert (first.at, first.stretch, first.number) == (14, Span(8, 14), 0)


def test_an_edit_on_another_line_begins_another_stretch() -> None:
    found = after("name: a\ndescription: b\nversion: 1\n", (7, 7, "x"), (33, 33, "0"))
    assert (found.at, found.stretch, found.number) == (34, Span(33, 34), 1)


def test_brackets_that_close_themselves_go_on() -> None:
    found = after("tags: ", (6, 6, "[]"), (7, 7, "a"))
    assert (found.at, found.number) == (8, 0)


@pytest.mark.parametrize("sent", [(7, 7, "\n  "), (8, 8, "  \n")], ids=["behind the line", "in front of the next"])
def test_a_new_line_in_either_form(sent: tuple[int, int, str]) -> None:
    text = "name: a\ntests:\n"
    assert after(text, sent).at == 10


def test_lines_are_deleted_and_written_anew() -> None:
    text = "tests:\n  - id: a\n    criteria: b\n    input: c\n"
    at = text.index("    criteria")
    gone = after(text, (at, text.index("    input"), ""))
    assert (gone.column, gone.anew) == (4, True)
    again = after(text, (at, text.index("    input"), ""), (at, at, "    \n"), (at + 4, at + 4, "c"))
    assert (again.column, again.anew, again.number) == (None, True, 0)
    done = after(text, (at, text.index("    input"), ""), (at - 1, at - 1, "\n    c"), (at + 5, at + 5, "\n    "))
    assert not done.anew


@pytest.mark.parametrize(
    ("about", "removed", "new", "made"),
    [
        ("a letter", "", "x", False),
        ("a letter in the place of what was selected", "criteria", "x", False),
        ("a completion keeps the letters", "ctr", "criteria: ", False),
        ("a fix does not", "expected_outcome", "criteria", True),
        ("a line put in", "", "criteria: Says hello", False),
    ],
)
def test_what_is_made_for_a_person(about: str, removed: str, new: str, made: bool) -> None:
    assert after(f"tests:\n  - {removed}\n", (11, 11 + len(removed), new)).made is made, about


def test_a_whole_text_is_no_keystroke() -> None:
    document = LANGUAGE.document("name: a\n")
    assert continue_edit(None, document, Edit(Span(7, 7), "b"), whole=True).made


def test_pasted_lines() -> None:
    assert after("tests:\n", (7, 7, "  - id: a\n    input: b\n")).pasted
    assert not after("tests:\n", (6, 6, "\n  ")).pasted
