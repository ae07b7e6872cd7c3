"""The base of all assertions of promptfoo, and sets of them."""

from types import MappingProxyType
from typing import ClassVar

from rubric_core.families.promptfoo.language.provider import GRADER, JUDGE_PROMPT
from rubric_core.language.shape import Shape, key
from rubric_core.language.shape_kinds import Tagged
from rubric_core.language.value_kinds import Anything, ListOf, MapOf, NodeUnion, Number, Text

__all__ = [
    "ANY_TEXT",
    "ASSERTIONS",
    "COMPARING_TYPES",
    "LIMITS",
    "MAX_SCORE",
    "SELECT_BEST",
    "SET_TYPE",
    "TABLE_CODE",
    "TABLE_RUBRICS",
    "TABLE_THRESHOLDS",
    "Assertion",
    "AssertionSet",
]

#: The type of a set of assertions.
SET_TYPE = "assert-set"
SELECT_BEST, MAX_SCORE = "select-best", "max-score"
#: The types that compare the outputs of several providers and prompts, once all of them are there.
COMPARING_TYPES = frozenset({SELECT_BEST, MAX_SCORE})
#: In tables, the words that stand for types of code, and for the type that a judge reads.
TABLE_CODE = MappingProxyType(
    {"javascript:": "javascript", "fn:": "javascript", "eval:": "javascript", "python:": "python"}
)
TABLE_RUBRICS = MappingProxyType({"grade:": "llm-rubric", "llm-rubric:": "llm-rubric"})
#: In tables, the types whose short form may give a threshold in parentheses, with the one that they have without.
TABLE_THRESHOLDS = MappingProxyType({
    "answer-relevance": 0.75, "classifier": 0.75, "context-faithfulness": 0.75, "context-recall": 0.75, "context-relevance": 0.75,
    "cost": 0.75, "latency": 0.75, "levenshtein": 0.75, "perplexity-score": 0.75, "perplexity": 0.75, "rouge-n": 0.75,
    "similar": 0.8, "starts-with": 0.75,
})  # fmt: skip
#: Of these, the ones that have nothing but a limit, so that a text behind their colon is not read.
LIMITS = frozenset({"latency", "cost", "perplexity", "perplexity-score"})
#: Types of which a value without a template is right whatever it is.
ANY_TEXT = frozenset({"equals", "contains", "icontains", "starts-with", "llm-rubric"})

_CODE = NodeUnion(text=Text(blank=True), mapping=MapOf(Anything()))


class Assertion(Shape):
    """A promptfoo assertion: one check of an output."""

    stands_for = "check"
    is_judged_alone: ClassVar[bool] = True

    type = key(
        Text(refers_to="type"), "Which check this is; `not-` in front inverts it.", required=True, example="contains"
    )
    value = key(Anything(), "What the output is checked against.")
    threshold = key(Number(), "The lowest score that passes; what it means depends on the type.", example="0.8")
    weight = key(
        Number(), "Its weight in the score of the case. With 0 it always passes and its metric is recorded as 0.", default=1.0, shown="1",
        example="2",
    )  # fmt: skip
    metric = key(Text(blank=True), "The named metric that its score adds to.", example="tone")
    provider = key(GRADER, "The model that grades, in place of `options.provider`.", example="openai:chat:gpt-5-mini")
    rubric_prompt = key(JUDGE_PROMPT, "The prompt for the judge, in place of the built-in one.", name="rubricPrompt")
    transform = key(
        _CODE,
        "JavaScript over `output`, or a file, that changes the output for this assertion.",
        example="output.trim()",
    )
    context_transform = key(
        _CODE,
        "Takes the context for RAG assertions out of the output.",
        name="contextTransform",
        example="output.context",
    )
    config = key(MapOf(Anything()), "Settings that scripts see.")

    #: Its `config` is for scripts.
    settings_blocks = MappingProxyType({})

    @classmethod
    def may_be_filled_in(cls, tag: str) -> bool:
        """See `Shape.may_be_filled_in`: promptfoo fills in nothing but the environment here."""
        return "env" in tag


ASSERTIONS = ListOf(Tagged(Assertion))


class AssertionSet(Assertion):
    """An assert-set: passes if all its assertions pass, or from `threshold` on; score = their weighted mean."""

    assertions = key(ASSERTIONS, "The assertions; a set cannot be one of them.", name="assert", required=True)
    threshold = key(Number(), "The lowest score that passes.", shown="none: every assertion has to pass", example="0.5")
    strict: ClassVar[bool] = False
