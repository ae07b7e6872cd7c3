"""Which evaluator runs which type. A new type is a file in `evaluators/` and a line here."""

from collections.abc import Mapping
from typing import Any

from rubric_core.evaluation.evaluators.assert_set import ASSERT_SET
from rubric_core.evaluation.evaluators.composite import COMPOSITE
from rubric_core.evaluation.evaluators.contains import CONTAINS
from rubric_core.evaluation.evaluators.contains_all import CONTAINS_ALL
from rubric_core.evaluation.evaluators.contains_any import CONTAINS_ANY
from rubric_core.evaluation.evaluators.cost import COST
from rubric_core.evaluation.evaluators.ends_with import ENDS_WITH
from rubric_core.evaluation.evaluators.equals import EQUALS
from rubric_core.evaluation.evaluators.execution_metrics import EXECUTION_METRICS
from rubric_core.evaluation.evaluators.expected_messages import EXPECTED_MESSAGES
from rubric_core.evaluation.evaluators.field_accuracy import FIELD_ACCURACY
from rubric_core.evaluation.evaluators.goal_success import GOAL_SUCCESS
from rubric_core.evaluation.evaluators.heuristic import HEURISTIC
from rubric_core.evaluation.evaluators.icontains import ICONTAINS
from rubric_core.evaluation.evaluators.icontains_all import ICONTAINS_ALL
from rubric_core.evaluation.evaluators.icontains_any import ICONTAINS_ANY
from rubric_core.evaluation.evaluators.is_json import IS_JSON
from rubric_core.evaluation.evaluators.javascript import JAVASCRIPT
from rubric_core.evaluation.evaluators.latency import LATENCY
from rubric_core.evaluation.evaluators.llm_judge import JudgeResolver, LlmJudgeEvaluator
from rubric_core.evaluation.evaluators.python import PYTHON
from rubric_core.evaluation.evaluators.regex import REGEX
from rubric_core.evaluation.evaluators.similar import SIMILAR
from rubric_core.evaluation.evaluators.skill_not_used import SKILL_NOT_USED
from rubric_core.evaluation.evaluators.skill_trigger import SKILL_TRIGGER
from rubric_core.evaluation.evaluators.skill_used import SKILL_USED
from rubric_core.evaluation.evaluators.starts_with import STARTS_WITH
from rubric_core.evaluation.evaluators.step_count import STEP_COUNT
from rubric_core.evaluation.evaluators.token_usage import TOKEN_USAGE
from rubric_core.evaluation.evaluators.tool_args_match import TOOL_ARGS_MATCH
from rubric_core.evaluation.evaluators.tool_sequence import TOOL_SEQUENCE
from rubric_core.evaluation.evaluators.tool_trajectory import TOOL_TRAJECTORY
from rubric_core.evaluation.evaluators.tool_used import TOOL_USED
from rubric_core.evaluation.evaluators.typed import TypedEvaluator
from rubric_core.evaluation.evaluators.webhook import WEBHOOK
from rubric_core.evaluation.model.context import EvaluatorConfig
from rubric_core.evaluation.model.evaluator import Evaluator, require_evaluators
from rubric_core.language.evaluators import CodeEvaluator, LlmJudge, Rubric

__all__ = ["EVALUATORS", "build_evaluator_registry", "evaluator_for", "kind_of"]

#: Every type that grades by its configuration alone. `code` and `llm_judge` are created for each run.
EVALUATORS: tuple[TypedEvaluator[Any], ...] = (
    CONTAINS, CONTAINS_ANY, CONTAINS_ALL, ICONTAINS, ICONTAINS_ANY, ICONTAINS_ALL, STARTS_WITH, ENDS_WITH, EQUALS, REGEX, IS_JSON,
    FIELD_ACCURACY, LATENCY, COST, TOKEN_USAGE, EXECUTION_METRICS, TOOL_TRAJECTORY, EXPECTED_MESSAGES, SKILL_TRIGGER, COMPOSITE, HEURISTIC,
    ASSERT_SET, SKILL_USED, SKILL_NOT_USED, TOOL_USED, TOOL_ARGS_MATCH, TOOL_SEQUENCE, STEP_COUNT, GOAL_SUCCESS, JAVASCRIPT,
    PYTHON, WEBHOOK, SIMILAR,
)  # fmt: skip

_JUDGE = "llm_judge"
#: In a tuple, because a union is made anew each time that it is written out.
_JUDGED = (LlmJudge, Rubric)
_BY_KIND: Mapping[str, Evaluator] = {evaluator.kind: evaluator for evaluator in EVALUATORS}
#: The first evaluator for each shape.
_BY_SHAPE = {evaluator.shape: evaluator for evaluator in reversed(EVALUATORS)}


def build_evaluator_registry(
    overrides: Mapping[str, Evaluator] | None = None,
    resolve_judge_provider: JudgeResolver | None = None,
) -> dict[str, Evaluator]:
    """Evaluators by kind; always with an `llm_judge`.

    Args:
        overrides: Custom evaluators, by kind; they take precedence over the built-in ones.
        resolve_judge_provider: Gives the judge for a context, see `LlmJudgeEvaluator`; without it there is no judge.

    Raises TypeError for an override that is not an evaluator, and for a `resolve_judge_provider` that is not callable.
    """
    require_evaluators(overrides or {})
    judge = LlmJudgeEvaluator(resolve_judge_provider=resolve_judge_provider or (lambda _: None))
    return {**_BY_KIND, _JUDGE: judge, **(overrides or {})}


def evaluator_for(registry: Mapping[str, Evaluator], kind: str) -> Evaluator:
    """The evaluator of a kind, else the `llm_judge`. Raises LookupError when there is neither."""
    found = registry.get(kind) or registry.get(_JUDGE)
    if found is None:
        raise LookupError(f"no evaluator of kind {kind} and no llm_judge to fall back to")
    return found


def kind_of(config: EvaluatorConfig) -> str:
    """The kind that grades by `config`: that of its shape, else its type as written."""
    if config.graded_as:
        return config.graded_as
    if isinstance(config, _JUDGED):
        return _JUDGE
    if isinstance(config, CodeEvaluator):
        return "code"
    typed = _BY_SHAPE.get(type(config))
    return typed.kind if typed is not None else config.type_name
