"""The evaluators of a case that lists none."""

from collections.abc import Container, Mapping

from rubric_core.evaluation.evaluators.heuristic import Heuristic
from rubric_core.evaluation.model.context import EvaluatorConfig
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.language.dialect import Dialect
from rubric_core.language.evaluators import CodeEvaluator as CodeShape
from rubric_core.language.evaluators import Criterion, Custom, LlmRubric
from rubric_core.language.model import Case
from rubric_core.loading.grading import default_judge
from rubric_core.text import Span

__all__ = ["default_evaluators", "require_criteria", "scalar_evaluator"]


_JUDGE = "llm_judge"
SCALARS: Mapping[str, type[EvaluatorConfig]] = {"heuristic": Heuristic, "code": CodeShape, "code_judge": CodeShape}


def scalar_evaluator(kind: str, registered: Container[str] = ()) -> EvaluatorConfig:
    """The evaluator for `evaluator: KIND`, or `grader: KIND` in the first releases.

    A kind that is neither built in nor registered means the judge.
    """
    shape = SCALARS.get(kind, Custom if kind in registered and kind != _JUDGE else None)
    if shape is None:
        return default_judge()
    made = shape(Span(0, 0), None, type=kind, name=kind)
    made.type_name = kind
    return made


def default_evaluators(
    case: Case, kind: str, dialect: Dialect, registered: Container[str] = ()
) -> list[EvaluatorConfig]:
    """The evaluators of a case that lists none: the one of that kind, or, from agentv-5 on, its criteria as a checklist."""
    if not dialect.properties.criteria_are_a_checklist or not case.criteria or kind != _JUDGE:
        return [scalar_evaluator(kind, registered)]
    span = case.at("criteria")
    criterion = Criterion(span, None, outcome=case.criteria)
    criterion.shorthand = True
    made = LlmRubric(span, None, type="llm-rubric", name="llm-rubric", criteria=[criterion])
    made.type_name = "llm-rubric"
    return [made]


def require_criteria(case: Case, kind: str, reference: str, dialect: Dialect) -> None:
    """Raises Unscored for a case that lists no evaluators and has no criteria by which a judge could grade it."""
    if case.criteria or reference or kind in SCALARS:
        return
    listed = dialect.spelled(Case, "assertions") or dialect.spelled(Case, "evaluators")
    names = [f"`{key}`" for key in (dialect.spelled(Case, "criteria"), listed) if key]
    raise Unscored(f"nothing describes a good answer: write {' or '.join(names)}", at=case)
