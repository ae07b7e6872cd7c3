"""The input and output of an evaluator."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.model.coerce import context_fields
from rubric_core.evaluation.model.exchanges import ExchangeLog
from rubric_core.evaluation.model.inputs import CustomPrompt, PromptInputs, ResolvedTarget, TargetAccess
from rubric_core.evaluation.model.recording import JudgeRecordings, RecordingMode
from rubric_core.evaluation.model.redaction import Redactor
from rubric_core.evaluation.model.result import CriterionResult, EvaluatorResult
from rubric_core.evaluation.model.script_judge import Judge
from rubric_core.evaluation.model.template_filters import TemplateFilters
from rubric_core.language.dialect import Dialect
from rubric_core.language.evaluators import Evaluator as EvaluatorShape
from rubric_core.language.evaluators import Preprocessor
from rubric_core.language.model import Case
from rubric_core.ports import Answer, Ports, Provider
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.tree import Node

__all__ = ["EvaluationContext", "EvaluatorConfig", "config_as", "plain_context"]


#: An evaluator as a suite configures it: the shape that its YAML was read into.
EvaluatorConfig: TypeAlias = EvaluatorShape

C = TypeVar("C", bound=EvaluatorShape)


def _ignore_criterion(_: CriterionResult) -> None:
    """Ignore the event."""


def _uncounted(judge: Provider) -> Provider:
    """Costs are not counted."""
    return judge


_NOTHING: Mapping[str, Any] = {}
_NO_SECRETS = Redactor()


@dataclass(frozen=True, init=False)
class EvaluationContext:
    """The input of an evaluator; the first eleven fields are those of docs/requirements.md#context-fields.

    Arguments may be plain data. A case from `load_suite` or `case_from_data` also sets its dialect and its directory.

    Args:
        eval_case: A case, or a mapping with its keys, which is read as `case_from_data` reads it.
        candidate: The answer of the target.
        target: The target that answered, its name, or a mapping with `name` and its settings.
        provider: The target as a provider; may be None.
        attempt: The number of the try, from 1.
        prompt_inputs: The input of the case, as a text or a mapping with fields of `PromptInputs`; by default that of
            the case.
        now: The time of day, with its zone.
        judge_provider: The judge, before any that a registry knows: a function of the request, an object with `ask` or
            `invoke`, or a provider.
        system_prompt: A prompt instead of the built-in one, for evaluators without their own.
        evaluator: The configuration of the evaluator, or a mapping with its keys; `run_evaluators_for_case` sets it.
        judge_model: The model that overrides the judge's own.
        dialect: The dialect of the case, or its name.
        directory: The base of the case's files; the current directory by default.
        threshold: The score, 0..1, from which the case passes; by default that of the case, else of the dialect.
        ports: Files, programs and network; those of this computer by default.

    The others are set by a run and described at the fields. Raises TypeError or ValueError for an invalid argument, and
    InvalidSuiteError (a ValueError) for a case with errors.
    """

    eval_case: Case
    #: The answer of the target.
    candidate: str
    target: ResolvedTarget
    #: The target as a provider; None when only its answer is known.
    provider: Provider | None
    #: Which try this is, from 1.
    attempt: int
    prompt_inputs: PromptInputs
    now: datetime
    judge_provider: Provider | None
    #: A prompt in place of the built-in one: the own prompt of the evaluator, if it has one, with its variables not filled in.
    system_prompt: str | None
    evaluator: EvaluatorConfig | None
    #: The model that overrides the judge's own.
    judge_model: str | None

    #: The suite's filters for templates.
    filters: TemplateFilters | None
    #: The answer with its measurements.
    answer: Answer | None
    dialect: Dialect | None
    ports: Ports | None
    #: The directory of the suite.
    directory: Path
    #: The workspace of the target, if it had one.
    workspace: Path | None
    #: Anchors that the nodes of the case may refer to.
    anchors: Mapping[str, Node]
    #: Called with each criterion as it is judged.
    on_criterion: Callable[[CriterionResult], None]
    #: Removes the secrets of the suite from requests to judges.
    redact: Redactor
    #: Wraps a judge so that its costs are counted.
    metered: Callable[[Provider], Provider]
    #: The score, 0..1, from which an evaluator without a minimum of its own passes.
    threshold: float
    #: The score, 0..1, that a required evaluator without a minimum of its own needs, and a turn.
    required_minimum: float
    #: Seconds that a program of the suite may take.
    time_limit: float
    #: The targets that programs which grade may ask.
    access: TargetAccess | None
    #: Settings that an assert-set hands down to the `config` of its members.
    inherited: Mapping[str, Any]
    #: The values of `vars` of the case, inherited ones included, as plain data.
    variables: Mapping[str, Any]
    #: The test as written, with inherited keys, for code that grades rows of a matrix; empty for other cases.
    test: Mapping[str, Any]
    #: The provider of a row of a matrix, for code that grades it: its id, label and settings; empty for other cases.
    row_provider: Mapping[str, Any]
    #: The output of that provider before it was transformed by the test; None if it was not.
    provider_output: Any
    #: A prompt for rubrics without one of their own, from the options of the case.
    rubric_prompt: str | None
    #: Transforms the answer before it is graded, from the options of the case: code, or a file with code.
    transform: str | None
    #: Programs of the suite that turn files into text.
    preprocessors: Sequence[Preprocessor]
    #: The own prompt of the evaluator, once it is read; None if it has none.
    own_prompt: CustomPrompt | None
    #: Takes note of the requests that the evaluator makes.
    exchanges: ExchangeLog = field(repr=False, compare=False)
    #: Recorded replies of judges, and whether to use, add to or replace them.
    recordings: JudgeRecordings | None
    mode: RecordingMode
    #: Grades a member of a composite in the same way as any other evaluator.
    grade: "Callable[[EvaluatorConfig, EvaluationContext], Awaitable[EvaluatorResult]] | None"

    def __init__(
        self,
        *,
        eval_case: Case | Mapping[str, Any],
        candidate: str,
        target: ResolvedTarget | Mapping[str, Any] | str = "",
        provider: Provider | None = None,
        attempt: int = 1,
        prompt_inputs: PromptInputs | Mapping[str, Any] | str | None = None,
        now: datetime | None = None,
        judge_provider: Judge | None = None,
        system_prompt: str | None = None,
        evaluator: EvaluatorConfig | Mapping[str, Any] | None = None,
        judge_model: str | None = None,
        filters: TemplateFilters | None = None,
        answer: Answer | None = None,
        dialect: Dialect | str | None = None,
        ports: Ports | None = None,
        directory: Path | str | None = None,
        workspace: Path | None = None,
        anchors: Mapping[str, Node] = _NOTHING,
        on_criterion: Callable[[CriterionResult], None] = _ignore_criterion,
        redact: Redactor = _NO_SECRETS,
        metered: Callable[[Provider], Provider] = _uncounted,
        threshold: float | None = None,
        required_minimum: float | None = None,
        time_limit: float = 60.0,
        access: TargetAccess | None = None,
        inherited: Mapping[str, Any] = _NOTHING,
        variables: Mapping[str, Any] = _NOTHING,
        test: Mapping[str, Any] = _NOTHING,
        row_provider: Mapping[str, Any] = _NOTHING,
        provider_output: Any = None,
        rubric_prompt: str | None = None,
        transform: str | None = None,
        preprocessors: Sequence[Preprocessor] = (),
        own_prompt: CustomPrompt | None = None,
        exchanges: ExchangeLog | None = None,
        recordings: JudgeRecordings | None = None,
        mode: RecordingMode = "auto",
        grade: "Callable[[EvaluatorConfig, EvaluationContext], Awaitable[EvaluatorResult]] | None" = None,
    ) -> None:
        given = locals()  # a field for each argument
        del given["self"]
        vars(self).update(context_fields(given))

    def with_fields(self, **values: Any) -> "EvaluationContext":
        """A copy with other values of fields. Nothing is converted or checked, as `dataclasses.replace` does again for every field."""
        return replace_fields(self, **values)

    @property
    def is_in_run(self) -> bool:
        """Whether a run grades, and not a caller with one evaluator in hand."""
        return self.grade is not None

    @property
    def settings(self) -> dict[str, Any]:
        """The keys of the evaluator that its type does not know, and those under `config`, as plain data.

        Both side by side, those of `config` first; releases before 4 nest `config` inside itself.
        """
        config = self.evaluator
        written = plain(config.node, self.anchors) if config is not None and config.node is not None else None
        if config is None or not isinstance(written, dict):
            return dict(self.inherited)
        known = {place.name for place in config.places.values()} | {"type", "name", "metric", "weight"}
        free = {name: value for name, value in written.items() if name not in known and name != "config"}
        if self.dialect is not None and not self.dialect.properties.flat_settings:
            return {**free, **({"config": written["config"]} if "config" in written else {})}
        nested = written.get("config")
        return {**self.inherited, **free, **(nested if isinstance(nested, dict) else {})}


def plain_context(context: EvaluationContext) -> EvaluationContext:
    """The context without what belongs to the run: data that another process can be sent."""
    return context.with_fields(
        ports=None, provider=None, judge_provider=None, filters=None, access=None, recordings=None, grade=None,
        on_criterion=_ignore_criterion, metered=_uncounted, redact=_NO_SECRETS, exchanges=ExchangeLog(),
    )  # fmt: skip


def config_as(shape: type[C], context: EvaluationContext) -> C:
    """The configuration in `context` as a `shape`. Raises TypeError when it is another one: a mistake in the registry."""
    if not isinstance(context.evaluator, shape):
        raise TypeError(f"this evaluator is configured by {shape.__name__}, not by {type(context.evaluator).__name__}")
    return context.evaluator
