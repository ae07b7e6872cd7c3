"""The agent used a skill."""

from rubric_core.evaluation.context import EvaluationContext, EvaluationScore
from rubric_core.evaluation.evaluators.typed import TypedEvaluator, is_inverse, recorded, value_of
from rubric_core.evaluation.steps import Wanted, skills_in, wanted_all
from rubric_core.language.evaluators import SkillUsed

__all__ = ["SKILL_USED", "graded"]


def graded(config: SkillUsed, context: EvaluationContext) -> EvaluationScore:
    """1 when each skill was used as often as it should, or with `not-` in front, when none of them was."""
    used = skills_in(recorded(context, config))
    inverse = is_inverse(config)
    hits: list[str] = []
    misses: list[str] = []
    for skill in wanted_all(value_of(config, context), config):
        count = sum(_is(skill, name) for name in used)
        said = f"skill {skill.name} was used {count} times"
        holds = skill.count_holds(count) is not inverse
        (hits if holds else misses).append(
            said if holds else f"{said}, {'not ' if inverse else ''}{skill.words} wanted"
        )
    return EvaluationScore(
        score=0.0 if misses else 1.0, hits=tuple(hits), misses=tuple(misses), expected_aspect_count=len(hits) + len(misses)
    )  # fmt: skip


def _is(skill: Wanted, name: str) -> bool:
    """Whether a skill is meant; that of a plugin is called `plugin:skill`."""
    return skill.named(name) or skill.named(name.rpartition(":")[2])


SKILL_USED = TypedEvaluator("skill-used", SkillUsed, graded)
