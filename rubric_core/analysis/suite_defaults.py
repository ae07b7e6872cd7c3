"""What rules for one case may use of the suite around it."""

from rubric_core.language.model import Execution, Suite
from rubric_core.language.shape import Shape
from rubric_core.loading.grading import suite_list
from rubric_core.validation.rule import SuiteDefaults

__all__ = ["suite_defaults"]


def suite_defaults(settings: Shape | None) -> SuiteDefaults:
    """What rules for one case may use of a suite; of any other file than a suite, nothing is known."""
    if not isinstance(settings, Suite):
        return SuiteDefaults(asserts=True)
    execution = settings.execution if isinstance(settings.execution, Execution) else None
    threshold = execution.threshold if execution is not None and execution.has("threshold") else None
    return SuiteDefaults(
        asserts=bool(suite_list(settings)),
        evaluator=settings.has("evaluator"),
        threshold=threshold,
        asks=settings.has("input"),
        filters=frozenset(settings.nunjucks_filters or ()),
        variables=settings.common_variables,
    )
