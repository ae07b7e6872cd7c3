"""Numbers and JSON as JavaScript reads and writes them."""

import json
from typing import Any

import pytest

from rubric_core.language.javascript_values import json_text, read_json
from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain_data import plain


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("1000", "1000"), ("1e3", "1000"), ("1000.0", "1000"), ("-2.0", "-2"), ("2.5", "2.5"), ("-0.0", "0"), ("1e20", "100000000000000000000"),
        ("1.2345678901234567e20", "123456789012345670000"), ("1e21", "1e+21"), ("0.000001", "0.000001"), ("1e-7", "1e-7"),
        ("12345678901234567890", "12345678901234567000"),
    ],
)  # fmt: skip
def test_numbers_are_written_as_in_javascript(written: str, text: str) -> None:
    """Both from JSON and from YAML."""
    assert json_text(read_json(written)) == text
    tree = parse(f"n: {written}\n")
    assert json_text(plain(tree.root, tree.anchors)) == f'{{"n":{text}}}'


def test_whole_numbers_of_yaml_are_integers() -> None:
    """Python code that gets them prints them without a point. Others stay as they are."""
    tree = parse("[1e3, 2.0, 1.5, 1e21, .inf, true]\n")
    found = plain(tree.root, tree.anchors)
    assert str(found) == "[1000, 2, 1.5, 1e+21, inf, True]"


@pytest.mark.parametrize(
    "value", [[], {}, [[], {}], {"a": [1, {"ü": "x\n\u2028"}], "b": None, "c": True}, "text", None, False]
)
def test_json_is_laid_out_as_by_python(value: Any) -> None:
    assert json_text(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert json_text(value, indent=2) == json.dumps(value, ensure_ascii=False, indent=2)


def test_no_json_has_infinity() -> None:
    assert json_text([float("inf"), float("nan")]) == "[null,null]"
    with pytest.raises(ValueError, match="JSON has no NaN"):
        read_json("[NaN]")
    assert read_json("[Infinity]", allow_nan=True) == [float("inf")]
