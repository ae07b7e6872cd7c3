"""The package as a script uses it: plain data in, no part of the inside needed."""

import asyncio
import copy
import json
import logging
import pickle
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from judge_server import JudgeServer

import rubric_core
from rubric_core import (
    Answer,
    CodeEvaluator,
    EvaluationContext,
    EvaluationScore,
    Evaluator,
    InvalidSuiteError,
    LlmJudgeEvaluator,
    LoadedSuite,
    NoSuiteError,
    Options,
    UnreadableError,
    Unscored,
    Verdict,
    analyze,
    build_evaluator_registry,
    load_suite,
    run_case,
    run_cases,
    run_evaluators_for_case,
)

REPOSITORY = Path(rubric_core.__file__).parents[1]
JUDGED = {"score": 0.75, "hits": ["right"], "misses": ["late"], "reasoning": "mostly"}
TEXT = json.dumps(JUDGED)
RANGED = {
    "id": "a",
    "rubrics": [{"id": "tone", "expected_outcome": "warm", "score_ranges": {0: "cold", 5: "fine", 8: "warm"}}],
}


def context(case: Any = None, **fields: Any) -> EvaluationContext:
    """What the requirement documents name, as a script has it at hand."""
    given = {
        "eval_case": case or {"id": "a", "expected_outcome": "says hi", "input": "Say hi"}, "candidate": "hello", "target": "bot", "provider": None,
        "attempt": 1, "prompt_inputs": None, "now": datetime.now(timezone.utc),
    }  # fmt: skip
    return EvaluationContext(**{**given, **fields})


class Client:
    """A client library's object with a method, whose replies have a text."""

    def invoke(self, request: rubric_core.Request) -> Any:
        assert request.prompt
        return type("Reply", (), {"text": TEXT})()


class Blocking:
    """A provider as the requirement documents have it, but for its `ask`, which waits for nothing."""

    name, kind, identity = "mine", "openai", "openai:mine-1"

    def ask(self, request: rubric_core.Request) -> str:
        assert request.prompt
        return TEXT


async def asynchronous(request: rubric_core.Request) -> dict[str, str]:
    assert request.messages[-1].role == "user"
    return {"text": TEXT}


# Judges


@pytest.mark.parametrize(
    "judge",
    [
        Client(),
        Blocking(),
        asynchronous,
        lambda _: TEXT,
        lambda _: JUDGED,
        lambda _: Answer(TEXT),
        lambda _: {"content": TEXT},
    ],
    ids=["object", "provider", "async", "text", "judgement", "answer", "content"],
)
async def test_a_judge_may_be_a_function_or_anything_that_can_be_asked(judge: Any) -> None:
    for score in (
        await LlmJudgeEvaluator(resolve_judge_provider=lambda _: judge).evaluate(context()),
        await LlmJudgeEvaluator(resolve_judge_provider=lambda _: None).evaluate(context(judge_provider=judge)),
    ):
        assert (score.score, score.hits, score.misses, score.reasoning) == (0.75, ("right",), ("late",), "mostly")


async def test_score_ranges_come_out_the_same_from_a_function() -> None:
    registry = build_evaluator_registry(None, lambda _: lambda _: {"checks": [{"id": "tone", "score": 7}]})
    score, (result,) = await run_evaluators_for_case(context(RANGED), registry)
    assert score is not None
    assert score.score == 0.7
    assert [(c.id, c.raw, c.score, c.band) for c in result.criteria] == [("tone", 7, 0.7, "fine")]


@pytest.mark.parametrize(
    ("judge", "reason"),
    [
        (lambda _: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda _: None, "replied with NoneType: a reply is a text, or has one as `text`"),
        (lambda _: "fine, I think", "gave no usable reply in 3 tries: the reply contains no JSON object"),
    ],
)
async def test_a_judge_that_fails_leaves_no_score_and_a_reason(judge: Any, reason: str) -> None:
    with pytest.raises(Unscored, match=re.escape(reason)):
        await LlmJudgeEvaluator(resolve_judge_provider=lambda _: judge).evaluate(context())


async def test_what_cannot_be_asked_is_refused() -> None:
    with pytest.raises(TypeError, match="is a function that gives the judge for a context"):
        LlmJudgeEvaluator(resolve_judge_provider=None)  # type: ignore[arg-type]
    for judge, said in ((42, "found 42"), (Client, "found the class Client")):
        with pytest.raises(TypeError, match=f"a judge must be a provider, .* {said}"):
            await LlmJudgeEvaluator(resolve_judge_provider=lambda _, judge=judge: judge).evaluate(context())


# Contexts, scores, evaluators


def test_a_case_of_plain_data_is_read_in_the_dialect_that_fits() -> None:
    made = context({"id": "a", "outcome": "o", "grader": "heuristic"})
    assert (made.eval_case.criteria, made.eval_case.grader) == ("o", "heuristic")
    newest = context({"id": "a", "vars": {"x": 1}, "assert": [{"type": "llm-rubric", "value": "polite"}]})
    assert newest.dialect is not None
    assert newest.dialect.name == "agentv-5"
    assert (made.target.name, context(target={"name": "t", "provider": "cli"}).target.kind) == ("bot", "cli")
    assert context().prompt_inputs.question == "Say hi"
    assert context(prompt_inputs="Hi?").prompt_inputs.question == "Hi?"
    assert len(repr(made)) < 2_000, "a context can be looked at"
    with pytest.raises(TypeError, match="found list"):
        context([1])


async def test_evaluators_of_plain_data_run_in_order(tmp_path: Path) -> None:
    (tmp_path / "check.py").write_text("print('{\"score\": 0.25}')")
    case = {
        "id": "a",
        "expected_outcome": "o",
        "evaluators": [
            {"name": "judge", "type": "llm_judge"},
            {"name": "code", "type": "code", "script": f"{sys.executable} check.py", "cwd": str(tmp_path)},
        ],
    }
    score, results = await run_evaluators_for_case(context(case), build_evaluator_registry(None, lambda _: Client()))
    assert score is not None
    assert (score.score, [(r.name, r.score) for r in results]) == (0.5, [("judge", 0.75), ("code", 0.25)])


def test_a_wrong_argument_is_said_in_a_sentence() -> None:
    for script in (3, [1], b"x"):
        with pytest.raises(TypeError, match="a script must be a string, a path or a list of them"):
            CodeEvaluator(script=script)  # type: ignore[arg-type]
    for limit in (0, -1, True, float("nan"), "1"):
        with pytest.raises(ValueError, match="milliseconds above 0"):
            CodeEvaluator(script="true", agent_timeout_ms=limit)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="hits must be a list of strings, found 'ab'"):
        EvaluationScore(score=1, hits="ab")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="misses must be a list of strings, found 3 in it"):
        EvaluationScore(score=1, misses=["a", 3])  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"reasoning must be a string, found \['a'\]"):
        EvaluationScore(score=1, reasoning=["a"])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected_aspect_count must be a whole number from 0, found -1"):
        EvaluationScore(score=1, expected_aspect_count=-1)
    assert EvaluationScore(score=1, hits=["a"]).hits == ("a",)
    assert EvaluationScore(score=Fraction(1, 4)).score == 0.25, "any real number, those of numpy as well"  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"make one: Mine\(\)"):
        build_evaluator_registry({"mine": Mine})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"threshold": 80}, "threshold must be a number from 0 to 1, found 80"),
        ({"mode": "recrod"}, "mode must be one of auto, record, refresh, replay, found 'recrod'"),
        ({"keep_workspaces": "some"}, "keep_workspaces must be one of never, failed, all, found 'some'"),
        ({"repeat": 0}, "repeat must be a whole number from 1, found 0"),
        ({"evaluator": "first"}, "evaluator must be a whole number from 1, found 'first'"),
        ({"time_limit": 0}, "time_limit must be a number of seconds above 0, found 0"),
    ],
)
def test_what_options_cannot_be_is_said(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Options(**options)


class Mine:
    kind = "mine"

    def evaluate(self, context: EvaluationContext) -> Any:
        return float(len(context.candidate) == 5)


async def test_an_evaluator_gives_a_score_and_nothing_else() -> None:
    assert isinstance(Mine(), Evaluator)
    assert not isinstance(object(), Evaluator)
    case = {"id": "a", "input": "hi", "criteria": "c", "assertions": [{"type": "mine"}]}
    score, (result,) = await run_evaluators_for_case(context(case), build_evaluator_registry({"mine": Mine()}))
    assert score is None
    assert result.reason == "the evaluator crashed: TypeError: evaluate() of mine gave 1.0, not an EvaluationScore"


def test_verdicts_have_the_words_of_the_documents() -> None:
    assert [verdict.word for verdict in Verdict] == ["pass", "borderline", "fail", "unscored"]
    assert Verdict("pass") is Verdict.PASSED
    with pytest.raises(ValueError, match="maybe"):
        Verdict("maybe")


# Suites

OLD = "# rubric: dialect=agentv-0.5\nevalcases:\n  - {id: a, outcome: o, input_messages: [{role: user, content: hi}], grader: llm_judge}\n"


def test_loading_needs_a_path_and_logs_what_is_deprecated(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "old.eval.yaml"
    path.write_text(OLD)
    suite = load_suite(str(path))
    assert suite.cases[0].case.grader == "llm_judge"
    assert [(r.levelno, r.getMessage()) for r in caplog.records] == [
        (logging.WARNING, f"{path}:3: `grader` is deprecated in agentv-0.5: use `evaluator`")
    ]
    with pytest.raises(UnreadableError):
        load_suite(tmp_path / "none.eval.yaml")
    (tmp_path / "other.yaml").write_text("targets: []\n")
    with pytest.raises(NoSuiteError):
        load_suite(tmp_path / "other.yaml")


@pytest.mark.parametrize("key", ["score_ranges", "score_rubric"])
@pytest.mark.parametrize(
    ("bands", "rule"),
    [([(0, 5), (5, 10)], "overlap"), ([(0, 5), (6, 11)], "bounds"), ([(0, 3), (5, 10)], "cover")],
)
def test_invalid_ranges_are_refused_when_the_suite_is_loaded(
    tmp_path: Path, key: str, bands: list[tuple[int, int]], rule: str
) -> None:
    """The requirement documents call them `score_rubric`."""
    listed = [{"score_range": list(band), "expected_outcome": f"from {band[0]}"} for band in bands]
    rubric = {"id": "r", "expected_outcome": "o", key: listed}
    case = {"id": "a", "expected_outcome": "o", "input": "hi", "rubrics": [rubric]}
    path = tmp_path / "a.eval.yaml"
    path.write_text(json.dumps({"evalcases": [case]}))
    with pytest.raises(InvalidSuiteError, match=rule) as refused:
        load_suite(path, strict=True)
    assert str(refused.value).startswith(f"{path}:1: ")
    assert load_suite(path).errors == tuple(str(refused.value).splitlines())


def test_a_text_is_analysed_as_it_is() -> None:
    codes = [d.code for d in analyze("tests:\n  - {id: a, input: hi, criteria: c, asert: [x]}\n").diagnostics]
    assert codes == ["unknown-key"]


async def test_cases_run_with_what_this_computer_has(tmp_path: Path, judge: JudgeServer) -> None:
    (tmp_path / ".agentv").mkdir()
    targets = [{"name": "default", "provider": "mock", "response": "hello"}]
    (tmp_path / ".agentv/targets.yaml").write_text(json.dumps({"targets": targets}))
    path = tmp_path / "a.eval.yaml"
    path.write_text("tests:\n  - {id: a, input: hi, criteria: c, assertions: [{type: contains, value: ell}]}\n")
    assert [r.verdict.word for r in await run_cases(load_suite(path).cases)] == ["pass"]


# Misuse


def suite_of_one(tmp_path: Path) -> LoadedSuite:
    (tmp_path / ".agentv").mkdir(exist_ok=True)
    targets = [{"name": "default", "provider": "mock", "response": "hello"}]
    (tmp_path / ".agentv/targets.yaml").write_text(json.dumps({"targets": targets}))
    path = tmp_path / "a.eval.yaml"
    path.write_text("tests:\n  - {id: a, input: hi, criteria: c, assertions: [{type: contains, value: ell}]}\n")
    return load_suite(path)


def test_what_is_no_case_is_not_run(tmp_path: Path) -> None:
    suite = suite_of_one(tmp_path)
    for cases in (suite, suite.path, str(suite.path), [{"id": "a"}], [suite.cases[0].case], suite.cases[0], None):
        with pytest.raises(
            TypeError, match=r"cases must be those of a suite, as in `load_suite\(path\).cases`, found "
        ):
            asyncio.run(run_cases(cases))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="cases must be those of a suite"):
        asyncio.run(run_case({"id": "a"}))  # type: ignore[arg-type]
    for workers in (0, -1, "4"):
        with pytest.raises(ValueError, match="workers must be a whole number from 1, found"):
            asyncio.run(run_cases(suite.cases, workers=workers))  # type: ignore[arg-type]
    assert asyncio.run(run_cases([])) == []


async def test_other_arguments_that_cannot_be_meant(tmp_path: Path) -> None:
    path = suite_of_one(tmp_path).path
    with pytest.raises(TypeError, match=r"options must be an Options, found \{'target': 'x'}"):
        load_suite(path, options={"target": "x"})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="there is no dialect 'agentv-9'"):
        load_suite(path, dialect="agentv-9")
    with pytest.raises(TypeError, match=r"evaluators must be a mapping from kinds to evaluators, found \["):
        build_evaluator_registry([Mine()])  # type: ignore[arg-type]
    for call in (run_evaluators_for_case, lambda context, _: CodeEvaluator(script="true").evaluate(context)):
        with pytest.raises(TypeError, match=r"context must be an EvaluationContext, found \{\}"):
            await call({}, {})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="cwd must be a path, found 3"):
        CodeEvaluator(script="true", cwd=3)  # type: ignore[arg-type]
    for arguments, words in (
        ({"temperature": "hot"}, "temperature must be a number from 0 to 2, found 'hot'"),
        ({"max_output_tokens": 0}, "max_output_tokens must be a whole number from 1, found 0"),
        ({"mode": "x"}, "mode must be one of auto, record, refresh, replay, found 'x'"),
    ):
        with pytest.raises(ValueError, match=words):
            LlmJudgeEvaluator(resolve_judge_provider=lambda _: None, **arguments)  # type: ignore[arg-type]
    for text in (b"tests: []", None, path):
        with pytest.raises(TypeError, match="document must be a string or a Document"):
            analyze(text)  # type: ignore[arg-type]


async def test_a_registry_without_a_kind_is_said() -> None:
    _, (result,) = await run_evaluators_for_case(context(), {"mine": Mine()})
    assert result.reason == "the registry has no llm_judge; `build_evaluator_registry` gives one with every kind"


# Programs around it


def test_results_and_cases_can_be_copied_and_sent_elsewhere(tmp_path: Path) -> None:
    results = asyncio.run(run_cases(suite_of_one(tmp_path).cases))
    assert pickle.loads(pickle.dumps(results)) == copy.deepcopy(results) == results
    made = context(RANGED)
    for again in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made), copy.copy(made)):
        assert again.dialect is made.dialect, "it is one of a few, and large"
        assert again.eval_case.rubrics[0].id == "tone"
    problem = pickle.loads(pickle.dumps(Unscored("why", replies=("a",))))
    assert (problem.reason, problem.replies) == ("why", ("a",))


def test_a_suite_is_run_in_several_threads_and_again(tmp_path: Path) -> None:
    cases = suite_of_one(tmp_path).cases
    with ThreadPoolExecutor(4) as pool:
        running = [pool.submit(asyncio.run, run_cases(cases)) for _ in range(8)]
    assert [[result.score for result in each.result()] for each in running] == [[1.0]] * 8


def test_grading_loads_no_model_client() -> None:
    """A context, a case of plain data and a registry are cheap to have."""
    code = (
        "import sys; from rubric_core import EvaluationContext, build_evaluator_registry, case_from_data\n"
        "EvaluationContext(eval_case={'id': 'a', 'criteria': 'c'}, candidate='x'); build_evaluator_registry()\n"
        "print([name for name in ('httpx', 'pydantic', 'ruamel', 'pygls', 'lsprotocol') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
