"""Running cases: `run_case` is the one way to a result, for the command line, the server and the tests alike."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rubric_core.evaluation.context import (
    EvaluationContext,
    Evaluator,
    EvaluatorConfig,
    PromptInputs,
    ResolvedTarget,
)
from rubric_core.evaluation.events import (
    Answered,
    CaseDone,
    CaseStarted,
    CriterionJudged,
    EvaluatorDone,
    EvaluatorStarted,
    Listener,
    silent,
)
from rubric_core.evaluation.fingerprint import fingerprint
from rubric_core.evaluation.grade import EvaluatorHooks, default_judge, run_evaluators_for_case
from rubric_core.evaluation.input import prompt_inputs
from rubric_core.evaluation.judging.templates import own_prompt
from rubric_core.evaluation.registry import build_evaluator_registry
from rubric_core.evaluation.result import CaseResult, CriterionResult, EvaluatorResult, Unscored, Verdict
from rubric_core.evaluation.runnable import Runnable
from rubric_core.evaluation.score import case_outcome, threshold_of
from rubric_core.evaluation.targets import Targets, load_targets, target_name
from rubric_core.language.evaluators import LlmJudge, Rubric
from rubric_core.loading.grading import default_name
from rubric_core.ports import Answer, Ports, Provider, ProviderError, Request

if TYPE_CHECKING:
    from rubric_core.evaluation.judging.recordings import Recordings

__all__ = ["run_case", "run_cases", "save_recordings", "targets_of"]

#: Imported when something is run and not before: these load pydantic.
_NEEDED = ("rubric_core.evaluation.providers", "rubric_core.evaluation.judging.recordings")
#: Cases that run at once when nobody says how many.
_WORKERS = 4


async def run_case(case: Runnable, ports: Ports, on_event: Listener = silent) -> CaseResult:
    """Ask the target of a case, grade its answer, and give the verdict.

    Whatever goes wrong is in the result: a case that cannot be scored is `unscored`, with a sentence that says why and what
    to do. Only cancellation gets out; it ends requests and programs at once.
    """
    for needed in _NEEDED:  # before the clock starts: the first case is not charged for it
        import_module(needed)
    began = ports.clock.seconds()
    on_event(CaseStarted(case.id, tuple(default_name(config) for config in case.evaluators or [default_judge()])))
    base = replace(
        CaseResult(id=case.id, verdict=Verdict.UNSCORED, dialect=case.dialect.name, line=case.line, **_asked_for(case)),
        fingerprint=fingerprint(case, ports.files, targets_of(case, ports)),
    )
    try:
        result = await _Run(case, ports, on_event).result(base)
    except Unscored as problem:
        result = replace(base, reason=f"{problem.reason}{case.blame(problem.at) if problem.at is not None else ''}")
    result = replace(
        result,
        duration_ms=(ports.clock.seconds() - began) * 1000,
        at=ports.clock.now().isoformat(timespec="seconds"),
    )
    on_event(CaseDone(case.id, result))
    return result


def _asked_for(case: Runnable) -> dict[str, Any]:
    """The target and the threshold of a case."""
    threshold = threshold_of(case.options.threshold, case.suite, case.case, case.dialect.properties)
    return {"threshold": threshold, "target": target_name(case.suite, case.options.target)}


async def run_cases(
    cases: Sequence[Runnable], ports: Ports, on_event: Listener = silent, workers: int | None = None
) -> list[CaseResult]:
    """Run cases, several at once, and give their results in the order of `cases`. Cancelling ends all of them."""
    room = asyncio.Semaphore(workers or _workers(cases))

    async def one(case: Runnable) -> CaseResult:
        async with room:
            return await run_case(case, ports, on_event)

    tasks = [asyncio.ensure_future(one(case)) for case in cases]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _workers(cases: Sequence[Runnable]) -> int:
    execution = cases[0].suite.execution if cases else None
    return (execution.workers if execution is not None else None) or _WORKERS


def targets_of(case: Runnable, ports: Ports) -> Targets:
    """The targets of the suite of `case`, read once for all cases of a run."""
    found = case.shared.get("targets")
    if not isinstance(found, Targets):
        found = case.shared["targets"] = load_targets(case.directory, ports.files, case.options.targets_file)
    return found


def save_recordings(cases: Sequence[Runnable]) -> None:
    """Write what judges said during a run with mode `record`. Raises OSError."""
    for case in cases:
        found = case.shared.get("recordings")
        if found is not None and found.changed:
            found.save(case.path.name)


@dataclass
class _Metered:
    """A judge whose costs are counted."""

    provider: Provider
    spent: float | None = None

    @property
    def name(self) -> str:
        return self.provider.name

    @property
    def kind(self) -> str:
        return self.provider.kind

    @property
    def identity(self) -> str:
        return self.provider.identity

    async def ask(self, request: Request) -> Answer:
        answer = await self.provider.ask(request)
        if answer.cost_usd is not None:
            self.spent = (self.spent or 0.0) + answer.cost_usd
        return answer


class _Run:
    """One case on its way to a result."""

    def __init__(self, case: Runnable, ports: Ports, on_event: Listener) -> None:
        self.case = case
        self.ports = ports
        self.on_event = on_event
        self.targets = targets_of(case, ports)
        self.judges: dict[str, _Metered] = {}
        self.grading = ""

    async def result(self, base: CaseResult) -> CaseResult:
        """Raises Unscored when not even the evaluators could be asked."""
        if self.case.problems:
            line, message = self.case.problems[0]
            more = f" (and {len(self.case.problems) - 1} more)" if len(self.case.problems) > 1 else ""
            raise Unscored(f"line {line} has a mistake, {message}{more}")
        self.case = self.case.filled(self.ports.environment)
        base = replace(base, **_asked_for(self.case))
        properties = self.case.dialect.properties
        target, provider = self.targets.provider(base.target, self.ports)
        inputs = prompt_inputs(
            self.case.suite,
            self.case.case,
            self.case.directory,
            self.ports.files,
            self.case.anchors,
            properties,
        )
        answer = await self._answer(provider, inputs)
        self.on_event(Answered(self.case.id, answer))
        graded = await run_evaluators_for_case(
            self._context(target, provider, inputs, answer, base.threshold),
            self._registry(),
            self.case.evaluators,
            self._hooks(),
            self.case.blame,
        )
        score, verdict, reason = case_outcome(graded.results, properties, base.threshold)
        return replace(
            base, verdict=verdict, score=score, reason=reason, evaluators=graded.results, answer=answer.text, tokens=answer.tokens,
            cost_usd=self._cost(answer),
        )  # fmt: skip

    async def _answer(self, provider: Provider, inputs: PromptInputs) -> Answer:
        request = Request(inputs.messages, inputs.question, case_id=self.case.id, files=inputs.files)
        try:
            return await provider.ask(request)
        except ProviderError as error:
            raise Unscored(f"target {provider.name}: {error}") from None

    def _context(
        self,
        target: ResolvedTarget,
        provider: Provider,
        inputs: PromptInputs,
        answer: Answer,
        threshold: float,
    ) -> EvaluationContext:
        return EvaluationContext(
            eval_case=self.case.case, candidate=answer.text, target=target, provider=provider, attempt=1, prompt_inputs=inputs,
            now=self.ports.clock.now(), answer=answer, dialect=self.case.dialect, ports=self.ports, directory=self.case.directory,
            anchors=self.case.anchors, on_criterion=self._judged, threshold=threshold, time_limit=self.case.options.time_limit,
        )  # fmt: skip

    def _registry(self) -> dict[str, Evaluator]:
        options = self.case.options
        return build_evaluator_registry(
            options.evaluators,
            self._judge,
            recordings=self._recordings(),
            mode=options.mode,
            judge_prompt=own_prompt,
        )

    def _recordings(self) -> "Recordings":
        from rubric_core.evaluation.judging.recordings import Recordings, RecordingsError  # noqa: PLC0415  # pydantic, when something runs

        found = self.case.shared.get("recordings")
        if not isinstance(found, Recordings):
            try:
                found = self.case.shared["recordings"] = Recordings.beside(self.case.path, self.ports.files)
            except RecordingsError as error:
                raise Unscored(str(error)) from None
        return found

    def _judge(self, context: EvaluationContext) -> Provider | None:
        """The judge for an evaluator: its own, the command line's, that of the target, else the target when it is a model."""
        config = context.evaluator
        own = config.target if isinstance(config, LlmJudge | Rubric) else None
        environment = self.ports.environment
        name = own or self.case.options.grader_target or context.target.grader_target
        if name is None and self.targets.kind_judges(context.target.name, environment):
            name = context.target.name
        if name is None:
            return None
        if name not in self.judges:
            self.judges[name] = _Metered(self.targets.provider(name, self.ports)[1])
        return self.judges[name]

    def _hooks(self) -> EvaluatorHooks:
        count = len(self.case.evaluators) or 1

        def before(config: EvaluatorConfig, position: int) -> None:
            self.grading = default_name(config)
            self.on_event(EvaluatorStarted(self.case.id, self.grading, position, count))

        def after(result: EvaluatorResult) -> None:
            self.on_event(EvaluatorDone(self.case.id, result))

        return EvaluatorHooks(before, after)

    def _judged(self, result: CriterionResult) -> None:
        self.on_event(CriterionJudged(self.case.id, self.grading, result))

    def _cost(self, answer: Answer) -> float | None:
        parts = [answer.cost_usd, *(judge.spent for judge in self.judges.values())]
        known = [part for part in parts if part is not None]
        return sum(known) if known else None
