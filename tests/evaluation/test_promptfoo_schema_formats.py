"""The formats of JSON Schemas in configurations of promptfoo, and numbers as JavaScript writes them."""

from typing import Any

import pytest

from rubric_core.language.javascript_values import number_of, scalar_text, value_text
from rubric_core.sandbox.formats import fits_format, is_format

FITTING = {
    "date": ["2024-02-29", "0001-01-31"], "time": ["12:00:00Z", "23:59:60z", "12:00:00.5+02:30", "01:59:60+02:00"],
    "date-time": ["2024-01-01T00:00:00Z", "2024-01-01 00:00:00+01"], "iso-time": ["12:00:00"], "iso-date-time": ["2024-01-01T00:00:00"],
    "duration": ["P1D", "P1Y2M3DT4H5M6S", "P2W", "PT1M"], "uri": ["http://a.b", "urn:x:y", "file:///a", "http://u@[::1]:80/?q#f", "http://a/%20"],
    "uri-reference": ["/a", "", "a?b", "//host/x", "#f"], "email": ["a@b.c", "a.b+c@d-e.org"], "hostname": ["a", "a.b-c.", "1"],
    "ipv4": ["1.2.3.4", "255.255.255.255"], "ipv6": ["::", "1::2", "::ffff:1.2.3.4"], "regex": ["a(?=b)", ""],
    "uuid": ["123e4567-e89b-12d3-a456-426614174000", "URN:UUID:123e4567-e89b-12d3-a456-426614174000"], "json-pointer": ["", "/a/~1b"],
    "json-pointer-uri-fragment": ["#", "#/a%20"], "relative-json-pointer": ["0", "1/a", "2#"], "byte": ["", "YQ==", "*\nYWJj"],
    "uri-template": ["http://a/{b}{?c,d*}", ""], "url": ["https://a.org:80/x y"[:-2], "ftp://b.co"], "password": [""], "binary": [""],
    "int32": [1, -(2**31), 1.0, "text"], "int64": [2**40], "float": [1.5], "double": [1.5],
}  # fmt: skip
OTHERS = {
    "date": ["2023-02-29", "2024-1-1", "2024-13-01", "2024-01-00"], "time": ["12:00:00", "24:00:00Z", "12:60:00Z", "12:00:60Z", "12:00:00+24:00"],
    "date-time": ["2024-01-01", "2024-01-01T00:00:00", "2024-01-01Tx00:00:00Z"], "iso-time": ["1:00:00"], "duration": ["P", "PT", "1D", "P1W1D"],
    "uri": ["a", "/a", "a b:c", "mailto:", "http://[1]/", "http://a b", "http://a/%2", "http://a:x"], "uri-reference": ["a b", "%", "//["],
    "email": ["a@b", "a", "@b.c", "a..b@c.d", "a@-b.c"], "hostname": ["-a", "a..b", "", "x" * 64], "ipv4": ["1.2.3", "01.2.3.4", "256.1.1.1"],
    "ipv6": ["1", "::1%eth0", ":::"], "regex": ["(", "a\\Z"], "uuid": ["123"], "json-pointer": ["a", "/~2"], "relative-json-pointer": ["01", "-1"],
    "byte": ["*", "YQ="], "uri-template": ["{", "{a", "a b"], "url": ["http://a", "a.org", "http://a.b c"], "int32": [2**31, 1.5, float("inf")],
    "int64": [0.5],
}  # fmt: skip


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in FITTING.items() for value in values])
def test_values_with_a_format(name: str, value: Any) -> None:
    assert is_format(name)
    assert fits_format(name, value)


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in OTHERS.items() for value in values])
def test_values_without_a_format(name: str, value: Any) -> None:
    assert not fits_format(name, value)


def test_other_values_and_formats() -> None:
    """Formats say nothing of other kinds of values."""
    assert fits_format("email", 5)
    assert fits_format("email", None)
    assert fits_format("int32", True)
    assert not is_format("nope")
    assert not is_format(None)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e-7, "1e-7"), (0.000001, "0.000001"), (1.5e-10, "1.5e-10"), (1e21, "1e+21"), (10**21, "1e+21"), (123456789012345680000, "123456789012345680000"),
        (1.0, "1"), (-0.0, "0"), (-2.5, "-2.5"), (100, "100"), (1234.5, "1234.5"), (float("inf"), "Infinity"), (float("nan"), "NaN"), (True, "true"),
        (None, "null"), ("x", "x"), (10**400, "Infinity"), (2**53 + 1, "9007199254740992"),
    ],
)  # fmt: skip
def test_numbers_as_javascript_writes_them(value: Any, text: str) -> None:
    assert scalar_text(value) == text


def test_values_as_javascript_writes_and_compares_them() -> None:
    assert value_text([1, None, [2.0, "a"], {"b": 1}]) == "1,,2,a,[object Object]"
    assert [number_of(each) for each in ("2", None, "", True)] == [2, 0, 0, 1]
    assert number_of("x") != number_of("x")
