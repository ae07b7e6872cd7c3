"""Evaluators that combine evaluators."""

from rubric_core.language.evaluators.base import Evaluator
from rubric_core.language.evaluators.rubrics import Criterion
from rubric_core.language.file_extensions import PROMPTS
from rubric_core.language.shape import Shape, key
from rubric_core.language.shape_kinds import Shaped, Shorthand, Tagged
from rubric_core.language.value_kinds import Anything, Choice, ListOf, MapOf, NodeUnion, Number, Text

__all__ = ["Aggregator", "AssertSet", "Composite"]


class Aggregator(Shape):
    """An aggregator: how a composite makes one score of its members' scores."""

    type = key(
        Choice((
            ("weighted_average", "the mean of the members' scores, by weight"),
            ("threshold", "the share of members that passed; passes from `threshold` on"),
            ("code-grader", "a program decides"), ("llm-grader", "a judge decides"),
            ("code_judge", "a program decides"), ("llm_judge", "a judge decides"),
            ("code-judge", "a program decides"), ("llm-judge", "a judge decides"),
        )),
        "How to combine the scores.", required=True, example="weighted_average",
    )  # fmt: skip
    weights = key(
        MapOf(Number(at_least=0)), "A weight for each member, by its name.", shown="1 each", example="{safety: 2}"
    )
    path = key(Text(refers_to="program", beside=True), "The program of a code aggregator.", example="scripts/gate.py")
    cwd = key(Text(refers_to="directory"), "The working directory.")
    prompt = key(
        Text(refers_to="file", endings=PROMPTS),
        "The prompt of a judge; `{{EVALUATOR_RESULTS_JSON}}` stands for the members' results.",
    )
    threshold = key(Number(0, 1), "The share of members, 0..1, that must pass.", example="0.5")
    model = key(Text(), "Not used by any release.")


class Composite(Evaluator):
    """A composite: several evaluators whose scores an aggregator puts together."""

    assertions = key(
        ListOf(NodeUnion(text=Shorthand(Criterion, "outcome"), mapping=Tagged(Evaluator)), empty=False),
        "The members.",
        required=True,
        example="[{name: refund, type: contains, value: refund}]",
    )
    aggregator = key(
        Shaped(Aggregator), "How to combine the members' scores.", required=True, example="{type: weighted_average}"
    )


class AssertSet(Evaluator):
    """An assertion set: several evaluators that count as one."""

    assertions = key(
        ListOf(NodeUnion(text=Shorthand(Criterion, "outcome"), mapping=Tagged(Evaluator)), empty=False),
        "The members.",
        name="assert",
        required=True,
        example="[{type: contains, value: refund}]",
    )
    threshold = key(
        Number(0, 1), "The lowest score, 0..1, that passes the set; without it every member must pass.", example="0.5"
    )
    config = key(MapOf(Anything()), "Settings that the members inherit.")
