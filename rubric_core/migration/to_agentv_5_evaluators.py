"""From agentv-3: judges and rubrics are `llm-rubric`, composites are `assert-set`, skills have a type for either wish."""

from collections.abc import Iterator

from rubric_core.language.dialect import SpellingStatus
from rubric_core.language.evaluators import (
    AssertSet,
    Composite,
    Evaluator,
    LlmJudge,
    LlmRubric,
    Rubric,
    SkillNotUsed,
    SkillTrigger,
    SkillUsed,
)
from rubric_core.loading.grading import default_name
from rubric_core.migration.common_steps import MINIMUMS
from rubric_core.migration.draft import Draft, ShapedMapping
from rubric_core.migration.group_keys import all_or_none
from rubric_core.migration.moves import insert_entry, take_out_entry
from rubric_core.migration.step import EditGroup, MigrationNote, MigrationStep
from rubric_core.syntax.edit import rename_key, replace_value
from rubric_core.syntax.tree import Entry, Scalar
from rubric_core.text import Edit
from rubric_core.validation.wording import number

__all__ = ["EVALUATOR_STEPS"]


def _retyped(draft: Draft, site: ShapedMapping, shape: type[Evaluator]) -> Edit | None:
    """The edit that gives an evaluator the type of a shape."""
    tag = site.own("type")
    name = draft.target.type_name(shape)
    return (
        replace_value(tag.value, name)
        if tag is not None and name is not None and isinstance(tag.value, Scalar)
        else None
    )


def _judges(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    """A free judge grades by the criteria of the case, a judge with rubrics by these."""
    for site in draft.of(LlmJudge):
        tag = site.own("type")
        if tag is None:
            continue
        edits = [_retyped(draft, site, LlmRubric)]
        rubrics = site.own("rubrics")
        if rubrics is not None:
            edits.append(rename_key(rubrics, draft.target.spelled(LlmRubric, "criteria") or "value"))
        elif site.entry("prompt") is None and site.node.get("value") is None:
            edits.append(insert_entry(draft, site.node, "value", '"{{ criteria }}"', tag))
        yield all_or_none(edits) or MigrationNote(tag.key.span.start, "this is an `llm-rubric` now")


def _rubrics(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    for site in draft.of(Rubric):
        tag = site.own("type")
        if tag is None or issubclass(site.shape, LlmRubric):
            continue
        criteria = site.own("criteria")
        key = draft.target.spelled(LlmRubric, "criteria") or "value"
        renamed = rename_key(criteria, key) if criteria is not None and criteria.name != key else None
        edits = [_retyped(draft, site, LlmRubric), *([renamed] if renamed is not None else [])]
        yield all_or_none(edits) or MigrationNote(tag.key.span.start, "this is an `llm-rubric` now")


def _composites(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    """A set gives the weighted mean of its members; other ways to combine scores are gone."""
    for site in draft.of(Composite):
        aggregator = next(iter(site.under("aggregator")), None)
        entry = site.own("aggregator")
        if aggregator is None or entry is None or aggregator.node is not entry.value:
            continue
        reason = _no_set(site, aggregator)
        if reason:
            yield MigrationNote(site.type_at, reason)
            continue
        yield all_or_none(list(_as_set(draft, site, aggregator, entry))) or MigrationNote(
            entry.key.span.start, "this is an `assert-set` with the weights at its members now"
        )


def _weights(aggregator: ShapedMapping) -> dict[str, object]:
    written = aggregator.plain("weights")
    return written if isinstance(written, dict) else {}


def _no_set(site: ShapedMapping, aggregator: ShapedMapping) -> str:
    """Why a composite cannot become a set; empty if it can."""
    how = aggregator.plain("type")
    if how != "weighted_average":
        return f"agentv-5 has sets whose score is the weighted mean; nothing puts scores together by `{how}`"
    members = site.under("assertions")
    names = [_name(member) for member in members]
    unknown = sorted(set(_weights(aggregator)) - set(names))
    if unknown:
        return f"the weight of `{unknown[0]}` is that of no member: take it out"
    listed = site.plain("assertions")
    if not isinstance(listed, list) or len(listed) != len(members):
        return "a set has evaluators of its own only: strings or references among the members are in the way"
    return ""


def _name(member: ShapedMapping) -> str:
    made = Evaluator(member.node.span, member.node, name=member.plain("name"), value=member.plain("value"))
    made.type_name = member.type_name
    return default_name(made)


def _as_set(draft: Draft, site: ShapedMapping, aggregator: ShapedMapping, entry: Entry) -> Iterator[Edit | None]:
    yield _retyped(draft, site, AssertSet)
    key, members = draft.target.spelled(AssertSet, "assertions") or "assert", site.own("assertions")
    if members is not None and members.name != key:
        yield rename_key(members, key)
    yield take_out_entry(draft, site.node, entry)
    tag = site.own("type")
    if site.node.get("threshold") is None:
        least = site.plain("min_score")
        least = least if isinstance(least, int | float) else draft.source.properties.threshold
        yield insert_entry(draft, site.node, "threshold", number(least), tag)
    weights = _weights(aggregator)
    for member in site.under("assertions"):
        yield from _weighted(draft, member, weights.get(_name(member), 1))


def _weighted(draft: Draft, member: ShapedMapping, weight: object) -> Iterator[Edit | None]:
    own = member.own("weight")
    if own is not None:
        yield replace_value(own.value, number(weight) if isinstance(weight, int | float) else "1")
    elif isinstance(weight, int | float) and weight != 1:
        yield insert_entry(draft, member.node, "weight", number(weight), member.own("type"))


def _skills(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    """Whether a skill should have been used is part of the type."""
    for site in draft.of(SkillTrigger):
        skill, wish = site.own("skill"), site.own("should_trigger")
        value = site.plain("should_trigger")
        if skill is None or value not in (None, True, False):
            yield MigrationNote(site.type_at, "this is `skill-used` or `not-skill-used` now")
            continue
        edits = [_retyped(draft, site, SkillNotUsed if value is False else SkillUsed), rename_key(skill, "value")]
        if wish is not None:
            edits.append(take_out_entry(draft, site.node, wish))
        yield all_or_none(edits) or MigrationNote(skill.key.span.start, "this is `skill-used` or `not-skill-used` now")


def _leaving(draft: Draft) -> Iterator[MigrationNote]:
    """Types that are read for now, with nothing that means quite the same."""
    for site in draft.of(Evaluator):
        tag = site.own("type")
        known = draft.target.type_of(site.type_name)
        if (
            tag is not None
            and known is not None
            and known.fate is SpellingStatus.LEAVING
            and draft.target.type_name(known.shape) is None
        ):
            yield MigrationNote(
                site.type_at,
                f"releases after 5.3 refuse `{known.name}`, and score what takes its place in another way",
            )


EVALUATOR_STEPS = (
    MINIMUMS,
    MigrationStep("Write judges as `llm-rubric`", _judges),
    MigrationStep("Write rubrics as `llm-rubric`", _rubrics),
    MigrationStep("Write composites as `assert-set`", _composites),
    MigrationStep("Write skill triggers as `skill-used`", _skills),
    MigrationStep("Name types that are about to leave", _leaving),
)
