"""invalid-value: a word or number of the right type that is not one of the allowed values."""

import math
from collections.abc import Iterator

from rubric_core.language.closest_name import is_typo
from rubric_core.language.misnomers import options_called
from rubric_core.language.promptfoo.assertion import Assertion, AssertionSet
from rubric_core.language.promptfoo.case import CaseOptions, PartialCase, PromptfooCase
from rubric_core.language.promptfoo.configuration import Configuration
from rubric_core.language.promptfoo.files import JsonSchema
from rubric_core.language.promptfoo.graded_assertions import MaxScore
from rubric_core.language.promptfoo.measured_assertions import WordCount
from rubric_core.language.promptfoo.provider import ConfiguredProvider, ProviderInFile
from rubric_core.language.promptfoo.text_assertions import ContainsJson, IsJson
from rubric_core.language.value_kinds import Choice, Integer, Number
from rubric_core.loading.issues import OutOfRange
from rubric_core.syntax.edit import replace_value
from rubric_core.validation.fixes import replace_with_words
from rubric_core.validation.promptfoo.assertion_values import values_of_another_kind
from rubric_core.validation.promptfoo.assertions import nested_sets, word_counts
from rubric_core.validation.promptfoo.empty_keys import empty_filters
from rubric_core.validation.promptfoo.graders import (
    classifiers_without_grader,
    common_graders,
    grader_of_assertion,
    grader_of_case,
    targets_without_answers,
)
from rubric_core.validation.promptfoo.identities import case_ids, filed_ids, grader_ids
from rubric_core.validation.promptfoo.json_schemas import schema_faults, schema_file_faults
from rubric_core.validation.promptfoo.judge_settings import factuality_scores, judge_settings
from rubric_core.validation.promptfoo.nested_keys import keys_in_assertion, keys_in_case, keys_in_options
from rubric_core.validation.promptfoo.provider_entries import providers_of_one_name
from rubric_core.validation.promptfoo.provider_settings import slips_of_settings
from rubric_core.validation.promptfoo.score_comparisons import comparisons_in_sets, idle_weights, score_settings
from rubric_core.validation.promptfoo.settings import case_repeats, numeric_description, provider_settings, settings
from rubric_core.validation.promptfoo.suite import PromptfooSuite
from rubric_core.validation.promptfoo.swallowed_keys import swallowed_by_options
from rubric_core.validation.promptfoo.text_values import compared_texts
from rubric_core.validation.promptfoo.thresholds import templated_numbers, thresholds
from rubric_core.validation.promptfoo.trace_values import trace_values, untraced
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.type_fixes import unconvertible
from rubric_core.validation.wording import closest, number, subject

__all__ = ["INVALID_VALUE"]

#: Of so many words each is offered.
_FEW = 5


@rule("invalid-value", "error", "A value that is not one of the allowed ones")
def INVALID_VALUE(  # noqa: N802  # a rule is a constant
    issue: OutOfRange
    | Assertion
    | PromptfooCase
    | CaseOptions
    | Configuration
    | ConfiguredProvider
    | JsonSchema
    | PromptfooSuite,
    context: Context,
) -> Iterator[Finding]:
    """Say what is possible."""
    if isinstance(issue, PromptfooSuite):
        yield from common_graders(issue)
        yield from classifiers_without_grader(issue)
        yield from targets_without_answers(issue)
        yield from providers_of_one_name(issue)
        yield from idle_weights(issue, context)
    elif isinstance(issue, OutOfRange):
        yield _out_of_range(issue, context)
    else:
        yield from _in_promptfoo(issue, context)


def _out_of_range(issue: OutOfRange, context: Context) -> Finding:
    written = (
        f"`{issue.value}`"
        if isinstance(issue.value, str)
        else f"{issue.value:g}"
        if isinstance(issue.value, int | float)
        else "this"
    )
    fixes: tuple[Fix, ...] = ()
    advice = f"; it should be {issue.kind.words()}"
    if isinstance(issue.kind, Choice) and isinstance(issue.value, str):
        elsewhere = options_called(issue.value, issue.kind.names)
        alike = closest(issue.value, issue.kind.names)
        meant = alike or (elsewhere[0] if len(elsewhere) == 1 else None)
        if meant:
            advice = f"; did you mean `{meant}`? It can be {issue.kind.words()}"
        fixes = tuple(_words(issue, issue.kind, alike, elsewhere))
    elif isinstance(issue.kind, Number | Integer) and isinstance(issue.value, int | float):
        fixes = tuple(_numbers(issue, issue.kind, issue.value))
    if issue.borrowed:
        fixes = ()
    elif not fixes:
        fixes = tuple(unconvertible(issue, context))
    # An unknown kind is no reason to stop, a model judges then.
    scalar = issue.name in ("evaluator", "grader")
    return Finding(
        issue.span,
        f"{subject(issue.name)} cannot be {written}{advice}",
        fixes=fixes,
        severity="warning" if scalar else None,
        consequence="agentv falls back to llm_judge and only logs it" if scalar else "",
    )


def _in_promptfoo(
    shape: Assertion | PromptfooCase | CaseOptions | Configuration | ConfiguredProvider | JsonSchema,
    context: Context,
) -> Iterator[Finding]:
    """Values that depend on others, which no kind of a key can tell."""
    if isinstance(shape, Configuration):
        yield from settings(shape, context)
    elif isinstance(shape, JsonSchema):
        yield from schema_file_faults(shape)
    elif isinstance(shape, ConfiguredProvider):
        yield from filed_ids(shape) if isinstance(shape, ProviderInFile) else ()
        yield from provider_settings(shape, context) if not shape.borrowed else ()
    elif isinstance(shape, PromptfooCase):
        yield from _in_case(shape, context)
    elif isinstance(shape, CaseOptions):
        yield from _in_options(shape)
    else:
        yield from _in_assertion(shape, context)


def _in_case(case: PromptfooCase, context: Context) -> Iterator[Finding]:
    yield from case_ids(case)
    yield from grader_of_case(case) if not isinstance(case, PartialCase) else ()
    yield from keys_in_case(case) if not case.borrowed else ()
    yield from numeric_description(case)
    yield from empty_filters(case, context)
    yield from swallowed_by_options(case, context)
    yield from thresholds(case, context)
    yield from templated_numbers(case)


def _in_options(options: CaseOptions) -> Iterator[Finding]:
    yield from grader_ids(options)
    yield from case_repeats(options)
    yield from keys_in_options(options)
    yield from factuality_scores(options) if not options.borrowed else ()
    yield from slips_of_settings(options.node) if not options.borrowed else ()


def _in_assertion(shape: Assertion, context: Context) -> Iterator[Finding]:
    yield from grader_ids(shape)
    yield from thresholds(shape, context)
    yield from templated_numbers(shape)
    yield from keys_in_assertion(shape, context) if not shape.borrowed else ()
    yield from judge_settings(shape) if not shape.borrowed else ()
    yield from grader_of_assertion(shape)
    yield from trace_values(shape)
    yield from untraced(shape, context)
    yield from values_of_another_kind(shape, context)
    yield from compared_texts(shape, context)
    if isinstance(shape, AssertionSet):
        yield from nested_sets(shape)
        yield from comparisons_in_sets(shape)
    elif isinstance(shape, IsJson | ContainsJson):
        yield from schema_faults(shape, context.text)
    elif isinstance(shape, WordCount):
        yield from word_counts(shape)
    elif isinstance(shape, MaxScore):
        yield from score_settings(shape)


def _words(issue: OutOfRange, kind: Choice, alike: str | None, elsewhere: list[str]) -> Iterator[Fix]:
    """The word that was meant; where nobody can tell, every word when there are few."""
    if alike or len(elsewhere) == 1:
        word = alike or elsewhere[0]
        yield Fix(f"change it to `{word}`", (replace_value(issue.node, word),), safe=is_typo(str(issue.value), word))
    elif len(kind.names) <= _FEW:
        yield from (f for f in replace_with_words(issue.node.span, elsewhere or kind.names))


def _numbers(issue: OutOfRange, kind: Number | Integer, value: float) -> Iterator[Fix]:
    """A share of 1 that was written on a scale of 10 or 100; a sign too many; the nearest number."""
    low, high = kind.at_least, kind.at_most
    if not math.isfinite(value):
        return
    if isinstance(kind, Number) and high == 1 and 2 <= value <= 100:
        written = number(value / (10 if value <= 10 else 100))
    elif low is not None and value < low <= -value and (high is None or -value <= high):
        written = number(-value)
    elif isinstance(kind, Integer) and not float(value).is_integer():
        written = number(max(low if low is not None else -math.inf, round(value)))
    elif (low is not None and value < low) or (high is not None and value > high):
        written = number(low if low is not None and value < low else high or 0)
    else:
        return
    yield Fix(f"write {written}", (replace_value(issue.node, written),), safe=False)
