"""What turns one text into another: always exactly, and line by line where the texts have lines of their own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubric_core.migration import line_diff
from rubric_core.migration.line_diff import edits_between
from rubric_core.text import Edit, Span, apply_edits

#: Few different lines, and some that are there once.
LINES = st.lists(st.one_of(st.sampled_from(["a\n", "b\n", "c\r\n", "\n"]), st.integers(0, 60).map("{}\n".format)))


@given(LINES, LINES, st.sampled_from(["", "end"]))
def test_the_edits_make_the_other_text(old: list[str], new: list[str], end: str) -> None:
    before, after = "".join(old) + end, "".join(new)
    assert apply_edits(before, edits_between(before, after)) == after


@given(LINES, LINES)
def test_so_they_do_in_long_texts(old: list[str], new: list[str]) -> None:
    before, after = "".join(old), "".join(new)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_diff, "_FEW_LINES", 2)
        patch.setattr(line_diff, "_MOST_LINES", 4)
        assert apply_edits(before, edits_between(before, after)) == after


def test_one_line_of_each_case_is_one_edit_of_each_case() -> None:
    cases = [f"  - id: c{n}\n    criteria: ok\n    input: hi\n" for n in range(400)]
    before = "tests:\n" + "".join(cases)
    after = before.replace("    criteria: ok\n", "    outcome: ok\n")
    edits = edits_between(before, after)
    assert {(before[slice(*edit.span)], edit.new_text) for edit in edits} == {
        ("    criteria: ok\n", "    outcome: ok\n")
    }
    assert len(edits) == 400


def test_a_case_that_moves_leaves_the_others_alone() -> None:
    cases = [f"  - id: c{n}\n    criteria: ok\n" for n in range(400)]
    before = "".join(cases)
    after = "".join([*cases[1:300], cases[0], *cases[300:]])
    taken, put = edits_between(before, after)
    assert (taken, put.span.end - put.span.start) == (Edit(Span(0, len(cases[0])), ""), 0)
    assert len(put.new_text) == len(cases[0])


def test_a_long_stretch_of_equal_lines_is_replaced_as_a_whole() -> None:
    before = "a\n" + "x\ny\n" * 200 + "b\n"
    after = "a\n" + "y\nz\n" * 200 + "b\n"
    assert edits_between(before, after) == (Edit(Span(2, len(before) - 2), "y\nz\n" * 200),)
