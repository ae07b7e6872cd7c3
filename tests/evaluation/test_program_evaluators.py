"""Code, addresses and embeddings that grade: what they may say, and what goes wrong."""

import json
from typing import Any

import pytest
from judge_server import Fault, JudgeServer
from suites import Folder, context, evaluator

from rubric_core.adapters import system_ports
from rubric_core.evaluation.engine.grade import run_evaluators_for_case
from rubric_core.evaluation.engine.registry import build_evaluator_registry
from rubric_core.evaluation.model.result import EvaluatorResult, Verdict


async def graded(folder: Folder, yaml: str, answer: str = "an answer", **options: Any) -> EvaluatorResult:
    config = evaluator(yaml, "agentv-5")
    async with system_ports() as ports:
        told = context(config, answer, ports, "agentv-5", directory=folder.path, **options)
        return (await run_evaluators_for_case(told, build_evaluator_registry(), [config])).results[0]


@pytest.mark.parametrize(
    ("name", "code", "value"),
    [
        ("check.mjs", "export default (output, context) => output === 'an answer' && !!context.criteria", "file://check.mjs"),
        ("check.cjs", "module.exports = async output => ({pass: true, score: 0.5, reason: 'half'})", "file://check.cjs"),
        ("check.mjs", "console.log('noise'); export const other = () => 1", "file://check.mjs:other"),
        ("check.py", "def get_assert(output, context): return output == 'an answer'", "file://check.py"),
        ("check.py", "print('noise')\nasync def other(output, context): return 1", "file://check.py:other"),
    ],
)  # fmt: skip
async def test_code_in_a_file(folder: Folder, name: str, code: str, value: str) -> None:
    folder.write(name, code)
    result = await graded(folder, f"{{type: {'python' if name.endswith('.py') else 'javascript'}, value: '{value}'}}")
    assert result.verdict is Verdict.PASSED, result
    assert result.score == (0.5 if "half" in code else 1)


@pytest.mark.parametrize(
    ("yaml", "words"),
    [
        ("{type: javascript, value: nowhere.x}", "the javascript code failed: ReferenceError: nowhere is not defined"),
        ("{type: javascript, value: '({})'}", "neither true nor false"),
        ("{type: javascript, value: 'file://gone.js'}", "the file gone.js is not there"),
        ("{type: python, value: 1 / 0}", "the python code failed: ZeroDivisionError: division by zero"),
        ("{type: python, value: 'None'}", "neither true nor false"),
        ("{type: python, value: 'while True: pass'}", "the python code: stopped: it took longer than 0.3 s"),
        ("{type: python, value: 'file://check.txt'}", "names no JavaScript or Python file"),
    ],
)
async def test_code_that_fails_has_no_score(folder: Folder, yaml: str, words: str) -> None:
    limit = 0.3 if "while" in yaml else 30
    result = await graded(folder, yaml, time_limit=limit)
    assert result.verdict is Verdict.UNSCORED
    assert words in result.reason, result.reason


async def test_a_number_outside_of_0_and_1_is_kept_within_and_said(folder: Folder) -> None:
    result = await graded(folder, "{type: python, value: len(output), threshold: 0.9}")
    assert (result.score, result.verdict, result.details) == (1, Verdict.PASSED, {"score_given": 9})


def hook(judge: JudgeServer, **more: Any) -> str:
    return json.dumps({"type": "webhook", "value": judge.url, **more})


async def test_a_webhook_grades(folder: Folder, judge: JudgeServer) -> None:
    judge.replies = [Fault(body=b'{"pass": true, "score": 0.6, "reason": "fine"}')]
    result = await graded(folder, hook(judge))
    assert (result.score, result.verdict, result.reasoning) == (0.6, Verdict.PASSED, "fine")
    assert judge.bodies[0]["output"] == "an answer"
    assert judge.bodies[0]["context"]["criteria"] == "Be good"
    assert (await graded(folder, hook(judge, threshold=0.7))).verdict is Verdict.FAILED


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault(status=500), "the webhook replied 500"),
        (Fault(status=400, body=b'{"score": 1}'), "the webhook replied 400"),
        (Fault(body=b"<html>"), "the webhook's reply is not JSON: '<html>'"),
        (Fault(body=b"{}"), "nor has `pass` or `score`"),
        (Fault(hang_up=True), "the webhook: "),
    ],
)
async def test_a_webhook_that_fails(folder: Folder, judge: JudgeServer, fault: Fault, words: str) -> None:
    judge.replies = [fault]
    result = await graded(folder, hook(judge))
    assert result.verdict is Verdict.UNSCORED
    assert words in result.reason, result.reason


def alike(judge: JudgeServer, **more: Any) -> str:
    settings = {"model": "e-1", "base_url": judge.url, "api_key": "sk-secret"}
    return json.dumps({"type": "similar", "value": "30 days", "config": {"embedding_provider": settings}, **more})


@pytest.mark.parametrize(
    ("vectors", "threshold", "score", "verdict"),
    [
        ([[1, 0], [4, 3]], None, 0.8, Verdict.PASSED),
        ([[1, 0], [4, 3]], 0.81, 0.8, Verdict.FAILED),
        ([[1, 0], [-1, 0]], None, 0, Verdict.FAILED),
        ([[0, 0], [1, 0]], None, 0, Verdict.FAILED),
    ],
)
async def test_similar_is_the_cosine(
    folder: Folder, judge: JudgeServer, vectors: Any, threshold: float | None, score: float, verdict: Verdict
) -> None:
    judge.replies = [Fault(body=json.dumps({"data": [{"embedding": v} for v in vectors]}).encode())]
    result = await graded(folder, alike(judge, **({"threshold": threshold} if threshold else {})))
    assert (result.score, result.verdict) == (pytest.approx(score), verdict)
    assert judge.bodies == [{"model": "e-1", "input": ["30 days", "an answer"]}]
    assert judge.headers[0]["authorization"] == "Bearer sk-secret"


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Fault(body=b'{"data": [{"embedding": [1]}]}'), "has no embedding for each text"),
        (Fault.error(401, "bad key sk-secret"), "the server rejected the API key (401: bad key ***)"),
    ],
)
async def test_similar_without_embeddings_has_no_score(
    folder: Folder, judge: JudgeServer, reply: Fault, words: str
) -> None:
    judge.replies = [reply]
    result = await graded(folder, alike(judge))
    assert result.verdict is Verdict.UNSCORED
    assert words in result.reason, result.reason
    assert "no embedding provider is configured" in (await graded(folder, "{type: similar, value: x}")).reason


@pytest.mark.parametrize(
    ("transform", "graded_as"),
    [
        ("output.toUpperCase()", "SAID"),
        ("file://t.py", "said in python"),
        ("file://t.py:other", '{"a": "said"}'),
        ("return context.vars.x + output", "1said"),
    ],
)
async def test_an_answer_is_transformed_before_it_is_graded(folder: Folder, transform: str, graded_as: str) -> None:
    folder.mock("said")
    folder.write(
        "t.py",
        "def get_transform(output, context): return output + ' in python'\ndef other(output, context): return {'a': output}",
    )
    checks = json.dumps(
        [{"type": "equals", "value": graded_as, "transform": transform}, {"type": "equals", "value": "said"}]
    )
    text = f"prompts: [hi]\ntests: [{{id: a, vars: {{x: 1}}, assert: {checks}}}]"
    result = await folder.one(text, "agentv-5")
    assert [e.score for e in result.evaluators] == [1, 1], result
    assert result.answer == "said"
    whole = json.dumps([{"type": "equals", "value": graded_as}])
    text = f"prompts: [hi]\ndefault_test: {{options: {json.dumps({'transform': transform})}}}\ntests: [{{id: a, vars: {{x: 1}}, assert: {whole}}}]"
    assert (await folder.one(text, "agentv-5")).score == 1


async def test_a_transformation_that_fails_leaves_its_evaluator_without_a_score(folder: Folder) -> None:
    folder.mock("said")
    text = "prompts: [hi]\ntests: [{id: a, assert: [{type: equals, value: x, transform: nowhere()}, {type: equals, value: said}]}]"
    result = await folder.one(text, "agentv-5")
    assert [e.score for e in result.evaluators] == [None, 1]
    assert "nowhere is not defined (line 2)" in result.reason
