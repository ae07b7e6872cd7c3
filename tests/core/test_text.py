"""Positions and edits: the arithmetic that everything else trusts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubric_core.text import Edit, LineIndex, Position, Span, TextRange, apply_edits, code_units

ENCODINGS = ("utf-8", "utf-16", "utf-32")

#: Line breaks of LSP, line breaks that LSP does not know, and characters of every width.
TEXTS = st.text(st.sampled_from("ab \n\r\u2028\u2029\x85\x0b\x0cé€😀𝔘"), max_size=60)


def test_lines_end_where_lsp_says_and_nowhere_else():
    index = LineIndex("a\nb\r\nc\rd\u2028e\x85f\x0cg")
    assert index.line_count == 4
    assert [index.text[slice(*index.line_span(n))] for n in range(4)] == ["a", "b", "c", "d\u2028e\x85f\x0cg"]


def test_a_final_break_starts_an_empty_line():
    index = LineIndex("a\n")
    assert index.line_count == 2
    assert index.line_span(1) == Span(2, 2)
    assert LineIndex("").line_count == 1


@pytest.mark.parametrize(
    ("encoding", "columns"), [("utf-8", [0, 1, 3, 6, 10]), ("utf-16", [0, 1, 2, 3, 5]), ("utf-32", [0, 1, 2, 3, 4])]
)
def test_columns_count_in_the_units_of_the_encoding(encoding, columns):
    index = LineIndex("aé€😀")
    assert [index.position(offset, encoding).character for offset in range(5)] == columns
    assert [index.offset(Position(0, column), encoding) for column in columns] == [0, 1, 2, 3, 4]


def test_a_column_inside_a_character_is_before_it():
    index = LineIndex("a😀b")
    assert index.offset(Position(0, 2), "utf-16") == 1
    assert index.offset(Position(0, 3), "utf-8") == 1
    assert index.offset(Position(0, 3), "utf-16") == 2


def test_positions_outside_the_text_are_clamped():
    index = LineIndex("ab\r\ncd")
    assert index.offset(Position(0, 99)) == 2
    assert index.offset(Position(1, 99)) == 6
    assert index.offset(Position(9, 0)) == 6
    assert index.offset(Position(-1, 3)) == 0
    assert index.position(99) == Position(1, 2)
    assert index.position(-5) == Position(0, 0)


def test_the_middle_of_a_line_break_belongs_to_its_line():
    index = LineIndex("ab\r\ncd")
    assert index.position(3) == Position(0, 3)
    assert index.offset(Position(0, 3)) == 2


def test_spans_and_ranges():
    assert Span(2, 5).moved(3) == Span(5, 8)
    assert Span(2, 5).covers(2)
    assert Span(2, 5).covers(5)
    assert not Span(2, 5).covers(6)
    assert LineIndex("a\n😀b").range(Span(0, 3)) == TextRange(Position(0, 0), Position(1, 2))


@given(TEXTS, st.sampled_from(ENCODINGS))
def test_every_offset_has_a_position_and_leads_back(text, encoding):
    index = LineIndex(text)
    for offset in range(len(text) + 1):
        back = index.offset(index.position(offset, encoding), encoding)
        inside_break = text[offset - 1 : offset + 1] == "\r\n"
        assert back == (offset - 1 if inside_break else offset)


@given(TEXTS, st.sampled_from(ENCODINGS))
def test_positions_grow_with_offsets(text, encoding):
    index = LineIndex(text)
    positions = [index.position(offset, encoding) for offset in range(len(text) + 1)]
    assert positions == sorted(positions)


@given(TEXTS)
def test_lines_cover_the_text(text):
    index = LineIndex(text)
    starts = [index.line_start(n) for n in range(index.line_count)]
    assert starts[0] == 0
    assert starts == sorted(set(starts))
    for offset in range(len(text) + 1):
        line = index.line_of(offset)
        assert index.line_start(line) <= offset
        assert offset < index.line_start(line + 1) or line == index.line_count - 1


@given(TEXTS)
def test_code_units_match_the_encoders(text):
    assert code_units(text, "utf-8") == len(text.encode())
    assert code_units(text, "utf-16") == len(text.encode("utf-16-le")) // 2
    assert code_units(text, "utf-32") == len(text)


def test_half_of_a_surrogate_pair_counts_too():
    assert code_units("a\ud800", "utf-8") == 4
    assert code_units("a\ud800", "utf-16") == 2


def test_edits_refer_to_the_text_before_all_of_them():
    edits = [Edit(Span(4, 5), "X"), Edit(Span(0, 1), "longer"), Edit(Span(2, 2), "in")]
    assert apply_edits("a b c", edits) == "longer inb X"


def test_insertions_at_one_place_keep_their_order():
    assert apply_edits("ab", [Edit(Span(1, 1), "1"), Edit(Span(1, 1), "2"), Edit(Span(1, 2), "3")]) == "a123"


def test_edits_that_overlap_are_refused():
    with pytest.raises(ValueError, match="overlap at offset 1"):
        apply_edits("abc", [Edit(Span(0, 2), ""), Edit(Span(1, 3), "")])


@given(TEXTS, st.data())
def test_an_edit_replaces_its_span_and_nothing_else(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    new = data.draw(TEXTS)
    assert apply_edits(text, [Edit(Span(start, end), new)]) == text[:start] + new + text[end:]
