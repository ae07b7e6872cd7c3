"""The input and the result of the handler of a promptfoo assertion, in promptfoo's terms."""

import json
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.unscored import GraderError
from rubric_core.families.promptfoo.model.assertion import NO_VALUE, PromptfooAssertion
from rubric_core.language.javascript_values import scalar_text

__all__ = ["AssertionParams", "GradingResult", "Handler", "js_text", "pass_or_fail", "row_error"]


class GradingResult(NamedTuple):
    """The outcome of an assertion; its score may lie outside 0..1."""

    passed: bool
    score: float
    #: The reason why it fails.
    reason: str = ""
    #: Further named scores returned by a script.
    named: Mapping[str, float] = MappingProxyType({})
    #: The parts that a script says its result consists of.
    parts: "tuple[GradingResult, ...]" = ()
    #: How much the named scores count, where a script says so.
    named_weights: Mapping[str, float] = MappingProxyType({})


class AssertionParams(NamedTuple):
    """One assertion and the output that it is about."""

    config: PromptfooAssertion
    context: EvaluationContext

    @property
    def text(self) -> str:
        """The output as text: data as JSON."""
        return self.context.candidate

    @property
    def output(self) -> Any:
        """The output as the target returned it: a text or data."""
        answer = self.context.answer
        return self.text if answer is None or answer.data is None else answer.data

    @property
    def metadata(self) -> Mapping[str, Any] | None:
        """The metadata that the target reported besides its output; None if there was none."""
        answer = self.context.answer
        found = (answer.reported or {}).get("metadata") if answer is not None else None
        return found if isinstance(found, Mapping) else None

    @property
    def value(self) -> Any:
        """Its `value`, or `NO_VALUE`."""
        return self.config.given_value

    @property
    def inverse(self) -> bool:
        """Whether the assertion is negated by `not-`."""
        return self.config.is_inverse

    def needed_text(self) -> str:
        """Its `value`, which has to be a text that is not empty. Raises GraderError."""
        if not isinstance(self.value, str) or not self.value:
            raise row_error(self, "needs a text as `value`")
        return self.value


Handler: TypeAlias = Callable[[AssertionParams], GradingResult | Awaitable[GradingResult]]


def pass_or_fail(params: AssertionParams, holds: bool, reason: str, inverse_reason: str = "") -> GradingResult:
    """The outcome of a pass/fail check; `reason` explains a failure, the other text a failure of the negated check."""
    passed = holds != params.inverse
    return GradingResult(passed, 1.0 if passed else 0.0, inverse_reason or f"not: {reason}" if holds else reason)


def row_error(params: AssertionParams, words: str) -> GraderError:
    """An error that promptfoo reports for the whole row."""
    return GraderError(words, at=params.config)


def js_text(value: Any) -> str:
    """A value as text, as by JavaScript's `String`."""
    if value is NO_VALUE:
        return "undefined"
    return json.dumps(value) if isinstance(value, list | dict) else scalar_text(value)
