"""What grades a case that lists no evaluators, and what evaluators without a name are called."""

import json

import pytest
from judge_server import JudgeServer
from suites import Folder, checks, evaluator

from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.result import Verdict
from rubric_core.loading.grading import default_name

PROMPTED = 'prompts: ["{{ question }}"]\n'


def providers(folder: Folder, judge: JudgeServer) -> None:
    target = judge.target("judge")
    config = {name: value for name, value in target.items() if name not in ("name", "provider")}
    entries = [{"id": "mock", "label": "default", "config": {"response": "Hello"}}, {"id": target["provider"], "label": "judge", "config": config}]  # fmt: skip
    folder.write(".agentv/providers.yaml", json.dumps({"providers": entries, "defaults": {"grader": "judge"}}))


async def test_criteria_alone_are_a_checklist_in_agentv_5(folder: Folder, judge: JudgeServer) -> None:
    providers(folder, judge)
    judge.replies = [checks(**{"rubric-1": False})]
    result = await folder.one(
        f"{PROMPTED}tests: [{{id: a, criteria: Greets by name, vars: {{question: Hi}}}}]", "agentv-5"
    )
    (found,) = result.evaluators
    assert (found.name, found.type, found.score, result.verdict) == ("llm-rubric", "llm-rubric", 0, Verdict.FAILED)
    assert [(c.id, c.outcome, c.gate_failed) for c in found.criteria] == [("rubric-1", "Greets by name", True)]


async def test_criteria_alone_are_judged_as_a_whole_before(folder: Folder, judge: JudgeServer) -> None:
    folder.targets({"name": "default", "provider": "mock", "response": "Hello", "grader_target": "judge"}, judge.target("judge"))  # fmt: skip
    judge.replies = ['{"score": 0.75, "assertions": []}']
    result = await folder.one("tests: [{id: a, criteria: Greets by name, input: Hi}]", "agentv-3")
    assert [(e.type, e.score) for e in result.evaluators] == [("llm_judge", 0.75)]


@pytest.mark.parametrize(
    ("suite", "dialect", "words"),
    [
        (f"{PROMPTED}tests: [{{id: a, vars: {{question: Hi}}}}]", "agentv-5", "write `criteria` or `assert`"),
        (f"{PROMPTED}tests: [{{id: a, vars: {{question: Hi}}, assert: []}}]", "agentv-5", "write `criteria` or `assert`"),
        ("tests: [{id: a, input: Hi, assertions: []}]", "agentv-3", "write `criteria` or `assertions`"),
        ("tests: [{id: a, input: Hi}]", "agentv-3", "write `criteria` or `assertions`"),
    ],
)  # fmt: skip
async def test_a_case_with_nothing_to_grade_it_by_is_unscored_and_asks_nobody(
    folder: Folder, judge: JudgeServer, suite: str, dialect: str, words: str
) -> None:
    providers(folder, judge)
    folder.targets(judge.target("default"))
    result = await folder.one(suite, dialect)
    assert (result.verdict, result.score) == (Verdict.UNSCORED, None)
    assert result.reason == f"nothing describes a good answer: {words} (line {1 + suite.count(chr(10))})"
    assert not judge.bodies


class Polite:
    """An evaluator of a user's, which needs no criteria."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def evaluate(self, context: EvaluationContext) -> EvaluationScore:
        return EvaluationScore(score=float("Hello" in context.candidate), expected_aspect_count=1)


@pytest.mark.parametrize(("kind", "more"), [("llm_judge", ""), ("polite", ", evaluator: polite")])
async def test_an_evaluator_of_the_users_may_need_no_criteria(folder: Folder, kind: str, more: str) -> None:
    folder.mock("Hello")
    result = await folder.one(f"tests: [{{id: a, input: Hi{more}}}]", "agentv-3", evaluators={kind: Polite(kind)})
    assert (result.verdict, result.score) == (Verdict.PASSED, 1)


async def test_an_expected_answer_is_enough_to_judge_by(folder: Folder, judge: JudgeServer) -> None:
    providers(folder, judge)
    judge.replies = ['{"pass": true, "score": 0.9, "reason": "same"}']
    result = await folder.one(
        f"{PROMPTED}tests: [{{id: a, vars: {{question: Hi, expected_output: Hello}}}}]", "agentv-5"
    )
    assert [(e.type, e.score) for e in result.evaluators] == [("llm_judge", 0.9)]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("{type: javascript, value: output.length > 3}", "javascript"),
        ("{type: python, value: len(output) > 3}", "python"),
        ("{type: webhook, value: https://example.com}", "webhook"),
        ("{type: similar, value: Hello}", "similar"),
        ("{type: 'trajectory:tool-used', value: search}", "trajectory:tool-used"),
        ("{type: 'trajectory:tool-sequence', value: [a, b]}", "trajectory:tool-sequence"),
        ("{type: 'trajectory:goal-success', value: Finds it}", "trajectory:goal-success"),
        ("{type: llm-rubric, value: Stays polite}", "llm-rubric"),
        ("{type: skill-used, value: deploy}", "skill-used-deploy"),
        ("{type: not-skill-used, value: [a, b]}", "not-skill-used-2"),
        ("{type: contains, value: refund}", "contains-refund"),
        ("{type: icontains-any, value: [a, b]}", "icontains-any-2"),
        (f"{{type: regex, value: {'x' * 40}}}", f"regex-{'x' * 30}"),
        ("{type: is-json}", "is-json"),
        ("{type: python, metric: length, value: len(output) > 3}", "length"),
    ],
)
def test_automatic_names(written: str, name: str) -> None:
    assert default_name(evaluator(written, "agentv-5")) == name


def test_the_automatic_name_of_a_skill_trigger() -> None:
    assert default_name(evaluator("{type: skill-trigger, skill: deploy}", "agentv-3")) == "skill-trigger-deploy"
