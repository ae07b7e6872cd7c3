"""Fixes that are made by hand, on the smallest text: what is offered first, and what it makes of it."""

import pytest
from harness import after, analysis_of

CASE = "tests:\n  - id: a\n    input: hi\n    criteria: Greets\n"
OLD = "evalcases:\n  - id: a\n    input: hi\n    expected_outcome: Greets\n"

#: What is written below a case, and what the first fix of the first finding makes of it.
BELOW = [
    ("assertions: {type: contains, value: hi}", "assertions: [{type: contains, value: hi}]"),
    ("assertions:\n      type: contains\n      value: hi # said", "assertions:\n      - type: contains\n        value: hi # said"),
    ("assertions: [{type: [contains], value: hi}]", "assertions: [{type: contains, value: hi}]"),
    ("assertions: [{type: contians, value: hi}]", "assertions: [{type: contains, value: hi}]"),
    ("assertions: [{type: regx, value: hi}]", "assertions: [{type: regex, value: hi}]"),
    ("assertions: [{type: contains-any, value: []}]", "assertions: [{type: contains-any, value: [refund, return]}]"),
    ("assertions: [{type: regex, value: '(a.b'}]", "assertions: [{type: regex, value: '\\(a\\.b'}]"),
    ("assertions: [{type: cost, budget: -1}]", "assertions: [{type: cost, budget: 1}]"),
    ("depends_on: [nobody]", ""),
    ("rubrics: [{id: c, outcome: Greets, required: true, weight: heavy}]", "rubrics: [{id: c, outcome: Greets, required: true}]"),
    ("rubrics: [{id: c, outcome: Greets, required: always}]", "rubrics: [{id: c, outcome: Greets, required: true}]"),
    ("rubrics: [{id: c, outcome: A, required: true, min_score: 7}]", "rubrics: [{id: c, outcome: A, required: true}]"),
    ("rubrics: [{id: c, score_ranges: {0: bad, 6: good}, min_score: 6}]", "rubrics: [{id: c, score_ranges: {0: bad, 6: good}, min_score: 0.6}]"),
    ("rubrics: [{id: c, score_ranges: {0: bad, 3: worse, 6: Bad.}}]", None),
    ("rubrics: [{id: c, score_ranges: {0: bad, 3: bad, 6: good}}]", "rubrics: [{id: c, score_ranges: {0: bad, 6: good}}]"),
    (
        "rubrics: [{id: c, score_ranges: [{score_range: [0, 4], outcome: bad}, {outcome: good}]}]",
        "rubrics: [{id: c, score_ranges: [{score_range: [0, 4], outcome: bad}, {outcome: good, score_range: [5, 10]}]}]",
    ),
    (
        "rubrics: [{id: c, score_ranges: [{score_range: [0, four], outcome: bad}, {score_range: [5, 10], outcome: good}]}]",
        "rubrics: [{id: c, score_ranges: [{score_range: [0, 4], outcome: bad}, {score_range: [5, 10], outcome: good}]}]",
    ),
    ("rubrics: [Greets, greets.]", "rubrics: [Greets]"),
    ("turns: [{input: hi}]", "mode: conversation\n    turns: [{input: hi}]"),
]  # fmt: skip


@pytest.mark.parametrize(("written", "fixed"), BELOW, ids=[w[:40] for w, _ in BELOW])
def test_below_a_case(written, fixed):
    found = [d for d in analysis_of(f"{CASE}    {written}\n", "agentv-3").diagnostics if d.fixes]
    if fixed is None:
        assert not found
        return
    made = after(f"{CASE}    {written}\n", found[0].fixes[0])
    assert sorted(made.splitlines()) == sorted(f"{CASE}    {fixed}\n".rstrip(" \n").splitlines())


#: What is written below a case, and every fix of its first finding: its title, and what it makes of it.
OFFERED = [
    (
        "rubrics: [{id: c, score_ranges: {0-3: bad, 4-10: good}}]",
        {"write 0 and 4": "rubrics: [{id: c, score_ranges: {0: bad, 4: good}}]"},
    ),
    ("rubrics: [{id: c, score_ranges: [{score_range: 0-3, outcome: bad}, {score_range: 4-10, outcome: good}]}]", {
        "write 0–3 and 4–10": "rubrics: [{id: c, score_ranges: [{score_range: [0, 3], outcome: bad}, {score_range: [4, 10], outcome: good}]}]",
    }),
    (
        "assertions: [{type: tool-trajectory, mode: exact, expected: []}]",
        {"expect a call: …": "assertions: [{type: tool-trajectory, mode: exact, expected: [{tool: search}]}]"},
    ),
    (
        "metadata: {a: !thing x}",
        {"put it in quotes: text, not a tag": 'metadata: {a: "!thing x"}', "remove the tag": "metadata: {a: x}"},
    ),
    ("metadata: {a: !thing &x y}", {"remove the tag": "metadata: {a: &x y}"}),
    ("metadata:\n      a: !thing x\n        y", {"remove the tag": "metadata:\n      a: x\n        y"}),
]  # fmt: skip


@pytest.mark.parametrize(("written", "offered"), OFFERED, ids=[w[:40] for w, _ in OFFERED])
def test_every_fix_of_a_finding(written, offered):
    text = f"{CASE}    {written}\n"
    fixes = analysis_of(text, "agentv-3").diagnostics[0].fixes
    assert {fix.title: after(text, fix) for fix in fixes} == {t: f"{CASE}    {new}\n" for t, new in offered.items()}
    assert not any(fix.safe for fix in fixes)


@pytest.mark.parametrize(
    ("written", "fixed"),
    [
        ("{bad: [0, 3], good: [4, 10]}", "{0: bad, 4: good}"),
        # A map would give 4 to the first band.
        (
            "{bad: [0, 3], good: [5, 10]}",
            "[{score_range: [0, 3], outcome: bad}, {score_range: [5, 10], outcome: good}]",
        ),
    ],
)
def test_texts_over_their_bounds(written, fixed):
    text = f"{CASE}    rubrics: [{{id: c, score_ranges: {written}}}]\n"
    (finding,) = (d for d in analysis_of(text, "agentv-3").diagnostics if d.code == "malformed-band")
    assert [fix.title for fix in finding.fixes] == ["write them as bands"]
    assert after(text, finding.fixes[0]) == f"{CASE}    rubrics: [{{id: c, score_ranges: {fixed}}}]\n"


@pytest.mark.parametrize(
    ("written", "fixed"),
    [
        (
            "rubrics: [{id: c, score_ranges: {0: bad, 6: good}, min_score: 0.6}]",
            "rubrics: [{id: c, score_ranges: {0: bad, 6: good}, required_min_score: 6}]",
        ),
        ("assertions: [Greets warmly]", "rubrics: [Greets warmly]"),
    ],
)
def test_below_a_case_of_an_older_dialect(written, fixed):
    text = f"{OLD}    {written}\n"
    found = next(d for d in analysis_of(text, "agentv-1").diagnostics if d.fixes)
    assert after(text, found.fixes[0]) == f"{OLD}    {fixed}\n"


@pytest.mark.parametrize(
    ("value", "fixed"),
    [("{min: 4, max: 2}", "{min: 2, max: 4}"), ("{min: -1}", "{min: 1}"), ("{}", "{min: 1}")],
)
def test_limits_of_a_check(value, fixed):
    head = 'prompts: ["{{ q }}"]\ntests:\n  - id: a\n    vars: {q: hi}\n    assert:\n      - type: "trajectory:step-count"\n        value: '
    (found,) = [d for d in analysis_of(f"{head}{value}\n", "agentv-5").diagnostics if d.fixes]
    assert after(f"{head}{value}\n", found.fixes[0]) == f"{head}{fixed}\n"


@pytest.mark.parametrize(
    "text", ["tests: []\n", "name: x\n", "{name: x, tests: []}\n", 'prompts: ["{{ q }}"]\ntests:\n']
)
def test_a_first_case_is_asked_and_brings_nothing(text):
    (found,) = analysis_of(text, "agentv-5").diagnostics
    assert not analysis_of(after(text, found.fixes[0]), "agentv-5").diagnostics
