"""The scenarios of document 003 (evaluation API), one test each, named after it."""

import importlib.util
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_type_hints

import pytest
from harness import analysis_of
from judge_server import JudgeServer
from suites import Folder, Scripted, context, evaluator, lowered

import rubric_core
import rubric_core.evaluation as api
from rubric_core.adapters import system_ports
from rubric_core.cli import main
from rubric_core.evaluation import (
    CodeEvaluator,
    EvaluationContext,
    EvaluationScore,
    EvaluatorResult,
    LlmJudgeEvaluator,
    Verdict,
    build_evaluator_registry,
    evaluation_row,
    evaluator_for,
    run_evaluators_for_case,
)
from rubric_core.evaluation.model.result import CaseResult
from rubric_core.language.departures import DEPARTURES

HITS = json.dumps({"score": 0.75, "hits": ["right"], "misses": ["late"], "reasoning": "mostly"})


@dataclass
class Length:
    """An evaluator of a user's own: no base class, a kind and a method."""

    kind: str = "length"
    seen: list[EvaluationContext] = field(default_factory=list)

    def evaluate(self, context: EvaluationContext) -> EvaluationScore:
        self.seen.append(context)
        return EvaluationScore(
            score=1.0 if len(context.candidate) < 10 else 0.0, hits=("short",), expected_aspect_count=1
        )


# REQ-EVAL-001


@pytest.mark.requirement("evaluator-interface", "own-evaluator")
def test_implementing_a_custom_evaluator() -> None:
    own: api.Evaluator = Length()
    assert own.kind == "length"
    assert isinstance(own.evaluate(context(None, "short")), EvaluationScore)


@pytest.mark.requirement("run-calls-evaluate")
async def test_using_an_evaluator_in_the_orchestrator(folder: Folder) -> None:
    own = Length()
    folder.mock("short")
    result = await folder.one(
        "tests: [{id: a, input: hi, criteria: x, assertions: [{type: length}]}]", evaluators={"length": own}
    )
    assert isinstance(own.seen[0], EvaluationContext)
    assert (result.score, result.verdict) == (1.0, Verdict.PASSED)


# REQ-EVAL-002


@pytest.mark.requirement("judge-class", "judge-options")
def test_creating_an_llm_judge_evaluator() -> None:
    judge = LlmJudgeEvaluator(
        resolve_judge_provider=lambda _: Scripted([HITS]), max_output_tokens=1000, temperature=0.0
    )
    assert judge.kind == "llm_judge"


@pytest.mark.requirement("judge-options")
async def test_the_judge_may_be_resolved_asynchronously() -> None:
    provider = Scripted([HITS])

    async def resolve(_: EvaluationContext) -> Scripted:
        return provider

    score = await LlmJudgeEvaluator(resolve_judge_provider=resolve, max_output_tokens=1000).evaluate(
        context(None, "x", dialect="agentv-0.5")
    )
    assert (score.score, score.hits, score.misses, score.reasoning) == (0.75, ("right",), ("late",), "mostly")
    assert provider.asked[0].max_output_tokens == 1000
    assert provider.asked[0].temperature == 0.0


@pytest.mark.requirement("judge-prompt")
async def test_evaluating_with_custom_prompt() -> None:
    provider = Scripted([HITS])
    judge = LlmJudgeEvaluator(resolve_judge_provider=lambda _: provider)
    score = await judge.evaluate(context(None, "x", dialect="agentv-0.5", system_prompt="Be harsh about tone."))
    assert provider.asked[0].messages[0].content == "Be harsh about tone."
    assert score.evaluator_raw_request is not None
    assert score.evaluator_raw_request["system_prompt"] == "Be harsh about tone."


@pytest.mark.requirement("judge-prompt")
async def test_a_prompt_in_the_suite_replaces_the_system_prompt_in_this_dialect(
    folder: Folder, judge: JudgeServer
) -> None:
    folder.targets({"name": "default", "provider": "mock", "response": "x"}, judge.target())
    judge.replies = [HITS]
    result = await folder.one(
        """
        # rubric: dialect=agentv-0.5
        evalcases:
          - id: a
            outcome: Fine
            input_messages: [{role: user, content: hi}]
            expected_messages: [{role: assistant, content: ho}]
            execution: {evaluators: [{name: harsh, type: llm_judge, prompt: Be harsh about tone.}]}
        """,
        grader_target="judge",
    )
    assert judge.bodies[0]["messages"][0]["content"] == "Be harsh about tone."
    assert result.evaluators[0].evaluator_raw_request["system_prompt"] == "Be harsh about tone."


# REQ-EVAL-003


@pytest.mark.requirement("code-class", "code-options")
def test_creating_a_code_evaluator() -> None:
    made = CodeEvaluator(script="python check_output.py", cwd="/path/to/scripts", agent_timeout_ms=30000)
    assert made.kind == "code"
    assert CodeEvaluator(script=["python", "check.py"]).kind == "code"
    with pytest.raises(ValueError, match="script"):
        CodeEvaluator(script="")


@pytest.mark.requirement("code-protocol")
async def test_executing_a_code_evaluator(folder: Folder) -> None:
    folder.write(
        "check.py",
        "import json, sys\nd = json.load(sys.stdin)\nprint(json.dumps({'score': 0.5, 'hits': [d['output']], 'misses': ['m'], 'reasoning': d['task']}))",
    )
    code = CodeEvaluator(script=[sys.executable, "check.py"], cwd=folder.path)
    score = await code.evaluate(context(None, "the answer", dialect="agentv-0.5"))
    assert isinstance(score, EvaluationScore)
    assert (score.score, score.hits, score.misses, score.reasoning) == (0.5, ("the answer",), ("m",), "What is it?")


@pytest.mark.requirement("code-failure")
@pytest.mark.parametrize(
    ("script", "error"),
    [
        ("import sys; sys.stderr.write('no such column'); sys.exit(3)", "no such column"),
        ("", "did not print JSON: (nothing)"),
        ("print('hello')", "did not print JSON"),
        ("print('[1]')", "not an object"),
        ("print('{}')", "numeric `score`"),
        ("""print('{"score": NaN}')""", "numeric `score`"),
        ("""print('{"score": "high"}')""", "numeric `score`"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
    ],
)
@pytest.mark.parametrize("case", [{"outcome": "o"}, {"expected_outcome": "o"}, {"criteria": "o"}, {"vars": {"x": "y"}}])
async def test_a_failing_script_scores_0_with_the_error_in_misses(
    folder: Folder, script: str, error: str, case: dict[str, object]
) -> None:
    """Whichever dialect the keys of the case are of: its programs may print other things, in a run."""
    folder.write("check.py", script)
    code = CodeEvaluator(script=[sys.executable, "check.py"], cwd=folder.path)
    score = await code.evaluate(EvaluationContext(eval_case=case, candidate="x"))
    assert score.score == 0
    assert len(score.misses) == 1
    assert error in score.misses[0]


@pytest.mark.requirement("code-failure")
@pytest.mark.parametrize(
    ("script", "cwd", "error"),
    [
        (["no-such-program"], None, "command not found: no-such-program"),
        ("no-such-program --fast", None, "the shell cannot run it"),
        (["./plain.txt"], None, "is not executable"),
        ([sys.executable, "-c", "print(1)"], "nowhere", "nowhere does not exist"),
    ],
)
async def test_a_script_that_cannot_be_started_scores_0_too(
    folder: Folder, script: str | list[str], cwd: str | None, error: str
) -> None:
    folder.write("plain.txt", "x")
    code = CodeEvaluator(script=script, cwd=folder.path / (cwd or ""))
    score = await code.evaluate(EvaluationContext(eval_case={"criteria": "c"}, candidate="x"))
    assert (score.score, len(score.misses)) == (0, 1)
    assert error in score.misses[0]


@pytest.mark.requirement("code-failure")
async def test_in_a_suite_a_script_that_cannot_be_started_has_no_score(folder: Folder) -> None:
    folder.mock("x")
    result = await folder.one(
        "tests: [{id: a, input: hi, criteria: c, assertions: [{type: code-grader, command: [no-such-program]}]}]"
    )
    assert (result.score, result.verdict) == (None, Verdict.UNSCORED)
    assert "command not found" in result.reason
    (row,) = (row for row in DEPARTURES if row.id == "graders-not-run")
    assert "unscored" in row.rubric


# REQ-EVAL-004


@pytest.mark.requirement("context-type", "context-fields")
def test_passing_context_to_evaluator() -> None:
    names = list(get_type_hints(EvaluationContext))
    assert names[:11] == [
        "eval_case", "candidate", "target", "provider", "attempt", "prompt_inputs", "now", "judge_provider", "system_prompt", "evaluator", "judge_model",
    ]  # fmt: skip


@pytest.mark.requirement("context-fields")
async def test_a_judge_provider_in_the_context_comes_first() -> None:
    first, second = Scripted([HITS]), Scripted([HITS])
    await LlmJudgeEvaluator(resolve_judge_provider=lambda _: second).evaluate(
        context(None, "x", dialect="agentv-0.5", judge_provider=first)
    )
    assert (len(first.asked), len(second.asked)) == (1, 0)


# REQ-EVAL-005


@pytest.mark.requirement("score-type", "score-fields")
def test_returning_evaluation_results() -> None:
    score = EvaluationScore(score=0.5, hits=("a",), misses=("b",), expected_aspect_count=2)
    assert (score.reasoning, score.raw_aspects, score.evaluator_raw_request) == (None, None, None)
    for wrong in (1.5, -0.1, float("nan"), float("inf"), True, "1"):
        with pytest.raises(ValueError, match="from 0 to 1"):
            EvaluationScore(score=wrong)


# REQ-EVAL-006


@pytest.mark.requirement("registry", "registry-is-built")
def test_building_evaluator_registry() -> None:
    registry = build_evaluator_registry(None, lambda _: None)
    assert registry["llm_judge"].kind == "llm_judge"
    own = Length()
    assert build_evaluator_registry({"length": own}, lambda _: None)["length"] is own
    assert build_evaluator_registry({"llm_judge": own})["llm_judge"] is own


@pytest.mark.requirement("registry-lookup")
def test_looking_up_evaluator_by_kind() -> None:
    own = Length()
    registry = build_evaluator_registry({"length": own})
    assert evaluator_for(registry, "length") is own
    assert evaluator_for(registry, "unheard-of") is registry["llm_judge"]
    with pytest.raises(LookupError, match="unheard-of"):
        evaluator_for({}, "unheard-of")


# REQ-EVAL-007


@pytest.mark.requirement("case-is-graded")
async def test_running_evaluators_for_a_test_case() -> None:
    registry = build_evaluator_registry(None, lambda _: Scripted([HITS]))
    score, results = await run_evaluators_for_case(context(None, "x", dialect="agentv-0.5"), registry)
    assert score is not None
    assert score.score == 0.75
    assert [r.type for r in results] == ["llm_judge"]


@pytest.mark.requirement("which-evaluators")
@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("id: a\noutcome: o\nevaluators: [{name: one, type: llm_judge}, {name: two, type: llm_judge}]", ["llm_judge", "llm_judge"]),
        ("id: a\noutcome: o\nevaluator: llm_judge", ["llm_judge"]),
        ("id: a\noutcome: o\ngrader: heuristic", ["heuristic"]),
    ],
)  # fmt: skip
async def test_running_the_evaluators_that_the_case_brings(text: str, types: list[str]) -> None:
    case, _ = lowered(text, "agentv-0.5")
    registry = build_evaluator_registry(None, lambda _: Scripted([HITS]))
    _, results = await run_evaluators_for_case(context(None, "x", dialect="agentv-0.5", case=case), registry)
    assert [r.type for r in results] == types


@pytest.mark.requirement("one-after-the-other", "which-evaluators")
async def test_running_multiple_evaluators(folder: Folder) -> None:
    order: list[str] = []
    folder.write("check.py", 'print(\'{"score": 0.25, "hits": ["code hit"], "misses": []}\')')
    judge = evaluator("{name: judge, type: llm_judge, prompt: Be harsh}", "agentv-0.5")
    code = evaluator(
        f"{{name: code, type: code, script: '{sys.executable} check.py', cwd: {folder.path}}}", "agentv-0.5"
    )
    hooks = api.run_evaluators_for_case.__globals__["EvaluatorHooks"](
        lambda config, _: order.append(config.name), lambda result: order.append(f"{result.name} done")
    )
    async with system_ports() as ports:
        registry = build_evaluator_registry(None, lambda _: Scripted([HITS]))
        score, results = await run_evaluators_for_case(
            context(None, "x", ports, dialect="agentv-0.5"), registry, [judge, code], hooks
        )
    assert order == ["judge", "judge done", "code", "code done"], "one after the other"
    assert [(r.name, r.type, r.score) for r in results] == [("judge", "llm_judge", 0.75), ("code", "code", 0.25)]
    assert score is not None
    assert score.score == 0.5
    assert score.hits == ("right", "code hit")


# REQ-EVAL-008


def result_of(*evaluators: EvaluatorResult) -> CaseResult:
    return CaseResult(id="a", verdict=Verdict.PASSED, score=0.5, evaluators=evaluators)


ONE = EvaluatorResult(
    name="judge",
    type="llm_judge",
    verdict=Verdict.PASSED,
    score=0.75,
    hits=("h",),
    misses=("m",),
    reasoning="r",
    evaluator_raw_request={"user_prompt": "p"},
)


@pytest.mark.requirement("names-in-rows", "row-of-one", "both-raw-requests")
def test_single_evaluator_result() -> None:
    row = evaluation_row(result_of(ONE))
    assert row["evaluator_raw_request"] == {"user_prompt": "p"}
    assert "grader_raw_request" not in row
    assert "evaluator_results" not in row
    assert evaluation_row(result_of(ONE), grader_raw_request=True)["grader_raw_request"] == {"user_prompt": "p"}


@pytest.mark.requirement("row-of-several")
def test_multiple_evaluators_result() -> None:
    row = evaluation_row(result_of(ONE, ONE))
    assert (
        row["evaluator_results"]
        == [
            {
                "name": "judge",
                "type": "llm_judge",
                "score": 0.75,
                "hits": ["h"],
                "misses": ["m"],
                "reasoning": "r",
                "evaluator_raw_request": {"user_prompt": "p"},
            }
        ]
        * 2
    )
    assert "evaluator_raw_request" not in row


# REQ-EVAL-009


@pytest.mark.requirement("both-keys", "evaluator-key")
def test_parsing_new_evaluator_field() -> None:
    case, _ = lowered(
        "id: a\noutcome: o\ninput_messages: [{role: user, content: hi}]\nevaluator: llm_judge\n", "agentv-0.5"
    )
    assert case.evaluator == "llm_judge"
    assert case.places["evaluator"].name == "evaluator"
    assert case.grader is None, "the field is undefined"


def found(entries: str) -> list[tuple[str, str, str]]:
    """What the checker says of a case with these entries: severity, code, message."""
    head = "# rubric: dialect=agentv-0.5\nevalcases:\n  - id: a\n    outcome: o\n"
    messages = (
        "    input_messages: [{role: user, content: hi}]\n    expected_messages: [{role: assistant, content: ho}]\n"
    )
    return [(d.severity, d.code, d.message) for d in analysis_of(f"{head}{messages}    {entries}\n").diagnostics]


@pytest.mark.requirement("both-keys", "grader-key")
def test_parsing_legacy_grader_field() -> None:
    case, _ = lowered(
        "id: a\noutcome: o\ninput_messages: [{role: user, content: hi}]\ngrader: llm_judge\n", "agentv-0.5"
    )
    assert case.grader == case.evaluator == "llm_judge"
    assert case.places["evaluator"].name == "grader"
    assert found("grader: llm_judge") == [
        ("warning", "renamed-key", "`grader` is deprecated in agentv-0.5: use `evaluator`")
    ]


@pytest.mark.requirement("grader-key")
def test_the_deprecation_of_a_grader_is_said_by_the_command(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    folder.mock("x")
    suite = folder.suite(
        "# rubric: dialect=agentv-0.5\nevalcases:\n  - {id: a, outcome: o, input_messages: [{role: user, content: hi}], expected_messages: [{role: assistant, content: ho}], grader: llm_judge}\n"
    )
    words = "`grader` is deprecated in agentv-0.5: use `evaluator`"
    assert main(["check", str(suite)]) == 0
    assert words in capsys.readouterr().out
    main(["run", str(suite)])
    assert f"{suite.name}:3: {words}" in capsys.readouterr().err


@pytest.mark.requirement("evaluator-is-preferred")
def test_the_evaluator_is_preferred_where_both_fields_are_there() -> None:
    text = "id: a\noutcome: o\ngrader: heuristic\nevaluator: llm_judge\n"
    for case, _ in (lowered(text, "agentv-0.5"), lowered("\n".join(reversed(text.splitlines())), "agentv-0.5")):
        assert case.evaluator == "llm_judge"
    assert [code for _, code, _ in found("grader: heuristic\n    evaluator: llm_judge")] == ["conflicting-keys"]


@pytest.mark.requirement("grader-key")
async def test_the_evaluator_resolution_still_works_with_a_grader(folder: Folder, judge: JudgeServer) -> None:
    folder.targets({"name": "default", "provider": "mock", "response": "x"}, judge.target())
    judge.replies = [HITS]
    result = await folder.one(
        "# rubric: dialect=agentv-0.5\nevalcases: [{id: a, outcome: o, input_messages: [{role: user, content: hi}], expected_messages: [{role: assistant, content: ho}], grader: llm_judge}]",
        grader_target="judge",
    )
    assert result.score == 0.75


@pytest.mark.requirement("evaluators-key")
def test_parsing_evaluators_list() -> None:
    judge = evaluator("{name: judge, type: llm_judge}", "agentv-0.5")
    code = evaluator("{name: code, type: code, script: python check.py, cwd: scripts}", "agentv-0.5")
    assert (judge.name, judge.type_name) == ("judge", "llm_judge")
    assert (vars(code)["command"], vars(code)["cwd"]) == ("python check.py", "scripts")
    case, _ = lowered("id: a\noutcome: o\nevaluators: [{name: judge, type: llm_judge}]", "agentv-0.5")
    assert [each.name for each in case.evaluators] == ["judge"]


@pytest.mark.requirement("evaluators-key")
@pytest.mark.parametrize(
    ("entry", "missing"),
    [
        ("{type: llm_judge}", "an LLM judge needs `name`"),
        ("{name: a}", "an evaluator needs `type`"),
        ("{name: a, type: code}", "a code evaluator needs `script`"),
        ("{name: a, type: code, script: 'python check.py'}", ""),
        ("{name: a, type: llm_judge, prompt: 'Be harsh', model: m}", ""),
    ],
)
def test_each_evaluator_is_validated_for_required_fields(entry: str, missing: str) -> None:
    messages = [(code, message.partition(":")[0]) for _, code, message in found(f"evaluators: [{entry}]")]
    assert messages == ([("missing-key", missing)] if missing else [])


# REQ-EVAL-010


@pytest.mark.requirement("exports", "no-grader-kinds")
def test_importing_evaluator_types() -> None:
    for name in (
        "Evaluator",
        "EvaluationContext",
        "EvaluationScore",
        "LlmJudgeEvaluator",
        "CodeEvaluator",
        "EvaluatorKind",
        "EvaluatorConfig",
    ):
        assert getattr(rubric_core, name) is getattr(api, name)
    assert api.EVALUATOR_KINDS == ("code", "llm_judge")
    assert api.is_evaluator_kind("code")
    assert not api.is_evaluator_kind("heuristic")
    assert not hasattr(api, "is_grader_kind")
    assert not hasattr(api, "GRADER_KINDS")


# REQ-EVAL-012


@pytest.mark.requirement("module-of-evaluators")
def test_evaluators_module_file() -> None:
    assert importlib.util.find_spec("rubric_core.evaluation.evaluators") is not None
    assert importlib.util.find_spec("rubric_core.evaluation.grading") is None


@pytest.mark.requirement("tests-of-evaluators")
def test_evaluators_test_file() -> None:
    names = {path.name for path in Path(__file__).parent.iterdir()}
    assert "test_evaluator_pages.py" in names
    assert not [name for name in names if "grading" in name or "grader" in name]
