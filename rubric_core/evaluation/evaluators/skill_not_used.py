"""The agent did not use a skill."""

from rubric_core.evaluation.evaluators.skill_used import grade_skill_use
from rubric_core.evaluation.evaluators.typed import TypedEvaluator
from rubric_core.language.evaluators import SkillNotUsed

__all__ = ["SKILL_NOT_USED"]

SKILL_NOT_USED = TypedEvaluator("not-skill-used", SkillNotUsed, grade_skill_use)
