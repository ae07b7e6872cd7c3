"""The places of evaluators: lists, or a single word in older suites."""

from rubric_core.language.evaluators import Criterion, Evaluator
from rubric_core.language.shape_kinds import Shorthand, Tagged
from rubric_core.language.value_kinds import Choice, ListOf, NodeUnion

__all__ = ["EVALUATORS", "SCALAR_EVALUATOR"]

#: A list of evaluators; a plain string is a criterion.
EVALUATORS = ListOf(NodeUnion(text=Shorthand(Criterion, "outcome"), mapping=Tagged(Evaluator)))

SCALAR_EVALUATOR = Choice(
    (
        ("llm_judge", "a model judges by the criteria of the case"),
        ("code", "a program judges"),
        ("code_judge", "a program judges"),
        ("code-judge", "a program judges"),
        ("code-grader", "a program judges"),
        ("llm-judge", "a model judges by the criteria of the case"),
        ("llm-grader", "a model judges by the criteria of the case"),
        ("llm_grader", "a model judges by the criteria of the case"),
        ("heuristic", "searches for key words of the expected answer"),
    )
)
