"""The harness itself: marked and actual findings must be the same, in both directions."""

import pytest
from harness import Mark, Page, after, analysis_of, annotated, check, cursor, files, fixed, marks_of, unmarked

SUITE = """\
tests:
  - id: a
    input: hi
    criteria: x
    wieght: 1
"""
MARKED = SUITE + "#   ^^^^^^ warning[unknown-key]: a case has no key `wieght`\n"


def test_marks_are_no_part_of_the_text():
    text, marks = unmarked(MARKED)
    assert text == SUITE
    assert marks == [Mark(4, 4, 10, "warning", "unknown-key", "a case has no key `wieght`")]
    assert annotated(text, marks) == MARKED


def test_what_is_marked_is_found():
    check(MARKED)
    check(SUITE + "    ^^^^^^ warning[unknown-key]\n")


@pytest.mark.parametrize(
    "text",
    [
        SUITE,
        MARKED.replace("wieght`", "weight`"),
        MARKED.replace("warning", "error"),
        MARKED.replace("unknown-key", "renamed-key"),
        MARKED.replace("#   ^", "#  ^"),
        MARKED.replace("^ warning", " warning"),
        MARKED + "#   ^^^^^^ warning[unknown-key]\n",
        MARKED + "# ^^ note: something\n".replace("^", "~"),
    ],
)
def test_anything_else_fails(text):
    with pytest.raises(AssertionError):
        check(text)


def test_a_mark_in_the_first_column_has_no_hash():
    text = "nmae: x\ntests:\n  - {id: a, input: hi, criteria: x}\n"
    [mark] = marks_of(analysis_of(text))
    assert str(mark).startswith("^^^^ warning[unknown-key]")
    check(annotated(text, [mark]))


def test_the_first_fix_of_everything():
    text = "nmae: x\ntests:\n  - {id: a, input: hi, criteria: x, assertoins: [Greets]}\n"
    assert fixed(text) == "name: x\ntests:\n  - {id: a, input: hi, criteria: x, assertions: [Greets]}\n"
    [first, _] = analysis_of(text).diagnostics
    assert after(text, first.fixes[0]).startswith("name: x\n")


def test_the_cursor():
    assert cursor("a: <|>b") == ("a: b", 3)
    for text in ("a: b", "<|>a<|>"):
        with pytest.raises(AssertionError):
            cursor(text)


def test_several_files_in_one_text():
    assert files("--- a.yaml\nx: 1\n--- b/c.yaml\ny: 2\n") == {"a.yaml": "x: 1\n", "b/c.yaml": "y: 2\n"}
    with pytest.raises(AssertionError):
        files("x: 1\n--- a.yaml\n")


def test_a_first_line_names_another_file():
    assert analysis_of("# .agentv/targets.yaml\ntargets: []\n").kind.value == "a targets file"


def test_pages_are_read_and_written(tmp_path):
    path = tmp_path / "page.md"
    path.write_text(
        "# code\n\nWords.\n\n## Example\n\n```yaml\na: 1\n```\n\n## Fixed\n\n```yaml\n```\n", encoding="utf-8"
    )
    page = Page(path)
    assert (page.title, page.headings) == ("code", ["Example", "Fixed"])
    [example] = page.blocks("Example")
    [fixed_block] = page.blocks("Fixed")
    assert (example.text, fixed_block.text) == ("a: 1\n", "")
    page.rewrite([(example, "b: 2\n"), (fixed_block, "c: 3\n")])
    assert [b.text for b in Page(path).blocks("Fixed")] == ["c: 3\n"]
    assert page.blocks("Nowhere") == []
