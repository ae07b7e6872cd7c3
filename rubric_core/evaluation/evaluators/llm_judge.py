"""A model grades the answer: criterion by criterion, or as a whole."""

from collections.abc import Awaitable, Callable
from typing import Literal, TypeAlias, TypeVar, get_args

from rubric_core.evaluation.judging.answer_attachments import answer_with_files
from rubric_core.evaluation.judging.judgement import Judgement, no_judge
from rubric_core.evaluation.judging.templates import custom_prompt
from rubric_core.evaluation.model.arguments import instance, one_of, whole
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.recording import JudgeRecordings, RecordingMode
from rubric_core.evaluation.model.script_judge import Judge, as_provider
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.scoring.rubric import sheet_of
from rubric_core.evaluation.targets.providers.wrapper import ModelOverride
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.evaluators import AgentJudge, AgentRubric, Criterion, LlmJudge, LlmRubric, Rubric
from rubric_core.language.variables import replaces_system
from rubric_core.lazy_compilation import replace
from rubric_core.ports import Provider

__all__ = ["AGENTS", "JudgeResolver", "LlmJudgeEvaluator"]

#: The kinds of targets that work in a directory and can read its files.
AGENTS = ("cli", "claude-cli", "codex-cli", "copilot-cli")
#: Gives the judge for a context, or None without one. Raises Unscored when a judge is configured but unusable.
JudgeResolver: TypeAlias = Callable[[EvaluationContext], "Judge | Awaitable[Judge | None] | None"]

T = TypeVar("T")
_WARMEST = 2


class LlmJudgeEvaluator:
    """A model as the judge. Criteria are judged one by one against a schema, with three attempts.

    Args:
        resolve_judge_provider: A function that gives the judge for a context, or None; it may be async. A judge is a provider,
            an object with `ask(request)` or `invoke(request)`, or a function of the request (see `judging.brought`).
        max_output_tokens: The maximum number of tokens of a reply; None leaves it to the provider.
        temperature: 0..2; the evaluator's own setting takes precedence.
        recordings: Recorded replies of judges, in place of those in the context; used without a judge, or as `mode` says.
        mode: Whether judges are called, recorded, or replaced by recordings; overrides the mode in the context.

    Raises TypeError when `resolve_judge_provider` is not callable, ValueError for another invalid argument.
    """

    kind: Literal["llm_judge"] = "llm_judge"

    def __init__(
        self,
        *,
        resolve_judge_provider: JudgeResolver,
        max_output_tokens: int | None = None,
        temperature: float | None = None,
        recordings: JudgeRecordings | None = None,
        mode: RecordingMode | None = None,
    ) -> None:
        given: object = resolve_judge_provider
        if not callable(given) or isinstance(given, type):
            raise TypeError(
                "resolve_judge_provider is a function that gives the judge for a context, as `lambda context: judge`; "
                f"found {given!r:.60}"
            )
        if max_output_tokens is not None:
            whole("max_output_tokens", max_output_tokens)
        if temperature is not None and not (isinstance(temperature, int | float) and 0 <= temperature <= _WARMEST):
            raise ValueError(f"temperature must be a number from 0 to {_WARMEST}, found {temperature!r:.60}")
        if mode is not None:
            one_of("mode", mode, get_args(RecordingMode))
        self._resolve = resolve_judge_provider
        self._max_output_tokens = max_output_tokens
        self._temperature = temperature
        self._recordings = recordings
        self._mode = mode

    async def evaluate(self, context: EvaluationContext) -> EvaluationScore:
        """The judge's score of the answer. Raises Unscored without a judge or a usable reply."""
        instance("context", context, EvaluationContext, "an EvaluationContext")
        if context.ports is None:
            from rubric_core.adapters import system_ports  # noqa: PLC0415  # only a caller without ports needs the system's

            async with system_ports() as ports:
                return await self.evaluate(replace(context, ports=ports))
        dialect = context.dialect or DIALECTS[-1]
        recordings = self._recordings or context.recordings
        judge, trouble = await self._judge(context, recordings)
        context = await answer_with_files(context)
        if isinstance(context.evaluator, AgentJudge | AgentRubric):
            _can_look(context.evaluator, judge, context)
        own = await custom_prompt(context) if context.own_prompt is None else context.own_prompt
        if own is not None:
            instructs = replaces_system(own.text, dialect.properties)
            context = replace(context, system_prompt=own.text if instructs else None)
            own = None if instructs else own
        asked = _criteria(context)
        sitting = Judgement(
            context=context,
            dialect=dialect,
            judge=judge,
            trouble=trouble,
            own=own,
            recordings=recordings,
            mode=self._mode or context.mode,
            max_output_tokens=self._max_output_tokens,
            temperature=self._temperature,
            criteria=asked if isinstance(asked, str) else None,
        )
        return await sitting.rubric(sheet_of(asked, dialect)) if isinstance(asked, list) else await sitting.whole()

    async def _judge(
        self, context: EvaluationContext, recordings: JudgeRecordings | None
    ) -> tuple[Provider | None, str]:
        """The judge, or None and the reason."""
        judge, trouble = await self._resolved(context, recordings)
        if judge is not None:
            judge = context.metered(judge)
            judge = judge if context.judge_model is None else ModelOverride(judge, context.judge_model)
        return judge, trouble

    async def _resolved(
        self, context: EvaluationContext, recordings: JudgeRecordings | None
    ) -> tuple[Provider | None, str]:
        if context.judge_provider is not None:
            return context.judge_provider, ""
        try:
            found = await _awaited(self._resolve(context))
        except Unscored as problem:
            if recordings is None or problem.at is not None:  # an error in the suite is reported at its line
                raise
            return None, problem.reason
        return (None, no_judge(context)) if found is None else (as_provider(found), "")


def _can_look(config: AgentJudge | AgentRubric, judge: Provider | None, context: EvaluationContext) -> None:
    """Raises Unscored for a judge that can read the answer only, but should inspect files."""
    if context.workspace is None:
        raise Unscored(f"{config.type_name} inspects the files of a workspace, and the case has none", at=config)
    if judge is not None and judge.kind not in AGENTS:
        known = ", ".join(AGENTS)
        raise Unscored(
            f"{config.type_name} needs a judge that can read files ({known}); {judge.name} is {judge.kind}",
            at=config,
        )


async def _awaited(value: Awaitable[T] | T) -> T:
    return await value if isinstance(value, Awaitable) else value


def _criteria(context: EvaluationContext) -> list[object] | str | None:
    """The criteria to judge one by one, a text by which to judge as a whole, or None for the criteria of the case."""
    config = context.evaluator
    if isinstance(config, LlmRubric):
        return _value_criteria(config)
    if isinstance(config, Rubric):
        return config.criteria or []
    if isinstance(config, LlmJudge) and config.rubrics:
        return config.rubrics
    return None


def _value_criteria(config: LlmRubric) -> list[object] | str | None:
    value = config.criteria
    if value is None and config.prompt is None:
        raise Unscored(f"{config.type_name} needs a `value` or a `prompt`; agentv skips it", at=config)
    if isinstance(value, str) and config.score_ranges is not None:
        made = Criterion(
            config.at("criteria"), None, outcome=value, score_ranges=config.score_ranges, operator=config.operator
        )
        return [made]
    return [value] if isinstance(value, Criterion) else value
