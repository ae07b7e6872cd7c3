"""Mistakes planted into real suites are found on their line, with their code, and little else is said."""

import re
from pathlib import Path

import pytest
from corpus import needs_corpus
from harness import analysis_of
from test_corpus import rubric_suites

from rubric_core.text import LineIndex

HERE = Path(__file__).parent

#: A mistake: its code, what is replaced the first time it occurs, and what it becomes.
PLANTED = [
    ("bands-not-from-zero", r"(?m)^(?P<at> +)0: ", r"\g<at>1: "),
    ("band-bounds", r"(?m)^(?P<at> +)(10|8|7|9): ", r"\g<at>12: "),
    ("band-bounds", r"(?m)^(?P<at> +)0: ", r"\g<at>zero: "),
    ("band-without-text", r"(?m)^(?P<at> +0:) .*$", r"\g<at>"),
    ("bad-weight", r"(?P<at>weight: )\d(\.\d)?", r"\g<at>-1"),
    ("wrong-type", r"(?P<at>weight: )\d(\.\d)?", r"\g<at>heavy"),
    ("unknown-key", r"(?P<at>)weight: ", "wieght: "),
    ("unknown-key", r"(?P<at>)score_ranges:", "scores_ranges:"),
    ("unknown-key", r"(?P<at>)required: ", "requried: "),
    ("wrong-type", r"(?P<at>required: )true", r"\g<at>yes"),
    ("wrong-type", r"(?P<at>- id: )[\w-]+", r"\g<at>42"),
    ("syntax-error", r"(?P<at>  input)(:)", r"\g<at>"),
    ("syntax-error", r"(?P<at>weight):", r"\g<at>"),
    ("syntax-error", r"(?m)^ {4}(?P<at> +- id: )", "\t\\g<at>"),
    ("syntax-error", r"(?P<at>weight: )\d(\.\d)?", r"\g<at>[1"),
]  # fmt: skip


def planted(text: str, pattern: str, replacement: str) -> tuple[str, int] | None:
    """The text with the mistake, and the line on which it is."""
    found = re.search(pattern, text)
    if found is None:
        return None
    new = found.expand(replacement)
    start = (
        found.start("at") if "at" in found.re.groupindex and found["at"] and found["at"] in found[0] else found.start()
    )
    start = max(start, found.start())
    kept = text[found.start() : start]
    return text[: found.start()] + kept + new + text[found.end() :], LineIndex(text).line_of(start)


def lines_of(text: str, dialect: str, code: str) -> list[int]:
    analysis = analysis_of(text, dialect)
    return [analysis.document.position(d.span.start).line for d in analysis.diagnostics if d.code == code]


@pytest.mark.corpus
@needs_corpus
@pytest.mark.parametrize(("code", "pattern", "replacement"), PLANTED, ids=lambda v: str(v)[:24])
def test_a_planted_mistake_is_found_on_its_line(code, pattern, replacement):
    planted_at = 0
    for suite in rubric_suites():
        mistake = planted(suite.text, pattern, replacement)
        if mistake is None:
            continue
        planted_at += 1
        text, line = mistake
        before = analysis_of(suite.text, suite.dialect).diagnostics
        found = [
            d
            for d in analysis_of(text, suite.dialect).diagnostics
            if (d.code, d.message) not in {(b.code, b.message) for b in before}
        ]
        assert line in lines_of(text, suite.dialect, code), (suite.name, line, found)
        assert len(found) <= 3, (suite.name, found)
    assert planted_at


#: The rubric family, written out in both dialects; `>>` marks the line of the mistake.
FAMILY = [
    ("overlapping-bands", "{score_range: [0, 5], %s: bad}", ">> {score_range: [5, 10], %s: good}"),
    ("gapped-bands", ">> {score_range: [0, 3], %s: bad}", "{score_range: [6, 10], %s: good}"),
    ("gapped-bands", "{score_range: [0, 3], %s: bad}", ">> {score_range: [4, 9], %s: good}"),
    ("reversed-band", ">> {score_range: [3, 0], %s: bad}", "{score_range: [4, 10], %s: good}"),
    ("band-bounds", "{score_range: [0, 3], %s: bad}", ">> {score_range: [4, 11], %s: good}"),
    ("band-bounds", ">> {score_range: [0.5, 3], %s: bad}", "{score_range: [4, 10], %s: good}"),
    ("malformed-band", ">> {score_range: 0-3, %s: bad}", "{score_range: [4, 10], %s: good}"),
    ("malformed-band", ">> bad", "{score_range: [4, 10], %s: good}"),
    ("band-without-text", "{score_range: [0, 3], %s: bad}", ">> {score_range: [4, 10], %s: ''}"),
    ("missing-key", "{score_range: [0, 3], %s: bad}", ">> {score_range: [4, 10]}"),
]


@pytest.mark.parametrize("head", ["evalcases", "tests"])
@pytest.mark.parametrize(("code", "first", "second"), FAMILY)
def test_a_mistake_in_bands(head, code, first, second):
    key = "expected_outcome" if head == "evalcases" else "outcome"
    lines = [
        f"{head}:",
        "  - id: a",
        f"    {'expected_outcome' if head == 'evalcases' else 'criteria'}: x",
        "    input: hi",
        "    rubrics:",
        "      - id: c",
        "        score_ranges:",
    ]
    lines += [f"          - {band.replace('%s', key).removeprefix('>> ')}" for band in (first, second)]
    line = len(lines) - (2 if first.startswith(">>") else 1)
    analysis = analysis_of("\n".join(lines))
    assert [(d.code, analysis.document.position(d.span.start).line) for d in analysis.diagnostics] == [(code, line)]


CRITERIA = [
    ("duplicate-criterion-id", "{id: a, T: x, required: true}", ">> {id: a, T: y, required: true}"),
    ("criterion-without-text", "{id: a, T: x, required: true}", ">> {id: b}"),
    ("bad-weight", "{id: a, T: x, required: true}", ">> {id: b, T: y, weight: -2, required: true}"),
    ("bad-weight", "{id: a, T: x, required: true}", ">> {id: b, T: y, weight: 0, required: false}"),
    ("wrong-type", "{id: a, T: x, required: true}", ">> {id: b, T: y, weight: .nope, required: true}"),
    ("wrong-type", "{id: a, T: x, required: true}", ">> {id: b, T: y, required: 'true'}"),
    ("unknown-key", "{id: a, T: x, required: true}", ">> {id: b, T: y, wieght: 2, required: true}"),
    ("duplicate-key", "{id: a, T: x, required: true}", ">> {id: b, T: y, T: z, required: true}"),
    ("wrong-type", "{id: a, T: x, required: true}", ">> 42"),
    ("wrong-type", "{id: a, T: x, required: true}", ">> [x]"),
    ("same-criterion", "{id: a, T: Names it, required: true}", ">> {id: b, T: names it, required: true}"),
]  # fmt: skip


@pytest.mark.parametrize("head", ["evalcases", "tests"])
@pytest.mark.parametrize(("code", "first", "second"), CRITERIA)
def test_a_mistake_in_criteria(head, code, first, second):
    key = "expected_outcome" if head == "evalcases" else "outcome"
    lines = [
        f"{head}:",
        "  - id: a",
        f"    {'expected_outcome' if head == 'evalcases' else 'criteria'}: x",
        "    input: hi",
        "    rubrics:",
    ]
    lines += [f"      - {c.replace('T:', f'{key}:').removeprefix('>> ')}" for c in (first, second)]
    analysis = analysis_of("\n".join(lines))
    assert [(d.code, analysis.document.position(d.span.start).line) for d in analysis.diagnostics] == [(code, 6)]


@pytest.mark.parametrize(("head", "severity"), [("evalcases", "warning"), ("tests", "warning")])
def test_grader_is_named_everywhere(head, severity):
    text = f"grader: llm_judge\n{head}:\n  - id: a\n    grader: llm_judge\n    {'expected_outcome' if head == 'evalcases' else 'criteria'}: x\n    input: hi\n"
    found = [
        (d.code, d.severity, text[slice(*d.span)])
        for d in analysis_of(text, "agentv-1" if head == "evalcases" else "agentv-3").diagnostics
    ]
    assert found == [("renamed-key", severity, "grader")] * 2


#: Gates and operators, where the dialects differ.
GATES = [
    ("evalcases", "gate-out-of-range", "required_min_score: 12"),
    ("evalcases", "gate-out-of-range", "required_min_score: 6.5"),
    ("evalcases", "foreign-key", "min_score: 0.6"),
    ("evalcases", "foreign-key", "operator: contradiction"),
    ("tests", "gate-out-of-range", "min_score: 0"),
    ("tests", "gate-out-of-range", "min_score: 7"),
    ("tests", "wrong-type", "min_score: high"),
    ("tests", "renamed-key", "required_min_score: 6"),
    ("tests", "invalid-value", "operator: contains"),
]


@pytest.mark.parametrize(("head", "code", "entry"), GATES)
def test_a_mistake_in_a_gate(head, code, entry):
    key = "expected_outcome" if head == "evalcases" else "outcome"
    about = "expected_outcome" if head == "evalcases" else "criteria"
    text = f"{head}:\n  - id: a\n    {about}: x\n    input: hi\n    rubrics:\n      - id: c\n        {key}: Greets\n        {entry}\n        score_ranges: {{0: not at all, 6: warmly}}\n"
    analysis = analysis_of(text)
    assert [(d.code, analysis.document.position(d.span.start).line) for d in analysis.diagnostics] == [(code, 7)]


#: What is left of a rubric when nothing in it can be used.
EMPTY = [
    ("evalcases", "rubrics: []", "empty-rubric"),
    ("evalcases", "rubrics:", "wrong-type"),
    ("tests", "assertions: [{type: rubrics, criteria: []}]", "wrong-type"),
    ("tests", "assertions: [{type: rubrics}]", "missing-key"),
    ("tests", "assertions: [{type: rubrics, criteria: [{id: a}]}]", "criterion-without-text"),
    ("tests", "assertions: [{type: rubrics, criteria: ['']}]", "wrong-type"),
    ("tests", "rubrics: [{id: c, score_ranges: []}]", "gapped-bands"),
    ("tests", "rubrics: [{id: c, score_ranges: 5}]", "malformed-band"),
]


@pytest.mark.parametrize(("head", "entry", "code"), EMPTY)
def test_a_rubric_of_which_nothing_is_left(head, entry, code):
    about = "expected_outcome" if head == "evalcases" else "criteria"
    analysis = analysis_of(f"{head}:\n  - id: a\n    {about}: x\n    input: hi\n    {entry}\n")
    assert [(d.code, analysis.document.position(d.span.start).line) for d in analysis.diagnostics] == [(code, 4)]


@pytest.mark.parametrize(
    ("keys", "kinds"),
    [
        ("prompt: Is {{ output }} polite?", ["llm-grader"]),
        ("criteria: [Stays polite]", ["rubrics"]),
        ("budget: 0.1", ["cost"]),
        ("{mode: any_order, minimums: {search: 1}}", ["tool-trajectory"]),
        ("value: refund", ["contains", "icontains", "starts-with", "ends-with"]),
        ("value: [refund, return]", ["contains-any", "contains-all", "icontains-any", "icontains-all"]),
        ("name: quality", ["llm-grader"]),
    ],
)
def test_keys_tell_the_type_that_is_missing(keys, kinds):
    text = f"tests:\n  - id: a\n    input: hi\n    assertions:\n      - {keys}\n"
    (missing,) = analysis_of(text).diagnostics
    assert [f.title for f in missing.fixes] == [f"add `type: {kind}`" for kind in kinds]


@pytest.mark.parametrize(("dialect", "codes"), [("agentv-0.1", []), ("agentv-0.5", ["wrong-root"]), ("agentv-5", [])])
def test_a_bare_list_of_targets_belongs_to_the_first_dialect_and_the_newest(dialect, codes):
    text = "# .agentv/targets.yaml\n- {name: default, provider: mock}\n"
    assert [d.code for d in analysis_of(text, dialect).diagnostics] == codes


@pytest.mark.parametrize(("entry", "safe"), [("{name: n, type: llm_judge}", True), ("{type: is-json}", False)])
def test_a_list_that_was_not_read_is_renamed_by_itself_only_when_it_holds_up(entry, safe):
    text = f"evalcases:\n  - id: a\n    expected_outcome: x\n    input: hi\n    assert:\n      - {entry}\n"
    (renamed,) = analysis_of(text, "agentv-1").diagnostics
    assert [f.safe for f in renamed.fixes] == [safe]
