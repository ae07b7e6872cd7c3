"""Asking a judge about the items, as a rubric of a suite would ask it."""

import asyncio
from collections.abc import Callable

from rubric_core.evaluation.judge_check.items import GradedItem, YesNoItem, graded_items, yes_items
from rubric_core.evaluation.judge_check.measures import BARS, Measure, Said, Scored, measures_of, no_better_than_chance
from rubric_core.evaluation.judging.judgement import Judgement
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.inputs import PromptInputs, ResolvedTarget
from rubric_core.evaluation.model.result import Verdict
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.model import Case
from rubric_core.lazy_compilation import dataclass
from rubric_core.ports import Answer, ChatMessage, Ports, Provider, ProviderError, Request
from rubric_core.text import Span

__all__ = ["JudgeCheck", "check_judge"]


@dataclass(frozen=True)
class JudgeCheck:
    """The result of checking a judge."""

    #: Name and identity of the target.
    judge: str
    identity: str
    said: tuple[Said, ...]
    scored: tuple[Scored, ...]
    measures: tuple[Measure, ...]
    #: US dollars, None if the judge does not report it.
    cost_usd: float | None = None

    @property
    def good(self) -> bool:
        """Whether every bar is cleared, and chance can be ruled out."""
        by_name = {measure.name: measure for measure in self.measures}
        return not self.by_chance and all(bar.met(by_name[bar.name]) for bar in BARS)

    @property
    def by_chance(self) -> bool:
        """Whether guessing would have done as well."""
        return no_better_than_chance(self.measures)

    @property
    def wrong(self) -> tuple[Said, ...]:
        """The yes/no items that it judged wrongly, or not at all."""
        return tuple((item, answer) for item, answer in self.said if answer is not item.met)


class _ObservedJudge:
    """A judge whose failures and costs are remembered."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self.error: ProviderError | None = None
        self.spent: float | None = None
        self.name, self.kind, self.identity = provider.name, provider.kind, provider.identity

    async def ask(self, request: Request) -> Answer:
        try:
            answer = await self._provider.ask(request)
        except ProviderError as error:
            self.error = error
            raise
        if answer.cost_usd is not None:
            self.spent = (self.spent or 0.0) + answer.cost_usd
        return answer


async def check_judge(
    provider: Provider, ports: Ports, workers: int = 4, told: Callable[[int, int], None] = lambda _done, _of: None
) -> JudgeCheck:
    """Judge every item with a judge.

    Args:
        provider: The judge.
        ports: The ports.
        workers: The number of items judged in parallel.
        told: Called with the number of judged items, and of all items.

    Raises ProviderError if the judge cannot be called.
    """
    heard = _ObservedJudge(provider)
    yes, graded = tuple(yes_items()), tuple(graded_items())
    room = asyncio.Semaphore(workers)
    done = 0

    async def judged(item: YesNoItem | GradedItem) -> EvaluationScore | None:
        nonlocal done
        async with room:
            if heard.error is not None:
                return None
            try:
                return await _judgement_of(item, heard, ports).rubric(item.sheet)
            except Unscored:
                return None
            finally:
                done += 1
                told(done, len(yes) + len(graded))

    items: list[YesNoItem | GradedItem] = [*yes, *graded]
    scores = await asyncio.gather(*(judged(item) for item in items))
    if heard.error is not None:
        raise heard.error
    first = [None if s is None else s.criteria[0] for s in scores]
    said = tuple(
        (item, None if c is None else c.verdict is Verdict.PASSED) for item, c in zip(yes, first, strict=False)
    )
    scored = tuple((item, None if c is None else c.raw) for item, c in zip(graded, first[len(yes) :], strict=True))
    return JudgeCheck(provider.name, provider.identity, said, scored, measures_of(said, scored), heard.spent)


def _judgement_of(item: YesNoItem | GradedItem, judge: Provider, ports: Ports) -> Judgement:
    asked = PromptInputs(question=item.question, messages=(ChatMessage("user", item.question),))
    dialect = DIALECTS[-1]
    context = EvaluationContext(
        eval_case=Case(Span(0, 0), id=item.id), candidate=item.answer, target=ResolvedTarget(name="sample", kind="sample"),
        provider=judge, attempt=1, prompt_inputs=asked, now=ports.clock.now(), answer=Answer(item.answer), dialect=dialect, ports=ports,
    )  # fmt: skip
    return Judgement(
        context=context, dialect=dialect, judge=judge, trouble="", own=None, recordings=None, mode="auto",
        max_output_tokens=None, temperature=None,
    )  # fmt: skip
