"""One attempt at a case: calls the target and grades its answer."""

from collections.abc import Sequence
from typing import Any, Literal

from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.cases.messages import prompt_inputs
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.target_choice import named_judge, shared_targets, target_name
from rubric_core.evaluation.engine.events import (
    Answered,
    CriterionJudged,
    EvaluatorDone,
    EvaluatorStarted,
    Listener,
    Noted,
)
from rubric_core.evaluation.engine.grade import EvaluatorHooks, evaluator_results
from rubric_core.evaluation.engine.registry import build_evaluator_registry
from rubric_core.evaluation.engine.repeats import budget_of
from rubric_core.evaluation.evaluators.defaults import default_evaluators, require_criteria
from rubric_core.evaluation.judging.lazy_recordings import LazyRecordings
from rubric_core.evaluation.model.context import EvaluationContext, EvaluatorConfig
from rubric_core.evaluation.model.evaluator import Evaluator
from rubric_core.evaluation.model.exchanges import Exchange, ExchangeLog, Usage, add_usage, ask
from rubric_core.evaluation.model.inputs import PromptInputs, ResolvedTarget, TargetAccess, conversation_text
from rubric_core.evaluation.model.redaction import Redactor, seal, values_of
from rubric_core.evaluation.model.result import CaseResult, CriterionResult, EvaluatorResult
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.model.variables import every_variable
from rubric_core.evaluation.scoring.score import case_outcome
from rubric_core.evaluation.targets.answer_cache import AnswerCache, CachedProvider
from rubric_core.evaluation.targets.providers.usage_meter import MeteredProvider
from rubric_core.evaluation.targets.resolve import Targets
from rubric_core.evaluation.workspaces.workspace import CaseWorkspace
from rubric_core.language.evaluators import GoalSuccess, LlmRubric
from rubric_core.language.secret_names import looks_secret
from rubric_core.lazy_compilation import replace
from rubric_core.loading.grading import default_name
from rubric_core.ports import Answer, Files, Ports, Provider, ProviderError, Request

__all__ = ["Attempt", "graders_of", "requested_fields", "secrets_of", "targets_of"]


def requested_fields(case: Runnable, files: Files) -> dict[str, Any]:
    """The target and the threshold of a case, as fields of its result."""
    threshold, written = case.threshold
    targets = shared_targets(case, files)
    return {
        "threshold": threshold,
        "threshold_from": written,
        "target": target_name(case.suite, case.options.target, targets),
    }


def targets_of(case: Runnable, ports: Ports) -> Targets:
    """The targets of the suite of `case`, read once for all cases of a run."""
    return shared_targets(case, ports.files)


def graders_of(case: Runnable) -> Sequence[EvaluatorConfig]:
    """The evaluators of a case, or the default ones if it lists none."""
    return case.graders or default_evaluators(case.case, case.evaluator_kind, case.dialect, case.options.evaluators)


def secrets_of(case: Runnable, ports: Ports) -> Redactor:
    """The secrets that a case or its suite name, and all of the environment, which any program may print."""
    facts, environment = case.facts, ports.environment
    names = facts.of_text(case.text).variables, facts.of_text(case.suite_text).variables
    known = facts.redactors.get(environment)
    if known is None:
        known = facts.redactors.keep(environment, {})
    if names not in known:
        named = values_of(names[0] | names[1], environment)
        known[names] = Redactor.of([*named, *_secret_variables(case, ports), *case.suite_variables(ports.files)])
    return known[names]


def _secret_variables(case: Runnable, ports: Ports) -> tuple[tuple[str, str], ...]:
    known = case.facts.secret_variables.get(ports.environment)
    if known is None:
        secret = tuple((name, value) for name, value in every_variable(ports.environment) if looks_secret(name))
        known = case.facts.secret_variables.keep(ports.environment, secret)
    return known


class Attempt:
    """One attempt to run a case. `case` has its variables filled in."""

    def __init__(
        self, case: Runnable, ports: Ports, on_event: Listener, number: int = 1, workspace: CaseWorkspace | None = None
    ) -> None:
        self.case = case
        self.ports = ports
        self.on_event = on_event
        #: Which attempt this is, from 1.
        self.number = number
        #: The workspace of the target, if the suite asks for one.
        self.workspace = workspace
        self._targets = targets_of(case, ports)
        self._secrets = secrets_of(case, ports)
        case.facts.secrets.add(self._secrets)
        self._metered: dict[tuple[str, str], MeteredProvider] = {}
        self._brought: list[MeteredProvider] = []
        self._grading = ""
        #: What is sent to the target.
        self.log = ExchangeLog()

    async def result(self, base: CaseResult) -> CaseResult:
        """Raises Unscored when the evaluators could not even be called."""
        properties = self.case.dialect.properties
        target, provider = self.target(base.target)
        inputs = self.inputs()
        configs = graders_of(self.case)
        if not self.case.graders and self.case.evaluator_kind not in self.case.options.evaluators:
            require_criteria(self.case.case, self.case.evaluator_kind, inputs.reference_answer, self.case.dialect)
        answer = await self.ask(provider, inputs)
        context = self.context(target, provider, inputs, answer, base.threshold)
        results = await self.grade(context, configs)
        allowed = self.case.options.allow_grader_errors
        score, verdict, reason = case_outcome(results, properties, base.threshold, allow_errors=allowed)
        return replace_fields(
            base,
            verdict=verdict,
            score=score,
            reason=reason,
            evaluators=results,
            answer=answer.text,
            expected_output=inputs.reference_answer,
            tokens=None if answer.cached_at else answer.tokens,
            cost_usd=self.cost(),
            usage=self.usage(results),
            exchanges=self.log.exchanges,
            details=_answer_description(answer) or base.details,
        )

    def target(self, name: str) -> tuple[ResolvedTarget, Provider]:
        """The target of that name, with its costs counted. Raises Unscored."""
        resolved, _ = self._resolved(name)
        return resolved, self._provider(name, "target")

    def _provider(self, name: str, role: Literal["target", "judge"]) -> Provider:
        if (role, name) not in self._metered:
            provider = self._resolved(name)[1]
            if role == "target" and self.case.options.answer_cache is not None:
                provider = self._cached(provider, name, self.case.options.answer_cache)
            self._metered[role, name] = MeteredProvider(provider, self._allow, Usage(role=role, name=name))
        return self._metered[role, name]

    def _resolved(self, name: str) -> tuple[ResolvedTarget, Provider]:
        """The target of that name. What it cuts of an output or a reply has no part of a secret of a case."""
        return self._targets.provider(name, seal(self.ports, self.case.facts.secrets))

    def _cached(self, provider: Provider, name: str, cache: AnswerCache) -> Provider:
        """The target, with a cache of its earlier answers."""
        told = not self._targets.kind_judges(name, self.ports.environment)  # models are sent no id
        target = self._targets.addressee(name, self.ports)
        return CachedProvider(provider, cache, target, self.ports.files, self._secrets, told)

    def _metered_judge(self, judge: Provider) -> Provider:
        """The judge with its costs counted; the costs of a target are counted already."""
        if isinstance(judge, MeteredProvider):
            return judge
        self._brought.append(MeteredProvider(judge, self._allow, Usage(role="judge", name=judge.name)))
        return self._brought[-1]

    def inputs(self) -> PromptInputs:
        """The input for the target. Raises Unscored."""
        case, files = self.case, self.ports.files
        return prompt_inputs(case.suite, case.case, case.directory, files, case.anchors, case.dialect.properties)

    async def ask(self, provider: Provider, inputs: PromptInputs, turn: int = 0) -> Answer:
        """The answer of the target to a turn of a conversation (numbered from 1), or to the case. Raises Unscored."""
        request = self.request(inputs)
        try:
            answer = await ask(provider, request, self.log, Exchange(role="target", to=provider.name, turn=turn))
        except ProviderError as error:
            raise Unscored(f"target {provider.name}: {error}") from None
        if self.workspace is not None and not answer.file_changes:
            answer = replace(answer, file_changes=await self.workspace.changes())
        answer = self._secrets.within(answer)
        if answer.note:
            self.on_event(Noted(f"{self.case.id}: {answer.note}"))
        self.on_event(Answered(self.case.id, answer))
        return answer

    def request(self, inputs: PromptInputs) -> Request:
        """The request to the target."""
        return Request(
            inputs.messages, inputs.question, case_id=self.case.id, attempt=self.number, files=inputs.files,
            workspace=self.workspace.path if self.workspace else None,
            environment=self.workspace.variables if self.workspace else {}, variables=self.case.variables,
            path_prompt=conversation_text(inputs.path_messages) if inputs.path_messages else "", guidelines=inputs.guideline_text,
        )  # fmt: skip

    def context(
        self, target: ResolvedTarget, provider: Provider, inputs: PromptInputs, answer: Answer, threshold: float
    ) -> EvaluationContext:
        """The context that the evaluators get."""
        properties = self.case.dialect.properties
        return EvaluationContext(
            eval_case=self.case.case,
            candidate=answer.text,
            target=target,
            provider=provider,
            attempt=self.number,
            prompt_inputs=self._secrets.within(inputs),
            now=self.ports.clock.now(),
            answer=answer,
            dialect=self.case.dialect,
            ports=seal(self.ports, self._secrets),
            directory=self.case.directory,
            anchors=self.case.anchors,
            variables=self.case.variables,
            filters=self.case.filters,
            rubric_prompt=self.case.option("rubric_prompt"),
            transform=self.case.option("transform"),
            preprocessors=self.case.suite.preprocessors or (),
            on_criterion=self._judged,
            redact=self._secrets,
            metered=self._metered_judge,
            threshold=threshold,
            required_minimum=threshold if properties.suite_threshold_gates else self.case.required_minimum,
            time_limit=self.case.options.time_limit,
            access=self._access(target),
            exchanges=self.log,
            workspace=self.workspace.path if self.workspace else None,
            recordings=self._recordings(),
            mode=self.case.options.mode,
        )

    def _access(self, target: ResolvedTarget) -> TargetAccess:
        """Gives grading programs the judge of the case, else the target that answered, or any target by its name."""

        def usual() -> str:
            return self._judge_name(None, target) or target.name

        file = self._targets.file
        names = [each.name for each in file.entries] if file is not None else []
        return TargetAccess(usual, names, lambda name: self._provider(usual() if name is None else name, "judge"))

    async def grade(
        self, context: EvaluationContext, configs: Sequence[EvaluatorConfig], turn: int = 0
    ) -> tuple[EvaluatorResult, ...]:
        """The results of the evaluators; `turn` is the turn of a conversation, from 1."""
        return await evaluator_results(
            context, self.registry(), configs, self._hooks(len(configs), turn), self.case.blame
        )

    def with_row(self, context: EvaluationContext, output: Any) -> EvaluationContext:  # noqa: ARG002  # a case is no row
        """The context with the test and the provider of a row, which grading code may read; unchanged for other cases.

        `output` is that of the target, before it is transformed.
        """
        return context

    async def grade_alike(self, context: EvaluationContext, configs: Sequence[EvaluatorConfig], target: str) -> None:  # noqa: ARG002  # whose outputs are compared
        """Grade as if all variations had the output of the context, which is what a rehearsal knows. Raises Unscored."""
        await self.grade(context, configs)

    def registry(self) -> dict[str, Evaluator]:
        """The evaluators by kind, those of the caller among them."""
        return build_evaluator_registry(self.case.options.evaluators, self._judge)

    def _all_metered(self) -> tuple[MeteredProvider, ...]:
        return (*self._metered.values(), *self._brought)

    def cost(self) -> float | None:
        """US dollars that target and judges have reported so far; None when none was reported."""
        known = [cost for each in self._all_metered() if (cost := each.usage.cost_usd) is not None]
        return sum(known) if known else None

    def usage(self, results: Sequence[EvaluatorResult] = ()) -> tuple[Usage, ...]:
        """The usage of target and judges so far; replayed judgements among `results` cost nothing."""
        recorded = (
            Usage(role="judge", name=sent.to, recorded=1, cost_usd=0.0)
            for result in results
            for each in result.flat()
            for sent in each.exchanges
            if sent.recorded
        )
        asked = (each.usage for each in self._all_metered() if each.usage.calls or each.usage.recorded)
        return add_usage((*asked, *recorded))

    def _allow(self) -> None:
        """Raises ProviderError when the case has reached its budget."""
        budget = budget_of(self.case)
        if budget is not None and (self.cost() or 0.0) >= budget:
            raise ProviderError(f"not called: the case has spent its budget of ${budget:g}")

    def _recordings(self) -> LazyRecordings:
        facts = self.case.facts
        if facts.recordings is None:
            facts.recordings = LazyRecordings(self.case.path, self.ports.files)
        return facts.recordings

    def _judge(self, context: EvaluationContext) -> Provider | None:
        """The judge for an evaluator: its own, that of the command line or of the target, the default, else a target that is a model."""
        config = context.evaluator
        if isinstance(config, LlmRubric | GoalSuccess) and isinstance(config.provider, dict):
            raise Unscored("rubric does not support inline providers here: name one from `providers`", at=config)
        name = self._judge_name(config, context.target)
        return None if name is None else self._provider(name, "judge")

    def _judge_name(self, config: EvaluatorConfig | None, target: ResolvedTarget) -> str | None:
        name = named_judge(config) if config is not None else None
        name = name or self.case.options.grader_target or target.grader_target or self._targets.default_judge()
        if name is None and self.may_judge(target, config):
            name = target.name
        return name

    def may_judge(self, target: ResolvedTarget, config: EvaluatorConfig | None) -> bool:  # noqa: ARG002  # for some evaluators it may not
        """Whether the target that answered judges, as no other judge is named."""
        return self._targets.kind_judges(target.name, self.ports.environment)

    def _hooks(self, count: int, turn: int) -> EvaluatorHooks:
        def before(config: EvaluatorConfig, position: int) -> None:
            self._grading = default_name(config)
            self.on_event(EvaluatorStarted(self.case.id, self._grading, position, count, turn))

        def after(result: EvaluatorResult) -> None:
            self.on_event(EvaluatorDone(self.case.id, self._secrets.within(result), turn))

        return EvaluatorHooks(before, after)

    def _judged(self, result: CriterionResult) -> None:
        self.on_event(CriterionJudged(self.case.id, self._grading, self._secrets.within(result)))


def _answer_description(answer: Answer) -> dict[str, Any]:
    """The fields of a result that describe the answer, without its text."""
    used = answer.stand_in[0] if answer.stand_in else ""
    told = {"target_used": used, "file_changes": answer.file_changes, "cached_answer": answer.cached_at}
    return {name: words for name, words in told.items() if words}
