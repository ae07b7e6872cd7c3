"""Syntax errors in JSON: the place and the message of each."""

import pytest

from rubric_core.syntax.json_text import parse_json
from rubric_core.syntax.plain_data import plain


@pytest.mark.parametrize(
    ("marked", "words"),
    [
        ("{‹'a': 1›}", "a key in double quotes is expected here"),
        ('{"a" ‹1›}', "a colon is expected here"),
        ("{\"a\": ‹'b'›}", "JSON strings need double quotes"),
        ('{"a": ‹True›}', "JSON writes true, false and null in lowercase"),
        ('{"a": [1, ‹None›]}', "JSON writes true, false and null in lowercase"),
        ('{"a": ‹word›}', "a value is expected here"),
        ('{"a": 1 ‹"b": 2›}', "a comma or `}` is expected here"),
        ("[1 ‹2›]", "a comma or `]` is expected here"),
        ('{"a": 1‹,›}', "JSON allows no comma before `}`"),
        ("[1‹,› ]", "JSON allows no comma before `]`"),
        ('{"a": ‹"\\x"›}', "this backslash starts no valid JSON escape"),
        ('{"a": ‹"b}›', "this string is not closed, or contains a tab or line break"),
        ('{"a": ‹"b\tc"}›', "this string is not closed, or contains a tab or line break"),
        ('{"a": ‹[›', "a value is expected here"),
    ],
)
def test_the_place_of_a_syntax_error(marked: str, words: str) -> None:
    start, end = marked.index("‹"), marked.index("›") - 1
    (problem,) = parse_json(marked.replace("‹", "").replace("›", "")).problems
    assert (problem.message, problem.span.start) == (words, start)
    assert start < problem.span.end <= max(end, start + 1)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, -2.5e3, true, false, null, "b\\u00e9"], "c": {}, "d": []}', {"a": [1, -2500.0, True, False, None, "bé"], "c": {}, "d": []}),
        (" [ ] ", []),
        ('"a"', "a"),
        ("5", 5),
    ],
)  # fmt: skip
def test_what_json_is(text: str, value: object) -> None:
    tree = parse_json(text)
    assert not tree.problems
    assert tree.root is not None
    assert plain(tree.root, tree.anchors) == value
