"""One attempt at a row of promptfoo: sends its prompt, or takes the stored output, and grades it as promptfoo does."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from rubric_core.cached_properties import cached_property
from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.code.scripts import CodeFailedError, Conventions, language_of, run_function
from rubric_core.evaluation.engine.attempt import Attempt
from rubric_core.evaluation.engine.events import Answered
from rubric_core.evaluation.model.context import EvaluationContext, EvaluatorConfig
from rubric_core.evaluation.model.evaluator import Evaluator
from rubric_core.evaluation.model.inputs import PromptInputs, ResolvedTarget
from rubric_core.evaluation.model.redaction import seal
from rubric_core.evaluation.model.result import ROW, CaseResult, EvaluatorResult, Verdict
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.scoring.finite_number import finite_number
from rubric_core.evaluation.scoring.score import Outcome
from rubric_core.families.promptfoo.cases.history import STORED
from rubric_core.families.promptfoo.cases.models import CHOSEN_BY_KEYS, default_grader
from rubric_core.families.promptfoo.cases.prompts import PromptfooPrompt
from rubric_core.families.promptfoo.cases.runnable import PromptfooRunnable
from rubric_core.families.promptfoo.code.transform import TransformPlace, output_text, transformed
from rubric_core.families.promptfoo.engine.environment import require_no_failure
from rubric_core.families.promptfoo.engine.provider import provider_of_row, test_of_row
from rubric_core.families.promptfoo.evaluators.registry import promptfoo_evaluator
from rubric_core.families.promptfoo.language.assertion import COMPARING_TYPES
from rubric_core.families.promptfoo.model.assertion import (
    PROMPTFOO_KIND,
    PromptfooAssertion,
    given_score,
    given_score_details,
    within_range,
)
from rubric_core.families.promptfoo.scoring import named_scores, named_weights, promptfoo_outcome
from rubric_core.families.promptfoo.targets.providers import PromptfooTargets
from rubric_core.families.promptfoo.targets.scripts import no_tokens, row_context
from rubric_core.loading.directory_search import URL
from rubric_core.ports import Answer, ChatMessage, Provider, Request

__all__ = ["PENDING", "PromptfooAttempt"]

#: The key of `CaseResult.details` with the outcome of a row before its output is compared with others.
PENDING = "before_comparison"

_ROLES = ("system", "user", "assistant", "tool")


class PromptfooAttempt(Attempt):
    """One attempt to run a row. `case` has its templates filled in."""

    case: PromptfooRunnable
    #: The output before the transform of the test; None before there is one.
    _provider_output: Any = None

    async def result(self, base: CaseResult) -> CaseResult:
        """Raises Unscored when there is nothing to grade."""
        if self.case.history is not None:
            self.case.history.done(self.case.place)
        configs = self._graders()
        target, provider = self.target(base.target)
        inputs = self.inputs()
        other = self.case.answered_by
        answer = await self._answer(self.target(other)[1] if other else provider, inputs)
        self._store(answer)
        results: Sequence[EvaluatorResult] = ()
        if configs:
            context = self.context(target, provider, inputs, answer, min(1.0, max(0.0, base.threshold)))
            results = await self.grade(self.with_row(context, self._provider_output), configs)
        require_no_failure(results, self.ports.environment)
        weights = [float(each.weight) for each in configs]
        allowed = self.case.options.allow_grader_errors
        score, verdict, reason = promptfoo_outcome(
            results, weights, self.case.pass_threshold, allow_errors=allowed, is_compared=bool(self.case.comparing)
        )
        code = self.case.test.data.get("assertScoringFunction")
        own: Mapping[str, Any] = {}
        if code and self.case.assertions and verdict is not Verdict.UNSCORED:
            (score, verdict, reason), own = await self._scored(code, configs, results)
        made = replace_fields(
            base, verdict=verdict, score=None if score is None else within_range(score), reason=reason, evaluators=tuple(results), answer=answer.text,
            tokens=None if answer.cached_at else answer.tokens, cost_usd=self.cost(), usage=self.usage(results),
            exchanges=self.log.exchanges, details={**_details(configs, results, answer), **own, **given_score_details(score or 0.0), **self._row(configs, results)} or None,
        )  # fmt: skip
        return _awaiting_comparison(made) if self.case.comparing and verdict is not Verdict.UNSCORED else made

    def _row(self, configs: Sequence[PromptfooAssertion], results: Sequence[EvaluatorResult]) -> Mapping[str, Any]:
        """The row as its result keeps it, with its values filled in."""
        row, filled = self.case.row_data, self.case.filled
        if row is None:
            return {}
        # A text prompt is stored with the request; of a prompt that is JSON, only the messages are.
        sent = {"sent": filled.prompt} if filled is not None and filled.prompt.lstrip().startswith("[") else {}
        weights = {name: each for name, each in named_weights(_metrics(configs), results).items() if each != 1}
        return {ROW: {**row, **sent, **({"named_score_weights": weights} if weights else {})}}

    async def _scored(
        self, code: Any, configs: Sequence[PromptfooAssertion], results: Sequence[EvaluatorResult]
    ) -> tuple[Outcome, Mapping[str, Any]]:
        """The outcome that the test's own scoring function gives, and the details that it replaces; if it fails, the row fails. Raises Unscored."""
        case = self.case
        if not isinstance(code, str) or not code.startswith(URL):
            raise Unscored(
                "`assertScoringFunction` must name a file with a function, as in `file://score.js`", at=case.case
            )
        parts = [
            {"pass": each.verdict is Verdict.PASSED, "score": given_score(each) or 0.0, "reason": each.misses[0] if each.misses else each.name}
            for outer in results for each in outer.flat()
        ]  # fmt: skip
        named = named_scores(_metrics(configs), results)
        around: dict[str, Any] = {"threshold": case.pass_threshold, "componentResults": parts, "tokensUsed": {}}
        ports, limit = seal(self.ports, self._secrets), case.options.time_limit
        try:
            made = await run_function(
                code, language_of(code), {"namedScores": named, "context": around}, ports, case.directory, limit, case.case,
                function="func", conventions=Conventions(exact=True),
            )  # fmt: skip
        except CodeFailedError as error:
            return Outcome(0.0, Verdict.FAILED, f"`assertScoringFunction`: {error.reason}"), {}
        made = made if isinstance(made, dict) else {}
        passed, score, reason = (made.get(name) for name in ("pass", "score", "reason"))
        if not isinstance(passed, bool) or isinstance(score, bool) or not isinstance(score, int | float):
            return Outcome(0.0, Verdict.FAILED, "`assertScoringFunction` returned no `{pass, score, reason}`"), {}
        verdict = Verdict.PASSED if passed else Verdict.FAILED
        return Outcome(float(score), verdict, "" if passed else str(reason or "")), _own_named_scores(made)

    def _graders(self) -> Sequence[PromptfooAssertion]:
        only = self.case.options.evaluator
        chosen = self.case.assertions if only is None else self.case.assertions[only - 1 : only]
        return [each for each in chosen if each.type_name not in COMPARING_TYPES]

    async def judge_outputs(
        self, assertion: PromptfooAssertion, outputs: Sequence[str], target: str
    ) -> EvaluatorResult:
        """Let a model compare the outputs of several rows, the first of which is this one. Raises Unscored."""
        resolved, provider = self.target(target)
        text = json.dumps(outputs, ensure_ascii=False)
        context = self.context(resolved, provider, self.inputs(), Answer(text, data=list(outputs)), 0.0)
        return (await self.grade(context, [assertion]))[0]

    def inputs(self) -> PromptInputs:
        """The prompt, as messages if it is a JSON list of them."""
        filled = self.case.filled
        prompt = filled.prompt if filled is not None else ""
        return PromptInputs(question=prompt, messages=_messages(prompt), text=" ".join(prompt.split()))

    def request(self, inputs: PromptInputs) -> Request:
        """See `Attempt.request`. Adds the settings of the row. Raises Unscored for a setting that is not supported."""
        asked, filled = replace_fields(super().request(inputs), row=self._row_context(inputs)), self.case.filled
        if filled is None or not filled.config:
            return asked
        name, targets = self.case.answered_by or self.case.options.target or "", self._targets
        refused = targets.refused(name, filled.config) if isinstance(targets, PromptfooTargets) else ""
        if refused:
            raise Unscored(
                f"rubric does not support `{refused}`, which the prompt or `options` set, of {name}", at=self.case.case
            )
        return replace_fields(asked, config=filled.config)

    def _row_context(self, inputs: PromptInputs) -> Mapping[str, Any]:
        """What providers that are programs learn of the row."""
        case, sent = self.case, self.case.sent_prompt
        raw, label = (inputs.question, inputs.question) if sent is None else (sent.text, _label_of(sent))
        place = {"number": case.row_number, "column": case.column, "repeat": self.number - 1}
        return row_context(raw, label, self._test, **place)

    @cached_property
    def _test(self) -> Mapping[str, Any]:
        """The test for programs."""
        return test_of_row(self.case)

    def _add_turn(self, inputs: PromptInputs, output: Any) -> None:
        """Make the row a turn of its conversation, where later rows may read it."""
        case = self.case
        if case.history is not None:
            case.history.add_turn(case.place, case.test.conversation_id, inputs.question, output)

    def _store(self, answer: Answer) -> None:
        """Store the output for later rows under the name in the options."""
        name, history = self.case.test.part("options").get(STORED), self.case.history
        output = answer.text if answer.data is None else answer.data
        if history is not None and name and output:
            history.stored[str(name)] = output

    async def _answer(self, provider: Provider, inputs: PromptInputs) -> Answer:
        """The answer of the provider, or the stored one, transformed. Raises Unscored."""
        stored = self.case.test.data.get("providerOutput")
        if stored or isinstance(stored, list | dict):  # an empty one is an output, too
            data = None if isinstance(stored, str) else stored
            told = {"tokenUsage": no_tokens(0), "cost": 0, "cached": False}
            answer = self._secrets.within(
                Answer(output_text(stored), duration_ms=0.0, cost_usd=0.0, data=data, reported=told)
            )
            self.on_event(Answered(self.case.id, answer))
        else:
            began = self.ports.clock.seconds()
            try:
                answer = await self.ask(provider, inputs)
            except Unscored:
                # promptfoo adds an empty turn when a model reports an error, and none when an exception is thrown.
                if self._targets.kind_judges(provider.name, self.ports.environment):
                    self._add_turn(inputs, "")
                raise
            took = (self.ports.clock.seconds() - began) * 1000
            answer = answer if answer.duration_ms is not None else replace_fields(answer, duration_ms=took)
        self._add_turn(inputs, answer.text if answer.data is None else answer.data)
        return await self._transformed(answer, inputs)

    async def _transformed(self, answer: Answer, inputs: PromptInputs) -> Answer:
        """The answer after the transforms of the provider and of the options, in this order. Raises Unscored."""
        options, configured, sent = self.case.test.part("options"), self.case.provider, self.case.sent_prompt
        reported = (answer.reported or {}).get("metadata")
        codes = (
            (configured.transform if configured is not None else None, None),
            (
                options.get("transform") or options.get("postprocess"),
                reported if isinstance(reported, Mapping) else None,
            ),
        )
        prompt = (
            {"raw": inputs.question, "label": inputs.question}
            if sent is None
            else {"raw": sent.text, "label": sent.label}
        )
        for code, metadata in codes:
            place = TransformPlace(
                seal(self.ports, self._secrets), self.case.directory, self.case.options.time_limit, self.case.variables, prompt,
                self.case.case, metadata,
            )  # fmt: skip
            if code:
                made = await transformed(code, answer.text if answer.data is None else answer.data, place)
                data = None if isinstance(made, str) else made
                answer = self._secrets.within(replace_fields(answer, text=output_text(made), data=data))
            if self._provider_output is None:
                self._provider_output = answer.text if answer.data is None else answer.data
        return answer

    def with_row(self, context: EvaluationContext, output: Any) -> EvaluationContext:
        """See `Attempt.with_row`."""
        told = provider_of_row(self.case, self.ports.environment, self._secrets)
        return context.with_fields(test=self._test, row_provider=told, provider_output=output)

    async def grade_alike(self, context: EvaluationContext, configs: Sequence[EvaluatorConfig], target: str) -> None:
        """See `Attempt.grade_alike`: two rows are compared."""
        await self.grade(context, [each for each in configs if each.type_name not in COMPARING_TYPES])
        for each in configs:
            if each.type_name in COMPARING_TYPES and isinstance(each, PromptfooAssertion):
                with suppress(Unscored):
                    await self.judge_outputs(each, [context.candidate] * 2, target)

    def may_judge(self, target: ResolvedTarget, config: EvaluatorConfig | None) -> bool:
        """See `Attempt.may_judge`: an assertion has a grader of its own, or none."""
        return not isinstance(config, PromptfooAssertion) and super().may_judge(target, config)

    def _judge_name(self, config: EvaluatorConfig | None, target: ResolvedTarget) -> str | None:
        name = super()._judge_name(config, target)
        if name != CHOSEN_BY_KEYS or not isinstance(config, PromptfooAssertion):
            return name
        return default_grader(config.base_type, self.ports.environment)

    def registry(self) -> dict[str, Evaluator]:
        """See `Attempt.registry`."""
        return {**super().registry(), PROMPTFOO_KIND: promptfoo_evaluator(self._judge)}


def _label_of(prompt: PromptfooPrompt) -> str:
    """The label of a prompt, which is the path of its program where it has none, as from the folder of the configuration."""
    return prompt.program.removeprefix(URL) if prompt.program and Path(prompt.label).is_absolute() else prompt.label


def _messages(prompt: str) -> tuple[ChatMessage, ...]:
    """The messages of a prompt: those of a JSON list of messages, else one of the user."""
    try:
        value = json.loads(prompt) if prompt.lstrip().startswith("[") else None
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, list) and value and all(_is_message(each) for each in value):
        return tuple(ChatMessage(each["role"], _content(each["content"])) for each in value)
    return (ChatMessage("user", prompt),)


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and value.get("role") in _ROLES and "content" in value


def _content(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _own_named_scores(made: Mapping[str, Any]) -> Mapping[str, Any]:
    """The named scores of a scoring function, which replace those of the assertions, as a detail of the row; empty if it returns none."""
    written = made.get("namedScores")
    if not isinstance(written, dict):
        return {}
    return {"named_scores": {name: each for name, each in written.items() if finite_number(each) is not None}}


def _awaiting_comparison(result: CaseResult) -> CaseResult:
    """The result of a row until its output is compared with others: nothing may take it for a pass."""
    before = {"verdict": result.verdict.value, "score": result.score, "reason": result.reason}
    return replace_fields(
        result, verdict=Verdict.UNSCORED, score=None, reason="its output was not compared with those of the other rows",
        details={**(result.details or {}), PENDING: before},
    )  # fmt: skip


def _metrics(configs: Sequence[PromptfooAssertion]) -> list[tuple[str, float]]:
    """The metric and the weight of each assertion."""
    return [(each.metric, float(each.weight)) for each in configs]


def _details(
    configs: Sequence[PromptfooAssertion], results: Sequence[EvaluatorResult], answer: Answer
) -> Mapping[str, Any]:
    """The named scores of the row, and when its answer was given."""
    named = named_scores(_metrics(configs), results)
    told: dict[str, Any] = {"named_scores": named} if named else {}
    return {**told, **({"cached_answer": answer.cached_at} if answer.cached_at else {})}
