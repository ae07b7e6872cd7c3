"""The text of an entry of a recordings file after a change: what people wrote into it stays, and nothing else."""

from typing import Any

import pytest

from rubric_core.evaluation.judging.recorded_entry import changed_entry_text, key_of
from rubric_core.evaluation.judging.recording_file import RecordedEntry
from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain_data import plain

ENTRY = """\
  # The window is what people ask about most.
  - judge: j   # not the best one
    case: c
    made: '2026-05-01'
    prompt: "p"
    question: q   # as customers put it
    answer: one
    criteria:
      # counted by hand
      - criterion: Text
        reply: {score: 3, reasoning: short}
      # by feeling
      - criterion: Tone
        reply: {score: 5}
"""
FRESH = """\
  - judge: j
    made: '2026-05-01'
    case: c
    prompt: p
    question: q
    answer: one
    criteria:
    - criterion: Text
      reply:
        score: 3
        reasoning: short
    - criterion: Tone
      reply:
        score: 5
"""


def read(text: str) -> RecordedEntry:
    tree = parse(text)
    assert not tree.problems
    (row,) = plain(tree.root, tree.anchors)
    return RecordedEntry.model_validate(row)


def changed(text: str = ENTRY, *, inside: bool = True, **values: Any) -> str:
    """The text with other values."""
    old = read(text)
    wanted = old.model_copy(update=values, deep=True)
    made = changed_entry_text(text, old, wanted, inside=inside)
    assert read(made) == wanted
    return made


@pytest.mark.parametrize(
    ("old", "new", "value"),
    [
        ("made: '2026-05-01'", "made: '2027-05-01'", {"made": "2027-05-01"}),
        ('prompt: "p"', 'prompt: "other"', {"prompt": "other"}),
        ("question: q   #", "question: other #", {"question": "other"}),
        ("answer: one", "answer: 'other # one'", {"answer": "other # one"}),
        ("answer: one", 'answer: "12"', {"answer": "12"}),
        ("answer: one", 'answer: "null"', {"answer": "null"}),
        ("answer: one", 'answer: "a\\tb"', {"answer": "a\tb"}),
        ("answer: one", 'answer: "a\\Lb"', {"answer": "a\u2028b"}),
        ("answer: one", "answer: |-\n      a\n      b", {"answer": "a\nb"}),
        ("    case: c\n", "", {"case": ""}),
        ("question: q   #", "question: ''  #", {"question": ""}),
    ],
)
def test_a_value_changes_in_its_own_style_and_the_rest_stays(old: str, new: str, value: dict[str, str]) -> None:
    assert changed(**value) == ENTRY.replace(old, new)


def test_a_new_key_stands_behind_the_others() -> None:
    assert changed(goal="g") == ENTRY + "    goal: g\n"


def test_the_reply_of_one_criterion_changes() -> None:
    criteria = read(ENTRY).criteria
    criteria[1].reply.score, criteria[1].reply.reasoning = 9, "kind"
    assert changed(criteria=criteria) == ENTRY.replace("{score: 5}", "{score: 9, reasoning: kind}")


def test_a_criterion_goes_with_the_comment_above_it() -> None:
    first, second = read(ENTRY).criteria
    without_first = ENTRY.replace(
        "      # counted by hand\n      - criterion: Text\n        reply: {score: 3, reasoning: short}\n", ""
    )
    assert changed(criteria=[second]) == without_first
    without_second = ENTRY.replace("      # by feeling\n      - criterion: Tone\n        reply: {score: 5}\n", "")
    assert changed(criteria=[first]) == without_second


def test_a_new_criterion_stands_behind_the_others() -> None:
    first, second = read(ENTRY).criteria
    third = second.model_copy(update={"criterion": "More"}, deep=True)
    assert changed(criteria=[first, second, third]) == ENTRY + (
        "      - criterion: More\n        reply:\n          score: 5\n"
    )


def test_other_criteria_take_the_place_of_all() -> None:
    third = read(ENTRY).criteria[1].model_copy(update={"criterion": "More"}, deep=True)
    made = changed(criteria=[third])
    above, criteria, _ = ENTRY.partition("      - criterion: Text\n")
    assert made == above + criteria.replace("Text", "More") + "        reply:\n          score: 5\n"


def test_where_nothing_inside_is_to_be_kept_the_lines_above_stay() -> None:
    above, _, _ = ENTRY.partition("  - judge")
    assert changed(inside=False, made="2027-05-01") == above + FRESH.replace("2026", "2027")


def test_an_entry_as_it_was_written_is_written_anew() -> None:
    assert changed(FRESH, answer="a\nb") == FRESH.replace("answer: one", "answer: |-\n      a\n      b")
    assert changed(FRESH, case="") == FRESH.replace("    case: c\n", "")


def test_breaks_of_windows_are_read() -> None:
    old = read(ENTRY)
    wanted = old.model_copy(update={"made": "2027-05-01"})
    made = changed_entry_text(ENTRY.replace("\n", "\r\n"), old, wanted, inside=True)
    assert made == ENTRY.replace("2026", "2027")


@pytest.mark.parametrize("piece", ["  {judge: j, prompt: p}\n", "  [{judge: j, prompt: p}]\n", "  - a: 1\n  - b: 2\n"])
def test_what_is_no_single_item_is_written_anew_in_its_column(piece: str) -> None:
    old = read(ENTRY)
    assert changed_entry_text(piece, old, old, inside=True) == FRESH


def test_the_order_of_bands_is_no_difference() -> None:
    one, other = (read(ENTRY).criteria[1].model_copy(update={"bands": bands}) for bands in ({"0": "a", "5": "b"}, {"5": "b", "0": "a"}))  # fmt: skip
    assert key_of(one) == key_of(other)
    assert key_of(one) != key_of(other.model_copy(update={"bands": {"0": "a", "5": "c"}}))


def test_a_reference_to_another_entry_is_written_out() -> None:
    old = read(ENTRY)
    piece = ENTRY.replace("answer: one", "answer: *elsewhere")
    made = changed_entry_text(piece, old, old.model_copy(update={"made": "2027-05-01"}), inside=True)
    assert made == ENTRY.partition("  - judge")[0] + FRESH.replace("2026", "2027")
