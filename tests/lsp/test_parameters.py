"""The messages about parameters that cannot be read."""

from typing import Any

import pytest

from rubric_lsp.protocol.errors import INVALID_PARAMS, RequestFailedError
from rubric_lsp.protocol.params import AT, DOCUMENT, FLAG, ID, INTEGER, NOTHING, RANGE, TEXT, check_params

HERE = {"textDocument": {"uri": "file:///a.yaml"}, "position": {"line": 0, "character": 3}}


@pytest.mark.parametrize(
    ("shape", "given", "words"),
    [
        (AT, None, "textDocument is missing; position is missing"),
        (AT, [1, 2], "they must be an object, found a list"),
        (AT, {**HERE, "position": None}, "position is missing"),
        (AT, {**HERE, "position": {"line": -1}}, "position.line must be a whole number of at least 0, found -1; position.character is missing"),
        (AT, {**HERE, "position": {"line": True, "character": 0.5}}, "position.line must be a whole number of at least 0, found true; position.character must be a whole number of at least 0, found 0.5"),
        (DOCUMENT, {"textDocument": "file:///a.yaml"}, "textDocument must be an object, found a text"),
        (DOCUMENT, {"textDocument": {"uri": {"a": 1}}}, "textDocument.uri must be a text, found an object"),
        ({"steps": [{"range?": RANGE, "text": TEXT}]}, {"steps": [{"text": "a", "range": None}, {"range": {}}]}, "steps[1].range.start is missing; steps[1].range.end is missing; steps[1].text is missing"),
        ({"names": [TEXT]}, {"names": {"0": "a"}}, "names must be a list, found an object"),
        ({"names": [TEXT]}, {"names": [0] * 1000}, "; ".join(f"names[{n}] must be a text, found 0" for n in range(5))),
        ({"on": FLAG}, {"on": 1}, "on must be true or false, found 1"),
        ({"token": ID}, {"token": []}, "token must be a number or a text, found a list"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named(shape: Any, given: object, words: str) -> None:
    with pytest.raises(RequestFailedError) as refused:
        check_params("some/thing", given, shape)
    assert refused.value.code == INVALID_PARAMS
    assert str(refused.value) == f"the parameters of some/thing cannot be read: {words}"


@pytest.mark.parametrize(
    ("shape", "given"),
    [
        (AT, {**HERE, "of tomorrow": 1}),
        (NOTHING, {"anything": [1]}),
        ({"version?": INTEGER}, {}),
        ({"version?": INTEGER}, {"version": None}),
        ({"version?": INTEGER}, {"version": -1}),
    ],
)
def test_what_nobody_needs_may_be_anything(shape: Any, given: object) -> None:
    assert check_params("some/thing", given, shape) is given


def test_none_are_as_good_as_an_empty_object() -> None:
    assert check_params("some/thing", None, NOTHING) == {}
