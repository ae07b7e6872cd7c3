"""The assertions of promptfoo that run the author's code, and those that a model grades."""

from typing import ClassVar

from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.language.shape import key
from rubric_core.language.value_kinds import Anything, ListOf, MapOf, NodeUnion, Number, Text

__all__ = [
    "JUDGED",
    "AgentRubricCall",
    "AnswerRelevance",
    "Classifier",
    "ClosedQa",
    "ContextFaithfulness",
    "ContextRecall",
    "ContextRelevance",
    "ConversationRelevance",
    "Factuality",
    "GEval",
    "JavaScriptCode",
    "MaxScore",
    "ModelRubric",
    "Moderation",
    "PiScore",
    "PythonCode",
    "Redteam",
    "RubyCode",
    "SearchRubric",
    "SelectBest",
    "SimilarText",
    "TraceGoalSuccess",
    "WebhookCall",
]


class JavaScriptCode(Assertion):
    """A javascript assertion: code over `output` and `context`: a boolean; a number, which is the score and passes above 0 or from `threshold` on; or `{pass, score, reason}`, for which `threshold` is not read."""

    value = key(
        Text(),
        "One line is an expression; several lines are a body that has to `return`; `file://` names a file.",
        required=True,
        example="output.length < 100",
    )
    threshold = key(Number(), "The lowest score that passes.", shown="above 0", example="0.5")


class PythonCode(Assertion):
    """A python assertion: code over `output` and `context`: a boolean, a number, which is the score, or a dictionary with `pass`, `score` and `reason`."""

    value = key(
        Text(),
        "One line is an expression; several lines are a body; `file://x.py` calls `get_assert`.",
        required=True,
        example="len(output) < 100",
    )
    threshold = key(Number(), "The lowest score that passes.", shown="above 0", example="0.5")


class RubyCode(Assertion):
    """A ruby assertion: code over `output` and `context`, with the results that a python assertion takes."""

    value = key(
        Text(),
        "One line is an expression; several lines are a body; `file://x.rb` calls `get_assert`.",
        required=True,
        example="output.length < 100",
    )
    threshold = key(Number(), "The lowest score that passes.", shown="above 0", example="0.5")


class WebhookCall(Assertion):
    """A webhook assertion: an address gets the output and replies `{pass, score, reason}` within 5 seconds."""

    value = key(Text(), "The address.", required=True, example="https://example.com/grade")


class SimilarText(Assertion):
    """A similar assertion: the embedding is close to that of `value`; score = similarity; of a list the best counts."""

    value = key(
        NodeUnion(text=Text(blank=True), sequence=ListOf(Anything(), empty=False)),
        "The text to compare with, or several of which any passes.",
        required=True,
        example="The sky is blue.",
    )
    threshold = key(
        Number(),
        "The lowest similarity that passes; for `similar:euclidean` the largest distance.",
        shown="0.75",
        example="0.8",
    )


class Classifier(Assertion):
    """A classifier assertion: a classification provider gives the label; score = its confidence."""

    value = key(Anything(), "The label.", example="positive")
    threshold = key(Number(), "The lowest confidence that passes.", shown="1", example="0.8")


class Moderation(Assertion):
    """A moderation assertion: a moderation provider flags none of the categories; score 1 or 0."""

    value = key(ListOf(Anything()), "The categories that count; without, all.", example="[hate]")


class ModelRubric(Assertion):
    """An llm-rubric assertion: a judge model replies `{pass, score, reason}`; score 0–1 as it says; passes if `pass`, and from `threshold` on where there is one."""

    value = key(
        NodeUnion(text=Text(blank=True), mapping=MapOf(Anything()), sequence=ListOf(Anything())),
        "What the output has to be, in words.",
        example="Is polite and short",
    )
    threshold = key(Number(), "The lowest score that passes beside `pass`.", shown="none", example="0.7")


class Factuality(Assertion):
    """A factuality assertion: a judge model compares with the facts in `value`: subset, superset, same or harmless passes with score 1, disagreement fails. `threshold` is not read."""

    value = key(Text(), "The facts.", required=True, example="Paris is the capital of France")


class ClosedQa(Assertion):
    """A model-graded-closedqa assertion: a judge model answers Y or N to whether the output meets the criterion; score 1 or 0. `threshold` is not read."""

    value = key(Text(), "The criterion.", required=True, example="Names the capital")


class GEval(Assertion):
    """A g-eval assertion: a judge model makes steps of the criteria and scores 0–10; score = that ÷ 10; of a list the mean."""

    value = key(
        NodeUnion(text=Text(), sequence=ListOf(Text(), empty=False)),
        "The criterion, or several.",
        required=True,
        example="Is coherent",
    )
    threshold = key(Number(), "The lowest score that passes.", shown="0.7", example="0.8")


class AnswerRelevance(Assertion):
    """An answer-relevance assertion: questions made from the output are close to the one that was asked; score = mean similarity."""

    threshold = key(Number(), "The lowest score that passes.", shown="0; 0.5 from 0.123 on", example="0.8")


class ContextRecall(Assertion):
    """A context-recall assertion: the variable `context` supports the statements of `value`; score = share that it supports."""

    value = key(
        Text(blank=True), "The statements that have to be supported.", required=True, example="Refunds take 30 days"
    )
    threshold = key(Number(), "The lowest score that passes.", shown="0; 0.5 from 0.123 on", example="0.8")


class ContextRelevance(Assertion):
    """A context-relevance assertion: the variable `context` is needed for `query`; score = share that is."""

    threshold = key(Number(), "The lowest score that passes.", shown="0; 0.5 from 0.123 on", example="0.8")


class ContextFaithfulness(Assertion):
    """A context-faithfulness assertion: the variable `context` supports what the output states; score = share that it supports."""

    threshold = key(Number(), "The lowest score that passes.", shown="0; 0.5 from 0.123 on", example="0.8")


class ConversationRelevance(Assertion):
    """A conversation-relevance assertion: each reply of a conversation is relevant; score = share of windows that are."""

    threshold = key(Number(), "The lowest score that passes.", shown="0.5", example="0.8")


class SearchRubric(Assertion):
    """A search-rubric assertion: a judge model that searches the web grades as for llm-rubric."""

    value = key(Anything(), "What the output has to be, in words.", example="States today's price")
    threshold = key(Number(), "The lowest score that passes beside `pass`.", shown="none", example="0.7")


class AgentRubricCall(Assertion):
    """An agent-rubric assertion: an agent grades as for llm-rubric."""

    value = key(Anything(), "What the output has to be, in words.", example="The tests pass")
    threshold = key(Number(), "The lowest score that passes beside `pass`.", shown="none", example="0.7")


class TraceGoalSuccess(Assertion):
    """A trajectory:goal-success assertion: a judge model says from the trace whether the goal was reached; needs tracing."""

    value = key(Anything(), "The goal, or `{goal}`.", example="Books a table")
    threshold = key(Number(), "The lowest score that passes beside `pass`.", shown="none", example="0.7")


class PiScore(Assertion):
    """A pi assertion: a remote service scores the output; needs a key."""

    value = key(Anything(), "The question to score.", example="Is it polite?")
    threshold = key(Number(), "The lowest score that passes.", shown="0.5", example="0.7")


class SelectBest(Assertion):
    """A select-best assertion: a judge model picks the best of all outputs of a case: the others fail with score 0. Needs two outputs or more."""

    value = key(Text(blank=True), "The criterion.", required=True, example="is the funniest")


class MaxScore(Assertion):
    """A max-score assertion: of all outputs of a case the one with the highest score of the other assertions passes. Needs two outputs or more."""

    #: What its value has.
    settings: ClassVar[tuple[str, ...]] = ("method", "weights", "threshold")
    value = key(Anything(), "`{method, weights, threshold}`.", example="{method: average}")

    @classmethod
    def block_of(cls, name: str) -> str:
        """See `Shape.block_of`."""
        return "value" if name in cls.settings else ""


class Redteam(Assertion):
    """A promptfoo:redteam assertion: a check of the red team; it is not looked into."""

    value = key(Anything(), "What the plugin takes.")


#: The assertions that a model grades.
JUDGED: tuple[type[Assertion], ...] = (
    ModelRubric, Factuality, ClosedQa, GEval, AnswerRelevance, ContextRecall, ContextRelevance, ContextFaithfulness,
    ConversationRelevance, SearchRubric, AgentRubricCall,
)  # fmt: skip
