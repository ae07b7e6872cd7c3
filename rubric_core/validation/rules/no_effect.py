"""no-effect: an evaluator that can change nothing, or a threshold that everything reaches."""

from collections.abc import Iterator

from rubric_core.language.around import Template
from rubric_core.language.evaluators import AssertSet, Composite, Evaluator
from rubric_core.language.model import Case, DefaultTest, Execution, Suite, Turn
from rubric_core.loading.grading import case_list
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["NO_EFFECT"]

#: Fields that list evaluators.
_LISTS = ("assertions", "evaluators")

#: Shapes with lists of evaluators.
_Holder = Case | Suite | Execution | Composite | AssertSet | Turn | DefaultTest | Template


@rule("no-effect", "warning", "Something that can change no result")
def NO_EFFECT(shape: _Holder, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """A weight of 0 without a gate, and a threshold of 0, make a check that cannot fail."""
    if isinstance(shape, Execution | Suite) and shape.has("threshold") and shape.threshold == 0:
        yield Finding(shape.at("threshold"), "with a threshold of 0 every answer passes")
    if isinstance(shape, Case) and _nothing_counts(shape):
        yield Finding(shape.at("id"), "every evaluator of this case has weight 0, so its score is always 0")
        return
    for field in _LISTS:
        for each in vars(shape).get(field) or []:
            if isinstance(each, Evaluator) and each.has("weight") and each.weight == 0 and not each.required:
                message = "with weight 0 and without `required` this evaluator changes no result"
                yield Finding(each.at("weight"), message, severity="information")


def _nothing_counts(case: Case) -> bool:
    written = case_list(case) or []
    return len(written) > 1 and not case.rubrics and all(isinstance(e, Evaluator) and e.weight == 0 for e in written)
