"""What an evaluator is given and what it gives back (document 003, REQ-EVAL-001, 004 and 005)."""

import math
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias, TypeVar, runtime_checkable

from rubric_core.evaluation.exchanges import ExchangeLog
from rubric_core.evaluation.own_filters import OwnFilters
from rubric_core.evaluation.result import CriterionResult, EvaluatorResult, Verdict
from rubric_core.evaluation.secrets import Redactor
from rubric_core.language.dialect import Dialect
from rubric_core.language.evaluators import Evaluator as EvaluatorShape
from rubric_core.language.evaluators import Preprocessor
from rubric_core.language.model import Case
from rubric_core.ports import Answer, ChatMessage, Ports, Provider
from rubric_core.syntax.plain import plain
from rubric_core.syntax.tree import Node

__all__ = [
    "EVALUATOR_KINDS", "EvaluationContext", "EvaluationScore", "Evaluator", "EvaluatorConfig", "EvaluatorKind", "PromptInputs",
    "ResolvedTarget", "TargetAccess", "config_as", "is_evaluator_kind",
]  # fmt: skip

#: The kinds that document 003 knows (REQ-EVAL-010). Every other evaluator type is its own kind.
EvaluatorKind: TypeAlias = Literal["code", "llm_judge"]
EVALUATOR_KINDS: tuple[EvaluatorKind, ...] = ("code", "llm_judge")

#: An evaluator as a suite configures it: the shape that its YAML was read into.
EvaluatorConfig: TypeAlias = EvaluatorShape

C = TypeVar("C", bound=EvaluatorShape)


def is_evaluator_kind(value: object) -> bool:
    """Whether `value` is one of the kinds of document 003."""
    return value in EVALUATOR_KINDS


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
    #: A good answer, when the case has one.
    reference_answer: str = ""
    #: The files of the case.
    files: tuple[Path, ...] = ()
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


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationContext:
    """Everything that an evaluator may look at (REQ-EVAL-004); the first eleven fields are those of document 003.

    A script may give `eval_case` as a mapping with the keys of a case, `target` as a name or a mapping, and `prompt_inputs`
    as a text, a mapping or None: they are read into what is declared here, in `dialect`, or in the one that fits them best. Raises
    TypeError for an `eval_case` that is neither a case nor a mapping.
    """

    eval_case: Case
    #: The answer of the target.
    candidate: str
    target: ResolvedTarget
    provider: Provider
    #: Which try this is, from 1.
    attempt: int
    prompt_inputs: PromptInputs
    now: datetime
    judge_provider: Provider | None = None
    #: A prompt of the author's, in place of the built-in one.
    system_prompt: str | None = None
    evaluator: EvaluatorConfig | None = None
    judge_model: str | None = None

    #: Filters for templates that the suite brings.
    filters: "OwnFilters | None" = None
    #: The answer with what was measured on the way.
    answer: Answer | None = None
    dialect: Dialect | None = None
    ports: Ports | None = None
    #: The directory of the suite.
    directory: Path = field(default_factory=Path)
    #: The directory in which the target worked, when it had one of its own.
    workspace: Path | None = None
    #: Anchors that the nodes of the case may refer to.
    anchors: Mapping[str, Node] = field(default_factory=dict)
    #: Called with each criterion as it is judged.
    on_criterion: Callable[[CriterionResult], None] = _unheard
    #: Takes the secrets of the suite out of what judges are told.
    redact: Redactor = field(default_factory=Redactor)
    #: The score, 0..1, from which an evaluator passes that has no minimum of its own.
    threshold: float = 0.8
    #: Seconds that a program of the suite may take.
    time_limit: float = 60.0
    #: The targets that programs which grade may ask.
    access: TargetAccess | None = None
    #: Settings that an assert-set hands down to the `config` of its members.
    inherited: Mapping[str, Any] = field(default_factory=dict)
    #: The values of `vars` of the case, inherited ones included, as plain data.
    variables: Mapping[str, Any] = field(default_factory=dict)
    #: A prompt for rubrics that bring none of their own, from the options of the case.
    rubric_prompt: str | None = None
    #: Turns the answer into what is graded, from the options of the case: code, or a file with code.
    transform: str | None = None
    #: Programs of the suite that turn files into text.
    preprocessors: Sequence[Preprocessor] = ()
    #: Takes note of the requests that the evaluator makes.
    exchanges: ExchangeLog = field(default_factory=ExchangeLog, repr=False, compare=False)
    #: Grades a member of a composite in the same way as any other evaluator.
    grade: "Callable[[EvaluatorConfig, EvaluationContext], Awaitable[EvaluatorResult]] | None" = None

    def __post_init__(self) -> None:
        given: tuple[Any, Any, Any] = (self.eval_case, self.target, self.prompt_inputs)
        if (
            not isinstance(given[0], Case)
            or isinstance(given[1], str | Mapping)
            or isinstance(given[2], str | Mapping | None)
        ):
            from rubric_core.evaluation.given import case_of, inputs_of, target_of  # noqa: PLC0415  # for scripts alone

            case, dialect = case_of(given[0], self.dialect)
            read = {"eval_case": case, "dialect": dialect, "target": target_of(given[1]), "prompt_inputs": inputs_of(given[2], case)}  # fmt: skip
            for name, value in read.items():
                object.__setattr__(self, name, value)

    @property
    def settings(self) -> dict[str, Any]:
        """The keys of the evaluator that its type does not know, and those under `config`, as plain data.

        Releases before 5.1 nest `config` inside itself; there both places are filled, so that a program finds its settings
        in either.
        """
        config = self.evaluator
        written = plain(config.node, self.anchors) if config is not None and config.node is not None else None
        if config is None or not isinstance(written, dict):
            return dict(self.inherited)
        known = {place.name for place in config.places.values()} | {"type", "name", "metric", "weight"}
        nested = written.get("config")
        free = {name: value for name, value in written.items() if name not in known and name != "config"}
        if not isinstance(nested, dict):
            return {**self.inherited, **free}
        merged = {**self.inherited, **nested, **free}
        flat = self.dialect is None or self.dialect.properties.flat_settings
        return merged if flat else {**merged, "config": nested}


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationScore:
    """What an evaluator found (REQ-EVAL-005).

    `score` is 0..1; `hits` and `misses` say in short sentences what was met and what was not, and `expected_aspect_count` how
    many aspects were looked at; `evaluator_raw_request` is what was asked, without secrets.

    Raises ValueError for a score that is no number of 0..1, TypeError for hits or misses that are no list of texts.
    """

    score: float
    hits: tuple[str, ...] = ()
    misses: tuple[str, ...] = ()
    expected_aspect_count: int = 0
    reasoning: str | None = None
    raw_aspects: tuple[str, ...] | None = None
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
        if (
            isinstance(self.score, bool)
            or not isinstance(self.score, int | float)
            or not math.isfinite(self.score)
            or not 0 <= self.score <= 1
        ):
            raise ValueError(f"a score is a number from 0 to 1, found {self.score!r}")
        for name in ("hits", "misses", "raw_aspects"):
            given = getattr(self, name)
            if isinstance(given, tuple) or (given is None and name == "raw_aspects"):
                continue
            if isinstance(given, str) or not isinstance(given, Iterable):
                raise TypeError(f"{name} is a list of texts, found {given!r}")
            object.__setattr__(self, name, tuple(given))

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


def config_as(shape: type[C], context: EvaluationContext) -> C:
    """The configuration in `context` as a `shape`. Raises TypeError when it is another one: a mistake in the registry."""
    if not isinstance(context.evaluator, shape):
        raise TypeError(f"this evaluator is configured by {shape.__name__}, not by {type(context.evaluator).__name__}")
    return context.evaluator
