"""Anchors, aliases and merge keys: across blocks, in circles, by the thousand."""

import pytest
from harness import LANGUAGE, analysis_of, check
from waiting import without_hanging

from rubric_core.analysis import analyze
from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain_data import plain
from rubric_core.text import Edit, Span

ACROSS = """\
assertions:
  - &tone {name: tone, type: rubrics, criteria: [{id: polite, outcome: Stays polite, required: true}]}
tests:
  - &first
    id: a
    criteria: Greets
    input: Hello
  - <<: *first
    id: b
  - <<: [*first, {input: Bye}]
    id: c
    input: Good evening
    assertions:
      - *tone
      - <<: *tone
        name: tone-again
"""


def test_a_case_takes_over_what_it_does_not_say():
    cases = {e.case.id: e.case for e in analysis_of(ACROSS).cases}
    assert (cases["b"].expected_output, cases["b"].criteria, cases["b"].input) == (None, "Greets", "Hello")
    assert cases["c"].input == "Good evening"
    assert [e.name for e in cases["c"].assertions] == ["tone", "tone-again"]


def test_nothing_is_wrong_with_it():
    check(ACROSS)


def test_what_is_taken_over_is_where_the_reference_stands():
    analysis = analysis_of(ACROSS)
    entry = analysis.case_named("b")
    place = entry.case.places["input"]
    assert place.borrowed
    assert ACROSS[slice(*analysis.span_of(entry, place.value))] == "*first"


def test_a_mistake_behind_an_anchor_is_reported_once():
    check(
        """\
assertions: &shared
  - type: rubrics
    criteria: &criteria
      - {id: a, outcom: Greets}
#               ^^^^^^ warning[unknown-key]: a criterion has no key `outcom`; did you mean `outcome`?
tests:
  - {id: a, input: Hello, assertions: *shared}
  - id: b
    input: Hello
    assertions:
      - {type: rubrics, criteria: *criteria}
"""
    )


def test_a_mistake_that_only_the_reference_makes_is_reported_there():
    check(
        """\
tests:
  - id: a
    input: Hello
    criteria: Greets
    metadata: &pair {id: x, outcom: y}
    assertions:
      - type: rubrics
        criteria:
          - *pair
#           ^^^^^ warning[unknown-key]: a criterion has no key `outcom`; did you mean `outcome`?
"""
    )


def test_an_anchor_counts_from_where_it_is_set():
    check(
        """\
tests:
  - id: a
    input: Hello
    criteria: *greets
#             ^^^^^^^ error[unknown-alias]: no anchor `&greets` is defined before this
  - id: b
    input: Hello
    criteria: &greets Greets
  - id: c
    input: Hello
    criteria: *greets
"""
    )


def test_the_last_anchor_of_a_name_counts():
    analysis = analysis_of(
        "evalcases:\n  - {id: a, input: &x one, expected_outcome: o}\n  - {id: b, input: *x, expected_outcome: o}\n  - {id: c, input: &x two, expected_outcome: o}\n  - {id: d, input: *x, expected_outcome: o}\n"
    )
    assert [e.case.input for e in analysis.cases] == ["one", "one", "two", "two"]


def test_an_alias_that_holds_itself():
    check(
        """\
tests:
  - &me
    id: a
    input: Hello
    criteria: Greets
    <<: *me
#       ^^^ error[unknown-alias]: `&me` contains a reference to itself
"""
    )


def test_editing_an_anchor_changes_what_refers_to_it():
    document = LANGUAGE.document(ACROSS)
    before = analyze(document, LANGUAGE)
    at = ACROSS.index("Hello")
    after = analyze(document.edited(Edit(Span(at, at + 5), "Hi")), LANGUAGE, previous=before)
    assert [e.case.input for e in after.cases] == ["Hi", "Hi", "Good evening"]


def test_taking_an_anchor_away_is_noticed_below():
    document = LANGUAGE.document(ACROSS)
    before = analyze(document, LANGUAGE)
    at = ACROSS.index("&first")
    after = analyze(document.edited(Edit(Span(at, at + 6), "")), LANGUAGE, previous=before)
    assert [d.code for d in after.diagnostics if d.severity == "error"].count("unknown-alias") == 2


@pytest.mark.parametrize("levels", [3, 40])
def test_a_bomb_of_aliases_does_not_go_off(levels):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, levels)]
    text = (
        "\n".join(lines)
        + f"\ntests:\n  - id: a\n    input: hi\n    assertions: *a{levels - 1}\n    metadata: *a{levels - 1}\n"
    )
    with without_hanging():
        analysis = analysis_of(text)
        tree = parse(text)
        plain(tree.root, tree.anchors)
    assert analysis.cases[0].case.id == "a"
    assert len(analysis.diagnostics) < 200


def test_thousands_of_merges():
    head = "tests:\n  - &base {id: a0, criteria: Greets, input: Hello}\n"
    text = head + "".join(f"  - {{<<: *base, id: a{n}}}\n" for n in range(1, 3_000))
    analysis = analysis_of(text)
    assert len(analysis.cases) == 3_000
    assert not analysis.diagnostics


def test_a_chain_of_merges():
    text = "tests:\n  - &m0 {id: a0, criteria: Greets, input: Hello}\n" + "".join(
        f"  - &m{n}\n    <<: *m{n - 1}\n    id: a{n}\n" for n in range(1, 60)
    )
    analysis = analysis_of(text)
    assert {e.case.input for e in analysis.cases} == {"Hello"}
    assert not analysis.diagnostics
