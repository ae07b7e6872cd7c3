"""Which JSON objects are found in a text, for promptfoo's assertions about JSON."""

import pytest

from rubric_core.families.promptfoo.evaluators.json_checks import objects_in


@pytest.mark.parametrize(
    ("text", "objects"),
    [
        ("none", []),
        ("{", []),
        ("a {", []),
        ("}{}", [{}]),
        ('first {"a": 1}, then {"b": {"c": 2}}.', [{"a": 1}, {"b": {"c": 2}}]),
        ("{ no object: here } {a: 1}", [{"no object": "here"}, {"a": 1}]),
        ('{"a": [1, }, {"b": 2}', [{"b": 2}]),
        ('{"a": {"b": 1}', [{"a": {"b": 1}}]),
        ('{"a": 1, // one\n"b": 2 //// two\n}', [{"a": 1, "b": 2}]),
        ('{"a": "http://x//y", b: http://z}', [{"a": "http://x//y", "b": "http://z"}]),
        ("{'a': 'x // y', b: 1}", [{"a": "x // y", "b": 1}]),
        ('{"a": "x\\" // y", b: 1}', [{"a": 'x" // y', "b": 1}]),
        ('{"a": "x\\\\", // y\nb: 1}', [{"a": "x\\", "b": 1}]),
        ("{a: it's, // one's\nb: 1}", [{"a": "it's", "b": 1}]),
        ("{a: 'it''s // y', b: 1}", [{"a": "it's // y", "b": 1}]),
    ],
)
def test_objects(text: str, objects: list[object]) -> None:
    assert list(objects_in(text)) == objects
