"""A promptfoo assertion as the engine reads it."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from rubric_core.evaluation.model.result import CaseResult, EvaluatorResult
from rubric_core.families.promptfoo.language.assertion import SET_TYPE, Assertion
from rubric_core.families.promptfoo.language.dialect import PROMPTFOO
from rubric_core.families.promptfoo.language.graded_assertions import JUDGED
from rubric_core.language.evaluators import Evaluator
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.syntax.tree import Node, Sequence

__all__ = [
    "NO_VALUE",
    "PROMPTFOO_KIND",
    "PromptfooAssertion",
    "given_score",
    "given_score_details",
    "promptfoo_assertion",
    "stored_settings",
    "within_range",
]

#: The kind under which the evaluator of all assertions is registered.
PROMPTFOO_KIND = "promptfoo"
_INVERSE = "not-"
#: The types whose value is code that a debugger can stop in.
_SCRIPTS = ("python", "javascript")
#: The key of the details of a result with a score outside of 0..1, as promptfoo has it.
_GIVEN = "score_given"
_LONGEST_NAME = 60


class _NoValue:
    """The value of an assertion without `value`; null is a value."""

    def __repr__(self) -> str:
        return "no value"


NO_VALUE: Any = _NoValue()


class PromptfooAssertion(Evaluator):
    """A promptfoo assertion, ready to grade."""

    parts: ClassVar[tuple[str, ...]] = ("members",)
    graded_as: ClassVar[str] = PROMPTFOO_KIND
    #: Its keys as plain data, with templates filled in once the case is prepared.
    settings: Mapping[str, Any] = MappingProxyType({})
    #: The assertions of an assert-set.
    members: "tuple[PromptfooAssertion, ...]" = ()
    #: The options of its test, which are its defaults.
    options: Mapping[str, Any] = MappingProxyType({})
    #: Whether every case inherits it from `defaultTest`.
    is_inherited: bool = False
    #: Why it cannot grade; empty if it can.
    trouble: str = ""

    @property
    def base_type(self) -> str:
        """The type without `not-`."""
        return self.type_name.removeprefix(_INVERSE)

    @property
    def grading_code(self) -> object:
        """See `Evaluator.grading_code`."""
        return self.settings.get("value") if self.base_type in _SCRIPTS else None

    @property
    def is_judged(self) -> bool:
        """See `Evaluator.is_judged`."""
        known = PROMPTFOO.type_of(self.type_name, Assertion)
        return known is not None and issubclass(known.shape, JUDGED)

    @property
    def is_inverse(self) -> bool:
        """Whether the type begins with `not-`."""
        return self.type_name.startswith(_INVERSE)

    @property
    def given_value(self) -> Any:
        """Its `value`, or `NO_VALUE`."""
        return self.settings.get("value", NO_VALUE)

    @property
    def threshold(self) -> float | None:
        """Its threshold, which may be any number."""
        written = self.settings.get("threshold")
        return written if isinstance(written, int | float) and not isinstance(written, bool) else None

    @property
    def metric(self) -> str:
        """The named metric that its score adds to; empty for none."""
        written = self.settings.get("metric")
        return written if isinstance(written, str) else ""


def promptfoo_assertion(
    settings: Mapping[str, Any], node: Node, options: Mapping[str, Any] = MappingProxyType({})
) -> PromptfooAssertion:
    """The assertion of a mapping; `node` is its place in the text, `options` are those of its test."""
    kind = settings.get("type")
    type_name = kind if isinstance(kind, str) else f"{kind}"
    weight = settings.get("weight")
    made = PromptfooAssertion(node.span, node, type=type_name)
    made.type_name, made.settings, made.options = type_name, settings, options
    listed = settings.get("assert") if type_name == SET_TYPE else None
    members = listed if isinstance(listed, list) else []
    made.members = tuple(
        promptfoo_assertion(each, at, options)
        for each, at in zip(members, _places(node, len(members)), strict=True)
        if isinstance(each, Mapping)
    )
    vars(made)["weight"] = weight if _is_number(weight) else 1.0
    made.trouble = _refusal(made)
    vars(made)["name"] = made.metric or _name(made)
    return made


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _refusal(assertion: PromptfooAssertion) -> str:
    """Why promptfoo stops at an assertion; empty if it does not."""
    settings = assertion.settings
    wrong = next((name for name in ("threshold", "weight") if name in settings and not _is_number(settings[name])), "")
    if wrong:
        return f"`{wrong}` is no number: {settings[wrong]!r:.60}; promptfoo stops at it"
    if assertion.type_name == SET_TYPE:
        if not isinstance(settings.get("assert"), list):
            return "a set needs a list of assertions as `assert`; promptfoo stops without one"
        if any(each.type_name == SET_TYPE for each in assertion.members):
            return "promptfoo stops at a set within a set; write its assertions into the outer one"
    return ""


def _places(node: Node, count: int) -> list[Node]:
    """The place of each member of a set in the text; the set itself if they are written elsewhere."""
    written = node.get("assert") if isinstance(node, MappingNode) else None
    return written.items if isinstance(written, Sequence) and len(written.items) == count else [node] * count


def _name(assertion: PromptfooAssertion) -> str:
    """The name of an assertion without a metric: its type, and its text or number."""
    value = assertion.given_value
    if isinstance(value, bool) or not isinstance(value, str | int | float) or value == "":
        return assertion.type_name
    line = " ".join(str(value).split())
    return f"{assertion.type_name}-{line if len(line) <= _LONGEST_NAME else line[: _LONGEST_NAME - 1] + '…'}"


def stored_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of an assertion for its result: without those of providers, which may contain keys."""
    kept = {name: _without_keys(value) if name == "provider" else value for name, value in settings.items()}
    members = kept.get("assert")
    if isinstance(members, list):
        kept["assert"] = [stored_settings(each) if isinstance(each, Mapping) else each for each in members]
    return kept


def _without_keys(provider: Any) -> Any:
    """A provider, or one for each role, without `config` and `env`."""
    if not isinstance(provider, Mapping):
        return provider
    return {name: _without_keys(value) for name, value in provider.items() if name not in ("config", "env")}


def given_score(result: EvaluatorResult | CaseResult) -> float | None:
    """The score of an assertion or a row in promptfoo, which may lie outside of 0..1; None for one without a score."""
    given = (result.details or {}).get(_GIVEN)
    # Comparisons and repetitions replace the score of a row, and keep its details.
    if isinstance(given, int | float) and within_range(given) == result.score:
        return float(given)
    return result.score


def given_score_details(score: float) -> dict[str, float]:
    """A score outside of 0..1 as details of its result, for `given_score`; empty for any other."""
    return {_GIVEN: score} if within_range(score) != score and math.isfinite(score) else {}


def within_range(score: float) -> float:
    """The nearest score in 0..1."""
    return min(1.0, max(0.0, score))
