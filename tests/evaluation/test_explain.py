"""Every number can be followed, and what would change the verdict is true."""

import json
import sys

import pytest
from judge_server import JudgeServer
from suites import Folder, checks

from rubric_core.evaluation.model.result import Verdict
from rubric_core.evaluation.reporting.explain import explanation
from rubric_core.evaluation.reporting.inline_marks import case_words
from rubric_core.evaluation.reporting.rows import case_row
from rubric_core.evaluation.results.stored_rows import result_in, stored_row
from rubric_core.evaluation.scoring.counterfactual import to_fail, to_flip, to_pass

SUITE = """
tests:
  - id: refund
    criteria: c
    input: hi
    assertions:
      - type: rubrics
        name: quality
        weight: 2.0
        criteria:
          - {id: tone, outcome: T, MINIMUM score_ranges: {0: rude, 3: curt, 7: warm}}
          - {id: facts, outcome: F, score_ranges: {0: wrong, 5: right}}
      - {type: contains, value: WORD, name: keywords}
"""


async def graded(folder: Folder, judge: JudgeServer, tone: int, facts: int, minimum: str = "", word: str = "yes"):
    folder.targets({"name": "default", "provider": "mock", "response": "yes", "grader_target": "judge"}, judge.target())
    judge.replies = [checks(tone=tone, facts=facts)]
    return await folder.one(SUITE.replace("MINIMUM", minimum).replace("WORD", word))


async def test_the_numbers_of_a_result(folder: Folder, judge: JudgeServer) -> None:
    result = await graded(folder, judge, 4, 8, "min_score: 0.6,")
    assert explanation(result) == [
        "✘ refund  failed, 0.73, needs 0.80  (agentv-3)",
        "  ✘ quality                  0.60 × 2 = 1.20   gate: tone fails the case",
        "      ✘ tone                 4/10 → 0.40 × 1  needs 6 ← not met, fails the case  curt",
        "      ✔ facts                8/10 → 0.80 × 1  right",
        "      (0.40·1 + 0.80·1) / 2 = 0.60",
        "  ✔ keywords                 1.00 × 1 = 1.00",
        "  (0.60·2 + 1.00·1) / 3 = 0.73",
        "  criterion tone of quality must be met and is not",
        "  To pass: tone at 6 or more (the score would be 0.80)",
    ]


@pytest.mark.parametrize(
    ("tone", "facts", "minimum", "word", "words"),
    [
        (4, 8, "", "yes", "tone at 6 or more (the score would be 0.80)"),
        (4, 10, "min_score: 0.6,", "yes", "tone at 6 or more (the score would be 0.87)"),
        (7, 7, "", "no", "keywords at 1 (the score would be 0.80)"),
        (
            0,
            0,
            "min_score: 0.6,",
            "no",
            "tone at 10 and facts at 4 or more and keywords at 1 (the score would be 0.80)",
        ),
        (3, 3, "", "yes", "tone at 10 and facts at 4 or more (the score would be 0.80)"),
        (9, 9, "", "yes", ""),
    ],
)
async def test_what_would_make_it_pass(
    folder: Folder, judge: JudgeServer, tone: int, facts: int, minimum: str, word: str, words: str
) -> None:
    result = await graded(folder, judge, tone, facts, minimum, word)
    said = to_pass(result)
    assert said.startswith(words) if words else said == ""
    if "at 6" in words:
        better = await graded(folder, judge, 6, facts, minimum, word)
        assert better.verdict is Verdict.PASSED
        worse = await graded(folder, judge, 5, facts, minimum, word)
        assert worse.verdict is not Verdict.PASSED


PLAIN = """
tests:
  - id: refund
    criteria: c
    input: hi
    assertions:
      - Names the 30 day window
      - {type: rubrics, name: tone, criteria: [{outcome: Is kind, required: true}, {id: own, outcome: Is short}]}
"""


async def test_a_criterion_without_an_id_is_called_by_its_text(folder: Folder, judge: JudgeServer) -> None:
    folder.targets({"name": "default", "provider": "mock", "response": "yes", "grader_target": "judge"}, judge.target())
    judge.replies = [checks(**{"rubric-1": False, "own": True})]
    result = await folder.one(PLAIN)
    text = "\n".join(explanation(result))
    assert '✘ "Is kind"' in text
    assert "✔ own" in text
    assert 'gate: "Is kind" fails the case' in text
    assert 'criterion "Names the 30 day window" of rubrics must be met and is not' in text
    assert to_pass(result) == '"Names the 30 day window" met and "Is kind" met (the score would be 1.00)'
    assert "rubric-1" not in text
    assert 'gate: "Names the 30' in case_words(result)
    row = case_row(result)["evaluators"][1]
    assert row["gate"] == "rubric-1"
    assert row["criteria"][0]["id"] == "rubric-1"
    assert row["criteria"][0]["outcome"] == "Is kind"
    assert result_in(stored_row(result)) == result


@pytest.mark.parametrize(("score", "words"), [(0.62, "tone at 0.80 or more (the score would be 0.80)"), (0.0, "tone at 0.80 or more (the score would be 0.80)")])  # fmt: skip
async def test_the_least_score_that_passes(folder: Folder, judge: JudgeServer, score: float, words: str) -> None:
    folder.targets({"name": "default", "provider": "mock", "response": "yes", "grader_target": "judge"}, judge.target())
    judge.replies = [json.dumps({"score": score, "reasoning": "so so"})]
    suite = "tests:\n  - {id: a, criteria: c, input: hi, assertions: [{type: llm-grader, name: tone, prompt: Is it kind}]}\n"
    assert to_pass(await folder.one(suite)) == words
    judge.replies = [json.dumps({"score": 0.79, "reasoning": "so so"})]
    assert (await folder.one(suite)).verdict is not Verdict.PASSED
    judge.replies = [json.dumps({"score": 0.8, "reasoning": "so so"})]
    better = await folder.one(suite)
    assert better.verdict is Verdict.PASSED
    assert to_fail(better) == "tone at 0.79 or less (the score would be 0.79)"


#: What each kind of evaluator asks for, with what the judge said: the words, a reply with which the case passes, and one with which it does not.
KINDS = {
    "a weighted rubric with a gate": (
        "{type: rubrics, criteria: [{outcome: Is kind, weight: 3}, {id: own, outcome: Has a date, weight: 1, required: true}]}",
        checks(**{"rubric-1": True, "own": False}),
        "own met (the score would be 1.00)",
        checks(**{"rubric-1": True, "own": True}),
        checks(**{"rubric-1": True, "own": False}),
    ),
    "plain strings": (
        "{type: rubrics, criteria: [Is kind, Has a date]}",
        checks(**{"rubric-1": True, "rubric-2": False}),
        '"Has a date" met (the score would be 1.00)',
        checks(**{"rubric-1": True, "rubric-2": True}),
        checks(**{"rubric-1": False, "rubric-2": True}),
    ),
    "score ranges": (
        "{type: rubrics, criteria: [{outcome: Is kind, score_ranges: {0: no, 5: yes}}, {id: own, outcome: F, score_ranges: {0: no, 5: yes}}]}",
        checks(**{"rubric-1": 5, "own": 8}),
        '"Is kind" at 8 or more (the score would be 0.80)',
        checks(**{"rubric-1": 8, "own": 8}),
        checks(**{"rubric-1": 7, "own": 8}),
    ),
    "score ranges of two criteria": (
        "{type: rubrics, criteria: [{outcome: Is kind, min_score: 0.6, score_ranges: {0: no, 5: yes}}, {id: own, outcome: F, min_score: 0.9, score_ranges: {0: no, 5: yes}}]}",
        checks(**{"rubric-1": 2, "own": 3}),
        '"Is kind" at 7 or more and own at 9 or more (the score would be 0.80)',
        checks(**{"rubric-1": 7, "own": 9}),
        checks(**{"rubric-1": 6, "own": 9}),
    ),
    "a composite by weight": (
        ("{name: both, type: composite, aggregator: {type: weighted_average, weights: {tone: 3}}, "
        "assertions: [{type: contains, value: y, name: first}, {type: llm-grader, name: tone, prompt: Is it kind}]}"),
        json.dumps({"score": 0.62, "reasoning": "so so"}),
        "both / tone at 0.74 or more (the score would be 0.80)",
        json.dumps({"score": 0.74, "reasoning": "so so"}),
        json.dumps({"score": 0.73, "reasoning": "so so"}),
    ),
    "a rubric in a composite": (
        ("{name: both, type: composite, aggregator: {type: weighted_average}, "
        "assertions: [{type: contains, value: y, name: first}, {type: rubrics, name: style, criteria: [{outcome: Is kind, score_ranges: {0: no, 5: yes}}]}]}"),
        checks(**{"rubric-1": 2}),
        'both / "Is kind" at 6 or more (the score would be 0.80)',
        checks(**{"rubric-1": 6}),
        checks(**{"rubric-1": 5}),
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
async def test_to_pass_is_the_least_that_passes(folder: Folder, judge: JudgeServer, kind: str) -> None:
    config, reply, words, enough, too_little = KINDS[kind]
    folder.targets({"name": "default", "provider": "mock", "response": "yes", "grader_target": "judge"}, judge.target())
    suite = f"tests:\n  - {{id: a, criteria: c, input: hi, assertions: [{config}]}}\n"
    judge.replies = [reply]
    result = await folder.one(suite)
    assert result.verdict is not Verdict.PASSED
    assert to_pass(result) == words
    judge.replies = [enough]
    assert (await folder.one(suite)).verdict is Verdict.PASSED
    judge.replies = [too_little]
    assert (await folder.one(suite)).verdict is not Verdict.PASSED


async def test_what_a_threshold_of_members_lacks(folder: Folder) -> None:
    folder.mock("a c")
    members = ", ".join(f"{{type: contains, value: {letter}}}" for letter in "axyz")
    result = await folder.one(
        "execution: {threshold: 0.5}\n"
        "tests: [{id: a, criteria: c, input: hi, assertions: [{name: share, type: composite, "
        f"aggregator: {{type: threshold, threshold: 0.1}}, assertions: [{members}]}}]}}]"
    )
    assert to_pass(result) == "share at 0.50 or more (the score would be 0.50)"


async def test_a_negated_threshold_of_members_is_asked_for_as_a_whole(folder: Folder) -> None:
    folder.mock("a b c")
    members = ", ".join(f"{{type: contains, value: {letter}}}" for letter in "abcz")
    result = await folder.one(
        "tests: [{id: a, criteria: c, input: hi, assertions: [{name: share, type: composite, negate: true, "
        f"aggregator: {{type: threshold, threshold: 0.9}}, assertions: [{members}]}}]}}]"
    )
    assert result.score == 0.25
    assert to_pass(result) == "share at 1 (the score would be 1.00)"


async def test_what_has_no_score_has_no_sum(folder: Folder) -> None:
    folder.mock("yes")
    result = await folder.one(SUITE.replace("MINIMUM", "").replace("WORD", "yes"))
    lines = explanation(result)
    assert lines[0] == "○ refund  unscored, no score, needs 0.80  (agentv-3)"
    assert "no score: no judge is configured" in lines[1]
    assert not any(line.startswith("  (") for line in lines)
    assert to_pass(result) == ""


async def test_members_weights_of_0_and_crashes_are_shown(folder: Folder) -> None:
    folder.mock("yes")
    folder.write("check.py", "raise SystemExit('broken')")
    result = await folder.one(
        f"""
        tests:
          - id: a
            criteria: c
            input: hi
            assertions:
              - {{type: contains, value: x, weight: 0, name: aside}}
              - {{type: code-grader, command: [{sys.executable}, check.py], name: program, required: true}}
              - {{name: both, type: composite, assertions: [{{type: contains, value: 'yes', negate: true}}], aggregator: {{type: weighted_average}}}}
        """
    )
    text = "\n".join(explanation(result))
    assert "not part of the mean" in text
    assert "required, needs 0.8" in text
    assert "broken" in text
    assert "negated" in text


@pytest.mark.parametrize(
    ("tone", "facts", "minimum", "words"),
    [
        (9, 9, "", "tone at 4 or less (the score would be 0.77)"),
        (9, 9, "min_score: 0.6,", "tone at 5 or less (the score would be 0.80)"),
        (10, 8, "", "tone at 5 or less (the score would be 0.77)"),
    ],
)
async def test_what_would_make_it_fail(
    folder: Folder, judge: JudgeServer, tone: int, facts: int, minimum: str, words: str
) -> None:
    result = await graded(folder, judge, tone, facts, minimum)
    said = to_fail(result)
    assert explanation(result)[-1] == f"  It would not pass with {said}"
    worse = {"tone": tone, "facts": facts}
    worse[said.split()[0]] = int(said.split()[2])
    changed = await graded(folder, judge, worse["tone"], worse["facts"], minimum)
    assert changed.verdict is not Verdict.PASSED
    assert f"{changed.score:.2f}" in said
    assert said == words


async def test_nothing_is_said_where_no_single_change_would_make_it_fail(folder: Folder) -> None:
    folder.mock("a b c")
    members = ", ".join(f"{{type: contains, value: {letter}}}" for letter in "abc")
    suite = f"execution: {{threshold: LEAST}}\ntests: [{{id: a, criteria: c, input: hi, assertions: [{members}]}}]"
    result = await folder.one(suite.replace("LEAST", "0.6"))
    assert result.verdict is Verdict.PASSED
    assert (to_fail(result), to_flip(result)) == ("", "")
    result = await folder.one(suite.replace("LEAST", "0.7"))
    assert to_fail(result) == "contains-a at 0 (the score would be 0.67)"
    assert to_flip(result) == "It would not pass with contains-a at 0 (the score would be 0.67)"


async def test_the_numbers_of_sets_and_where_the_threshold_is_written(folder: Folder) -> None:
    folder.mock("a c")
    result = await folder.one(
        """
        execution: {threshold: 0.4}
        tests:
          - id: a
            criteria: c
            input: hi
            assertions:
              - name: both
                type: composite
                aggregator: {type: weighted_average, weights: {second: 3}}
                assertions: [{type: contains, value: a, name: first, weight: 9}, {type: contains, value: b, name: second}]
              - name: share
                type: composite
                aggregator: {type: threshold, threshold: 0.5}
                assertions: [{type: contains, value: a}, {type: contains, value: c}, {type: contains, value: d}]
        """
    )
    assert explanation(result) == [
        "✔ a  passed, 0.46, needs 0.40 by `execution` of the suite  (agentv-3)",
        "  ✘ both                     0.25 × 1 = 0.25",
        "      ✔ first                    1.00 × 1 = 1.00",
        "      ✘ second                   0.00 × 3 = 0.00",
        "      (1.00·1 + 0.00·3) / 4 = 0.25",
        "  ✔ share                    0.67 × 1 = 0.67",
        "      ✔ contains-a               1.00 × 1 = 1.00",
        "      ✔ contains-c               1.00 × 1 = 1.00",
        "      ✘ contains-d               0.00 × 1 = 0.00",
        "      2 of 3 members passed = 0.67, needs 0.5",
        "  (0.25·1 + 0.67·1) / 2 = 0.46",
        "  It would not pass with both at 0 (the score would be 0.33)",
    ]


async def test_the_numbers_of_several_runs(folder: Folder) -> None:
    folder.targets({"name": "default", "provider": "cli", "command": "echo {ATTEMPT}"})
    result = await folder.one(
        "execution: {trials: {count: 4, strategy: mean}}\ntests: [{id: a, criteria: c, input: hi, assertions: [{type: regex, value: '[023]'}]}]"
    )
    assert explanation(result)[-2:] == [
        "  flaky: 3 of 4 runs passed, 95 % interval of the rate 0.30–0.95; counted by mean",
        "  scores 1.00, 0.00, 1.00, 1.00, mean 0.75 (95 % interval 0.00–1.00); pass@4 1.00, pass^4 0.00",
    ]
