"""The agent used a skill."""

from collections.abc import Mapping, Sequence
from typing import Any

from rubric_core.evaluation.cases.skills import skills_used
from rubric_core.evaluation.evaluators.typed import TypedEvaluator, is_inverse, value_of
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.scoring.tool_calls import ToolPattern, bounds, glob, recorded_trace
from rubric_core.language.evaluators import SkillUsed
from rubric_core.lazy_compilation import dataclass

__all__ = ["SKILL_USED", "grade_skill_use"]


@dataclass(frozen=True, slots=True)
class _Skill:
    """A skill to search for: by its exact name, or by a pattern."""

    name: str
    pattern: str
    times: ToolPattern

    @property
    def words(self) -> str:
        return self.pattern or self.name

    def count(self, used: Sequence[str]) -> int:
        """How many times the skill was used."""
        named = (each for each in used if not self.name or each == self.name)
        return sum(not self.pattern or glob(self.pattern).match(each) is not None for each in named)


def grade_skill_use(config: SkillUsed, context: EvaluationContext) -> EvaluationScore:
    """1 when each skill was used as often as required, or, with a `not-` prefix, when none of them was."""
    used = skills_used(recorded_trace(context, config).calls)
    value, inverse = value_of(config, context), is_inverse(config)
    skills = [_skill(item, config, inverse=inverse) for item in (value if isinstance(value, list) else [value])]
    if not skills:
        raise Unscored("`value` needs the name of a skill", at=config)
    hits: list[str] = []
    misses: list[str] = []
    for skill in skills:
        count = skill.count(used)
        said = f"skill {skill.words} was used {count} times"
        holds = count == 0 if inverse else skill.times.count_holds(count)
        (hits if holds else misses).append(
            said if holds else f"{said}, {'none' if inverse else skill.times.words} wanted"
        )
    return EvaluationScore(
        score=0.0 if misses else 1.0, hits=tuple(hits), misses=tuple(misses), expected_aspect_count=len(hits) + len(misses)
    )  # fmt: skip


def _skill(value: Any, at: SkillUsed, *, inverse: bool) -> _Skill:
    """The skill that a name or a mapping specifies. Raises Unscored."""
    if isinstance(value, str) and value.strip():
        return _Skill(value.strip(), "", ToolPattern(least=1))
    if not isinstance(value, Mapping):
        raise Unscored("`value` needs a name, or a mapping with `name` or `pattern`", at=at)
    name, pattern = (each.strip() if isinstance(each := value.get(key), str) else "" for key in ("name", "pattern"))
    if not name and not pattern:
        raise Unscored("`value` needs a `name` or a `pattern`", at=at)
    least, most = bounds(value, at, least=None if "max" in value else 1)
    if inverse and ("min" in value or most not in (None, 0)):
        raise Unscored("`not-skill-used` accepts no bounds except `max: 0`: it allows no use at all", at=at)
    return _Skill(name, pattern, ToolPattern(least=least, most=most))


SKILL_USED = TypedEvaluator("skill-used", SkillUsed, grade_skill_use)
