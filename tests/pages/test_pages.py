"""Every rule and every code of a family has a page, and the page is its test."""

import pytest
from harness import LANGUAGE, UPDATING, Page, after, analysis_of, annotated, check, fixed, marks_of, unmarked

from rubric_core.family import FAMILIES
from rubric_core.validation.codes import family_codes
from rubric_core.validation.rule import Diagnostic, Rule
from rubric_core.validation.rules import all_rules

EVERY: list[Rule[object]] = [*all_rules(), *(each for family in FAMILIES for each in family_codes(family.name))]
FOLDERS = {rule.page.parent for rule in EVERY}
#: What they are about cannot be shown in a page; the tests of the core do it.
SHOWN_ELSEWHERE = {"table-column", "too-large"}
#: Examples whose findings nothing can fix but a person, as code, number of the example and how many findings have no fix. All
#: others are fixed: one whose fix is lost and one that is given a fix are both seen here.
BY_HAND = {
    ("bad-configuration", 1): 1, ("bad-configuration", 2): 1, ("broken-cases", 0): 1, ("broken-cases", 1): 1, ("broken-cases", 2): 1,
    ("broken-template", 2): 3, ("case-entry", 1): 1, ("duplicate-entry", 0): 1, ("empty-file", 0): 1,
    ("environment-sent", 0): 1, ("environment-sent", 1): 1, ("environment-sent", 2): 1, ("environment-sent", 3): 1,
    ("environment-sent", 4): 3, ("environment-sent", 5): 4, ("environment-sent", 6): 2,
    ("environment-sent", 7): 1, ("environment-sent", 8): 1,
    ("foreign-type", 0): 1, ("missing-file", 1): 1, ("missing-file", 2): 1, ("missing-file", 3): 1, ("missing-file", 5): 1, ("no-cases", 2): 1,
    ("not-a-suite", 2): 1, ("old-interpolation", 2): 1, ("outside-file", 0): 1, ("outside-file", 1): 1, ("requires-range", 0): 1,
    ("role-marker", 0): 1, ("run-option", 0): 1, ("script-value", 1): 1, ("suite-version", 1): 1, ("target-circle", 0): 1,
    ("too-few-outputs", 0): 1, ("unrendered-template", 1): 1,
    ("template-variable", 2): 1, ("template-variable", 3): 1, ("unknown-alias", 0): 1, ("unknown-alias", 1): 1,
    ("unknown-template", 1): 3, ("unknown-type", 1): 1, ("vague-criterion", 0): 1, ("wrong-root", 0): 1,
    ("wrong-root", 1): 1, ("wrong-root", 2): 1, ("wrong-type", 3): 1,
    ("promptfoo/bare-case", 0): 1, ("promptfoo/bare-url", 0): 1, ("promptfoo/chat-prompt", 1): 1,
    ("promptfoo/classifier-without-grader", 0): 1, ("promptfoo/code-setting-missing", 0): 2, ("promptfoo/command-line-option", 1): 2,
 ("promptfoo/empty-assertions", 0): 2, ("promptfoo/empty-scenario", 0): 2,
    ("promptfoo/env-value", 0): 2, ("promptfoo/environment-sent", 0): 2, ("promptfoo/environment-sent", 1): 1,
    ("promptfoo/equal-entry", 1): 1, ("promptfoo/file-root", 0): 1, ("promptfoo/file-root", 1): 1,
    ("promptfoo/filter-file", 1): 1, ("promptfoo/filter-range", 1): 2, ("promptfoo/function-as-code", 1): 1, ("promptfoo/grader", 1): 1,
    ("promptfoo/http-request", 1): 1, ("promptfoo/idle-in-set", 0): 1, ("promptfoo/idle-list", 1): 1, ("promptfoo/inline-script", 1): 1,
 ("promptfoo/judge-prompt", 1): 1,
    ("promptfoo/mapping-among-texts", 0): 1, ("promptfoo/metric-names", 0): 1,
    ("promptfoo/missing-providers", 0): 1, ("promptfoo/nested-set", 0): 1, ("promptfoo/no-cases", 0): 1,
    ("promptfoo/no-cases", 1): 1, ("promptfoo/pattern", 1): 2, ("promptfoo/program-function", 1): 1,
    ("promptfoo/provider-environment", 0): 1, ("promptfoo/provider-id", 1): 1, ("promptfoo/provider-names", 0): 2,
    ("promptfoo/provider-setting-missing", 0): 1, ("promptfoo/repeat", 0): 2, ("promptfoo/repeated-assertion", 0): 1,
 ("promptfoo/setting-below-config", 0): 1, ("promptfoo/shown-mapping", 1): 1,
    ("promptfoo/target-without-answer", 0): 1, ("promptfoo/template", 1): 2, ("promptfoo/templated-number", 0): 1,
    ("promptfoo/templated-number", 1): 1, ("promptfoo/too-few-outputs", 0): 1, ("promptfoo/too-few-outputs", 1): 1,
 ("promptfoo/unasserted-case", 0): 1, ("promptfoo/undefined-environment", 0): 1,
    ("promptfoo/undefined-member", 1): 1, ("promptfoo/undefined-variable", 1): 1, ("promptfoo/unknown-metric", 1): 1,
    ("promptfoo/unknown-pointer", 0): 1, ("promptfoo/unknown-pointer", 1): 1,
    ("promptfoo/unrendered-value", 0): 1, ("promptfoo/unworded-rubric", 0): 1,
    ("promptfoo/word-count", 1): 1,
}  # fmt: skip
HEADINGS = ["Example", "Fixed", "When it is right to ignore"]


def by_code(rule: Rule[object]) -> str:
    return rule.code


def own(rule: Rule[object], found: Diagnostic) -> str:
    """The code of a finding as far as a page of `rule` tells it apart: a page of a group is about all of its codes."""
    return found.group if rule.code == rule.group else found.code


@pytest.fixture(params=EVERY, ids=by_code)
def rule(request: pytest.FixtureRequest) -> Rule[object]:
    return request.param


@pytest.fixture
def page(rule: Rule[object]) -> Page:
    assert rule.page.exists(), f"{rule.code} has no page: write {rule.page.name}"
    return Page(rule.page)


@pytest.fixture
def examples(page: Page) -> list[str]:
    """The texts of the failing examples, without their marks."""
    return [unmarked(block.text)[0] for block in page.blocks("Example")]


def update(page: Page) -> None:
    """Write what is found, and what the fixes make of it, into the page."""
    texts = [unmarked(block.text)[0] for block in page.blocks("Example")]
    marked = [(b, annotated(t, marks_of(analysis_of(t)))) for b, t in zip(page.blocks("Example"), texts, strict=True)]
    mended = [
        (block, fixed(text))
        for block, text in zip(page.blocks("Fixed"), texts, strict=True)
        if all(d.fixes for d in analysis_of(text).diagnostics)
    ]
    page.rewrite([*marked, *mended])


def test_every_page_is_of_a_rule():
    assert {p for folder in FOLDERS for p in folder.glob("*.md")} == {r.page for r in EVERY}


def test_the_page_says_what_it_is_about(rule, page):
    assert page.title == rule.code
    assert page.headings == [h for h in HEADINGS if h in page.headings]
    assert page.headings[:2] == HEADINGS[:2]
    prose = page.text.partition("\n")[2].partition("\n## ")[0]
    assert len(prose.split()) >= 25, "say what is wrong, why it matters and what to do"


def test_the_examples_give_exactly_what_is_marked(rule, page):
    blocks = page.blocks("Example")
    if UPDATING:
        update(page)
        blocks = page.blocks("Example")
    if rule.code in SHOWN_ELSEWHERE:
        assert not blocks
        return
    assert blocks
    for block in blocks:
        analysis = check(block.text)
        assert {own(rule, d) for d in analysis.diagnostics} == {rule.code}, "an example shows its own code and no other"
    assert any(d.severity == rule.severity for b in blocks for d in check(b.text).diagnostics)


def test_findings_have_fixes_but_those_that_a_person_mends(rule, examples):
    unfixed = {(rule.code, n): sum(not d.fixes for d in analysis_of(t).diagnostics) for n, t in enumerate(examples)}
    assert {key: amount for key, amount in unfixed.items() if amount} == {
        key: amount for key, amount in BY_HAND.items() if key[0] == rule.code
    }


def test_only_examples_that_exist_are_mended_by_hand():
    assert {code for code, _ in BY_HAND} <= {rule.code for rule in EVERY}


def test_the_first_fixes_give_the_fixed_text(rule, page, examples):
    """An example in which every finding has a fix is fixed by them; the others are mended by hand."""
    if rule.code in SHOWN_ELSEWHERE:
        return
    wanted = page.blocks("Fixed")
    assert len(wanted) == len(examples), "one fixed block for each example"
    for number, (block, text) in enumerate(zip(wanted, examples, strict=True)):
        if (rule.code, number) not in BY_HAND:
            assert fixed(text) == block.text


def test_the_fixed_text_is_clean(page):
    for block in page.blocks("Fixed"):
        check(block.text)
        assert unmarked(block.text)[0] == block.text
        assert not marks_of(analysis_of(block.text))
        assert fixed(block.text) == block.text


def test_every_fix_takes_its_finding_away_and_brings_no_other(rule, examples):
    for text in examples:
        before = analysis_of(text).diagnostics
        for diagnostic in before:
            for fix in diagnostic.fixes:
                left = analysis_of(after(text, fix)).diagnostics
                assert {own(rule, d) for d in left} <= {rule.code}, f"{fix.title!r} brings {[d.message for d in left]}"
                assert len(left) < len(before), f"{fix.title!r} takes nothing away"


def test_no_fix_loses_a_comment(rule, examples):
    if rule.code == "unused-ignore":
        return  # its fixes are there to take comments away
    for text in examples:
        comments = [
            line.partition("#")[2] for line in text.splitlines() if "#" in line and "# rubric: ignore" not in line
        ]
        for fix in (f for d in analysis_of(text).diagnostics for f in d.fixes):
            new = after(text, fix)
            assert all(comment in new for comment in comments), fix.title


def test_everything_that_is_underlined_is_in_the_text(examples):
    for text in examples:
        for diagnostic in analysis_of(text).diagnostics:
            spans = [
                diagnostic.span,
                *(r.span for r in diagnostic.related),
                *(e.span for f in diagnostic.fixes for e in f.edits),
            ]
            assert all(0 <= s.start <= s.end <= len(text) for s in spans)


def test_a_safe_fix_needs_no_more_from_its_author(examples):
    """A fix that leaves a gap to fill (`…`) is not one to make without looking."""
    for fix in (f for t in examples for d in analysis_of(t).diagnostics for f in d.fixes):
        assert not (fix.safe and any("…" in edit.new_text for edit in fix.edits)), fix.title


def test_codes_are_words_with_dashes():
    assert all(r.code.rpartition("/")[2] == r.page.stem.replace("_", "-") for r in EVERY)
    assert [r.code for r in LANGUAGE.rules] == [r.code for r in all_rules()]
