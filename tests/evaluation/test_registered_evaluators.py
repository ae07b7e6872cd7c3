"""Evaluators that a script registers: where they run, what they may raise, and how they are found."""

import asyncio
import sys
import threading
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from suites import Folder

from rubric_core import (
    EVALUATOR_KINDS,
    Analysis,
    EvaluationContext,
    EvaluationScore,
    EvaluatorKind,
    InvalidSuiteError,
    LlmJudgeEvaluator,
    Options,
    Verdict,
    build_evaluator_registry,
    is_evaluator_kind,
    load_suite,
    run_cases,
    run_evaluators_for_case,
)


def context(**case: Any) -> EvaluationContext:
    return EvaluationContext(
        eval_case={"id": "a", "input": "hi", "criteria": "c", **case}, candidate="hello", target="bot", provider=None,
        attempt=1, prompt_inputs=None, now=datetime.now(timezone.utc),
    )  # fmt: skip


LISTED = {"assertions": [{"type": "mine"}]}


@dataclass
class Mine:
    """Does as it is told, and remembers in which threads."""

    raises: BaseException | None = None
    kind: str = "mine"
    threads: list[threading.Thread] = field(default_factory=list)

    def evaluate(self, context: EvaluationContext) -> EvaluationScore:
        self.threads.append(threading.current_thread())
        if self.raises is not None:
            raise self.raises
        return EvaluationScore(score=1.0, hits=(context.candidate,))


class Asynchronous(Mine):
    async def evaluate(self, context: EvaluationContext) -> EvaluationScore:  # type: ignore[override]
        return super().evaluate(context)


async def test_one_that_is_no_coroutine_runs_in_a_thread_of_its_own(folder: Folder) -> None:
    own, waiting = Mine(), Asynchronous()
    for each in (own, waiting):
        score, _ = await run_evaluators_for_case(context(**LISTED), {"mine": each})
        assert score is not None
        folder.mock("x")
        suite = "tests: [{id: a, input: hi, criteria: c, assertions: [{type: mine}]}]"
        assert (await folder.one(suite, evaluators={"mine": each})).score == 1
    here = threading.current_thread()
    assert here not in own.threads
    assert waiting.threads == [here, here]


async def test_one_that_blocks_holds_up_nothing_else() -> None:
    ready = threading.Event()

    class Blocks(Mine):
        def evaluate(self, context: EvaluationContext) -> EvaluationScore:
            assert ready.wait(10), "nothing else ran meanwhile"
            return super().evaluate(context)

    grading = asyncio.ensure_future(run_evaluators_for_case(context(**LISTED), {"mine": Blocks()}))
    await asyncio.sleep(0.01)
    ready.set()
    assert (await grading).results[0].verdict is Verdict.PASSED


@pytest.mark.parametrize("kind", [Mine, Asynchronous])
async def test_none_of_them_ends_the_program(kind: type[Mine]) -> None:
    score, (result,) = await run_evaluators_for_case(context(**LISTED), {"mine": kind(SystemExit(3))})
    assert score is None
    assert result.verdict is Verdict.UNSCORED
    assert result.reason == "the evaluator crashed: RuntimeError: SystemExit: 3"


async def test_nor_does_a_judge_or_the_function_that_gives_one() -> None:
    async def leaves(_: Any) -> Any:
        sys.exit(4)

    for judge in (leaves, lambda _: sys.exit(4)):
        registry = build_evaluator_registry(None, lambda _, judge=judge: judge)
        _, (result,) = await run_evaluators_for_case(context(), registry)
        assert result.reason.endswith(": SystemExit: 4"), result.reason
    _, (result,) = await run_evaluators_for_case(context(), build_evaluator_registry(None, lambda _: sys.exit(5)))
    assert result.reason == "the evaluator crashed: SystemExit: 5"


@pytest.mark.parametrize("wrong", [Mine, LlmJudgeEvaluator, "mine", None, object()])
async def test_what_is_no_evaluator_is_refused_at_once(wrong: Any) -> None:
    meant = f"; make one: {wrong.__name__}" if isinstance(wrong, type) else ""
    for refused in (
        lambda: build_evaluator_registry({"mine": wrong}),
        lambda: Options(evaluators={"mine": wrong}),
        lambda: asyncio.run(run_evaluators_for_case(context(), {"mine": wrong})),
    ):
        with pytest.raises(TypeError, match=f"the evaluator 'mine' must have `kind` and `evaluate.*{meant}"):
            await asyncio.to_thread(refused)


# Kinds


async def test_the_one_evaluator_of_a_case_may_be_registered(folder: Folder) -> None:
    registry = build_evaluator_registry({"mine": Mine()})
    for key in ("evaluator", "grader"):
        _, (result,) = await run_evaluators_for_case(context(**{key: "mine"}), registry)
        assert (result.type, result.score) == ("mine", 1)
    folder.mock("x")
    for key in ("# rubric: dialect=agentv-0.5\nevaluator: mine\nevalcases", "evaluator: mine\ntests"):
        case = "id: a, outcome: c, criteria: c, input: hi, input_messages: [{role: user, content: hi}]"
        result = await folder.one(f"{key}: [{{{case}}}]", evaluators={"mine": Mine()})
        assert [each.type for each in result.evaluators] == ["mine"], result.reason


async def test_evaluators_may_be_given_as_mappings() -> None:
    _, results = await run_evaluators_for_case(
        context(), build_evaluator_registry({"mine": Mine()}), [{"type": "mine"}, {"type": "contains", "value": "ell"}]
    )
    assert [(result.type, result.score) for result in results] == [("mine", 1), ("contains", 1)]
    with pytest.raises(InvalidSuiteError, match="a contains check needs `value`"):
        await run_evaluators_for_case(context(), build_evaluator_registry(), [{"type": "contains"}])


async def test_a_kind_that_nobody_registered_means_the_judge_and_is_said(caplog: pytest.LogCaptureFixture) -> None:
    registry = build_evaluator_registry({"llm_judge": Mine()})
    for kind in ("mine", "contains"):
        _, (result,) = await run_evaluators_for_case(context(evaluator=kind), registry)
        assert (result.type, result.score) == ("llm_judge", 1), "it falls back"
    said = [record.getMessage() for record in caplog.records if "registered" in record.getMessage()]
    assert said == [
        "evaluator: no evaluator is registered as `mine`, so the judge grades",
        "evaluator: no evaluator is registered as `contains`, so the judge grades",
    ]
    caplog.clear()
    await run_evaluators_for_case(context(evaluator="llm_judge"), registry)
    assert not [record for record in caplog.records if "registered" in record.getMessage()]


def test_kinds_of_the_documents_are_told_apart() -> None:
    kind: object = "code"
    assert is_evaluator_kind(kind)
    narrowed: EvaluatorKind = kind
    assert narrowed in EVALUATOR_KINDS
    assert not any(map(is_evaluator_kind, ("mine", 3, None, ["code"])))


# Together


RUBRIC = [
    {"id": "tone", "outcome": "Warm", "weight": 3},
    {"id": "facts", "outcome": "Right", "required": True},
]


def judging(**satisfied: bool) -> Any:
    checks = [{"id": name, "satisfied": holds, "reasoning": "r"} for name, holds in satisfied.items()]
    return build_evaluator_registry({"mine": Mine()}, lambda _: lambda _: {"checks": checks, "overall_reasoning": "o"})


async def test_a_gate_that_failed_fails_the_whole() -> None:
    score, (result,) = await run_evaluators_for_case(context(rubrics=RUBRIC), judging(tone=True, facts=False))
    assert score is not None
    assert (score.score, score.verdict, score.gate) == (0.75, Verdict.FAILED, "facts")
    assert (result.verdict, result.gate) == (Verdict.FAILED, "facts")
    assert [criterion.id for criterion in score.criteria] == ["tone", "facts"]


@pytest.mark.parametrize(("tone", "verdict"), [(True, Verdict.PASSED), (False, Verdict.FAILED)])
async def test_the_whole_has_the_verdict_of_a_run(tone: bool, verdict: Verdict) -> None:
    graded = await run_evaluators_for_case(
        context(rubrics=RUBRIC, assertions=[{"type": "mine"}]), judging(tone=tone, facts=True)
    )
    assert graded.score is not None
    assert graded.verdict is graded.score.verdict is verdict
    assert graded.score.score == (1.0 if tone else 0.625)


async def test_without_a_score_there_is_no_verdict() -> None:
    graded = await run_evaluators_for_case(context(**LISTED), {"mine": Mine(ValueError("x"))})
    assert (graded.score, graded.verdict) == (None, Verdict.UNSCORED)


async def test_aspects_are_counted_as_the_evaluators_count_them() -> None:
    class Counts(Mine):
        def evaluate(self, context: EvaluationContext) -> EvaluationScore:
            return EvaluationScore(
                score=0.5, hits=(context.candidate,), expected_aspect_count=4, raw_aspects=("a", "b", "c", "d")
            )

    listed = {"assertions": [{"type": "mine"}, {"type": "contains", "value": "ell"}]}
    score, _ = await run_evaluators_for_case(context(**listed), build_evaluator_registry({"mine": Counts()}))
    assert score is not None
    assert (score.expected_aspect_count, score.raw_aspects) == (5, ("a", "b", "c", "d"))


# A suite that names them


@pytest.mark.requirement("registered-kinds-are-legal")
@pytest.mark.parametrize(
    "text",
    [
        "# rubric: dialect=agentv-0.1\ntestcases: [{id: a, outcome: o, messages: [{role: user, content: x}, {role: assistant, content: y}], grader: mine}]",
        "# rubric: dialect=agentv-0.5\nevalcases: [{id: a, outcome: o, input_messages: [{role: user, content: x}], expected_messages: [{role: assistant, content: y}], evaluator: 'mine'}]",
        "# rubric: dialect=agentv-1\nevaluator: mine\nevalcases:\n  - {id: a, expected_outcome: o, input: x}\n",
        "# rubric: dialect=agentv-1\nevalcases:\n  - {id: a, expected_outcome: o, input: x, evaluator: mine}\n",
        "# rubric: dialect=agentv-1\nevalcases:\n  - {id: a, expected_outcome: o, input: x, evaluators: [{name: m, type: mine}]}\n",
        "# rubric: dialect=agentv-2.7\ntests:\n  - {id: a, criteria: o, input: x, evaluator: mine}\n",
        "tests:\n  - {id: a, criteria: o, input: x, assertions: [{type: mine}]}\n",
        "tests: cases.yaml\n",
    ],
    ids=["grader", "evaluator", "suite", "case", "list", "2.7", "type", "case file"],
)
def test_a_registered_kind_is_legal_in_a_suite(folder: Folder, text: str) -> None:
    folder.write("cases.yaml", "- {id: a, criteria: o, input: x, assertions: [{type: mine}]}\n")
    folder.mock("x")
    path = folder.suite(text)
    found = [d for each in _analyses(path, {}) for d in each.diagnostics if "mine" in d.message]
    assert [d.code for d in found] in (["invalid-value"], ["unknown-type"]), "that nobody knows"
    suite = load_suite(path, options=Options(evaluators={"mine": Mine()}), strict=True)
    found = [d for each in _analyses(path, {"mine": Mine()}) for d in each.diagnostics]
    assert [d.message for d in found if "mine" in d.message] == []
    assert suite.warnings == ()
    assert asyncio.run(run_cases(suite.cases))[0].score == 1


def _analyses(path: Path, kinds: dict[str, Any]) -> list[Analysis]:
    suite = load_suite(path, options=Options(evaluators=kinds))
    return [suite.analysis, *suite.files.values()]


def test_only_where_a_kind_can_stand(folder: Folder) -> None:
    path = folder.suite("tests: [{id: a, criteria: o, input: x, evaluator: mien, mode: mine}]")
    (analysis,) = _analyses(path, {"mine": Mine()})
    said = [d.message.partition(";")[0] for d in analysis.diagnostics if d.code == "invalid-value"]
    assert said == ["`evaluator` cannot be `mien`", "`mode` cannot be `mine`"]
