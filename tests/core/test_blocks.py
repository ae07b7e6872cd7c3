"""A text is cut into blocks without parsing it, and an edit cuts only what it touches."""

import random

import pytest
from edit_scripts import random_edit
from hypothesis import given, settings
from hypothesis import strategies as st

from rubric_core.analysis import Language, analyze
from rubric_core.syntax.blocks import FRAME, Document, UnreadBlock
from rubric_core.syntax.case_items import ROOT_LIST
from rubric_core.syntax.line_document import LineDocument
from rubric_core.text import Edit, LineIndex, Position, Span, apply_edits

KEYS = frozenset({"tests", "evalcases"})

SUITE = """\
name: x  # about it
tests:
  # the first
  - id: a
    input: |
      - not an item
      # not a comment

  - id: b
    # inside
    list:
    - x
  # the third
  # in two lines
  - id: c
tags: [x]
"""


def cut(text: str) -> list[tuple[str, str]]:
    return [(b.key, b.text) for b in Document.of(text, KEYS).blocks]


def test_a_block_for_each_item_with_the_comments_above_it():
    assert cut(SUITE) == [
        (FRAME, "name: x  # about it\ntests:\n"),
        ("tests", "  # the first\n  - id: a\n    input: |\n      - not an item\n      # not a comment\n\n"),
        ("tests", "  - id: b\n    # inside\n    list:\n    - x\n"),
        ("tests", "  # the third\n  # in two lines\n  - id: c\n"),
        (FRAME, "tags: [x]\n"),
    ]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_every_line_break_cuts_alike(newline):
    assert [text.replace(newline, "\n") for _, text in cut(SUITE.replace("\n", newline))] == [
        text for _, text in cut(SUITE)
    ]


def test_dashes_in_the_column_of_the_key():
    assert [key for key, _ in cut("tests:\n- a: 1\n- b: 2\nname: x\n")] == [FRAME, "tests", "tests", FRAME]


@pytest.mark.parametrize(
    "text",
    [
        "tests: [a, b]\n",
        "tests: cases.yaml\n",
        "tests:\n  a: 1\n",
        "tests:\n\t- a: 1\n",
        "name: tests\n",
        "  tests:\n    - a\n",
        "other:\n  - a: 1\n",
        "",
        "tests:",
    ],
)
def test_what_cannot_be_cut_stays_whole(text):
    assert cut(text) == [(FRAME, text)]


@pytest.mark.parametrize(
    "head",
    ["tests:", '"tests":', "'tests':", "tests : ", "\ufefftests:", "---\ntests:", "# c\n---\ntests:", "tests: # cases"],
)
def test_the_key_may_be_written_in_many_ways(head):
    assert cut(f"{head}\n  - a: 1\n  - b: 2\n")[1:] == [("tests", "  - a: 1\n"), ("tests", "  - b: 2\n")]


@pytest.mark.parametrize("behind", ["", "---\n- c: 3\n"])
def test_a_list_that_is_the_whole_text_is_cut(behind):
    text = "# all\n# a\n- a: 1\n  x: 2\n# b\n- b: 2\n"
    blocks = Document.of(text + behind, frozenset({ROOT_LIST})).blocks
    assert [(b.key, b.text) for b in blocks][:3] == [
        (FRAME, ""), (ROOT_LIST, "# all\n# a\n- a: 1\n  x: 2\n"), (ROOT_LIST, "# b\n- b: 2\n"),
    ]  # fmt: skip
    assert [b.text for b in blocks[3:]] == ([behind] if behind else [])


def test_a_list_in_front_of_something_else_is_not_cut():
    assert len(Document.of("- a: 1\n- b: 2\nx: 1\n", frozenset({ROOT_LIST})).blocks) == 1


def test_a_second_document_ends_the_list():
    assert cut("tests:\n  - a: 1\n---\ntests:\n  - b: 2\n") == [
        (FRAME, "tests:\n"), ("tests", "  - a: 1\n"), (FRAME, "---\ntests:\n  - b: 2\n"),
    ]  # fmt: skip


def test_positions_are_those_of_the_whole_text():
    text = SUITE.replace("id: b", "id: 😀b")
    document, index = Document.of(text, KEYS), LineIndex(text)
    assert document.text == text
    assert document.line_count == index.line_count
    for encoding in ("utf-8", "utf-16", "utf-32"):
        for offset in range(len(text) + 1):
            position = index.position(offset, encoding)
            assert document.position(offset, encoding) == position
            assert document.offset(position, encoding) == index.offset(position, encoding)


def test_positions_outside_are_clamped():
    document = Document.of(SUITE, KEYS)
    end = LineIndex(SUITE).position(len(SUITE))
    assert document.position(10**6) == end
    assert document.offset(end._replace(line=10**6)) == len(SUITE)


PARTS = st.lists(
    st.sampled_from(
        ["tests:\n", "  - id: a\n", "  - id: b\r\n", "    input: |\n", "      - x\n", "  # note\n", "# top\n", "\n", "\r", "\t- x\n", "- z\n", "---\n", "...\n", "key: 1\n",
         "    'open\n", "  -\n", "  - - x\n", "evalcases:\n", "   - odd\n", "tests: []\n", "\ufeff", " ", "-"]
    ),
    max_size=14,
).map("".join)  # fmt: skip


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_a_text_that_was_edited_has_positions_and_pieces_of_the_whole(encoding):
    """Its blocks are not joined for them."""
    edit = Edit(Span(SUITE.index("- x"), SUITE.index("- x") + 3), "- \U0001f600 é\n    - y")
    whole = SUITE + "more: y\nlast: z\n"
    text = apply_edits(whole, [edit])
    lines = LineIndex(text)
    document = Document.of(whole, KEYS).edited(edit)
    for offset in range(len(text) + 1):
        position = document.position(offset, encoding)
        assert position == lines.position(offset, encoding)
        assert document.offset(position, encoding) == offset
        assert document.line_of(offset) == position.line
        for end in (offset, offset + 1, offset + 40, len(text)):
            assert document.slice(offset, end) == text[offset:end]
    assert document.offset(Position(lines.line_count, 0), encoding) == len(text)
    assert document.line_count == lines.line_count


def test_an_edit_keeps_the_blocks_it_does_not_touch():
    document = Document.of(SUITE, KEYS)
    at = SUITE.index("id: b") + 5
    edited = document.edited(Edit(Span(at, at), "b"))
    assert edited.text == SUITE[:at] + "b" + SUITE[at:]
    assert [a is b for a, b in zip(document.blocks, edited.blocks, strict=True)] == [True, True, False, True, True]


def test_an_edit_above_the_list_keeps_all_of_its_items():
    document = Document.of("# x\n" + SUITE, KEYS)
    edited = document.edited(Edit(Span(8, 9), "longer"))
    assert [a is b for a, b in zip(document.blocks, edited.blocks, strict=True)] == [False, True, True, True, True]


@settings(max_examples=200)
@given(PARTS, PARTS, st.data())
def test_an_edit_above_the_list_gives_what_cutting_afresh_gives(above, below, data):
    head = f"{above}tests:\n"
    start = data.draw(st.integers(0, len(head)))
    edit = Edit(Span(start, data.draw(st.integers(start, len(head)))), data.draw(PARTS))
    text = f"{head}  - id: a\n{below}"
    assert same(Document.of(text, KEYS).edited(edit), Document.of(apply_edits(text, [edit]), KEYS))


def test_equal_blocks_are_two_blocks():
    text = "tests:\n" + "  - id: a\n" * 3
    document = Document.of(text, KEYS)
    for edited in (
        document.edited(Edit(Span(len(text), len(text)), "  - id: a\n")),
        document.edited(Edit(Span(0, 0), "# x\n")),
    ):
        assert len({id(b) for b in edited.blocks}) == len(edited.blocks)


def same(a: Document, b: Document) -> bool:
    return [(x.key, x.text) for x in a.blocks] == [(x.key, x.text) for x in b.blocks] and a.column == b.column


@settings(max_examples=400)
@given(PARTS, st.data())
def test_editing_gives_what_cutting_afresh_gives(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    edit = Edit(Span(start, end), data.draw(PARTS))
    edited = Document.of(text, KEYS).edited(edit)
    assert same(edited, Document.of(apply_edits(text, [edit]), KEYS))


def test_many_edits_one_after_the_other():
    rng = random.Random(3)
    for _ in range(40):
        text, document = SUITE, Document.of(SUITE, KEYS)
        for _ in range(25):
            edit = random_edit(text, rng)
            text, document = apply_edits(text, [edit]), document.edited(edit)
            assert same(document, Document.of(text, KEYS))
            assert document.text == text
            assert document.line_count == LineIndex(text).line_count


LONG = (
    "name: x\ntests:\n" + "".join(f"  - id: c{n}\n    input: hi\n    critria: x\n" for n in range(40)) + "tags: [x]\n"
)
ROWS = "".join(f'{{"id": "c{n}", "input": "hi", "critria": "x"}}\n' for n in range(40))


@pytest.mark.parametrize(("text", "keys", "kind"), [(LONG, KEYS, Document), (ROWS, frozenset(), LineDocument)])
@pytest.mark.parametrize("most", [0, 1, 20, 300, 301, 1_000, 10**6])
def test_of_a_long_text_the_items_up_to_a_length_are_read(text, keys, kind, most):
    document = kind.of(text, keys, most)
    assert document.text == "".join(block.text for block in document.blocks) == text
    whole = kind.of(text, keys).blocks
    read = [block for block in document.blocks if not isinstance(block, UnreadBlock)]
    assert document.is_whole is (len(text) <= most + len("tags: [x]\n"))
    assert sum(len(block.text) for block in read if block.key) <= most
    items = [block.text for block in read if block.key]
    assert items == [block.text for block in whole if block.key][: len(items)]
    assert [block.text for block in read if not block.key] == [block.text for block in whole if not block.key]


def test_what_is_not_read_is_said_and_nothing_else_changes():
    whole = analyze(LONG, Language()).every
    cut = analyze(LONG, Language(most=500))
    (said,) = (each for each in cut.every if each.code == "too-large")
    assert said.severity == "information"
    assert LONG[said.span.start :].startswith("- id: c")
    assert "rubric check" in said.message
    assert [each for each in cut.every if each is not said] == [
        each for each in whole if each.span.end <= said.span.start
    ]


def test_a_long_text_without_items_is_not_read():
    (said,) = analyze(f"tests: [{'{id: a}, ' * 200}]\n", Language(most=500)).every
    assert (said.code, said.span.start) == ("too-large", 0)


@given(st.randoms(use_true_random=False))
@settings(max_examples=200)
def test_edits_of_a_long_text(draw):
    kind, text, keys = draw.choice([(Document, LONG, KEYS), (LineDocument, ROWS, frozenset())])
    document = kind.of(text, keys, 700)
    for _ in range(5):
        edit = random_edit(document.text, draw)
        after = document.edited(edit)
        assert after.text == "".join(block.text for block in after.blocks) == apply_edits(document.text, [edit])
        document = after
