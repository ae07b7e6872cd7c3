"""What comes with the type of a check: the fields that it needs, with their tab stops, in every dialect that has them.

`required_fields.txt` has a heading for each dialect, then what is put in for each type. `UPDATE=1` writes it anew; people read the
difference.
"""

from pathlib import Path

import pytest
from harness import UPDATING
from test_completion import CHECKS, offered

from rubric_core.language.dialects import DIALECTS

PAGE = Path(__file__).parent / "required_fields.txt"
LISTS = ("assertions", "assert", "evaluators")
HEADS = ("tests", "evalcases")


def snippets(marked: str, dialect: str = "agentv-3") -> dict[str, str]:
    return {each.label: each.snippet or each.plain for each in offered(marked, dialect)}


def skeletons(dialect: str) -> str:
    """What is offered for a check and has more than a line."""
    every: dict[str, str] = {}
    for head in HEADS:
        for name in LISTS:
            every |= snippets(f"{head}:\n  - id: a\n    {name}:\n      - <|>\n", dialect)
    return "\n".join(each for each in dict.fromkeys(every.values()) if "\n" in each)


def test_every_type_of_every_dialect() -> None:
    made = "".join(f"#### {each.name}\n{skeletons(each.name)}\n" for each in DIALECTS)
    if UPDATING:
        PAGE.write_text(made, encoding="utf-8")
    assert made == PAGE.read_text(encoding="utf-8")
    assert made.count("type: ") > 80


@pytest.mark.parametrize(
    "place",
    [
        "      - {type: <|>}\n",
        '      - type: "<|>"\n',
        "      - type: <|> # a note\n",
        "      - type: <|>\n        value: x\n",
        "      - value: x\n        type: <|>\n",
    ],
    ids=["in brackets", "in quotes", "before a comment", "above the field", "below the field"],
)
def test_nothing_is_put_in_where_it_has_no_room_or_is_there(place: str) -> None:
    assert snippets(CHECKS + place)["contains"] in ("contains", '"contains"')


def test_other_fields_are_put_in_beside_those_that_are_there() -> None:
    assert snippets(CHECKS + "      - type: <|>\n        name: x\n")["contains"] == "contains\n  value: ${1:refund}"
    above = "      - type: <|>\n        aggregator: {type: threshold}\n"
    assert snippets(CHECKS + above)["composite"] == "composite\n  assertions:\n    - $1"
