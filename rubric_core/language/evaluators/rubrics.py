"""Rubrics: criteria, score ranges and the evaluators that have them."""

from typing import TYPE_CHECKING, ClassVar

from rubric_core.language.evaluators.base import Evaluator, PromptProgram
from rubric_core.language.file_extensions import PROMPTS
from rubric_core.language.shape import Shape, key
from rubric_core.language.shape_kinds import Shaped, Shorthand
from rubric_core.language.value_kinds import (
    Anything,
    Boolean,
    Choice,
    Integer,
    ListOf,
    MapOf,
    NodeUnion,
    Number,
    Ranges,
    Text,
)

if TYPE_CHECKING:
    from rubric_core.syntax.tree import Entry

__all__ = ["HIGHEST", "AgentRubric", "Band", "Criterion", "LlmRubric", "Rubric", "Rubrics", "ScoreRanges"]


#: The highest raw score that a judge may give, and the end of the last band; the lowest score is 0.
HIGHEST = 10


class Band(Shape):
    """A score range: the scores `low`…`high` of 0..10, both included, and what an answer in it looks like."""

    lack_effect: ClassVar[str] = "agentv skips the whole case and only logs it"
    score_range = key(
        Anything(),
        "The lowest and the highest score of the band, both included: two whole numbers of 0..10.",
        required=True,
        example="[4, 7]",
    )
    outcome = key(
        Anything(),
        "What an answer with a score in this band looks like. The judge reads it.",
        required=True,
        example="Partly right",
    )

    #: The bounds as written, whole numbers of 0..10 when they are sound, else None.
    low: int | None = None
    high: int | None = None
    #: The text; empty if there is none.
    text: str = ""
    #: The entries that give its bounds in a form that is not part of the language: `min: 0, max: 4`, or `poor: [0, 4]`.
    otherwise: "tuple[Entry, ...]" = ()


class ScoreRanges(Shape):
    """`score_ranges`: the bands of a criterion that is scored 0..10."""

    parts: ClassVar[tuple[str, ...]] = ("bands",)

    #: "list", "map", "turned" for a map whose keys are the texts, or "other" for anything else.
    style: str = "list"
    #: In the order of the text. In map style, `high` is one below the next lowest score, and 10 for the last band.
    bands: list[Band]


class Criterion(Shape):
    """A criterion: one line of a rubric, judged on its own."""

    stands_for = "criterion"

    id = key(
        Text(),
        "Names the criterion in results; unique in its rubric.",
        shown="rubric-1, rubric-2, …",
        example="names-the-cause",
    )
    outcome = key(
        Text(),
        "What the answer must achieve, in a sentence that a judge can answer with yes or no.",
        example="Names the root cause",
    )
    weight = key(
        Number(at_least=0, judged_by_rule=True),
        "Its weight in the score of the rubric, relative to the other criteria.",
        default=1.0,
        shown="1.0",
        example="2.0",
    )
    required = key(
        Boolean(),
        "Whether the rubric fails when this criterion does, whatever the score.",
        default=False,
        shown="false; true for plain strings",
        example="true",
    )
    required_min_score = key(
        Number(0, 10, judged_by_rule=True),
        "The lowest score of 0..10 with which the rubric can still pass.",
        example="6",
    )
    min_score = key(
        Number(above=0, at_most=1, judged_by_rule=True),
        "The lowest score, above 0 and up to 1, with which the rubric can still pass.",
        example="0.6",
    )
    score_ranges = key(
        Ranges(),
        "Describes what an answer with a score of 0..10 looks like, so that the judge grades evenly. The bands cover 0..10 without gap or overlap.",
        example="{0: wrong, 4: partly right, 8: right}",
    )
    operator = key(
        Choice(
            (
                ("correctness", "satisfied when the answer agrees with the text"),
                ("contradiction", "satisfied when the answer does not contradict the text"),
            )
        ),
        "How the judge compares the answer with the outcome.",
        default="correctness",
        shown="correctness",
        example="contradiction",
    )

    #: Whether it was written as a plain string.
    shorthand: bool = False


class Rubric(Evaluator):
    """A rubric: criteria with weights, judged one by one."""

    criteria = key(
        ListOf(NodeUnion(text=Shorthand(Criterion, "outcome"), mapping=Shaped(Criterion)), empty=False),
        "The criteria of the rubric.",
        name="rubrics",
        required=True,
        example="[{id: tone, outcome: Stays polite}]",
    )
    target = key(Text(refers_to="target"), "The target that judges.", shown="the judge of the target", example="judge")

    @property
    def is_judged(self) -> bool:
        """See `Evaluator.is_judged`."""
        return True


class Rubrics(Rubric):
    """A rubric: criteria with weights, judged one by one; plain strings are required criteria."""

    criteria = key(
        ListOf(NodeUnion(text=Shorthand(Criterion, "outcome"), mapping=Shaped(Criterion)), empty=False),
        "The criteria of the rubric: sentences, or mappings with id, outcome, weight, score_ranges and more.",
        required=True,
        example="[Names the cause]",
    )


class LlmRubric(Rubric):
    """An LLM rubric: what a judge checks, as free text or as criteria with weights."""

    criteria = key(
        NodeUnion(
            text=Text(),
            sequence=ListOf(NodeUnion(text=Shorthand(Criterion, "outcome"), mapping=Shaped(Criterion)), empty=False),
            mapping=Shaped(Criterion),
        ),
        "What the judge checks: a text, or a list of criteria.",
        name="value",
        example="[Names the cause]",
    )
    prompt = key(
        NodeUnion(text=Text(refers_to="file", endings=PROMPTS), mapping=Shaped(PromptProgram)),
        "The judge's prompt, or a file with it.",
        example="file://prompts/judge.md",
    )
    provider = key(
        NodeUnion(text=Text(refers_to="target"), mapping=MapOf(Anything())),
        "The provider that judges.",
        shown="the grader of `defaults`",
        example="judge",
    )
    score_ranges = key(
        Ranges(),
        "The bands of a single criterion whose text is `value`.",
        example="{0: wrong, 4: partly right, 8: right}",
    )
    operator = key(
        Criterion.keys["operator"].kind,
        "How the judge compares the answer with the text.",
        default="correctness",
        shown="correctness",
    )
    threshold = key(Number(0, 1), "The lowest score, 0..1, that passes.", example="0.7")
    max_steps = key(Integer(1, 50), "The maximum number of steps of an agent judge.", default=10, shown="10")
    temperature = key(Number(0, 2), "The sampling temperature of the judge.", default=0.0, shown="0")
    config = key(MapOf(Anything()), "Settings for a prompt that is a program.")


class AgentRubric(LlmRubric):
    """An agent rubric: an agent inspects the workspace and judges what it finds."""
