"""Lets a judge decide whether the agent reached its goal."""

from collections.abc import Mapping

from rubric_core.evaluation.evaluators.typed import TypedEvaluator, is_inverse, value_of
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.unscored import Unscored, unscored
from rubric_core.language.evaluators import GoalSuccess, LlmJudge
from rubric_core.lazy_compilation import replace

__all__ = ["GOAL_SUCCESS"]


async def _grade(config: GoalSuccess, context: EvaluationContext) -> EvaluationScore:
    value = value_of(config, context)
    goal = value.get("goal") if isinstance(value, Mapping) else value
    if not isinstance(goal, str) or not goal.strip():
        raise Unscored("`value` needs a goal", at=config)
    if context.grade is None:
        raise Unscored("a goal is judged only as part of a run", at=config)
    asked = f"The agent has to reach this goal, by what it did and what it says: {goal.strip()}"
    judge = LlmJudge(config.span, None, type="llm_judge", name=config.name, prompt=asked, target=config.provider)
    judge.type_name = "llm_judge"
    judged = await context.grade(judge, context)
    context.exchanges.add(*judged.exchanges)
    if judged.score is None:
        raise unscored(judged)
    score = EvaluationScore(
        score=judged.score, hits=judged.hits, misses=judged.misses, expected_aspect_count=1, reasoning=judged.reasoning or None,
        judge=judged.judge, evaluator_raw_request=judged.evaluator_raw_request, raw_replies=judged.raw_replies,
    )  # fmt: skip
    return replace(score, score=1 - score.score, hits=score.misses, misses=score.hits) if is_inverse(config) else score


GOAL_SUCCESS = TypedEvaluator("trajectory:goal-success", GoalSuccess, _grade)
