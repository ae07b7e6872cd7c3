"""Judges from scripts get the same input as built-in judges, and are recorded in the same way."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from suites import Folder, checks

from rubric_core import (
    Answer,
    EvaluationContext,
    EvaluationScore,
    Evaluator,
    LlmJudgeEvaluator,
    Options,
    Request,
    Unscored,
    Verdict,
    build_evaluator_registry,
    run_evaluators_for_case,
)
from rubric_core.adapters import system_ports
from rubric_core.disk import DiskFiles
from rubric_core.evaluation.cases.target_choice import shared_targets
from rubric_core.evaluation.engine.events import CriterionJudged
from rubric_core.evaluation.engine.run import save_recordings
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.judging.recordings import Recordings, recordings_path

JUDGED = json.dumps({"score": 0.75, "hits": ["right"], "misses": ["late"], "reasoning": "mostly"})


@dataclass
class Judge:
    """A function that replies, and remembers what it was asked."""

    reply: str = JUDGED
    asked: list[Request] = field(default_factory=list)

    def __call__(self, request: Request) -> str:
        self.asked.append(request)
        return self.reply

    @property
    def told(self) -> list[tuple[str, str]]:
        return [(request.messages[0].content, request.messages[1].content) for request in self.asked]


def context(*evaluators: dict[str, Any], **fields: Any) -> EvaluationContext:
    key = "evaluators" if fields.get("dialect") == "agentv-0.5" else "assertions"
    case = {"id": "a", "input": "hi", "criteria": "c", key: [*evaluators]}
    named = {"dialect": "agentv-3", **fields}
    return EvaluationContext(
        eval_case=case, candidate="hello", target="bot", provider=None, attempt=1, prompt_inputs="Say hi",
        now=datetime.now(timezone.utc), **named,
    )  # fmt: skip


@dataclass
class Replaced:
    """A judge of somebody else's in place of the built-in one."""

    kind: str = "llm_judge"
    seen: list[EvaluationContext] = field(default_factory=list)

    async def evaluate(self, context: EvaluationContext) -> EvaluationScore:
        self.seen.append(context)
        return EvaluationScore(score=1.0)


Ways = Callable[[Judge], dict[str, Evaluator]]
WAYS: list[Any] = [
    pytest.param(lambda judge: build_evaluator_registry(None, lambda _: judge), id="the built-in one"),
    pytest.param(
        lambda judge: {"llm_judge": LlmJudgeEvaluator(resolve_judge_provider=lambda _: judge)}, id="a replaced one"
    ),
]

# Prompts


@pytest.mark.parametrize("way", WAYS)
async def test_a_prompt_of_the_evaluator_is_what_the_judge_is_told(way: Ways, tmp_path: Path) -> None:
    (tmp_path / "harsh.md").write_text("From a file: {{ output }}")
    prompts = ("Harsh: {{ output }}", "file://harsh.md", {"command": ["echo", "By a program: {{ output }}"]})
    judge = Judge()
    listed = [{"name": f"judge-{n}", "type": "llm-grader", "prompt": prompt} for n, prompt in enumerate(prompts)]
    _, results = await run_evaluators_for_case(context(*listed, directory=tmp_path), way(judge))
    told = ["Harsh: hello", "From a file: hello", "By a program: hello"]
    assert [user.strip() for _, user in judge.told] == told
    assert [(r.evaluator_raw_request or {})["user_prompt"].strip() for r in results] == told


@pytest.mark.parametrize("way", WAYS)
async def test_a_prompt_beside_rubrics_is_told_too(way: Ways) -> None:
    judge = Judge(checks(tone=True))
    listed = {"type": "rubrics", "criteria": [{"id": "tone", "outcome": "Warm"}]}
    llm = {"type": "llm-grader", "prompt": "Harsh {{ output }}: {{ rubrics }}", "rubrics": listed["criteria"]}
    await run_evaluators_for_case(context(llm), way(judge))
    assert judge.told[0][1].startswith("Harsh hello: - tone: Warm")


async def test_the_system_prompt_of_the_first_releases() -> None:
    judge, own = Judge(), Replaced()
    listed = {"name": "harsh", "type": "llm_judge", "prompt": "Be harsh about tone."}
    old = context(listed, {"name": "usual", "type": "llm_judge"}, dialect="agentv-0.5")
    _, results = await run_evaluators_for_case(old, build_evaluator_registry(None, lambda _: judge))
    assert [system == "Be harsh about tone." for system, _ in judge.told] == [True, False]
    assert (results[0].evaluator_raw_request or {})["system_prompt"] == "Be harsh about tone."
    await run_evaluators_for_case(old, {"llm_judge": own})
    assert [each.system_prompt for each in own.seen] == ["Be harsh about tone.", None]


async def test_a_system_prompt_of_the_script_holds_where_an_evaluator_has_none() -> None:
    own = Replaced()
    listed = ({"type": "llm-grader", "prompt": "Mine {{ output }}"}, {"type": "llm-grader"})
    await run_evaluators_for_case(context(*listed, system_prompt="Ours"), {"llm_judge": own})
    assert [each.system_prompt for each in own.seen] == ["Mine {{ output }}", "Ours"]


@pytest.mark.parametrize("rubrics", [None, [{"id": "tone", "outcome": "Warm"}]], ids=["as a whole", "by rubrics"])
async def test_a_system_prompt_takes_the_place_of_the_built_in_one(rubrics: Any) -> None:
    judge = Judge(checks(tone=True) if rubrics else JUDGED)
    listed = {"type": "llm-grader", **({"rubrics": rubrics} if rubrics else {})}
    registry = build_evaluator_registry(None, lambda _: judge)
    await run_evaluators_for_case(context(listed), registry)
    _, (result,) = await run_evaluators_for_case(context(listed, system_prompt="You are strict."), registry)
    (built_in, _), (system, user) = judge.told
    assert built_in.startswith("You grade one answer.")
    assert system.startswith("You are strict.")
    assert "You grade one answer." not in system
    assert "Reply with one JSON object" in system + user, "whatever the prompt says, the judge knows how to reply"
    assert (result.evaluator_raw_request or {})["system_prompt"] == system


async def test_a_judge_by_itself_reads_the_prompt_as_well(tmp_path: Path) -> None:
    judge = Judge()
    own = Replaced()
    await run_evaluators_for_case(context({"type": "llm-grader", "prompt": "Mine: {{ output }}"}), {"llm_judge": own})
    (seen,) = own.seen
    await LlmJudgeEvaluator(resolve_judge_provider=lambda _: judge).evaluate(seen)
    alone = context(directory=tmp_path, evaluator=seen.evaluator)
    await LlmJudgeEvaluator(resolve_judge_provider=lambda _: judge).evaluate(alone)
    assert [user for _, user in judge.told] == ["Mine: hello"] * 2


async def test_a_prompt_that_cannot_be_read_leaves_no_score() -> None:
    _, (result,) = await run_evaluators_for_case(
        context({"type": "llm-grader", "prompt": "file://nowhere.md"}),
        build_evaluator_registry(None, lambda _: Judge()),
    )
    assert result.reason.startswith("the prompt file://nowhere.md cannot be read: No such file")


# Models


async def test_a_model_is_asked_for(folder: Folder) -> None:
    judge = Judge(checks(tone=True))
    rubric = {"type": "rubrics", "criteria": [{"id": "tone", "outcome": "Warm"}]}
    recordings = Recordings(folder.path / "suite.eval.yaml", DiskFiles())
    made = context(rubric, judge_provider=judge, judge_model="other-2", recordings=recordings, mode="record")
    _, (result,) = await run_evaluators_for_case(made, build_evaluator_registry())
    assert [request.model for request in judge.asked] == ["other-2"]
    assert result.judge == "Judge"
    assert (result.evaluator_raw_request or {})["model"] == "other-2"
    assert [entry.judge for entry in recordings.entries] == ["python:Judge:other-2"]
    await run_evaluators_for_case(context(rubric, judge_provider=judge), build_evaluator_registry())
    assert [request.model for request in judge.asked] == ["other-2", None]


async def test_a_target_keeps_its_model_and_says_so(folder: Folder) -> None:
    folder.targets({"name": "judge", "provider": "mock", "response": JUDGED})
    async with system_ports({}) as ports:
        _, provider = shared_targets(folder.cases("tests: [{id: a, input: hi, criteria: c}]")[0], DiskFiles()).provider(
            "judge", ports
        )
        made = context(judge_provider=provider, judge_model="other-2")
        _, (result,) = await run_evaluators_for_case(made, build_evaluator_registry())
    assert result.reason == (
        "the judge `judge`: a target cannot change its model to other-2; use a target with that model"
    )


# What a run gives to its judges

RUBRIC = """
tests:
  - id: refund
    criteria: Explains the refund window
    input: Can I return this?
    assertions:
      - type: rubrics
        criteria: [{id: window, outcome: Names the 30 days}, {id: tone, outcome: Is friendly}]
"""


async def run(folder: Folder, judge: Judge | None, mode: str = "auto") -> Any:
    """A run with a judge of the script's; its recordings are kept."""
    evaluators = {"llm_judge": LlmJudgeEvaluator(resolve_judge_provider=lambda _: judge)}
    cases = folder.cases(RUBRIC, mode=mode, evaluators=evaluators)
    (result,) = await run_cases(cases, on_event=folder.events.append)
    save_recordings(cases)
    return result


async def test_recordings_are_made_and_used(folder: Folder) -> None:
    folder.mock("You have 30 days.")
    judge = Judge(checks(window=True, tone=False))
    assert (await run(folder, judge, "record")).score == 0.5
    assert "judge: python:Judge" in recordings_path(folder.path / "suite.eval.yaml").read_text(encoding="utf-8")
    assert (await run(folder, judge, "record")).score == 0.5, "from the recording"
    assert len(judge.asked) == 1
    assert (await run(folder, judge, "replay")).evaluators[0].judge.startswith("recorded (python:Judge")
    assert (await run(folder, None)).score == 0.5, "nobody is there to be asked"
    judge.reply = checks(window=True, tone=True)
    assert (await run(folder, judge, "refresh")).score == 1.0
    assert len(judge.asked) == 2


async def test_events_of_criteria_are_told(folder: Folder) -> None:
    folder.mock("You have 30 days.")
    await run(folder, Judge(checks(window=True, tone=False)))
    events = [e for e in folder.events if isinstance(e, CriterionJudged)]
    assert [(e.evaluator, e.result.id, e.result.verdict) for e in events] == [
        ("rubrics", "window", Verdict.PASSED),
        ("rubrics", "tone", Verdict.FAILED),
    ]


async def test_secrets_stay_out_of_what_it_is_told(folder: Folder) -> None:
    folder.environment["API_KEY"] = "hunter-22"
    folder.mock("It is hunter-22.")
    judge = Judge(checks(window=True, tone=True))
    suite = RUBRIC.replace("Can I return this?", "The key is ${{ API_KEY }}")
    evaluators = {"llm_judge": LlmJudgeEvaluator(resolve_judge_provider=lambda _: judge)}
    result = await folder.one(suite, evaluators=evaluators)
    assert result.verdict is Verdict.PASSED
    assert "hunter" not in judge.asked[0].prompt
    assert "***" in judge.asked[0].prompt


async def test_its_costs_are_counted(folder: Folder) -> None:
    folder.targets({"name": "default", "provider": "mock", "response": "hello"})
    evaluators = {
        "llm_judge": LlmJudgeEvaluator(resolve_judge_provider=lambda _: lambda _: Answer(JUDGED, cost_usd=0.25))
    }
    listed = "assertions: [{type: llm-grader}, {type: llm-grader, name: again}]"
    suite = f"tests: [{{id: a, input: hi, criteria: c, {listed}}}]"
    assert (await folder.one(suite, evaluators=evaluators)).cost_usd == 0.5
    within = suite.replace("assertions", "execution: {budget_usd: 0.2}, assertions")
    result = await folder.one(within, evaluators=evaluators)
    assert "the case has spent its budget of $0.2" in result.reason


async def test_a_prompt_of_a_suite_reaches_a_judge_of_the_script(folder: Folder) -> None:
    folder.mock("hello")
    folder.write("prompts/harsh.md", "From the suite: {{ output }}")
    judge = Judge()
    await folder.one(
        "tests: [{id: a, input: hi, criteria: c, assertions: [{type: llm-grader, prompt: file://prompts/harsh.md}]}]",
        evaluators=Options(
            evaluators={"llm_judge": LlmJudgeEvaluator(resolve_judge_provider=lambda _: judge)}
        ).evaluators,
    )
    assert judge.told[0][1].startswith("From the suite: hello")


async def test_no_judge_is_said(folder: Folder) -> None:
    with pytest.raises(Unscored, match="no judge is configured"):
        await LlmJudgeEvaluator(resolve_judge_provider=lambda _: None).evaluate(context())


async def test_who_brings_no_judge_is_told_how_to_bring_one() -> None:
    """A run has targets to choose it from; a caller from Python has not."""
    words = "no judge is configured and no recording matches this answer; give one by `resolve_judge_provider`, or as `judge_provider` of the context"
    with pytest.raises(Unscored) as alone:
        await LlmJudgeEvaluator(resolve_judge_provider=lambda _: None).evaluate(context())
    _, (result,) = await run_evaluators_for_case(context(), build_evaluator_registry())
    assert (alone.value.reason, result.reason) == (words, words)


async def test_a_run_without_a_judge_is_told_where_to_name_one(folder: Folder) -> None:
    folder.mock("x")
    result = await folder.one("tests: [{id: a, input: hi, criteria: c, assertions: [Is kind]}]")
    assert result.reason.endswith("; name one with `grader_target`, on the target in targets.yaml or for the whole run")
