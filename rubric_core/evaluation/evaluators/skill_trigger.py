"""The agent used a skill, or did not, as it should."""

import json

from rubric_core.evaluation.context import EvaluationContext, EvaluationScore
from rubric_core.evaluation.evaluators.typed import TypedEvaluator, demanded
from rubric_core.language.evaluators import SkillTrigger
from rubric_core.ports import ToolUse

__all__ = ["SKILL_TRIGGER"]


def _uses(use: ToolUse, skill: str) -> bool:
    """Whether a call is one of the skill, or reads its files."""
    given = use.input if isinstance(use.input, dict) else {}
    if use.tool == "Skill":
        return skill in str(given.get("skill", ""))
    folder = f"skills/{skill}/"
    read = use.tool == "Read" and any(folder in str(value) for value in given.values())
    return read or folder in json.dumps(use.output, ensure_ascii=False, default=str)


def _grade(config: SkillTrigger, context: EvaluationContext) -> EvaluationScore:
    skill = demanded(config.skill, config, "skill")
    used = any(_uses(use, skill) for use in (context.answer.tool_uses if context.answer else None) or ())
    words = f"skill {skill} was {'' if used else 'not '}used"
    return EvaluationScore.check(used == (config.should_trigger is not False), words, words)


SKILL_TRIGGER = TypedEvaluator("skill-trigger", SkillTrigger, _grade)
