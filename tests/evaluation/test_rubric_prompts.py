"""Prompts of one's own for rubrics, and for the judge of a composite."""

import json

from judge_server import JudgeServer
from suites import Folder, checks

WHOLE = json.dumps({"pass": True, "score": 0.9, "reason": "r"})
SUITE = """
prompts: [hi]
default_test: {{options: {{rubric_prompt: "All of it: {{{{ rubrics }}}} / {{{{ output }}}}"}}}}
tests:
  - id: a
    vars: {{tone: warm}}
    metadata: {{area: sales}}
    assert:
      - {check}
"""


async def said(folder: Folder, judge: JudgeServer, check: str) -> str:
    folder.targets(
        {"name": "default", "provider": "mock", "response": "an answer", "grader_target": "judge"}, judge.target()
    )
    result = await folder.one(SUITE.format(check=check), "agentv-5")
    assert result.score is not None, result.reason
    return str(judge.bodies[0]["messages"][-1]["content"])


async def test_the_prompt_of_an_llm_rubric_is_used(folder: Folder, judge: JudgeServer) -> None:
    folder.write("judge.md", "Is it {{ tone }}? {{ rubric }} | {{ output }} | {{ metadata_json }}")
    judge.replies = [WHOLE]
    prompt = await said(folder, judge, "{type: llm-rubric, value: Is kind, prompt: file://judge.md}")
    assert prompt == 'Is it warm? Is kind | an answer | {"area":"sales"}'


async def test_with_criteria_it_says_where_they_stand(folder: Folder, judge: JudgeServer) -> None:
    judge.replies = [checks(kind=True)]
    prompt = await said(
        folder,
        judge,
        "{type: llm-rubric, value: [{id: kind, outcome: 'Is {{ tone }}'}], prompt: '<{{ rubrics }}> {{ output }}'}",
    )
    assert prompt == "<- kind: Is warm> an answer"


async def test_the_options_bring_a_prompt_for_rubrics_without_one(folder: Folder, judge: JudgeServer) -> None:
    judge.replies = [checks(rubric_1=True)]
    assert await said(folder, judge, "Is kind") == "All of it: - rubric-1: Is kind / an answer"


async def test_a_rubric_of_nothing_is_not_judged(folder: Folder) -> None:
    folder.mock("x")
    result = await folder.one(SUITE.format(check="{type: llm-rubric, metric: n}"), "agentv-5")
    assert "llm-rubric needs a `value` or a `prompt`; agentv skips it (line 9)" in result.reason


async def test_the_judge_of_a_composite_gets_its_prompt_and_nothing_else(folder: Folder, judge: JudgeServer) -> None:
    folder.targets(
        {"name": "default", "provider": "mock", "response": "an answer", "grader_target": "judge"}, judge.target()
    )
    folder.write("decide.md", "Decide by {{EVALUATOR_RESULTS_JSON}} alone.")
    judge.replies = [json.dumps({"score": 0.25, "assertions": []})]
    result = await folder.one(
        """
        tests:
          - id: a
            criteria: c
            input: hi
            assertions:
              - type: composite
                name: both
                assertions: [{name: one, type: contains, value: an}]
                aggregator: {type: llm-grader, prompt: file://decide.md}
        """
    )
    assert result.score == 0.25, result.reason
    asked = judge.bodies[0]["messages"][-1]["content"]
    told = json.loads(asked.removeprefix("Decide by ").removesuffix(" alone."))  # and nothing else
    assert told == {
        "one": {
            "score": 1.0,
            "verdict": "pass",
            "assertions": [{"text": 'contains "an"', "passed": True}],
            "expectedAspectCount": 1,
        }
    }
