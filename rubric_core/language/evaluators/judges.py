"""Evaluators that ask a model without a rubric."""

from typing import ClassVar

from rubric_core.language.evaluators.base import Evaluator, PromptProgram
from rubric_core.language.evaluators.rubrics import Criterion
from rubric_core.language.file_extensions import PROMPTS
from rubric_core.language.shape import key
from rubric_core.language.shape_kinds import Shaped, Shorthand
from rubric_core.language.value_kinds import Anything, Integer, ListOf, MapOf, NodeUnion, Number, Text

__all__ = ["AgentJudge", "GoalSuccess", "LlmJudge"]


class LlmJudge(Evaluator):
    """An LLM judge: a model that reads the answer and gives a score, by a free prompt or by rubrics."""

    open: ClassVar[bool] = True
    prompt = key(
        NodeUnion(text=Text(refers_to="file", endings=PROMPTS), mapping=Shaped(PromptProgram)),
        "The judge's prompt, or a file with it; `{{ output }}` and the other template variables are filled in.",
        shown="a built-in prompt",
        example="prompts/judge.md",
    )
    rubrics = key(
        ListOf(NodeUnion(text=Shorthand(Criterion, "outcome"), mapping=Shaped(Criterion))),
        "Criteria that are judged one by one instead of a free-form score.",
    )
    model = key(Text(), "Not used by any release: the target decides the model.")
    target = key(Text(refers_to="target"), "The target that judges.", shown="the judge of the target", example="judge")
    config = key(MapOf(Anything()), "Settings for a prompt that is a program.")
    max_steps = key(
        Integer(1, 50), "The maximum number of steps of an agent judge.", default=10, shown="10", example="5"
    )
    temperature = key(Number(0, 2), "The sampling temperature of the judge.", default=0.0, shown="0", example="0")

    @property
    def is_judged(self) -> bool:
        """See `Evaluator.is_judged`."""
        return True


class AgentJudge(LlmJudge):
    """An agent judge: a judge that reads the files of the workspace before it scores."""


class GoalSuccess(Evaluator):
    """A goal-success check: a judge says whether the agent reached the goal."""

    value = key(
        NodeUnion(text=Text(), mapping=MapOf(Anything())),
        "The goal that the agent should reach.",
        required=True,
        example="The order is cancelled",
    )
    provider = key(
        NodeUnion(text=Text(refers_to="target"), mapping=MapOf(Anything())),
        "The provider that judges.",
        shown="the grader of `defaults`",
    )
