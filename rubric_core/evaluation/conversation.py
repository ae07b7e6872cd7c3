"""Conversations: the target is asked turn by turn, each answer is graded, and the whole at the end."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rubric_core.evaluation.attempt import Attempt
from rubric_core.evaluation.context import EvaluationContext, EvaluatorConfig, PromptInputs, ResolvedTarget
from rubric_core.evaluation.input import messages_of, reference_of
from rubric_core.evaluation.judging.judge import conversation_text
from rubric_core.evaluation.result import CaseResult, EvaluatorResult, Unscored, Verdict
from rubric_core.evaluation.score import case_outcome, verdict_of, weighted_mean
from rubric_core.evaluation.turns import TURN, turn_evaluators, turns_of
from rubric_core.language.model import Turn
from rubric_core.ports import Answer, ChatMessage, Provider

__all__ = ["Conversation"]


class Conversation(Attempt):
    """A case whose turns are run and graded one after the other."""

    async def result(self, base: CaseResult) -> CaseResult:
        """The result of the conversation. Raises Unscored when it could not even begin."""
        case = self.case.case
        turns = turns_of(case)
        if not turns:
            raise Unscored("a conversation needs `turns`", at=case)
        target, provider = self.target(base.target)
        said = list(self._opening())
        results: list[EvaluatorResult] = []
        answer = Answer("")
        for number, turn in enumerate(turns, start=1):
            if case.on_turn_failure == "stop" and any(r.verdict is not Verdict.PASSED for r in results):
                results.append(_not_run(number))
                continue
            said += messages_of(turn.input, self.case.directory, self.ports.files, self.case.anchors)
            answer = await self.ask(provider, self._shown(said))
            inputs = replace(
                self._shown(said),
                reference_answer=reference_of(
                    turn.expected_output, self.case.anchors, self.case.directory, self.ports.files
                ),
            )
            context = self.context(target, provider, inputs, answer, base.threshold)
            results.append(await self._graded(number, turn, context))
            said.append(ChatMessage("assistant", answer.text))
        results += await self._as_a_whole(target, provider, said, base)
        return self._outcome(base, results, said, answer)

    def _opening(self) -> Sequence[ChatMessage]:
        """The input of suite and case: a plain text there is the setting, not a question."""
        plain = isinstance(self.case.case.input, str)
        return [ChatMessage("system", m.content) if plain and m.role == "user" else m for m in self.inputs().messages]

    def _shown(self, said: Sequence[ChatMessage]) -> PromptInputs:
        """What the target sees: everything, or the setting and the last turns."""
        size = self.case.case.window_size
        first = [m for m in said if m.role == "system"]
        others = [m for m in said if m.role != "system"]
        shown = (*first, *(others if size is None else others[-2 * size :]))
        return PromptInputs(question=conversation_text(shown), messages=shown, input=_as_data(shown))

    async def _graded(self, number: int, turn: Turn, context: EvaluationContext) -> EvaluatorResult:
        """One turn as one result; a turn that nothing is expected of scores 1."""
        base = EvaluatorResult(name=f"turn-{number}", type=TURN, verdict=Verdict.PASSED, score=1.0)
        configs: Sequence[EvaluatorConfig] = turn_evaluators(turn)
        if not configs:
            return base
        members = (await self.grade(context, configs, number)).results
        score, verdict, reason = case_outcome(members, self.case.dialect.properties, context.threshold)
        return replace(
            base,
            verdict=verdict,
            score=score,
            reason=reason if score is None else "",
            members=members,
            gate=next((f"{m.name} / {m.gate}" for m in members if m.gate), ""),
            hits=tuple(hit for m in members for hit in m.hits),
            misses=tuple(miss for m in members for miss in m.misses),
            minimum=context.threshold,
        )

    async def _as_a_whole(
        self, target: ResolvedTarget, provider: Provider, said: Sequence[ChatMessage], base: CaseResult
    ) -> Sequence[EvaluatorResult]:
        """The evaluators of the case, over the whole transcript."""
        if not self.case.graders:
            return ()
        transcript = Answer(conversation_text(tuple(m for m in said if m.role != "system")))
        opening = tuple(m for m in said if m.role == "system")
        inputs = PromptInputs(question=conversation_text(opening) if opening else "", messages=opening)
        context = self.context(target, provider, inputs, transcript, base.threshold)
        return (await self.grade(context, self.case.graders)).results

    def _outcome(
        self, base: CaseResult, results: Sequence[EvaluatorResult], said: Sequence[ChatMessage], answer: Answer
    ) -> CaseResult:
        properties = self.case.dialect.properties
        score, verdict, reason = case_outcome(results, properties, base.threshold)
        how = self.case.case.aggregation or "mean"
        if score is not None and how != "mean":
            scores = [r.score for r in results if r.score is not None and r.weight > 0]
            score = (min if how == "min" else max)(scores) if scores else weighted_mean(())
            verdict = verdict if reason else verdict_of(score, properties, base.threshold)
        return replace(
            base,
            verdict=verdict,
            score=score,
            reason=reason,
            evaluators=tuple(results),
            answer=answer.text,
            cost_usd=self.cost(),
            details={"aggregation": how, "transcript": _as_data(said)},
        )


def _not_run(number: int) -> EvaluatorResult:
    """A turn after one that failed, where the conversation stops."""
    miss = "not run: an earlier turn failed"
    return EvaluatorResult(name=f"turn-{number}", type=TURN, verdict=Verdict.FAILED, score=0.0, misses=(miss,))


def _as_data(messages: Sequence[ChatMessage]) -> list[Mapping[str, Any]]:
    return [{"role": m.role, "content": m.content} for m in messages]
