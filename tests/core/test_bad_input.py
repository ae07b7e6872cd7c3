"""Bad input: never an exception, never a hang, always a word about it."""

import pytest
from harness import analysis_of
from waiting import without_hanging

from rubric_core.analysis import Language, analyze
from rubric_core.loading.files import UnreadableError, decoded
from rubric_core.syntax.blocks import Document
from rubric_core.syntax.case_items import ROOT_LIST
from rubric_core.syntax.parse import LARGEST, parse
from rubric_core.syntax.tree_builder import DEEPEST
from rubric_core.text import Edit, Span

CASE = "  - {id: a, input: hi, criteria: x}\n"


def said(text: str) -> list[tuple[str, str]]:
    """Codes and messages, in the order of the text, found without hanging."""
    with without_hanging():
        analysis = analysis_of(text)
    return [(d.code, d.message) for d in analysis.diagnostics]


@pytest.mark.parametrize("text", ["", " \n\n", "\ufeff", "\r\n"])
def test_an_empty_file(text):
    assert said(text) == [("not-a-suite", "this file is empty; a suite has its cases under `tests:`")]


@pytest.mark.parametrize("text", ["# only a comment\n", "---\n", "--- # nothing\n...\n", "null\n", "~\n"])
def test_a_file_with_nothing_in_it(text):
    assert said(text) == [("not-a-suite", "this file is empty; a suite has its cases under `tests:`")]


def test_zero_bytes_in_the_text():
    found = said(f"tests:\n{CASE}  - {{id: b, input: \x00\x01, criteria: x}}\n")
    assert [code for code, _ in found] == ["syntax-error"] * 2
    assert found[0][1].startswith("the character U+0000 is not allowed in YAML")


def test_a_binary_file():
    text = bytes(range(256)).decode("latin-1") * 40
    found = said(text)
    assert found
    assert len(found) < 60
    assert {code for code, _ in found} <= {"syntax-error", "not-a-suite"}


def test_a_byte_order_mark_changes_nothing():
    assert said(f"\ufefftests:\n{CASE}") == []
    analysis = analysis_of("\ufefftests:\n  - {id: a, input: hi, criteria: x, wieght: 1}\n")
    [found] = analysis.diagnostics
    assert analysis.document.text[slice(*found.span)] == "wieght"


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_every_line_break(newline):
    text = "tests:\n  - id: a\n    input: hi\n    # note\n    criteria: x\n    wieght: 1\n".replace("\n", newline)
    analysis = analysis_of(text)
    [found] = analysis.diagnostics
    assert (analysis.document.position(found.span.start), text[slice(*found.span)]) == ((5, 4), "wieght")


@pytest.mark.parametrize("char", ["\u2028", "\u2029", "\x85", "\x0c", "\x0b"])
def test_characters_that_only_look_like_line_breaks(char):
    text = f"tests:\n  - id: a\n    input: 'one{char}two'\n    criteria: x\n    wieght: 1\n"
    analysis = analysis_of(text)
    [found] = analysis.diagnostics
    assert analysis.document.position(found.span.start) == (4, 4)
    assert analysis.cases[0].case.input == f"one{char}two"


def test_tabs_everywhere():
    found = said("tests:\n\t- id: a\n\t  input: hi\n\t  criteria: x\n\t- id: b\n\t  input: hi\n\t  criteria: x\n")
    assert found == [("syntax-error", "a tab cannot indent YAML; use spaces")]


def test_tabs_that_are_fine():
    assert said("tests:\n  - id:\ta\n    input: hi\t# note\n    criteria: |\n      a\tb\n      \tindented\n") == []


def test_a_bomb_of_entities():
    lines = ["a: &a [lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]" for a, b in zip("abcdefgh", "bcdefghi", strict=True)]
    found = said("\n".join(lines) + f"\ntests:\n{CASE}")
    assert {code for code, _ in found} == {"unknown-key"}


@pytest.mark.parametrize("opener", ["[", "{a: ", "- ", "a:\n"])
def test_ten_thousand_levels(opener):
    text = "".join(" " * n + opener for n in range(2_000)) if opener == "a:\n" else opener * 10_000
    found = said(f"tests:\n{CASE}deep: {text}")
    assert 1 <= len(found) < 40


def test_closed_nesting_is_cut_off():
    found = said(f"tests:\n{CASE}metadata: {{deep: {'[' * 10_000}{']' * 10_000}}}\n")
    assert found == [("syntax-error", "nested deeper than 200 levels; what is inside is not read")]


@pytest.mark.parametrize(
    "deep",
    ["[" * 40_000, "[" * 40_000 + "]" * 40_000, "{a: " * 20_000 + "}" * 20_000, '["]", ' * 20_000, "[\n      " * 9_000],
)
def test_nesting_that_would_take_for_ever_is_left_out(deep: str):
    """libyaml takes longer for each bracket the more are open. The text after it is still checked."""
    found = said(f"tests:\n  - id: a\n    input: hi\n    metadata: {{deep: 1}}\n    criteria: {deep}\n    wieght: 1\n")
    assert ("syntax-error", "nested deeper than 200 levels; what is inside is not read") in found
    assert [code for code, message in found if "wieght" in message] == ["unknown-key"]
    assert len(found) < 5


@pytest.mark.parametrize("line", ["", "  # not yet", "  "])
@pytest.mark.parametrize(
    "text",
    ["tests:\n{}  a: 1\n", "{}a: 1\n", "tests:\n  - id: a\n{}  - x: 1\n", "tests:\n  - id: a\n{}", "---\n{}a: 1"],
)
def test_many_lines_with_nothing_in_them(text, line):
    """A break of two characters that could be read as one or as two would take a day for 40 of them."""
    several = text.format(f"{line}\n" * 400).replace("\n", "\r\n")
    language = Language()
    for keys in (language.item_keys, language.item_keys | {ROOT_LIST}):
        document = Document.of(several, keys)
        assert document.text == several
        place = several.index("a")
        assert document.edited(Edit(Span(place, place), "\r\n")).text == several[:place] + "\r\n" + several[place:]


def test_sixty_megabytes():
    text = "tests:\n" + "  - {id: a, input: hi, criteria: x}\n" * 1_800_000
    assert len(text) > LARGEST
    found = said(text)
    assert [code for code, _ in found] == ["too-large"]
    assert f"{LARGEST:,}" in found[0][1]


def test_one_line_of_a_megabyte():
    assert said("tests:\n  - {id: a, criteria: x, input: '" + "word " * 200_000 + "'}\n") == []


def test_many_errors_are_not_many_seconds():
    text = "tests:\n" + "".join(f"  - id: c{n}\n    input: 'it's\n   criteria x\n" for n in range(300))
    found = said(text)
    assert len(found) < 1_500


@pytest.mark.parametrize(
    ("text", "below"),
    [
        (f"tests:\n{CASE}---\ntests:\n{CASE}", []),
        (
            f"---\ntests:\n{CASE}...\n---\nname: x\n",
            [("missing-key", "a suite needs `tests`: the cases, or a file or folder with them")],
        ),
    ],
)
def test_several_documents(text, below):
    several = "a suite is one document, and a second one starts here"
    assert said(text) == [("several-documents", several), *below]
    assert [e.case.id for e in analysis_of(text).cases] == ["a"]


def test_one_document_with_its_markers():
    assert said(f"%YAML 1.2\n---\ntests:\n{CASE}...\n") == []


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("- id: a\n", "a list"),
        ("just text\n", "a string"),
        ("42\n", "the number 42"),
        ("true\n", "true"),
        ("[a, b]\n", "a list"),
    ],
)
def test_a_file_that_is_no_mapping(text, what):
    assert said(text) == [
        ("not-a-suite", f"this file is {what}; a suite is a mapping that has its cases under `tests:`")
    ]


def test_half_of_a_surrogate_pair():
    assert [code for code, _ in said("tests:\n  - {id: a, input: '\ud800', criteria: x}\n")] == ["syntax-error"]


def test_emoji_count_as_people_see_them():
    text = "tests:\n  - {id: a, input: 😀😀, criteria: x, wieght: 1}\n"
    analysis = analysis_of(text)
    [found] = analysis.diagnostics
    assert text[slice(*found.span)] == "wieght"
    assert (
        analysis.document.position(found.span.start, "utf-16").character
        == analysis.document.position(found.span.start, "utf-32").character + 2
    )


def test_cases_that_are_merged_into_hundreds_of_others() -> None:
    cases = "".join(f"  - &a{n} {{<<: *a{n - 1}, id: c{n}}}\n" for n in range(1, 2_000))
    analysis = analyze(f"# rubric: dialect=agentv-3\ntests:\n  - &a0 {{id: c0, criteria: C, input: I}}\n{cases}")
    assert {each.code for each in analysis.diagnostics} == set()
    assert {entry.case.criteria for entry in analysis.cases} == {"C"}


def test_references_that_lead_through_hundreds_of_others() -> None:
    parts = "".join(f"  - &a{n} {{<<: *a{n - 1}}}\n" for n in range(1, 400))
    text = f"parts:\n  - &a0 {{criteria: C, input: I}}\n{parts}tests:\n  - {{<<: *a399, id: c}}\n"
    told = [each.message for each in analyze(text).diagnostics if each.code == "unknown-alias"]
    assert told[0] == "this leads through 100 nested references; the rest is not read"


def test_a_hundred_thousand_empty_lines() -> None:
    assert analyze("\n" * 100_000).diagnostics


@pytest.mark.parametrize("levels", [DEEPEST, DEEPEST + 1, DEEPEST + 2, DEEPEST + 3])
def test_what_follows_a_list_that_is_nested_too_deeply_is_read(levels):
    tree = parse(f"deep:\n  {'- ' * levels}x\nafter: 1\n")
    assert [entry.name for entry in tree.root.entries] == ["deep", "after"]
    assert [problem.kind for problem in tree.problems] == ["nesting"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\xff\xfea", "suite.yaml: this is UTF-16, not UTF-8; save it as UTF-8"),
        (b"a\nb\xff", "suite.yaml:2: not UTF-8: byte 0xff at offset 3; save it as UTF-8"),
        (b"\0\xff", "suite.yaml:1: not UTF-8: byte 0xff at offset 1; this is a binary file"),
        (
            b"\0",
            "suite.yaml: this is a binary file, or UTF-16 without a byte order mark: byte 0x00 at offset 0",
        ),
    ],
)
def test_what_is_no_text_says_where_and_what_to_do(data, words):
    with pytest.raises(UnreadableError) as raised:
        decoded(data, "suite.yaml")
    assert str(raised.value) == words
