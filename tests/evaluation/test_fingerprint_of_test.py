"""What makes a result one of another test, and what is only another answer to the same one."""

import pytest
from suites import DiskFiles, Folder

from rubric_core.evaluation.cases.target_choice import shared_targets
from rubric_core.evaluation.engine.attempt import requested_fields
from rubric_core.evaluation.engine.comparability import fingerprint_of_test

SUITE = """
input:
  - {role: system, content: Be brief.}
tests:
  - id: refund
    criteria: Explains the refund window
    input:
      - {role: system, content: You work in a shop.}
      - {role: user, content: Can I return this?}
    expected_output: Within 30 days
    assertions:
      - {type: contains, value: refund}
      - {type: llm-judge, prompt: file://judge.md, target: judge}
      - {type: code-grader, command: [python, check.py]}
"""


@pytest.fixture
def shop(folder: Folder) -> Folder:
    folder.targets(
        {"name": "default", "provider": "mock", "response": "x"},
        {"name": "other", "provider": "mock", "response": "y"},
        {"name": "judge", "provider": "openai", "model": "judge-1", "api_key": "${{ KEY }}"},
    )
    folder.write("judge.md", "Judge {{ answer }}")
    folder.write("check.py", "import helper")
    folder.write("helper.py", "")
    return folder


def of(folder: Folder, text: str = SUITE, **options: object) -> str:
    [case] = folder.cases(text, **options)
    files = DiskFiles()
    threshold = requested_fields(case, files)["threshold"]
    return fingerprint_of_test(case, files, shared_targets(case, files), threshold)


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        ("Can I return this?", "Can I keep this?"),
        ("Within 30 days", "Within 14 days"),
        ("value: refund", "value: money"),
        ("Explains the refund window", "Is polite"),
        ("prompt: file://judge.md, ", ""),
        ("target: judge", "target: other"),
    ],
)
def test_question_and_grading_are_the_test(shop, written, instead):
    assert written in SUITE
    assert of(shop, SUITE.replace(written, instead)) != of(shop)


@pytest.mark.parametrize("name", ["judge.md", "check.py", "helper.py"])
def test_files_of_evaluators_are_part_of_it(shop, name):
    before = of(shop)
    shop.write(name, "# something else")
    assert of(shop) != before


def test_the_judge_and_the_threshold_are_part_of_it(shop):
    before = of(shop)
    assert of(shop, threshold=0.5) != before
    shop.targets(
        {"name": "default", "provider": "mock", "response": "x"},
        {"name": "judge", "provider": "openai", "model": "judge-2", "api_key": "${{ KEY }}"},
    )
    assert of(shop) != before


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        ("Be brief.", "Be polite."),
        ("You work in a shop.", "You work in a good shop."),
        ("    criteria", "    metadata: {team: returns}\n    criteria"),
        ("tests:", "execution: {target: other, workers: 2}\ntests:"),
        ("tests:\n", "tests:\n  # a comment\n"),
    ],
)
def test_instructions_targets_and_notes_are_not(shop, written, instead):
    assert written in SUITE
    assert of(shop, SUITE.replace(written, instead, 1)) == of(shop)


def test_another_target_answers_the_same_test(shop):
    before = of(shop)
    assert of(shop, target="other") == before
    shop.targets(
        {"name": "default", "provider": "mock", "response": "better"},
        {"name": "judge", "provider": "openai", "model": "judge-1", "api_key": "${{ KEY }}"},
    )
    assert of(shop) == before


@pytest.mark.parametrize("judges", [("judge", "other"), ("judge", None)])
def test_the_judge_that_the_answering_target_names_is_part_of_it(shop, judges):
    text = SUITE.replace(", target: judge", "")
    found = []
    for judge in judges:
        named = {} if judge is None else {"grader_target": judge}
        shop.targets(
            {"name": "default", "provider": "mock", "response": "x", **named},
            {"name": "other", "provider": "mock", "response": "y"},
            {"name": "judge", "provider": "openai", "model": "judge-1", "api_key": "${{ KEY }}"},
        )
        found.append(of(shop, text))
    assert found[0] != found[1]


def test_a_judge_that_grades_nothing_is_not_part_of_it(shop):
    plain = SUITE.replace("      - {type: llm-judge, prompt: file://judge.md, target: judge}\n", "")
    before = of(shop, plain)
    assert of(shop, plain, grader_target="other") == before
    assert of(shop, grader_target="other") != of(shop)


def test_a_file_that_the_question_takes_in_is_part_of_it(shop):
    asks = SUITE.replace("Can I return this?", "[{type: file, value: order.json}]")
    shop.write("order.json", "{}")
    before = of(shop, asks)
    shop.write("order.json", '{"late": true}')
    assert of(shop, asks) != before


PROMPTS = """
prompts: [file://prompt.txt]
providers: [default]
tests:
  - vars: {question: Can I return this?}
    assert: [{type: contains, value: refund}]
"""


def test_a_prompt_is_what_is_compared_and_its_variables_are_the_test(shop):
    shop.write("prompt.txt", "Answer: {{ question }}")
    before = of(shop, PROMPTS)
    shop.write("prompt.txt", "Answer politely: {{ question }}")
    assert of(shop, PROMPTS) == before
    assert of(shop, PROMPTS.replace("prompt.txt", "second.txt")) == before
    assert of(shop, PROMPTS.replace("return this", "keep this")) != before


async def test_a_result_has_it(shop):
    result = await shop.run(PROMPTS.replace("file://prompt.txt", "'{{ question }}'"))
    assert [each.test_fingerprint for each in result.values()] == [of(shop, PROMPTS)]
