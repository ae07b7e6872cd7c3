"""A model grades the answer: criterion by criterion, or as a whole (REQ-EVAL-002; documents 000, 002 and 004)."""

import hashlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from rubric_core.evaluation.context import EvaluationContext, EvaluationScore
from rubric_core.evaluation.judging.judge import RecordingMode, ask_judge, raw_request
from rubric_core.evaluation.judging.prompts import BUILT_IN, JudgeInputs, free_form_prompt, rubric_prompt
from rubric_core.evaluation.result import CriterionResult, Unscored
from rubric_core.evaluation.rubric import RubricSheet, sheet_of
from rubric_core.language.dialect import Dialect, Properties
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.evaluators import LlmJudge, Rubric
from rubric_core.loading.grading import default_name
from rubric_core.ports import ChatMessage, Provider, Request

if TYPE_CHECKING:
    from rubric_core.evaluation.judging.recordings import Asked, Recordings

__all__ = ["JudgePrompt", "JudgeResolver", "LlmJudgeEvaluator"]

#: Gives the judge for a context; None when there is none. Raises Unscored when there ought to be one.
JudgeResolver: TypeAlias = Callable[[EvaluationContext], "Provider | Awaitable[Provider | None] | None"]
#: Gives the author's prompt for a context, None for the built-in one.
JudgePrompt: TypeAlias = Callable[[EvaluationContext], "str | Awaitable[str | None] | None"]

T = TypeVar("T")

_NO_JUDGE = (
    "no judge is configured and no recording matches this answer; name one with `grader_target` on the target in targets.yaml, "
    "or with `rubric run --grader-target NAME`"
)


@dataclass(frozen=True)
class _Question:
    """One thing to ask: the request, and what it is called in recordings."""

    request: Request
    asked: "Asked"
    name: str


class LlmJudgeEvaluator:
    """A judge. Criteria are judged one by one by schema, and three tries are given; see documents 000 and 003.

    Args:
        resolve_judge_provider: Gives the judge for a context, or None.
        max_output_tokens: The most tokens of a reply; None leaves it to the provider.
        temperature: 0..2; the evaluator's own setting comes first.
        recordings: What judges said before; used when there is no judge, or by `mode`.
        mode: Whether judges are asked, recorded, or replaced by recordings.
        judge_prompt: Reads the author's prompt.
    """

    kind: Literal["llm_judge"] = "llm_judge"

    def __init__(
        self,
        *,
        resolve_judge_provider: JudgeResolver,
        max_output_tokens: int | None = None,
        temperature: float | None = None,
        recordings: "Recordings | None" = None,
        mode: RecordingMode = "auto",
        judge_prompt: JudgePrompt | None = None,
    ) -> None:
        self._resolve = resolve_judge_provider
        self._max_output_tokens = max_output_tokens
        self._temperature = temperature
        self._recordings = recordings
        self._mode = mode
        self._judge_prompt = judge_prompt

    async def evaluate(self, context: EvaluationContext) -> EvaluationScore:
        """The judge's score of the answer. Raises Unscored when there is no judge, or none that gives a usable reply."""
        dialect = context.dialect or DIALECTS[-1]
        criteria = _criteria(context)
        judge, trouble = await self._judge(context)
        template = await _awaited(self._judge_prompt(context)) if self._judge_prompt else None
        if template is not None and dialect.properties.wording == "generated":
            context, template = replace(context, system_prompt=template), None
        if criteria is None:
            return await self._whole(context, dialect, judge, trouble, template)
        return await self._rubric(context, sheet_of(criteria, dialect), dialect, judge, trouble, template)

    async def _judge(self, context: EvaluationContext) -> tuple[Provider | None, str]:
        """The judge, or None and why there is none."""
        if context.judge_provider is not None:
            return context.judge_provider, ""
        try:
            found = await _awaited(self._resolve(context))
        except Unscored as problem:
            if self._recordings is None:
                raise
            return None, problem.reason
        return found, "" if found is not None else _NO_JUDGE

    # Criterion by criterion

    async def _rubric(
        self,
        context: EvaluationContext,
        sheet: RubricSheet,
        dialect: Dialect,
        judge: Provider | None,
        trouble: str,
        template: str | None,
    ) -> EvaluationScore:
        system, user = rubric_prompt(sheet, _inputs(context), dialect.properties, template)
        if context.system_prompt is not None:
            system = f"{context.system_prompt}\n\n{system}"
        question = self._question(context, "rubric_checks", system, user, template)
        if judge is None or self._mode == "replay":
            return self._replayed(context, sheet, question, judge, trouble)
        from rubric_core.evaluation.judging.replies import read_checks, schema_for_checks  # noqa: PLC0415  # pydantic, when it is needed

        request = replace(question.request, schema=("rubric_checks", schema_for_checks(sheet)))
        (checks, overall), judged = await ask_judge(judge, request, lambda text: read_checks(text, sheet))
        if self._mode == "record" and self._recordings is not None:
            pairs = [(item, checks[item.id]) for item in sheet.items]
            self._recordings.record_checks(
                question.asked,
                pairs,
                sheet.ranges,
                judge.identity,
                _day(context),
                _case(context),
                question.name,
            )
        results = [_told(context, sheet.judged(item, checks[item.id])) for item in sheet.items]
        score = sheet.score(results)
        return replace(
            score,
            reasoning=overall or None,
            judge=judged.answer.model or judge.name,
            evaluator_raw_request=raw_request(request, judge.name, judged.attempts),
        )

    def _replayed(
        self,
        context: EvaluationContext,
        sheet: RubricSheet,
        question: _Question,
        judge: Provider | None,
        trouble: str,
    ) -> EvaluationScore:
        """The score of recordings. Raises Unscored with what could be judged when one criterion has none."""
        if self._recordings is None:
            raise Unscored(trouble or _NO_JUDGE)
        results: list[CriterionResult] = []
        words: list[str] = []
        for item in sheet.items:
            found = self._recordings.check(question.asked, item, sheet.ranges, judge.identity if judge else None)
            if found is None or found.check is None:
                results.append(sheet.unjudged(item, trouble or "no recording matches this answer and criterion"))
            else:
                results.append(_told(context, sheet.judged(item, found.check)))
                words.append(found.words)
        missing = [r for r in results if r.score is None]
        if missing:
            raise Unscored(_missing_words(missing, results, trouble), tuple(results))
        return replace(
            sheet.score(results),
            judge=", ".join(dict.fromkeys(words)),
            evaluator_raw_request=raw_request(question.request, "recorded"),
        )

    # As a whole

    async def _whole(
        self,
        context: EvaluationContext,
        dialect: Dialect,
        judge: Provider | None,
        trouble: str,
        template: str | None,
    ) -> EvaluationScore:
        properties = dialect.properties
        system, user = free_form_prompt(_inputs(context), properties, template, context.system_prompt)
        question = self._question(context, "judgement", system, user, template)
        if judge is None or self._mode == "replay":
            found = (
                self._recordings.free_form(question.asked, judge.identity if judge else None)
                if self._recordings
                else None
            )
            if found is None or found.score is None:
                raise Unscored(trouble or _NO_JUDGE)
            return replace(
                found.score,
                judge=found.words,
                evaluator_raw_request=raw_request(question.request, "recorded"),
            )
        return await self._asked_as_a_whole(context, properties, judge, question)

    async def _asked_as_a_whole(
        self, context: EvaluationContext, properties: Properties, judge: Provider, question: _Question
    ) -> EvaluationScore:
        from rubric_core.evaluation.judging.replies import read_free_form, schema_for_free_form  # noqa: PLC0415  # pydantic, when it is needed

        style = properties.reply_style
        request = replace(question.request, schema=("judgement", schema_for_free_form(style)))
        score, judged = await ask_judge(judge, request, lambda text: read_free_form(text, style))
        if self._mode == "record" and self._recordings is not None:
            self._recordings.record_free_form(
                question.asked, score, judge.identity, _day(context), _case(context), question.name
            )
        return replace(
            score,
            judge=judged.answer.model or judge.name,
            evaluator_raw_request=raw_request(request, judge.name, judged.attempts),
        )

    def _question(
        self, context: EvaluationContext, name: str, system: str, user: str, template: str | None
    ) -> _Question:
        from rubric_core.evaluation.judging.recordings import Asked  # noqa: PLC0415  # pydantic, when it is needed

        inputs = _inputs(context)
        own = [text for text in (template, context.system_prompt) if text is not None]
        prompt = BUILT_IN if not own else f"sha256:{hashlib.sha256(chr(0).join(own).encode()).hexdigest()[:16]}"
        asked = Asked(
            prompt,
            inputs.question,
            inputs.answer,
            inputs.criteria,
            inputs.reference,
            _joined(inputs.file_changes, inputs.tool_calls),
        )
        messages = (ChatMessage("system", system), ChatMessage("user", user))
        request = Request(
            messages, user, case_id=_case(context), temperature=_temperature(context, self._temperature),
            max_output_tokens=self._max_output_tokens,
        )  # fmt: skip
        return _Question(request, asked, default_name(context.evaluator) if context.evaluator else name)


async def _awaited(value: Awaitable[T] | T) -> T:
    return await value if isinstance(value, Awaitable) else value


def _criteria(context: EvaluationContext) -> list[object] | None:
    """The criteria to judge one by one, or None for a judge that grades as a whole."""
    config = context.evaluator
    if isinstance(config, Rubric):
        return config.criteria or []
    if isinstance(config, LlmJudge) and config.rubrics:
        return config.rubrics
    return None


def _inputs(context: EvaluationContext) -> JudgeInputs:
    answer = context.answer
    used = answer.tool_uses if answer else None
    calls = "\n".join(f"- {u.tool}: {json.dumps(u.input, ensure_ascii=False, default=str)[:300]}" for u in used or ())
    prompt = context.prompt_inputs
    return JudgeInputs(
        context.eval_case.criteria or "",
        prompt.question,
        prompt.reference_answer,
        context.candidate,
        answer.file_changes if answer else "",
        calls,
    )


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def _temperature(context: EvaluationContext, default: float | None) -> float | None:
    config = context.evaluator
    if isinstance(config, LlmJudge) and config.has("temperature"):
        return config.temperature
    return 0.0 if default is None else default


def _told(context: EvaluationContext, result: CriterionResult) -> CriterionResult:
    context.on_criterion(result)
    return result


def _missing_words(missing: list[CriterionResult], every: list[CriterionResult], trouble: str) -> str:
    reason = trouble or "no recording matches this answer and criterion, and recordings are all that was asked for"
    return reason if len(missing) == len(every) else f"{len(missing)} of {len(every)} criteria not judged: {reason}"


def _day(context: EvaluationContext) -> str:
    return context.now.date().isoformat()


def _case(context: EvaluationContext) -> str:
    return context.eval_case.id or ""
