"""What an evaluator is given and what it gives back (document 003, REQ-EVAL-001, 004 and 005)."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias, TypeGuard, TypeVar, runtime_checkable

from rubric_core.evaluation.arguments import fraction, instance, text, texts, whole
from rubric_core.evaluation.exchanges import ExchangeLog
from rubric_core.evaluation.judging.brought import Judge
from rubric_core.evaluation.judging.judge import JudgeRecordings, RecordingMode
from rubric_core.evaluation.own_filters import OwnFilters
from rubric_core.evaluation.result import CriterionResult, EvaluatorResult, Verdict
from rubric_core.evaluation.secrets import Redactor
from rubric_core.language.dialect import Dialect
from rubric_core.language.evaluators import Evaluator as EvaluatorShape
from rubric_core.language.evaluators import Preprocessor
from rubric_core.language.model import Case
from rubric_core.ports import Answer, ChatMessage, Ports, Provider
from rubric_core.records import changed
from rubric_core.syntax.plain import plain
from rubric_core.syntax.tree import Node

__all__ = [
    "EVALUATOR_KINDS", "EvaluationContext", "EvaluationScore", "Evaluator", "EvaluatorConfig", "EvaluatorKind", "OwnPrompt", "PromptInputs",
    "ResolvedTarget", "TargetAccess", "config_as", "is_evaluator_kind", "require_evaluators",
]  # fmt: skip

#: The kinds that document 003 knows (REQ-EVAL-010). Every other evaluator type is its own kind.
EvaluatorKind: TypeAlias = Literal["code", "llm_judge"]
EVALUATOR_KINDS: tuple[EvaluatorKind, ...] = ("code", "llm_judge")

#: An evaluator as a suite configures it: the shape that its YAML was read into.
EvaluatorConfig: TypeAlias = EvaluatorShape

C = TypeVar("C", bound=EvaluatorShape)


def is_evaluator_kind(value: object) -> TypeGuard[EvaluatorKind]:
    """Whether `value` is one of the kinds of document 003."""
    return value in EVALUATOR_KINDS


@dataclass(frozen=True, slots=True)
class OwnPrompt:
    """A prompt that an evaluator brings for its judge in place of the built-in one."""

    text: str
    #: Whether it is all that the judge gets, beside the form of its reply; otherwise it takes the place of the criteria of the case.
    whole: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedTarget:
    """The system under test, found and filled in."""

    name: str
    #: openai, cli, mock and so on.
    kind: str
    #: The target that judges its answers, when its entry names one.
    grader_target: str | None = None
    #: Its other settings as they are written: no variable filled in, no secrets.
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptInputs:
    """The input of a case, put together."""

    #: What is asked, as one text.
    question: str
    messages: tuple[ChatMessage, ...] = ()
    #: As `messages`, with the paths of files in place of their contents, for targets that read files themselves.
    path_messages: tuple[ChatMessage, ...] = ()
    #: The texts of the input alone, without its files, on one line.
    text: str = ""
    #: A good answer, when the case has one.
    reference_answer: str = ""
    #: The files of the case, guidelines among them.
    files: tuple[Path, ...] = ()
    #: The files that early releases take for instructions, and their contents.
    guidelines: tuple[Path, ...] = ()
    guideline_text: str = ""
    #: Expected messages and input messages, as plain data for programs.
    input: Sequence[Any] = ()
    expected: Sequence[Any] = ()


@dataclass(frozen=True, slots=True)
class TargetAccess:
    """The targets that a program may ask while it grades."""

    #: The name of the one that is asked when none is named.
    usual: Callable[[], str]
    names: Sequence[str]
    #: A target by its name, or the usual one; what it costs is counted. Raises Unscored.
    provider: Callable[[str | None], Provider]


def _unheard(_: CriterionResult) -> None:
    """Nobody listens."""


def _uncounted(judge: Provider) -> Provider:
    """Costs are not counted."""
    return judge


_NOTHING: Mapping[str, Any] = {}
_NO_SECRETS = Redactor()


@dataclass(frozen=True, init=False)
class EvaluationContext:
    """Everything that an evaluator may look at (REQ-EVAL-004); the first eleven fields are those of document 003.

    Arguments may be plain data. A case from `load_suite` or `case_from_data` also sets its dialect and its directory.

    Args:
        eval_case: A case, or a mapping with its keys, which is read as `case_from_data` reads it.
        candidate: The answer of the target.
        target: The target that answered, its name, or a mapping with `name` and its settings.
        provider: The target as a provider; may be None.
        attempt: Which try this is, from 1.
        prompt_inputs: The input of the case, as a text or a mapping with fields of `PromptInputs`; by default that of the case.
        now: The time of day, with its zone.
        judge_provider: The judge, before any that a registry knows: a function of the request, an object with `ask` or
            `invoke`, or a provider.
        system_prompt: A prompt in place of the built-in one, for evaluators that bring none.
        evaluator: The configuration of the evaluator, or a mapping with its keys; `run_evaluators_for_case` sets it.
        judge_model: The model that the judge uses instead of its own.
        dialect: The dialect of the case, or its name.
        directory: From where the files of the case are looked for; the current directory by default.
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
    #: The model that the judge uses instead of its own.
    judge_model: str | None

    #: Filters for templates that the suite brings.
    filters: "OwnFilters | None"
    #: The answer with what was measured on the way.
    answer: Answer | None
    dialect: Dialect | None
    ports: Ports | None
    #: The directory of the suite.
    directory: Path
    #: The directory in which the target worked, when it had one of its own.
    workspace: Path | None
    #: Anchors that the nodes of the case may refer to.
    anchors: Mapping[str, Node]
    #: Called with each criterion as it is judged.
    on_criterion: Callable[[CriterionResult], None]
    #: Takes the secrets of the suite out of what judges are told.
    redact: Redactor
    #: Wraps a judge so that its costs are counted.
    metered: Callable[[Provider], Provider]
    #: The score, 0..1, from which an evaluator passes that has no minimum of its own.
    threshold: float
    #: Seconds that a program of the suite may take.
    time_limit: float
    #: The targets that programs which grade may ask.
    access: TargetAccess | None
    #: Settings that an assert-set hands down to the `config` of its members.
    inherited: Mapping[str, Any]
    #: The values of `vars` of the case, inherited ones included, as plain data.
    variables: Mapping[str, Any]
    #: A prompt for rubrics that bring none of their own, from the options of the case.
    rubric_prompt: str | None
    #: Turns the answer into what is graded, from the options of the case: code, or a file with code.
    transform: str | None
    #: Programs of the suite that turn files into text.
    preprocessors: Sequence[Preprocessor]
    #: The own prompt of the evaluator, once it is read; None if it has none.
    own_prompt: OwnPrompt | None
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
        filters: OwnFilters | None = None,
        answer: Answer | None = None,
        dialect: Dialect | str | None = None,
        ports: Ports | None = None,
        directory: Path | str | None = None,
        workspace: Path | None = None,
        anchors: Mapping[str, Node] = _NOTHING,
        on_criterion: Callable[[CriterionResult], None] = _unheard,
        redact: Redactor = _NO_SECRETS,
        metered: Callable[[Provider], Provider] = _uncounted,
        threshold: float | None = None,
        time_limit: float = 60.0,
        access: TargetAccess | None = None,
        inherited: Mapping[str, Any] = _NOTHING,
        variables: Mapping[str, Any] = _NOTHING,
        rubric_prompt: str | None = None,
        transform: str | None = None,
        preprocessors: Sequence[Preprocessor] = (),
        own_prompt: OwnPrompt | None = None,
        exchanges: ExchangeLog | None = None,
        recordings: JudgeRecordings | None = None,
        mode: RecordingMode = "auto",
        grade: "Callable[[EvaluatorConfig, EvaluationContext], Awaitable[EvaluatorResult]] | None" = None,
    ) -> None:
        given = locals()  # a field for each argument
        del given["self"]
        from rubric_core.evaluation.coerce import context_fields  # noqa: PLC0415  # it knows contexts

        vars(self).update(context_fields(given))

    def with_fields(self, **values: Any) -> "EvaluationContext":
        """A copy with other values of fields. Nothing is converted or checked, as `dataclasses.replace` does anew for every field."""
        return changed(self, **values)

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


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationScore:
    """What an evaluator found (REQ-EVAL-005).

    `score` is 0..1; `hits` and `misses` say in short sentences what was met and what was not, and `expected_aspect_count` how
    many aspects were looked at; `evaluator_raw_request` is what was asked, without secrets.

    Raises ValueError for a score that is no number of 0..1, TypeError for hits or misses that are no list of texts, and for a
    reasoning that is none.
    """

    score: float
    hits: Sequence[str] = ()
    misses: Sequence[str] = ()
    expected_aspect_count: int = 0
    reasoning: str | None = None
    raw_aspects: Sequence[str] | None = None
    evaluator_raw_request: Mapping[str, Any] | None = None

    #: What a judge said in each try, letter by letter.
    raw_replies: tuple[str, ...] = ()
    criteria: tuple[CriterionResult, ...] = ()
    members: tuple[EvaluatorResult, ...] = ()
    #: A verdict that does not follow from the score alone.
    verdict: Verdict | None = None
    #: The id of the criterion whose gate failed.
    gate: str = ""
    #: Whether the evaluator crashed and its kind calls that a 0: never turned into a 1 by `negate`.
    crashed: bool = False
    judge: str = ""
    details: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "score", fraction("a score", self.score))
        for name in ("hits", "misses", "raw_aspects"):
            given = getattr(self, name)
            if given is not None or name != "raw_aspects":
                object.__setattr__(self, name, texts(name, given))
        whole("expected_aspect_count", self.expected_aspect_count, 0)
        if self.reasoning is not None:
            text("reasoning", self.reasoning)

    @classmethod
    def check(cls, holds: bool, hit: str, miss: str, reasoning: str | None = None) -> "EvaluationScore":
        """The score of a check that holds or does not: 1 and `hit`, or 0 and `miss`."""
        return cls(
            score=1.0 if holds else 0.0,
            hits=(hit,) if holds else (),
            misses=() if holds else (miss,),
            expected_aspect_count=1,
            reasoning=reasoning,
        )

    @classmethod
    def crash(cls, error: str, request: Mapping[str, Any] | None = None) -> "EvaluationScore":
        """A score of 0 with the error among the misses, for kinds whose failure is a score (REQ-EVAL-003)."""
        return cls(score=0.0, misses=(error,), expected_aspect_count=1, evaluator_raw_request=request, crashed=True)


@runtime_checkable
class Evaluator(Protocol):
    """Something that scores an answer (REQ-EVAL-001). A class of your own needs no base class; `isinstance` looks for both names.

    An evaluator that can say nothing about the answer raises `Unscored`; any other exception is a crash, which leaves the
    case unscored and is never taken for a score.
    """

    @property
    def kind(self) -> str:
        """Names the evaluator in a registry."""

    def evaluate(self, context: EvaluationContext) -> EvaluationScore | Awaitable[EvaluationScore]:
        """The score of `context.candidate`."""


def require_evaluators(evaluators: Mapping[str, object]) -> None:
    """Raises TypeError for anything but evaluators by kind, such as a class instead of an instance."""
    instance("evaluators", evaluators, Mapping, "a mapping from kinds to evaluators")
    # Every case asks, for some thirty kinds of a few classes.
    unsure = {kind for kind in set(map(type, evaluators.values())) if not _makes_evaluators(kind)}
    if not unsure:
        return
    for kind, found in evaluators.items():
        if type(found) not in unsure:
            continue
        if isinstance(found, type) or not _is_evaluator(found):
            meant = f"; make one: {found.__name__}()" if isinstance(found, type) else ""
            raise TypeError(
                f"the evaluator {kind!r} must have `kind` and `evaluate(context)`, found {found!r:.60}{meant}"
            )


@lru_cache(maxsize=64)
def _makes_evaluators(kind: type) -> bool:
    """Whether every instance of a class is an evaluator, since the class itself has what one has."""
    return not issubclass(kind, type) and _is_evaluator(kind)


def _is_evaluator(value: object) -> bool:
    """As `isinstance(value, Evaluator)`, which costs thirty times as much."""
    return hasattr(value, "kind") and getattr(value, "evaluate", None) is not None


def config_as(shape: type[C], context: EvaluationContext) -> C:
    """The configuration in `context` as a `shape`. Raises TypeError when it is another one: a mistake in the registry."""
    if not isinstance(context.evaluator, shape):
        raise TypeError(f"this evaluator is configured by {shape.__name__}, not by {type(context.evaluator).__name__}")
    return context.evaluator
