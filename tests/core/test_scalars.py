"""Plain scalars mean what YAML 1.2 says, and ruamel.yaml is the judge."""

import io
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from rubric_core.syntax.parse import parse
from rubric_core.syntax.scalars import resolve
from rubric_core.syntax.tree import Scalar


@pytest.mark.parametrize(
    "word",
    [
        "yes",
        "Yes",
        "no",
        "No",
        "on",
        "off",
        "y",
        "n",
        "tRue",
        "nULL",
        "NaN",
        "inf",
        "1_000",
        "0b1",
        "12:30",
        "1e",
        "0x",
        "+.5.1",
        "- 1",
    ],
)
def test_words_that_are_strings(word):
    assert resolve(word) == word


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("", None), ("~", None), ("null", None), ("NULL", None), ("true", True), ("True", True), ("FALSE", False),
        ("0", 0), ("-1", -1), ("+7", 7), ("007", 7), ("0o17", 15), ("0xFF", 255), ("2.0", 2.0), (".5", 0.5), ("1.", 1.0), ("1e3", 1000.0),
        ("-1.5E-2", -0.015), (".inf", math.inf), ("-.INF", -math.inf),
    ],
)  # fmt: skip
def test_words_that_are_something_else(word, value):
    assert resolve(word) == value
    assert type(resolve(word)) is type(value)


def test_not_a_number_is_a_number():
    assert math.isnan(resolve(".nan"))


def test_digits_without_end_are_text():
    assert resolve("9" * 5_000) == "9" * 5_000


def by_ruamel(text: str) -> object:
    loader = YAML(typ="safe", pure=True)
    loader.version = (1, 2)
    return loader.load(io.StringIO(f"value: {text}\n"))["value"]


#: Characters of numbers and of the words that YAML 1.1 took for something else.
SCALARS = st.text(st.sampled_from("0123456789+-.eExobtruefalsnlyTNYON_~i"), min_size=1, max_size=7)
#: ruamel.yaml reads these as YAML 1.1 did, although the core schema of 1.2 has no underscores, binary or sexagesimal numbers,
#: signs in front of hexadecimal and octal ones, or an exponent without digits.
UNLIKE = ("_", "0b", ":", "+0x", "-0x", "+0o", "-0o")


@given(SCALARS)
@example("0o7")
@example("1.e5")
@example("+12e03")
@example("-0")
@example("00.1")
def test_like_the_oracle(text):
    if any(part in text for part in UNLIKE):
        return
    try:
        expected = by_ruamel(text)
    except (YAMLError, ValueError, TypeError, AttributeError):
        return
    node = parse(f"value: {text}\n").root.get("value")
    if not isinstance(node, Scalar):
        return
    found = node.value
    if isinstance(expected, float) and math.isnan(expected):
        assert isinstance(found, float)
        assert math.isnan(found)
    else:
        assert found == expected
        assert type(found) is type(expected)


@given(st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=20))
def test_quoted_scalars_are_strings_as_they_stand(text):
    single = parse("k: '" + text.replace("'", "''") + "'").root.get("k")
    assert single.value == text


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("!!str 12", "12"),
        ("!!str true", "true"),
        ("'12'", "12"),
        ('"null"', "null"),
        ("|\n  12\n", "12\n"),
        (">-\n  a\n  b\n", "a b"),
    ],
)
def test_only_plain_scalars_can_be_no_string(written, value):
    assert parse(f"k: {written}").root.get("k").value == value
