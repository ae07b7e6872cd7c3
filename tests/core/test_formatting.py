"""Formatting: what is changed, what stays, and that the meaning is preserved."""

import random
import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

import pytest
from corpus import suites
from harness import LANGUAGE
from test_legal import examples, files
from thorough import sample

from rubric_core.analysis import analyze
from rubric_core.formatting import format_edits, obstacle
from rubric_core.formatting.lines import line_edits
from rubric_core.formatting.meaning import same_trees
from rubric_core.syntax.parse import parse
from rubric_core.syntax.tree import Mapping, Sequence, walk
from rubric_core.text import Edit, LineIndex, Span, apply_edits


def formatted(text: str, within: Span | None = None, step: int = 2) -> str:
    return apply_edits(text, format_edits(analyze(LANGUAGE.document(text), LANGUAGE), within, step=step))


HEAD = "name: a\ntests:\n  - id: a\n    criteria: x\n    input: y\n"


@pytest.mark.parametrize(
    ("about", "before", "after"),
    [
        ("a mapping too far in", "execution:\n     target: x\n     workers: 2\nmetadata:\n  a: 1\n", "execution:\n  target: x\n  workers: 2\nmetadata:\n  a: 1\n"),
        ("a file with another step keeps it", "execution:\n    cache:\n        path: x\nmetadata:\n  a: 1\n", "execution:\n    cache:\n        path: x\nmetadata:\n    a: 1\n"),
        ("a list that is nowhere", f"{HEAD}    assertions:\n         - one\n         - two\n", f"{HEAD}    assertions:\n      - one\n      - two\n"),
        ("lists stand where they stand", f"{HEAD}    assertions:\n    - one\n    tags:\n      - two\n", f"{HEAD}    assertions:\n    - one\n    tags:\n      - two\n"),
        ("cases too far in", "tests:\n     - id: a\n       input: y\n\n     # next\n     - id: b\n", "tests:\n  - id: a\n    input: y\n\n  # next\n  - id: b\n"),
        ("blanks behind a dash", "tests:\n  -   id: a\n      input: x\n  - id: b\n    input: y\n  - id: c\n", "tests:\n  - id: a\n    input: x\n  - id: b\n    input: y\n  - id: c\n"),
        ("blanks around a colon", "name :  a\ndescription:\tb\n", "name: a\ndescription: b\n"),
        ("values in a column stay", "score_ranges:\n  0:  poor\n  10: good\n", "score_ranges:\n  0:  poor\n  10: good\n"),
        ("brackets", "tags: [a,b , c]\nx: {a: 1,b : 2}\n", "tags: [a, b, c]\nx: {a: 1, b: 2}\n"),
        ("what stands in columns in brackets stays", "x: [{a: 1,   b: 2}, {a: 10,  b: 3}]\n", "x: [{a: 1,   b: 2}, {a: 10,  b: 3}]\n"),
        ("ends of lines", "name: a  \n# note \n   \ndescription: b\n", "name: a\n# note\n\ndescription: b\n"),
        ("one line break at the end", "name: a\n\n\n", "name: a\n"),
        ("a line break at the end", "name: a", "name: a\n"),
        ("blanks in the place of a line break at the end", "name: a  ", "name: a\n"),
        ("the text of a block keeps its blanks", "input: |\n  a  \n   b\n\n  c\n", "input: |\n  a  \n   b\n\n  c\n"),
        ("the text of a block moves along", "metadata:\n     a: |\n       x\n         y\n\n       z\n     b: 1\nexecution:\n  c: 1\nother:\n  d: 1\n", "metadata:\n  a: |\n    x\n      y\n\n    z\n  b: 1\nexecution:\n  c: 1\nother:\n  d: 1\n"),
        ("a text that says how far it is in", "metadata:\n     a: |2\n         x\n     b: 1\nexecution:\n  c: 1\nother:\n  d: 1\n", "metadata:\n  a: |2\n      x\n  b: 1\nexecution:\n  c: 1\nother:\n  d: 1\n"),
        ("the end of a text without a line break", "input: |\n  a", "input: |\n  a"),
        ("a text over several lines", "metadata:\n     a: one\n       two\n     b: 'one\n\n       two '\nexecution:\n  c: 1\nother:\n  d: 1\n", "metadata:\n  a: one\n    two\n  b: 'one\n\n    two '\nexecution:\n  c: 1\nother:\n  d: 1\n"),
        ("comments stand by what they are about", "execution:\n     # where\n     target: x # there\n     workers: 2\n# end\nmetadata:\n  a: 1\n", "execution:\n  # where\n  target: x # there\n  workers: 2\n# end\nmetadata:\n  a: 1\n"),
        ("anchors and tags", "x: &a\n     b: 1\ny:\n  c: !!str   2\n  <<: *a\nz:\n  d: 1\n", "x: &a\n  b: 1\ny:\n  c: !!str   2\n  <<: *a\nz:\n  d: 1\n"),
        ("CRLF", "name :  a\r\nexecution:\r\n     target: x \r\nmetadata:\r\n  a: 1\r\nother:\r\n  b: 1", "name: a\r\nexecution:\r\n  target: x\r\nmetadata:\r\n  a: 1\r\nother:\r\n  b: 1\r\n"),
        ("a mark in front of everything", "\ufeffname:  a\n", "\ufeffname: a\n"),
        ("keys behind a question mark are left alone", "? name\n:   a\nx:  1\n", "? name\n:   a\nx: 1\n"),
        ("quotes and blank lines stay", "name: 'a'\n\n\nx: \"b\"\n", "name: 'a'\n\n\nx: \"b\"\n"),
    ],
)  # fmt: skip
def test_what_is_put_in_order(about: str, before: str, after: str) -> None:
    assert formatted(before) == after, about
    assert formatted(after) == after, about


def test_the_step_of_a_text_that_has_none() -> None:
    assert formatted("execution:\n   target: x\n", step=4) == "execution:\n    target: x\n"
    assert formatted("a: {b:  1}\n", step=4) == "a: {b:  1}\n"


@pytest.mark.parametrize(
    ("about", "text", "line", "message"),
    [
        ("an open quote in one case", 'tests:\n  - id:  a\n    input: "x\n  - id:  b\n    input: y\n', 2, "this quote is never closed"),
        ("above the cases", "execution: {a:  1\ntests:\n  - id:  a\n", 0, "this bracket is never closed"),
        ("a second document", "name:  a\n---\nname:  b\n", 1, "a second document starts here"),
    ],
)  # fmt: skip
def test_a_text_that_cannot_be_read_stays_as_it_is(about: str, text: str, line: int, message: str) -> None:
    analysis = analyze(LANGUAGE.document(text), LANGUAGE)
    found = obstacle(analysis)
    assert found is not None, about
    assert (analysis.document.position(found.span.start).line, found.message) == (line, message)
    assert formatted(text) == text
    assert formatted(text, Span(0, len(text))) == text


def test_only_a_stretch() -> None:
    text = "name:  a\ndescription:  b\nversion:  1\n"
    assert formatted(text, Span(10, 12)) == "name:  a\ndescription: b\nversion:  1\n"
    assert formatted(text, Span(9, 9)) == "name:  a\ndescription: b\nversion:  1\n"
    assert formatted(text, Span(0, 9)) == "name: a\ndescription:  b\nversion:  1\n", "a selection of whole lines"


def test_any_stretch_of_real_texts_changes_no_other_line_and_no_meaning() -> None:
    rng = random.Random(7)
    changed = 0
    for text in rng.sample(everything(), 60):
        messy = untidy(text, rng)
        lines = messy.split("\n")
        first, last = sorted((rng.randrange(len(lines)), rng.randrange(len(lines))))
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line) + 1)
        before = parse(messy)
        if before.problems:
            continue
        after = formatted(messy, Span(starts[first], starts[last] + len(lines[last])))
        changed += after != messy
        assert same_trees(before, parse(after)), (first, last, messy)
        assert after.split("\n")[:first] == lines[:first], (first, last, messy)
        # An end without a line break, or with too many, belongs to the last line.
        if lines[last + 1 :] and "\n".join(lines[last + 1 :]).strip():
            assert after.split("\n")[last + 1 :] == lines[last + 1 :], (first, last, messy)
    assert changed > 15


def test_half_of_a_block_is_not_moved() -> None:
    text = "metadata:\n  a: 1\nexecution:\n     target:   x\n     workers: 2\nother:\n  b: 1\n"
    assert formatted(text, Span(text.index("target"), text.index("target"))) == text.replace("target:   x", "target: x")


@pytest.mark.parametrize("name", ["p.md", "dataset.jsonl"])
def test_texts_that_are_no_yaml(name: str) -> None:
    text = '{"id":  "a"}\n'
    assert format_edits(analyze(LANGUAGE.document(text, PurePath(name)), LANGUAGE, path=PurePath(name))) == []


def test_cases_move_together_or_not_at_all() -> None:
    text = f"{HEAD}".replace("  - id", "   - id").replace("    ", "     ") + "   - ? id\n     : b\n"
    assert formatted(text) == text


def untidy(text: str, rng: random.Random) -> str:
    """The same with blanks where nobody wants them."""
    tree = parse(text)
    index = LineIndex(text)
    blocks = [
        n
        for n in walk(tree.root)
        if isinstance(n, Mapping | Sequence) and not n.flow and index.position(n.whole.start)[1]
    ]
    chosen = [
        n
        for n in rng.sample(blocks, min(2, len(blocks)))
        if not text[index.line_start(index.line_of(n.whole.start)) : n.whole.start].strip()
    ]
    lines = text.split("\n")
    for node in chosen:
        by = rng.randint(1, 3)
        for number in range(index.line_of(node.whole.start), index.line_of(node.whole.end - 1) + 1):
            lines[number] = (" " * by + lines[number]) if lines[number].strip() else lines[number]
    for number in rng.sample(range(len(lines)), min(3, len(lines))):
        lines[number] = re.sub(r"^( *(?:- )?\w+:) (?=\w)", r"\1   ", lines[number])
        lines[number] += rng.choice(("", "", "  "))
    return "\n".join(lines)


def legal_texts() -> list[str]:
    return [t for _, page in examples() for name, t in files(page).items() if name.endswith((".yaml", ".yml"))]


def everything() -> list[str]:
    return [*legal_texts(), *(s.text for s in suites())]


@pytest.mark.parametrize("breaks", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_real_and_unusual_texts_mean_the_same(breaks: str) -> None:
    rng = random.Random(breaks)
    tried = changed = 0
    for text in sample(everything(), 16):
        for messy in (text, untidy(text, rng)):
            written = messy.replace("\r\n", "\n").replace("\n", breaks)
            after = formatted(written)
            before = parse(written)
            if before.problems:
                continue
            tried += 1
            changed += after != written
            assert same_trees(before, parse(after)), written
            assert "".join(after.split()) == "".join(written.split()), written
            assert formatted(after) == after, written
    assert changed > tried / 10


def test_what_was_made_untidy_is_tidy_again() -> None:
    rng = random.Random(5)
    again = tried = 0
    # All of them: a sample is too small for a share.
    for text in (*sample(legal_texts(), 3), *(each.text for each in suites())):
        tidy = formatted(text)
        messy = untidy(tidy, rng)
        if messy != tidy and same_trees(parse(tidy), parse(messy)) and not parse(tidy).problems:
            tried += 1
            again += formatted(messy) == tidy
    # Where the block that was moved is all that tells the style of a text, it stays.
    assert again > 0.8 * tried, f"{again} of {tried}"


def test_only_what_changed_is_put_in_order_again(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "tests:\n" + "".join(f"  - id: c{n}\n    input:  hi\n    criteria: x\n" for n in range(100))
    planned: list[str] = []

    def counted(piece: str, *arguments: Any) -> Iterator[Edit]:
        planned.append(piece)
        return line_edits(piece, *arguments)

    monkeypatch.setattr("rubric_core.formatting.format.line_edits", counted)
    analysis = analyze(text, LANGUAGE)
    assert len(format_edits(analysis)) == 100
    assert len(planned) > 100
    planned.clear()
    place = text.index("hi", text.index("id: c50"))
    edited = analysis.revised([Edit(Span(place, place), " ")])
    fresh = analyze(edited.document.text, LANGUAGE)
    assert format_edits(edited) == format_edits(fresh)
    assert len([piece for piece in planned if "c50" in piece]) == 2
    planned.clear()
    assert format_edits(edited) == format_edits(fresh)
    assert planned == []
    again = analysis.revised([Edit(Span(place, place), "  ")])
    assert format_edits(again) != format_edits(edited)
    assert len(planned) == 1


def test_what_is_kept_of_a_piece_goes_with_the_style_of_the_file() -> None:
    """An edit far away changes the step of the whole file."""
    cases = "".join(f"  - id: c{n}\n    input: hi\n    metadata:\n        a: 1\n" for n in range(3))
    text = f"name: s\ntests:\n{cases}"
    analysis = analyze(text, LANGUAGE)
    before = format_edits(analysis)
    more = "".join(f"  - id: d{n}\n    input: hi\n    metadata:\n      a: 1\n" for n in range(9))
    edited = analysis.revised([Edit(Span(len(text), len(text)), more)])
    assert format_edits(edited) == format_edits(analyze(edited.document.text, LANGUAGE))
    assert format_edits(edited) != before
