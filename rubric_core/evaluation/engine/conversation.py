"""Conversations: the target is called turn by turn; each answer is graded, then the whole transcript."""

from collections.abc import Sequence

from rubric_core.evaluation.cases.messages import messages_of, reference_of
from rubric_core.evaluation.cases.turns import CONVERSATION, TURN, turn_evaluators, turns_of
from rubric_core.evaluation.engine.attempt import Attempt
from rubric_core.evaluation.engine.transcript import Transcript
from rubric_core.evaluation.model.context import EvaluationContext, EvaluatorConfig
from rubric_core.evaluation.model.inputs import PromptInputs, ResolvedTarget
from rubric_core.evaluation.model.result import CaseResult, EvaluatorResult, Verdict
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.scoring.score import Outcome, case_outcome, verdict_of, weighted_mean, withheld_score
from rubric_core.language.model import Turn
from rubric_core.lazy_compilation import replace
from rubric_core.ports import Answer, ChatMessage, Provider
from rubric_core.syntax.plain_data import plain

__all__ = ["Conversation"]


class Conversation(Attempt):
    """A case whose turns are run and graded in sequence."""

    async def result(self, base: CaseResult) -> CaseResult:
        """The result of the conversation. Raises Unscored when it could not start."""
        case = self.case.case
        turns = turns_of(case)
        if not turns:
            raise Unscored("a conversation needs `turns`", at=case)
        target, provider = self.target(base.target)
        said = Transcript(self.inputs().messages, case.window_size)
        results: list[EvaluatorResult] = []
        answer = Answer("")
        for number, turn in enumerate(turns, start=1):
            if case.on_turn_failure == "stop" and any(r.verdict is not Verdict.PASSED for r in results):
                results.append(_not_run(number))
                continue
            said.add(messages_of(turn.input, self.case.directory, self.ports.files, self.case.anchors))
            answer = await self.ask(provider, said.for_target(), number)
            said.add([ChatMessage("assistant", answer.text)])
            counted = replace(answer, llm_calls=said.calls)
            context = self.context(target, provider, self._turn_inputs(turn, said), counted, base.threshold)
            results.append(await self._graded(number, turn, context))
        results += await self._as_a_whole(target, provider, said, base)
        return self._outcome(base, results, said, answer)

    def _turn_inputs(self, turn: Turn, said: Transcript) -> PromptInputs:
        """The inputs for the graders of a turn: the messages up to the answer, and the expected answer."""
        expected = plain(turn.expected_output, self.case.anchors)
        return replace(
            said.for_graders(),
            reference_answer=reference_of(
                turn.expected_output, self.case.anchors, self.case.directory, self.ports.files
            ),
            expected=[] if expected is None else [expected if isinstance(expected, dict) else {"content": expected}],
        )

    async def _graded(self, number: int, turn: Turn, context: EvaluationContext) -> EvaluatorResult:
        """One turn as one result; a turn without expectations scores 1."""
        base = EvaluatorResult(name=f"turn-{number}", type=TURN, verdict=Verdict.PASSED, score=1.0)
        configs: Sequence[EvaluatorConfig] = turn_evaluators(turn)
        return self._together(base, await self.grade(context, configs, number), context) if configs else base

    def _together(
        self, base: EvaluatorResult, members: tuple[EvaluatorResult, ...], context: EvaluationContext
    ) -> EvaluatorResult:
        """The combined result of several evaluators of a turn, or of the whole conversation."""
        properties, allowed = self.case.dialect.properties, self.case.options.allow_grader_errors
        score, verdict, reason = case_outcome(members, properties, context.required_minimum, allow_errors=allowed)
        return replace(
            base,
            verdict=verdict,
            score=score,
            reason=reason if verdict is Verdict.UNSCORED else "",
            members=members,
            gate=next((f"{m.name} / {m.gate}" for m in members if m.gate), ""),
            hits=tuple(hit for m in members for hit in m.shown_hits),
            misses=tuple(miss for m in members for miss in m.shown_misses),
            minimum=context.required_minimum,
        )

    async def _as_a_whole(
        self, target: ResolvedTarget, provider: Provider, said: Transcript, base: CaseResult
    ) -> Sequence[EvaluatorResult]:
        """Grade the whole transcript with the evaluators of the case: one result that counts as much as a turn."""
        if not self.case.graders:
            return ()
        inputs = replace(said.whole(), reference_answer=self.inputs().reference_answer)
        answer = Answer(inputs.question, tool_uses=(), llm_calls=said.calls)  # the total usage is unknown
        context = self.context(target, provider, inputs, answer, base.threshold)
        whole = EvaluatorResult(name=CONVERSATION, type=CONVERSATION, verdict=Verdict.PASSED)
        return (self._together(whole, await self.grade(context, self.case.graders), context),)

    def _outcome(
        self, base: CaseResult, results: Sequence[EvaluatorResult], said: Transcript, answer: Answer
    ) -> CaseResult:
        properties, allowed = self.case.dialect.properties, self.case.options.allow_grader_errors
        outcome = case_outcome(results, properties, base.threshold, allow_errors=allowed)
        how = self.case.case.aggregation or "mean"
        if outcome.score is not None and how != "mean":
            scores = [r.score for r in results if r.score is not None and r.weight > 0]
            score = (min if how == "min" else max)(scores) if scores else weighted_mean(())
            gated = outcome.verdict is Verdict.FAILED and outcome.reason
            verdict = Verdict.FAILED if gated else verdict_of(score, properties, base.threshold)
            outcome = Outcome(score, verdict, outcome.reason if gated else "")
            outcome = outcome if allowed else withheld_score(outcome, results)
        return replace(
            base,
            verdict=outcome.verdict,
            score=outcome.score,
            reason=outcome.reason,
            evaluators=tuple(results),
            answer=answer.text,
            cost_usd=self.cost(),
            usage=self.usage(results),
            exchanges=self.log.exchanges,
            details={"aggregation": how, "transcript": said.data},
        )


def _not_run(number: int) -> EvaluatorResult:
    """The result of a turn that is not run because the conversation stopped at an earlier failure."""
    miss = "not run: an earlier turn failed"
    return EvaluatorResult(name=f"turn-{number}", type=TURN, verdict=Verdict.FAILED, score=0.0, misses=(miss,))
