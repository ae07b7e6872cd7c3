"""Minimal edits: one key, one value, one line. Everything else stays as it was."""

import pytest
from harness import analysis_of
from hypothesis import given
from hypothesis import strategies as st

from rubric_core.syntax.edit import (
    add_entry,
    column_of,
    newline_of,
    plain_or_quoted,
    quoted,
    remove_entry,
    rename_key,
    replace_value,
)
from rubric_core.syntax.lines import columns
from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.reindent import move_entry_lines
from rubric_core.syntax.tree import Mapping
from rubric_core.text import apply_edits


def mapping(text: str) -> Mapping:
    root = parse(text).root
    assert isinstance(root, Mapping)
    return root


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("a: 1\nb: 2\n", "a: 1\nnew: 0\nb: 2\n"),
        ("a: 1  # note\n", "a: 1  # note\nnew: 0\n"),
        ("a: 1", "a: 1\nnew: 0"),
        ("a:\n  deep: 1\n  more: 2\nb: 2\n", "a:\n  deep: 1\n  more: 2\nnew: 0\nb: 2\n"),
        ("a: |\n  one\n  two\n\nb: 2\n", "a: |\n  one\n  two\nnew: 0\n\nb: 2\n"),
        ("a: 1\r\nb: 2\r\n", "a: 1\r\nnew: 0\r\nb: 2\r\n"),
        ("{a: 1, b: 2}", "{a: 1, new: 0, b: 2}"),
        ("{a: 1}", "{a: 1, new: 0}"),
        ("{}", "{new: 0}"),
    ],
)
def test_a_further_entry_stands_behind_the_first(text, after):
    edit = add_entry(text, mapping(text), "new", "0")
    assert apply_edits(text, [edit]) == after


def test_a_further_entry_is_indented_as_its_mapping():
    text = "list:\n  - a: 1\n    b: 2\n"
    item = mapping(text).get("list").items[0]
    assert apply_edits(text, [add_entry(text, item, "new", "0")]) == "list:\n  - a: 1\n    new: 0\n    b: 2\n"


@pytest.mark.parametrize(
    ("text", "name", "after"),
    [
        ("a: 1\nb: 2\nc: 3\n", "b", "a: 1\nc: 3\n"),
        ("a: 1\nb: 2\nc: 3\n", "a", "b: 2\nc: 3\n"),
        ("a: 1\nb: 2  # why\nc: 3\n", "b", "a: 1\n# why\nc: 3\n"),
        ("a: 1\n# about c\nc: 3\n", "a", "# about c\nc: 3\n"),
        ("a: 1\nb: 2\n", "b", "a: 1\n"),
        ("a: 1\nb:\n  - x\n  - y\nc: 3\n", "b", "a: 1\nc: 3\n"),
        ("a: 1\r\nb: 2\r\nc: 3\r\n", "b", "a: 1\r\nc: 3\r\n"),
        ("{a: 1, b: 2, c: 3}", "b", "{a: 1, c: 3}"),
        ("{a: 1, b: 2}", "b", "{a: 1}"),
        ("{a: 1, b: 2}", "a", "{b: 2}"),
    ],
)
def test_an_entry_goes_with_its_line(text, name, after):
    node = mapping(text)
    entry = next(e for e in node.entries if e.name == name)
    assert apply_edits(text, [remove_entry(text, node, entry)]) == after


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("- a: 1\n  b: 2\n", "- b: 2\n"),
        ("- a: 1  # why\n  b: 2\n", "-   # why\n  b: 2\n"),
        ("- a: 1\n  # about b\n  b: 2\n", "- \n  # about b\n  b: 2\n"),
        ("- - a: 1\n    b: 2\n", "- - b: 2\n"),
    ],
)
def test_the_first_entry_of_an_item_leaves_the_dash_and_the_comments(text, after):
    item = parse(text).root.items[0]
    item = item if isinstance(item, Mapping) else item.items[0]
    new = apply_edits(text, [remove_entry(text, item, item.entries[0])])
    assert new == after
    assert plain(parse(new).root, {}) in ([{"b": 2}], [[{"b": 2}]])


def test_the_only_entry_stays():
    node = mapping("a: 1\n")
    assert remove_entry("a: 1\n", node, node.entries[0]) is None


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("old: 1", "new: 1"),
        ("'old': 1", "'new': 1"),
        ('"old": 1', '"new": 1'),
        ("{old: 1}", "{new: 1}"),
        ("? old\n: 1", "? new\n: 1"),
    ],
)
def test_a_key_keeps_its_quotes(text, after):
    assert apply_edits(text, [rename_key(mapping(text).entries[0], "new")]) == after


def test_a_value_keeps_its_anchor_and_comment():
    text = "a: &x 1  # note\n"
    assert apply_edits(text, [replace_value(mapping(text).get("a"), "2")]) == "a: &x 2  # note\n"


@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=12))
def test_a_value_written_down_reads_the_same(value):
    for written in (quoted(value), plain_or_quoted(value)):
        node = parse(f"k: {written}\n").root.get("k")
        assert node.value == value, written


def test_the_line_break_of_the_text_is_used():
    assert newline_of("a\r\nb\n") == "\r\n"
    assert newline_of("a\nb") == "\n"
    assert newline_of("a") == "\n"
    assert column_of("a\r\n  b", 5) == 2


def test_a_fix_has_the_line_breaks_of_the_text() -> None:
    """The last case is one line without a break to go by."""
    text = "tests:\r\n  - id: a\r\n    input: Hi\r\n    criteria: Greets\r\n  - {id: b, input: Hi}\r\n  - contains: a"
    fixes = [f for d in analysis_of(text).diagnostics for f in d.fixes]
    assert fixes
    for fix in fixes:
        made = apply_edits(text, fix.edits)
        assert made.count("\n") == made.count("\r\n"), fix.title


@pytest.mark.parametrize(
    ("above", "found"),
    [
        (["  a:", "    b: 1"], [4, 6, 2]),
        (["a:", "  b:", "    c: 1", ""], [4, 6, 2, 0]),
        (["  - a: 1", "    b: 2"], [4, 6, 2]),
        (["a:", "  b: 1"], [2, 4, 0]),
        (["a:"], [2, 0]),
    ],
)
def test_a_line_may_start_where_those_above_it_do(above, found):
    assert columns([*above, "x: 3", "          y: 4"], len(above)) == found


def test_the_lines_of_an_entry_move_up_to_an_item_that_its_text_has_swallowed():
    text = "a:\n  k: word\n   - next\nb: 1\n"
    entry = mapping(text).entries[0].value.entries[0]
    assert apply_edits(text, [*move_entry_lines(text, entry, 2)]) == "a:\n    k: word\n   - next\nb: 1\n"
