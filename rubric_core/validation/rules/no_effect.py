"""no-effect: an evaluator that can change nothing, or a threshold that everything reaches."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Evaluator
from rubric_core.language.model import Case, Execution, Suite
from rubric_core.language.shape import Shape
from rubric_core.loading.grading import case_list
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["NO_EFFECT"]


@rule("no-effect", "warning", "Something that can change no result")
def NO_EFFECT(shape: Shape, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """A weight of 0 without a gate, and a threshold of 0, make a check that cannot fail."""
    if isinstance(shape, Evaluator) and shape.has("weight") and shape.weight == 0 and not shape.required:
        yield Finding(
            shape.at("weight"),
            "with weight 0 and without `required` this evaluator changes no result",
            severity="information",
        )
    if isinstance(shape, Execution | Suite) and shape.has("threshold") and shape.threshold == 0:
        yield Finding(shape.at("threshold"), "with a threshold of 0 every answer passes")
    if isinstance(shape, Case):
        evaluators = [e for e in case_list(shape) or [] if isinstance(e, Evaluator)]
        if (
            len(evaluators) > 1
            and len(evaluators) == len(case_list(shape) or [])
            and all(e.weight == 0 for e in evaluators)
            and not shape.rubrics
        ):
            yield Finding(shape.at("id"), "every evaluator of this case has weight 0, so its score is always 0")
