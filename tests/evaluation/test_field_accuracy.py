"""Fields of JSON answers, as agentv 4.42.4 was seen to compare them."""

import json
from typing import Any

import pytest
from suites import Folder

from rubric_core.evaluation.scoring.dates import same_day
from rubric_core.evaluation.scoring.json_path import MISSING, at_path, json_in, json_text, value_fits

DATA = '{"n": 1}'


@pytest.mark.parametrize(
    "text",
    [
        DATA, f"```json\n{DATA}\n```", f"```\n{DATA}\n```", f"Here it is:\n```json\n{DATA}\n```\nAnything else?", f"Sure: {DATA} ok?",
        f"[{DATA}]", f"\ufeff{DATA}", '{"n": 0, "n": 1}',
    ],
)  # fmt: skip
async def test_the_json_of_an_answer_may_have_something_around_it(folder: Folder, text: str) -> None:
    suite = f"""
tests:
  - id: a
    criteria: c
    input: x
    expected_output: {json.dumps(text)}
    assertions: [{{type: field-accuracy, fields: [{{path: n, match: exact}}, {{path: m, match: exact}}]}}]
"""
    folder.mock(text)
    assert (await folder.one(suite)).score == 1
    folder.mock(text.replace("1", "2"))
    assert (await folder.one(suite)).score == 0.5, "what is expected has something around it, too"


@pytest.mark.parametrize(
    "text", ["", "seven", '{"n": NaN}', '{"n": 1,}', f"{{see}} {DATA}", f"{DATA} or {DATA}", "{" * 100_000]
)
def test_text_without_json_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        json_in(text)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("l[0].a", 1),
        ("l.0.a", 1),
        ("l.length", 1),
        ("l[1]", MISSING),
        ("z", None),
        ("z.a", MISSING),
        ("s.length", MISSING),
    ],
)
def test_values_by_paths(path: str, value: Any) -> None:
    assert (
        at_path({"l": [{"a": 1}], "z": None, "s": "text"}, path) is value or at_path({"l": [{"a": 1}]}, path) == value
    )


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [(1, 1.0, True), (1, True, False), ([{"a": 1}], [{"a": True}], False), ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True), ([1, 2], [2, 1], False)],
)  # fmt: skip
def test_true_is_not_1_however_deep(one: Any, other: Any, same: bool) -> None:
    assert value_fits(one, other, exact=True) is same


@pytest.mark.parametrize(
    ("expected", "found", "formats", "same"),
    [
        ("2026-03-04", "4th March 2026", [], True),
        ("2026-03-04", "2026-03-04T10:00:00Z", [], True),
        ("2026-03-04", "03/04/2026", [], True),
        ("2026-03-04", "04/03/2026", ["DD/MM/YYYY"], True),
        ("2026-03-13", "13/03/2026", [], True),
        ("2026-03-13", "13/03/2026", ["DD/MM/YYYY", "MM/DD/YYYY"], True),
        ("2026-03-13", "13/03/2026", ["MM/DD/YYYY"], False),
        ("March 2026", "2026-03-01", [], True),
        ("2026", "2026-01-01", [], True),
        ("soon", "soon", [], False),  # no date is like no other
    ],
)
def test_dates_are_compared_by_day(expected: str, found: str, formats: list[str], same: bool) -> None:
    assert same_day(expected, found, formats) is same


def test_json_is_written_as_javascript_writes_it() -> None:
    value = {"a": 1.0, "b": [2.50, True, None], "é": {"c": -0.5}}
    assert json_text(value) == '{"a":1,"b":[2.5,true,null],"é":{"c":-0.5}}'
    assert json_text({"a": 1.0}, indent=2) == '{\n  "a": 1\n}'
