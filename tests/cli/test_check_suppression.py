"""`# rubric: ignore[…]`: what comments cover, and which of them cover nothing."""

import random
from pathlib import Path

import pytest
from command import BROKEN, Run, write
from harness import LANGUAGE, Page, analysis_of, check, fixed, unmarked
from thorough import seeds

from rubric_core.analysis import Analysis, analyze
from rubric_core.text import Edit, Span, apply_edits
from rubric_core.validation.ignore_fixes import Suppressions

HEAD = "tests:\n  - id: refund\n    input: Can I return this?\n    criteria: Names the 30 day window\n    assertions:\n"
BAD = "      - {type: contains, value: 30 days, weight: -1}\n"
#: Gives bad-weight.
SUITE = HEAD + BAD


def found(text: str) -> list[str]:
    analysis = analysis_of(text)
    return [d.code for d in analysis.diagnostics]


def test_the_suite_has_one_finding() -> None:
    assert found(SUITE) == ["bad-weight"]


@pytest.mark.parametrize(
    "text",
    [
        HEAD + BAD[:-1] + "  # rubric: ignore[bad-weight]\n",
        HEAD + BAD[:-1] + "  # rubric: ignore[bad-weight]",
        HEAD + BAD[:-1] + " #rubric:ignore [ bad-weight ]   \n",
        HEAD + BAD[:-1] + "  # rubric: ignore\n",
        HEAD + BAD[:-1] + "  # looks odd # rubric: ignore[bad-weight] because it is # yes\n",
        HEAD + "      # rubric: ignore[bad-weight]\n" + BAD,
        HEAD + "# rubric: ignore[bad-weight]\n" + BAD,
        HEAD + "      # rubric: ignore[bad-weight]\n      # it is subtracted on purpose\n" + BAD,
        SUITE.replace("  - id", "  # rubric: ignore[bad-weight]\n  - id"),
        SUITE.replace("  - id", "  # rubric: ignore\n  # as agreed\n  - id"),
        SUITE.replace("  - id", "  # rubric: ignore[bad-weight]\n  -\n    id"),
        SUITE.replace("  - id", "  # rubric: ignore[bad-weight]\n  - # the first\n\n    # here\n    id"),
        SUITE.replace("tests:", "tests: &all").replace(
            "  - id", "  # rubric: ignore[bad-weight]\n  - # the first\n\n    # here\n    id"
        ),
        "tests: [\n  # rubric: ignore[bad-weight]\n  {id: a, input: x, criteria: y,\n    assertions: [{type: contains, value: z,\n      weight: -1}]},\n]\n",
        "# rubric: ignore-file[bad-weight]\n" + SUITE,
        "\ufeff# rubric: ignore-file[bad-weight]\n" + SUITE,
        "# ours\n\n---\n# rubric: ignore-file\n" + SUITE,
        SUITE.replace("\n", "\r\n").replace("-1}\r\n", "-1}  # rubric: ignore[bad-weight]\r\n"),
    ],
)
def test_what_covers_it(text: str) -> None:
    analysis = analysis_of(text)
    assert [d.message for d in analysis.diagnostics] == []
    assert [d.code for d in analysis.ignored] == ["bad-weight"]


@pytest.mark.parametrize(
    "text",
    [
        # The comment is text: in a block scalar, in quotes, in a plain value.
        SUITE.replace("Can I return this?", "|\n      # rubric: ignore-file[bad-weight]\n      x"),
        SUITE.replace("value: 30 days", 'value: " # rubric: ignore[bad-weight]"'),
        SUITE.replace("value: 30 days", "value: x#rubric:ignore[bad-weight]").replace("[", "(").replace("]", ")"),
        # Another word.
        HEAD + BAD[:-1] + "  # rubric: ignored[bad-weight]\n",
        HEAD + BAD[:-1] + "  # rubric ignore[bad-weight]\n",
    ],
)  # fmt: skip
def test_what_is_no_comment_of_that_kind(text: str) -> None:
    assert found(text) == ["bad-weight"]


@pytest.mark.parametrize(
    ("comment", "words", "written"),
    [
        ("# rubric: ignore[bad-weight", "codes go in brackets: `[bad-weight]`", "# rubric: ignore[bad-weight]"),
        ("# rubric: ignore[bad-wieght see #7", "codes go in brackets: `[bad-weight]`", "# rubric: ignore[bad-weight] see #7"),
        ("# rubric: ignore [bad-weight, cut-text", "codes go in brackets: `[bad-weight, cut-text]`", "# rubric: ignore[bad-weight, cut-text]"),
        ("# rubric: ignore bad-weight, cut-text", "codes go in brackets: `[bad-weight, cut-text]`", "# rubric: ignore[bad-weight, cut-text]"),
        ("# rubric: ignore[", "there is no code between the brackets", None),
        ("# rubric: ignore[all", "there is no code between the brackets", None),
    ],
)  # fmt: skip
def test_a_bracket_that_does_not_close_covers_nothing(comment: str, words: str, written: str | None) -> None:
    line = f"{BAD[:-1]}  {comment}"
    unused, weight = sorted(analysis_of(HEAD + line + "\n").diagnostics, key=lambda d: d.code, reverse=True)
    assert (unused.code, weight.code) == ("unused-ignore", "bad-weight")
    assert unused.message == words
    first = apply_edits(HEAD + line + "\n", unused.fixes[0].edits)
    assert first == HEAD + f"{BAD[:-1]}" + (f"  {written}\n" if written else "\n")


def test_a_line_covers_the_value_that_begins_on_it() -> None:
    text = (
        "name: bad\n" + HEAD.replace("Can I return this?", "|  # rubric: ignore[role-marker]\n      x\n      y") + BAD
    )
    state = analysis_of(text)
    (unused,) = (d for d in state.diagnostics if d.code == "unused-ignore")
    assert text[unused.span.start : unused.span.end] == "role-marker", "the comment behind a block's bar is one"


def test_a_case_in_brackets_is_a_case_too() -> None:
    case = "{id: a, input: x, criteria: Says x, assertions: [{type: contains, value: x, weight: -1}]}"
    assert found(f"tests: [\n  # rubric: ignore[bad-weight]\n  {case}\n]\n") == []
    assert found(f"tests: [\n  # rubric: ignore[bad-weight]\n  {case},\n  {case.replace('id: a', 'id: b')}\n]\n") == [
        "bad-weight"
    ]


def test_one_comment_for_findings_across_cases() -> None:
    text = SUITE.replace("-1", "1") + SUITE[7:].replace("-1", "1")
    assert found(text) == ["duplicate-case-id"]
    lines = text.splitlines(keepends=True)
    again = max(n for n, line in enumerate(lines) if "id: refund" in line)
    lines[again] = "  - id: refund  # rubric: ignore[duplicate-case-id]\n"
    assert found("".join(lines)) == []


def test_unused_ignores_are_reported() -> None:
    check(
        """\
# rubric: ignore-file[gapped-bands]
#                     ^^^^^^^^^^^^ warning[unused-ignore]: there is no `gapped-bands` here to ignore
name: support
# rubric: ignore-file[bad-weight]
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[unused-ignore]: `ignore-file` counts only above the first key
tests:
  # rubric: ignore[bad-weight, unkown-key]
#                              ^^^^^^^^^^ warning[unused-ignore]: there is no code `unkown-key`; did you mean `unknown-key`?
  - id: refund
    input: Can I return this?  # rubric: ignore
#                              ^^^^^^^^^^^^^^^^ warning[unused-ignore]: there is nothing here to ignore
    criteria: Names the 30 day window  # rubric: ignore[]
#                                      ^^^^^^^^^^^^^^^^^^ warning[unused-ignore]: there is no code between the brackets
    assertions:  # rubric: ignore gapped-bands
#                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[unused-ignore]: codes go in brackets: `[gapped-bands]`
      - {type: contains, value: 30 days, weight: -1}
      - {type: contains, value: days}  # rubric: ignore[gapped-bands, bad-weight]
#                                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[unused-ignore]: there is nothing here to ignore
    # rubric: ignore[bad-weight]
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[unused-ignore]: there is nothing below this comment for it to cover
"""
    )


@pytest.mark.parametrize(
    ("listed", "unknown"),
    [
        ("[bad-weight", ["[bad-weight"]),
        ("a[b", ["a[b"]),
        ("a # b", ["a", "#", "b"]),
        ("rubric: ignore", ["rubric:", "ignore"]),
        ("[" * 2_000, ["[" * 2_000]),
    ],
)
def test_whatever_stands_between_brackets_is_a_code(listed: str, unknown: list[str]) -> None:
    """Read as a comment without brackets, it would cover every code."""
    text = HEAD + BAD[:-1] + f"  # rubric: ignore[{listed}]\n"
    analysis = analysis_of(text)
    named = [text[d.span.start : d.span.end] for d in analysis.diagnostics if d.code == "unused-ignore"]
    assert (named, [d.code for d in analysis.ignored]) == (unknown, [])
    assert "bad-weight" in [d.code for d in analysis.diagnostics]


def test_what_is_unused_is_removed_without_a_trace() -> None:
    clean = SUITE.replace("-1", "1")
    text = clean.replace("1}\n", "1}  # rubric: ignore[bad-weight] for now\n").replace(
        "  - id", "  # rubric: ignore\n  - id"
    )
    assert fixed("# rubric: ignore-file[bad-weight]\n" + text) == clean
    assert fixed(clean.replace("1}\n", "1} # rubric: ignore # mine\n")) == clean.replace("1}\n", "1} # mine\n")
    assert fixed(clean.replace("1}\n", "1} # mine # rubric: ignore\n")) == clean.replace("1}\n", "1} # mine\n")


def test_the_nearest_comment_is_the_used_one() -> None:
    text = "# rubric: ignore-file[bad-weight]\n" + HEAD + BAD[:-1] + "  # rubric: ignore[bad-weight]\n"
    analysis = analysis_of(text)
    assert [text[d.span.start : d.span.end] for d in analysis.diagnostics] == ["bad-weight"]
    assert analysis.diagnostics[0].span.start < text.index("tests")


def test_an_ignore_may_be_unused_where_it_says_so() -> None:
    clean = SUITE.replace("-1", "1")
    assert found(clean.replace("1}\n", "1}  # rubric: ignore[bad-weight, unused-ignore]\n")) == []
    assert (
        found("# rubric: ignore-file[unused-ignore]\n" + clean.replace("1}\n", "1}  # rubric: ignore[bad-weight]\n"))
        == []
    )


def test_while_a_case_is_broken_its_ignores_are_left_in_peace() -> None:
    text = (
        HEAD
        + "      - {type: contains, value: 30 days, weight: 1}  # rubric: ignore[bad-weight]\n      - {type: contains, value: [\n"
    )
    assert "syntax-error" in found(text)
    assert "unused-ignore" not in found(text)


def test_no_comment_without_a_code_hides_that_the_text_is_broken() -> None:
    assert "syntax-error" in found("# rubric: ignore-file\n" + HEAD + "      - {type: contains, value: [\n")


def test_a_code_that_the_configuration_turns_off_is_still_in_use(rubric: Run) -> None:
    write(".rubric.toml", 'ignore = ["bad-weight"]\n')
    write("a.eval.yaml", HEAD + BAD[:-1] + "  # rubric: ignore[bad-weight]\n")
    ran = rubric("check")
    assert ran.out.startswith("no findings in 1 suite · 1 ignored by comments · ")


def test_the_summary_counts_what_is_ignored(rubric: Run) -> None:
    write("a.eval.yaml", "# rubric: ignore-file[bad-weight]\n" + BROKEN)
    ran = rubric("check", "--fix")
    assert ran.out.splitlines()[-1].startswith(
        "1 finding fixed in 1 file · no findings in 1 suite · 1 ignored by comments · "
    )


# Incremental.


def same(one: Analysis, other: Analysis) -> bool:
    return (one.diagnostics, one.ignored) == (other.diagnostics, other.ignored)


def test_incremental_equals_fresh_with_comments_that_come_and_go() -> None:
    rng = random.Random(7)
    comments = [
        "  # rubric: ignore[bad-weight]",
        "# rubric: ignore-file[bad-weight]\n",
        "  # rubric: ignore\n",
        " # rubric: ignore[x]",
        "\n",
        "-1",
        "#",
    ]
    text = "name: x\n" + SUITE + "".join(SUITE[7:].replace("refund", f"case-{i}") for i in range(4))
    analysis = analyze(LANGUAGE.document(text), LANGUAGE)
    for _ in seeds(400, few=150):
        start = rng.randrange(len(analysis.document.text) + 1)
        start = rng.choice([start, analysis.document.text.find("\n", start)])
        end = min(len(analysis.document), max(start, 0) + rng.choice([0, 0, 0, 1, 30]))
        edit = Edit(Span(max(start, 0), end), rng.choice([*comments, "", ""]))
        analysis = analyze(analysis.document.edited(edit), LANGUAGE, previous=analysis)
        assert same(analysis, analyze(LANGUAGE.document(analysis.document.text), LANGUAGE))
        if len(analysis.document) < 200:
            analysis = analyze(LANGUAGE.document(text), LANGUAGE, previous=analysis)


# Writing one.

PAGES = sorted(Path(LANGUAGE.rules[0].page).parent.glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_every_finding_of_every_page_can_be_ignored(page: Path) -> None:
    for block in Page(page).blocks("Example"):
        text = unmarked(block.text)[0]
        if page.stem in ("bad_configuration", "syntax_error", "too_large", "unused_ignore"):
            continue
        analysis = analysis_of(text)
        for diagnostic in analysis.diagnostics:
            new = apply_edits(text, [Suppressions(analysis.document).edit(diagnostic)])
            after = analysis_of(new)
            left = [(d.code, d.message) for d in after.diagnostics]
            before = [(d.code, d.message) for d in analysis.diagnostics]
            assert left.count((diagnostic.code, diagnostic.message)) < before.count(
                (diagnostic.code, diagnostic.message)
            ), new
            assert set(left) <= set(before), new


def test_a_second_code_joins_the_first() -> None:
    text = HEAD + "      - {type: contains, vlaue: x, weight: -1}  # rubric: ignore[unknown-key]\n"
    analysis = analysis_of(text)
    (bad,) = (d for d in analysis.diagnostics if d.code == "bad-weight")
    assert apply_edits(text, [Suppressions(analysis.document).edit(bad)]).endswith(
        "# rubric: ignore[unknown-key, bad-weight]\n"
    )


def test_a_comment_stands_where_the_value_begins() -> None:
    text = SUITE.replace("value: 30 days", 'value: "30\n        days"')
    analysis = analysis_of(text)
    (bad,) = analysis.diagnostics
    new = apply_edits(text, [Suppressions(analysis.document).edit(bad)])
    assert found(new) == []
