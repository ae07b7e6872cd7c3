"""Patterns of rubric's own that meet texts of strangers take time that grows with the text, whatever it is made of."""

import importlib
import json
import tracemalloc

import pytest
from waiting import without_hanging

from rubric_core.syntax.json_text import parse_json
from rubric_core.syntax.tree import Mapping, Scalar

#: The square of it takes longer than anybody waits.
LONG = 1_000_000
TEXTS = (
    ("rubric_core.syntax.foreign_sign_repairs", "_FENCE", "match", "```", " ", "x!"),
    ("rubric_core.syntax.tabs", "_BLANK_LINE", "search", "", "\t", "x"),
    ("rubric_core.syntax.tabs", "_IDLE", "match", "- ", "\t", "-"),
    ("rubric_core.formatting.spacing", "_TRAILING", "search", "", " ", "x"),
    ("rubric_core.evaluation.templating.interpolate", "_name_in", "", "{{", " ", "x"),
    ("rubric_core.evaluation.evaluators.heuristic", "_BULLET", "match", "- ", " ", "\n\n"),
    ("rubric_core.evaluation.evaluators.field_accuracy", "_NUMBER", "match", "", "9", "x"),
    ("rubric_core.cli.terminal_markdown", "_MARKER", "match", "", "^", "x"),
    ("rubric_core.cli.terminal_markdown", "_INLINE", "search", "", "`", "x"),
)


@pytest.mark.parametrize(("module", "name", "method", "begin", "again", "end"), TEXTS)
def test_a_long_text_is_read_once(module: str, name: str, method: str, begin: str, again: str, end: str) -> None:
    found = getattr(importlib.import_module(module), name)
    with without_hanging():
        (getattr(found, method) if method else found)(begin + again * LONG + end)


@pytest.mark.parametrize("again", ["x", "\\\\", "x\\n", "é"])
def test_a_long_string_of_json_takes_as_much_memory_as_it_is_long(again: str) -> None:
    content = again * (1_000_000 // len(again))
    text = json.dumps({"id": "a", "input": content})
    tracemalloc.start()
    try:
        tree = parse_json(text)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert isinstance(tree.root, Mapping)
    value = tree.root.get("input")
    assert isinstance(value, Scalar)
    assert value.text == content
    assert most < 20 * len(text)  # a pattern with a repetition without an end took 140 times as much


@pytest.mark.parametrize("text", ['"', '"a', '"a\\', '"a\\"', '"a\tb"', '"a\n"', "a"])
def test_what_is_no_string_of_json_is_none(text: str) -> None:
    assert parse_json(f'{{"k": {text}').problems


@pytest.mark.parametrize(
    ("reference", "name"),
    [("{{ a }}", "a"), ("${{ A_B }}", "A_B"), ("{{- a -}}", "a"), ("{{ a - }}", "a -"), ("{{\n a.b[0] \n}}", "a.b[0]"), ("{{}}", ""), ("{{-}}", ""), ("{{--}}", ""), ("$A", ""), ("{{ a } }", ""), ("{{}", "")],
)  # fmt: skip
def test_the_name_in_a_reference(reference: str, name: str) -> None:
    from rubric_core.evaluation.templating.interpolate import _name_in

    assert _name_in(reference) == name
