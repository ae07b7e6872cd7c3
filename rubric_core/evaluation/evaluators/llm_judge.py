"""A model grades the answer: criterion by criterion, or as a whole (REQ-EVAL-002; documents 000, 002 and 004)."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from rubric_core.evaluation.context import EvaluationContext, EvaluationScore
from rubric_core.evaluation.judging.answer_files import with_files
from rubric_core.evaluation.judging.brought import as_provider
from rubric_core.evaluation.judging.judge import RecordingMode
from rubric_core.evaluation.judging.prompts import OwnPrompt, own_text
from rubric_core.evaluation.judging.sitting import NO_JUDGE, Sitting
from rubric_core.evaluation.result import Unscored
from rubric_core.evaluation.rubric import sheet_of
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.evaluators import AgentJudge, AgentRubric, Criterion, LlmJudge, LlmRubric, Rubric
from rubric_core.ports import Provider

if TYPE_CHECKING:
    from rubric_core.evaluation.judging.recordings import Recordings

__all__ = ["AGENTS", "JudgePrompt", "JudgeResolver", "LlmJudgeEvaluator"]

#: The kinds of targets that work in a directory, and can look at what is there.
AGENTS = ("cli", "claude-cli", "codex-cli", "copilot-cli")
#: Gives the judge for a context; None when there is none. Raises Unscored when there ought to be one.
JudgeResolver: TypeAlias = Callable[[EvaluationContext], "Provider | Awaitable[Provider | None] | None"]
#: Gives the author's prompt for a context, None for the built-in one. A text is read as one that stands in the suite.
JudgePrompt: TypeAlias = Callable[[EvaluationContext], "OwnPrompt | str | Awaitable[OwnPrompt | str | None] | None"]

T = TypeVar("T")


class LlmJudgeEvaluator:
    """A judge. Criteria are judged one by one by schema, and three tries are given; see documents 000 and 003.

    Args:
        resolve_judge_provider: A function that gives the judge for a context, or None; it may be async. A judge is a provider,
            an object with `ask(request)` or `invoke(request)`, or a function of the request (see `judging.brought`).
        max_output_tokens: The most tokens of a reply; None leaves it to the provider.
        temperature: 0..2; the evaluator's own setting comes first.
        recordings: What judges said before; used when there is no judge, or by `mode`.
        mode: Whether judges are asked, recorded, or replaced by recordings.
        judge_prompt: Reads the author's prompt.

    Raises TypeError when `resolve_judge_provider` cannot be called.
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
        given: object = resolve_judge_provider
        if not callable(given) or isinstance(given, type):
            raise TypeError(
                "resolve_judge_provider is a function that gives the judge for a context, as `lambda context: judge`; "
                f"found {given!r:.60}"
            )
        self._resolve = resolve_judge_provider
        self._max_output_tokens = max_output_tokens
        self._temperature = temperature
        self._recordings = recordings
        self._mode = mode
        self._judge_prompt = judge_prompt

    async def evaluate(self, context: EvaluationContext) -> EvaluationScore:
        """The judge's score of the answer. Raises Unscored when there is no judge, or none that gives a usable reply."""
        dialect = context.dialect or DIALECTS[-1]
        judge, trouble = await self._judge(context)
        context = await with_files(context)
        if isinstance(context.evaluator, AgentJudge | AgentRubric):
            _can_look(context.evaluator, judge, context)
        brought = await _awaited(self._judge_prompt(context)) if self._judge_prompt else None
        own = own_text(brought, dialect.properties) if isinstance(brought, str) else brought
        if own is not None and dialect.properties.wording == "generated":
            context, own = replace(context, system_prompt=own.text), None
        asked = _criteria(context)
        sitting = Sitting(
            context=context,
            dialect=dialect,
            judge=judge,
            trouble=trouble,
            own=own,
            recordings=self._recordings,
            mode=self._mode,
            max_output_tokens=self._max_output_tokens,
            temperature=self._temperature,
            criteria=asked if isinstance(asked, str) else None,
        )
        return await sitting.rubric(sheet_of(asked, dialect)) if isinstance(asked, list) else await sitting.whole()

    async def _judge(self, context: EvaluationContext) -> tuple[Provider | None, str]:
        """The judge, or None and why there is none."""
        if context.judge_provider is not None:
            return as_provider(context.judge_provider), ""
        try:
            found = await _awaited(self._resolve(context))
        except Unscored as problem:
            if self._recordings is None or problem.at is not None:  # a mistake in the suite is said at its line
                raise
            return None, problem.reason
        return (None, NO_JUDGE) if found is None else (as_provider(found), "")


def _can_look(config: AgentJudge | AgentRubric, judge: Provider | None, context: EvaluationContext) -> None:
    """A judge that is to look at files is another thing than one that reads an answer: it is not taken for one. Raises Unscored."""
    if context.workspace is None:
        raise Unscored(f"{config.type_name} looks at the files of a workspace, and the case has none", at=config)
    if judge is not None and judge.kind not in AGENTS:
        known = ", ".join(AGENTS)
        raise Unscored(
            f"{config.type_name} needs a judge that can look at files ({known}); {judge.name} is {judge.kind}",
            at=config,
        )


async def _awaited(value: Awaitable[T] | T) -> T:
    return await value if isinstance(value, Awaitable) else value


def _criteria(context: EvaluationContext) -> list[object] | str | None:
    """The criteria to judge one by one, a text by which to judge as a whole, or None for the criteria of the case."""
    config = context.evaluator
    if isinstance(config, LlmRubric):
        return _of_value(config)
    if isinstance(config, Rubric):
        return config.criteria or []
    if isinstance(config, LlmJudge) and config.rubrics:
        return config.rubrics
    return None


def _of_value(config: LlmRubric) -> list[object] | str | None:
    value = config.criteria
    if value is None and config.prompt is None:
        raise Unscored(f"{config.type_name} needs a `value` or a `prompt`; agentv skips it", at=config)
    if isinstance(value, str) and config.score_ranges is not None:
        made = Criterion(
            config.at("criteria"), None, outcome=value, score_ranges=config.score_ranges, operator=config.operator
        )
        return [made]
    return [value] if isinstance(value, Criterion) else value
