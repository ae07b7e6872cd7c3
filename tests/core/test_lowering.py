"""From text to shapes: every place for rubrics, every shape of criteria and bands, in both dialects."""

import pytest
from harness import LANGUAGE, analysis_of

from rubric_core.analysis import Analysis
from rubric_core.language.evaluators import Contains, Criterion, Evaluator, LlmJudge, Rubric, Rubrics, ScoreRanges
from rubric_core.language.model import Case, Suite
from rubric_core.loading.grading import default_name, evaluators_of, required


def first_case(text: str) -> Case:
    analysis = analysis_of(text)
    assert not [d for d in analysis.diagnostics if d.severity == "error"], analysis.diagnostics
    return analysis.cases[0].case


def graders(text: str) -> list[Evaluator]:
    """What grades the first case."""
    analysis = analysis_of(text)
    assert isinstance(analysis.suite, Suite)
    return evaluators_of(analysis.suite, analysis.cases[0].case, analysis.dialect)


def names(evaluators: list[Evaluator]) -> list[str]:
    return [default_name(e) for e in evaluators]


def criteria_of(evaluator: object) -> list[tuple[str | None, str | None, float, bool]]:
    dialect = LANGUAGE.dialect("agentv-3")
    found = evaluator.criteria if isinstance(evaluator, Rubric) else evaluator.rubrics
    return [(c.id, c.outcome, c.weight, required(c, dialect)) for c in found]


# Where rubrics may be written


def test_inline_rubrics_come_first():
    text = """\
evalcases:
  - id: a
    expected_outcome: x
    input: hi
    rubrics:
      - Greets
      - {id: tone, expected_outcome: Stays polite, weight: 2, required: true}
    execution:
      evaluators:
        - {name: words, type: code_judge, script: python words.py}
"""
    found = graders(text)
    assert names(found) == ["rubric", "words"]
    assert criteria_of(found[0]) == [(None, "Greets", 1.0, True), ("tone", "Stays polite", 2, True)]


def test_inline_rubrics_have_another_name_later():
    assert names(graders("tests:\n  - id: a\n    criteria: x\n    input: hi\n    rubrics: [Greets]\n")) == ["rubrics"]


@pytest.mark.parametrize(
    ("head", "key", "text_key"),
    [("evalcases", "evaluators", "expected_outcome"), ("tests", "assertions", "outcome")],
)
def test_an_evaluator_of_type_rubric(head, key, text_key):
    text = f"{head}:\n  - id: a\n    {'expected_outcome: x' if head == 'evalcases' else 'criteria: x'}\n    input: hi\n    {key}:\n      - name: q\n        type: rubric\n        rubrics:\n          - {{id: c, {text_key}: Greets, weight: 3}}\n"
    [found] = graders(text)
    assert isinstance(found, Rubric)
    assert criteria_of(found) == [("c", "Greets", 3, False)]


def test_rubrics_with_criteria():
    text = """\
tests:
  - id: a
    input: hi
    assertions:
      - type: rubrics
        weight: 2
        required: true
        min_score: 0.7
        criteria:
          - Names the root cause
          - {id: fix, outcome: Proposes a fix, weight: 2, required: false}
          - id: depth
            outcome: Depth of the analysis
            min_score: 0.6
            score_ranges: {0: none, 3: shallow, 7: solid, 10: expert}
"""
    [found] = graders(text)
    assert isinstance(found, Rubrics)
    assert (found.weight, found.required, found.min_score) == (2, True, 0.7)
    assert criteria_of(found) == [
        (None, "Names the root cause", 1.0, True), ("fix", "Proposes a fix", 2, False), ("depth", "Depth of the analysis", 1.0, False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("head", "key", "kind", "text_key"),
    [("evalcases", "evaluators", "llm_judge", "expected_outcome"), ("tests", "assertions", "llm-grader", "outcome")],
)
def test_rubrics_of_a_judge(head, key, kind, text_key):
    [found] = graders(
        f"{head}:\n  - id: a\n    input: hi\n    {key}:\n      - {{name: j, type: {kind}, rubrics: [{{{text_key}: Greets}}]}}\n"
    )
    assert isinstance(found, LlmJudge)
    assert criteria_of(found) == [(None, "Greets", 1.0, False)]


def test_plain_strings_become_one_rubric_where_the_first_stands():
    text = """\
tests:
  - id: a
    input: hi
    assertions:
      - {type: contains, value: hi}
      - Greets
      - {type: is-json}
      - Stays polite
"""
    found = graders(text)
    assert names(found) == ["contains-hi", "rubrics", "is-json"]
    assert criteria_of(found[1]) == [(None, "Greets", 1.0, True), (None, "Stays polite", 1.0, True)]
    assert found[1].weight == 2.0


def test_strings_of_a_turn():
    case = first_case(
        "tests:\n  - id: a\n    criteria: x\n    input: hi\n    mode: conversation\n    turns:\n      - {input: Hello, assertions: [Greets]}\n      - {input: Bye, expected_output: Bye}\n"
    )
    assert [t.input for t in case.turns] == ["Hello", "Bye"]
    assert isinstance(case.turns[0].assertions[0], Criterion)


def test_members_of_a_composite():
    text = """\
tests:
  - id: a
    input: hi
    assertions:
      - type: composite
        aggregator: {type: weighted_average, weights: {q: 2}}
        assertions:
          - {name: q, type: rubrics, criteria: [Greets]}
          - {name: c, type: contains, value: hi}
"""
    [found] = graders(text)
    assert [type(m) for m in found.assertions] == [Rubrics, Contains]
    assert found.aggregator.weights == {"q": 2}


# Which lists count


def test_a_case_without_a_list_has_the_suite_list():
    text = "execution:\n  evaluators:\n    - {name: s, type: rubric, rubrics: [{id: x, expected_outcome: y}]}\nevalcases:\n  - {id: a, expected_outcome: x, input: hi}\n  - {id: b, expected_outcome: x, input: hi, rubrics: [Greets]}\n  - {id: c, expected_outcome: x, input: hi, evaluators: []}\n"
    analysis = analysis_of(text)
    found = [names(evaluators_of(analysis.suite, e.case, analysis.dialect)) for e in analysis.cases]
    assert found == [["s"], ["rubric", "s"], []]


def test_later_dialects_add_the_suite_list():
    text = "assertions:\n  - {type: latency, threshold: 5}\ntests:\n  - {id: a, input: hi, assertions: [{type: contains, value: x}]}\n  - {id: b, input: hi, criteria: x, execution: {skip_defaults: true}}\n"
    analysis = analysis_of(text)
    found = [names(evaluators_of(analysis.suite, e.case, analysis.dialect)) for e in analysis.cases]
    assert found == [["contains-x", "latency"], []]


def test_assertions_come_before_evaluators():
    assert names(
        graders(
            "tests:\n  - id: a\n    input: hi\n    evaluators: [{type: is-json}]\n    execution: {evaluators: [{type: contains, value: y}]}\n    assertions: [{type: contains, value: x}]\n"
        )
    ) == ["contains-x"]
    assert names(
        graders(
            "evalcases:\n  - id: a\n    expected_outcome: x\n    input: hi\n    evaluators: [{name: low, type: latency, threshold: 1}]\n    execution: {evaluators: [{name: high, type: latency, threshold: 1}]}\n"
        )
    ) == ["high"]


# Fields of a criterion


@pytest.mark.parametrize("name", ["outcome", "expected_outcome", "criteria", "description"])
@pytest.mark.parametrize("head", ["evalcases", "tests"])
def test_the_text_of_a_criterion_has_four_names(head, name):
    case = (
        analysis_of(f"{head}:\n  - id: a\n    input: hi\n    rubrics:\n      - {{id: c, {name}: Greets}}\n")
        .cases[0]
        .case
    )
    assert case.rubrics[0].outcome == "Greets"


@pytest.mark.parametrize(
    ("first", "second", "head", "counts"),
    [
        ("outcome: x", "expected_outcome: y", "evalcases", "y"),
        ("expected_outcome: y", "description: x", "evalcases", "y"),
        ("description: x", "expected_outcome: y", "evalcases", "y"),
        ("criteria: x", "outcome: y", "tests", "y"),
    ],
)
def test_of_two_texts_the_current_name_counts(first, second, head, counts):
    case = (
        analysis_of(f"{head}:\n  - id: a\n    input: hi\n    rubrics:\n      - {{id: c, {first}, {second}}}\n")
        .cases[0]
        .case
    )
    assert case.rubrics[0].outcome == counts


def test_the_long_form_of_messages_wins():
    case = (
        analysis_of(
            "evalcases:\n  - id: a\n    expected_outcome: x\n    input: short\n    input_messages: [{role: user, content: long}]\n"
        )
        .cases[0]
        .case
    )
    assert case.input[0].content == "long"


def test_defaults_of_a_criterion():
    [criterion] = first_case("tests:\n  - id: a\n    input: hi\n    rubrics: [{outcome: Greets}]\n").rubrics
    assert (
        criterion.id,
        criterion.weight,
        criterion.required,
        criterion.min_score,
        criterion.score_ranges,
        criterion.operator,
    ) == (None, 1.0, False, None, None, "correctness")
    assert not criterion.has("weight")


# Bands


def bands(head: str, written: str) -> ScoreRanges:
    text = f"{head}:\n  - id: a\n    input: hi\n    rubrics:\n      - id: c\n        score_ranges: {written}\n"
    found = analysis_of(text).cases[0].case.rubrics[0].score_ranges
    assert isinstance(found, ScoreRanges)
    return found


def test_a_list_of_bands():
    found = bands("tests", "[{score_range: [0, 3], outcome: wrong}, {score_range: [4, 10], outcome: right}]")
    assert found.style == "list"
    assert [(b.low, b.high, b.text) for b in found.bands] == [(0, 3, "wrong"), (4, 10, "right")]


@pytest.mark.parametrize("name", ["expected_outcome", "description"])
def test_older_names_of_the_text_of_a_band(name):
    assert [b.text for b in bands("evalcases", f"[{{score_range: [0, 10], {name}: fine}}]").bands] == ["fine"]


@pytest.mark.parametrize("head", ["evalcases", "tests"])
def test_a_map_of_lowest_scores(head):
    found = bands(head, "{8: right, 0: wrong, 4: partly}")
    assert found.style == "map"
    assert [(b.low, b.high, b.text) for b in found.bands] == [(8, 10, "right"), (0, 3, "wrong"), (4, 7, "partly")]


def test_quoted_keys_of_a_map_count_too():
    assert [(b.low, b.high) for b in bands("tests", "{'0': wrong, '5': right}").bands] == [(0, 4), (5, 10)]


def test_a_band_that_is_broken_has_no_bounds():
    assert [
        (b.low, b.high)
        for b in bands("tests", "[{score_range: [a, 3.5], outcome: x}, {score_range: 3, outcome: x}, x]").bands
    ] == [(None, None)] * 3


def test_bands_are_where_they_are_written():
    text = "tests:\n  - id: a\n    input: hi\n    rubrics:\n      - id: c\n        score_ranges:\n          - score_range: [0, 10]\n            outcome: fine\n"
    analysis = analysis_of(text)
    [entry] = analysis.cases
    [band] = entry.case.rubrics[0].score_ranges.bands
    assert text[slice(*analysis.span_of(entry, band.at("score_range")))] == "[0, 10]"
    assert text[slice(*analysis.span_of(entry, band.at("outcome")))] == "fine"


# Input and output


def analysed(text: str) -> Analysis:
    return analysis_of(text)


def test_messages_and_content_blocks():
    case = first_case(
        "tests:\n  - id: a\n    criteria: x\n    input:\n      - {role: system, content: Be kind}\n      - role: user\n        content:\n          - {type: text, value: Hi}\n          - {type: file, value: a.txt}\n"
    )
    assert [m.role for m in case.input] == ["system", "user"]
    assert [(c.type, c.value) for c in case.input[1].content] == [("text", "Hi"), ("file", "a.txt")]


@pytest.mark.parametrize("written", ["text", "{a: 1}", "[{role: assistant, content: x}]", "[1, 2]"])
def test_an_expected_output_has_many_shapes(written):
    assert first_case(f"tests:\n  - id: a\n    input: hi\n    expected_output: {written}\n").has("expected_output")


@pytest.mark.parametrize("value", ["${{ THRESHOLD }}", "{{ threshold }}", "'{{ env.T }}'"])
def test_values_known_at_run_time_are_left_alone(value):
    quoted = value if value.startswith(("'", "$")) else f"'{value}'"
    text = (
        f"tests:\n  - id: a\n    input: hi\n    assertions:\n      - {{type: contains, value: x, weight: {quoted}}}\n"
    )
    assert not [d for d in analysed(text).diagnostics if d.code == "wrong-type"] or "env." in value


def test_words_that_yaml_1_1_took_for_truth_values_are_text():
    case = first_case(
        "tests:\n  - id: on\n    criteria: No\n    input: yes\n    assertions: [{type: contains, value: off}]\n"
    )
    assert (case.id, case.criteria, case.input, case.assertions[0].value) == ("on", "No", "yes", "off")


def test_a_suite_remembers_where_things_are():
    text = "name: x\ntests:\n  - id: a\n    input: hi\n    criteria: c\ntags: [t]\n"
    analysis = analysed(text)
    assert analysis.suite.tags == ["t"]
    assert text[slice(*analysis.span_of(None, analysis.suite.at("tags")))] == "[t]"
    assert text[slice(*analysis.span_of(analysis.cases[0], analysis.cases[0].case.key_at("criteria")))] == "criteria"
    assert analysis.case_at(text.index("hi")) is analysis.cases[0]
    assert analysis.case_at(0) is None
    assert analysis.case_named("a") is analysis.cases[0]


def test_cases_in_brackets_are_cases():
    analysis = analysed("tests: [{id: a, input: hi, criteria: x}, {id: b, input: hi, criteria: x}]\n")
    assert [e.case.id for e in analysis.cases] == ["a", "b"]
    assert analysis.case_at(analysis.document.text.index("id: b")).case.id == "b"
