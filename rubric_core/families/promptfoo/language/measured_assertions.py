"""The assertions of promptfoo that measure an output, compare it with a reference, or look at the call and its trace."""

from types import MappingProxyType

from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.language.shape import key
from rubric_core.language.value_kinds import Anything, ListOf, MapOf, NodeUnion, Number, Text

__all__ = [
    "FINISH_REASONS",
    "Bleu",
    "Cost",
    "FinishReason",
    "Gleu",
    "Guardrails",
    "IsRefusal",
    "Latency",
    "Levenshtein",
    "Meteor",
    "Perplexity",
    "PerplexityScore",
    "RougeN",
    "SkillUsed",
    "ToolCallF1",
    "TraceErrorSpans",
    "TraceSpanCount",
    "TraceSpanDuration",
    "TraceStepCount",
    "TraceToolArguments",
    "TraceToolSequence",
    "TraceToolUsed",
    "ValidFunctionCall",
    "ValidOpenAiToolsCall",
    "WordCount",
]


class Levenshtein(Assertion):
    """A levenshtein assertion: the edit distance to `value` is at most `threshold`; score 1 or 0."""

    value = key(Text(blank=True), "The text to compare with.", required=True, example="Paris")
    threshold = key(Number(), "The largest distance that passes, in characters.", shown="5", example="3")


class WordCount(Assertion):
    """A word-count assertion: the number of words is `value`, or within `min` and `max`; score 1 or 0."""

    value = key(
        NodeUnion(text=Text(blank=True), number=Number(), mapping=MapOf(Anything())),
        "The number of words, or `{min, max}`.",
        required=True,
        example="{min: 10, max: 50}",
    )


class Latency(Assertion):
    """A latency assertion: the answer took at most `threshold` milliseconds; score 1 or 0. A cached answer is an error."""

    threshold = key(Number(), "The longest time that passes, in milliseconds.", required=True, example="2000")


class Cost(Assertion):
    """A cost assertion: the answer cost at most `threshold` dollars; score 1 or 0."""

    threshold = key(Number(), "The highest cost that passes, in dollars.", required=True, example="0.01")


class Perplexity(Assertion):
    """A perplexity assertion: the perplexity is at most `threshold`; score 1 or 0. The provider has to return logprobs."""

    threshold = key(Number(), "The highest perplexity that passes.", shown="none: every value passes", example="5")


class PerplexityScore(Assertion):
    """A perplexity-score assertion: the normalised perplexity is at least `threshold`; the score is that value."""

    threshold = key(Number(), "The lowest score that passes.", shown="none: every value passes", example="0.5")


#: The reasons that models give, by what their vendors call them.
FINISH_REASONS = MappingProxyType({
    "stop": "stop", "length": "length", "content_filter": "content_filter", "tool_calls": "tool_calls", "function_call": "tool_calls",
    "end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length", "tool_use": "tool_calls", "refusal": "content_filter",
    "pause_turn": "pause_turn",
})  # fmt: skip


class FinishReason(Assertion):
    """A finish-reason assertion: the provider stopped for this reason, in any case of letters; score 1 or 0.

    Models stop for `stop`, `length`, `content_filter` or `tool_calls`, whatever their vendors call it.
    """

    value = key(Anything(), "The reason.", required=True, example="stop")


class IsRefusal(Assertion):
    """An is-refusal assertion: the output begins like a refusal, by a list of phrases; score 1 or 0."""


class Guardrails(Assertion):
    """A guardrails assertion: the provider's guardrails did not flag the answer; passes where it has none."""


class ValidOpenAiToolsCall(Assertion):
    """An is-valid-openai-tools-call assertion: the tool calls fit the provider's `config.tools`; score 1 or 0."""


class ValidFunctionCall(Assertion):
    """An is-valid-function-call assertion: the function call fits the provider's `config.functions`; score 1 or 0."""


class ToolCallF1(Assertion):
    """A tool-call-f1 assertion: the names of the called tools match `value`; score = F1 of the two sets."""

    value = key(
        NodeUnion(text=Text(blank=True), sequence=ListOf(Anything(), empty=False)),
        "The names of the tools: a list, or text with commas.",
        required=True,
        example="[search, book]",
    )
    threshold = key(Number(), "The lowest F1 that passes.", shown="1", example="0.8")


class RougeN(Assertion):
    """A rouge-n assertion: the words overlap with `value`; score = unigram F1."""

    value = key(Text(blank=True), "The text to compare with.", required=True, example="The sky is blue.")
    threshold = key(Number(), "The lowest score that passes.", shown="0.75", example="0.6")


class Bleu(Assertion):
    """A bleu assertion: 1–4-grams overlap with `value`; score = BLEU."""

    value = key(
        NodeUnion(text=Text(blank=True), sequence=ListOf(Text(blank=True), empty=False)),
        "One reference or several.",
        required=True,
        example="The sky is blue.",
    )
    threshold = key(Number(), "The lowest score that passes.", shown="0.5", example="0.4")


class Gleu(Assertion):
    """A gleu assertion: 1–4-grams overlap with `value`; score = GLEU with the best reference."""

    value = key(
        NodeUnion(text=Text(blank=True), sequence=ListOf(Text(blank=True), empty=False)),
        "One reference or several.",
        required=True,
        example="The sky is blue.",
    )
    threshold = key(Number(), "The lowest score that passes.", shown="0.5", example="0.4")


class Meteor(Assertion):
    """A meteor assertion: words, stems and synonyms match `value`; score = METEOR; promptfoo 0.121 cannot load its package `natural`, and each row is an error."""

    value = key(
        NodeUnion(text=Text(blank=True), sequence=ListOf(Anything(), empty=False)),
        "One reference or several.",
        required=True,
        example="The sky is blue.",
    )
    threshold = key(Number(), "The lowest score that passes.", shown="0.5", example="0.4")
    alpha = key(Number(), "The weight of precision.", shown="0.9")
    beta = key(Number(), "The exponent of the penalty for fragments.", shown="3")
    gamma = key(Number(), "The weight of the penalty for fragments.", shown="0.5")


class SkillUsed(Assertion):
    """A skill-used assertion: the provider reports that it used the skill; score 1 or 0."""

    value = key(Anything(), "The name of the skill, a list, or `{name, min, max}`.", required=True, example="review")


class TraceSpanCount(Assertion):
    """A trace-span-count assertion: so many spans of the trace match; needs tracing."""

    value = key(Anything(), "`{pattern, min, max}`.", example="{pattern: '*llm*', max: 5}")


class TraceSpanDuration(Assertion):
    """A trace-span-duration assertion: spans of the trace are short enough; needs tracing."""

    value = key(Anything(), "`{max, pattern, percentile}`, in milliseconds.", example="{max: 2000}")


class TraceErrorSpans(Assertion):
    """A trace-error-spans assertion: few enough spans of the trace are errors; needs tracing."""

    value = key(Anything(), "How many may be, or `{max_count, max_percentage}`.", example="0")


class TraceToolUsed(Assertion):
    """A trajectory:tool-used assertion: the trace has calls of the tool; needs tracing."""

    value = key(Anything(), "The name of the tool, or `{name, min, max}`.", example="search")


class TraceToolSequence(Assertion):
    """A trajectory:tool-sequence assertion: the trace calls the tools in this order; needs tracing."""

    value = key(Anything(), "The names of the tools, or `{steps, mode}`.", example="[search, book]")


class TraceToolArguments(Assertion):
    """A trajectory:tool-args-match assertion: a call in the trace has these arguments; needs tracing."""

    value = key(Anything(), "`{name, args, mode}`.", example="{name: search, args: {city: Paris}}")


class TraceStepCount(Assertion):
    """A trajectory:step-count assertion: the trace has so many steps; needs tracing."""

    value = key(Anything(), "`{type, min, max}`.", example="{max: 10}")
