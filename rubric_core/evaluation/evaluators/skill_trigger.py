"""The agent used a skill, or did not, as it should."""

import json

from rubric_core.evaluation.evaluators.typed import TypedEvaluator, required_setting
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.language.evaluators import SkillTrigger
from rubric_core.ports import ToolUse

__all__ = ["SKILL_TRIGGER"]


def _uses(use: ToolUse, skill: str) -> bool:
    """Whether a call invokes the skill, reads its files, or shows their path in its output."""
    given = use.input if isinstance(use.input, dict) else {}
    tool, folder = use.tool.lower(), f"skills/{skill}/"
    called = tool == "skill" and skill in str(given.get("skill") or "")
    path = given.get("file_path", given.get("path")) if tool == "read" else None
    return called or folder in str(path) or folder in json.dumps(use.output, ensure_ascii=False, default=str)


def _grade(config: SkillTrigger, context: EvaluationContext) -> EvaluationScore:
    skill = required_setting(config.skill, config, "skill")
    used = any(_uses(use, skill) for use in (context.answer.tool_uses if context.answer else None) or ())
    words = f"skill {skill} was {'' if used else 'not '}used"
    return EvaluationScore.check(used == (config.should_trigger is not False), words, words)


SKILL_TRIGGER = TypedEvaluator("skill-trigger", SkillTrigger, _grade)
