"""unstated-required: a criterion that does not say whether it is required, which documents and releases read differently."""

from collections.abc import Iterator

from rubric_core.language.dialect import Dialect, SpellingStatus
from rubric_core.language.evaluators import Criterion, LlmJudge, Rubric
from rubric_core.language.model import Case
from rubric_core.loading.grading import on_scale
from rubric_core.validation.fixes import add_key_fix
from rubric_core.validation.rubrics import ENOUGH, criteria_fields, criteria_of, minimum_of
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["UNSTATED_REQUIRED"]


@rule(
    "unstated-required",
    "information",
    "A criterion that does not say whether it is required",
    awaits="entry",
    needs=criteria_fields,
)
def UNSTATED_REQUIRED(shape: Case | LlmJudge | Rubric, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """The documents say false, every release of agentv takes true, so say it. Bands and minimums are read alike."""
    if context.dialect.properties.object_required_default:
        return  # read as it is documented
    criteria = criteria_of(shape)
    scaled = on_scale(criteria)
    unstated = [c for c in criteria if _differs(c, scaled, context.dialect)]
    if not unstated or (not isinstance(shape, Case) and _is_refused(shape, context.dialect)):
        return  # renamed-type reports the evaluator: agentv does not read it
    name = context.dialect.spelled(Criterion, "required")
    everywhere = tuple(_everywhere(unstated, name, context)) if name else ()
    for criterion in unstated if name else ():
        # Beside bands `required: true` alone is read differently again, a minimum is not.
        other = minimum_of(context.dialect, ENOUGH) if scaled else (name or "", "true")
        said = ((name or "", "false"), other)
        fixes = [fix for key, value in said for fix in add_key_fix(criterion.node, key, value, context)]
        yield Finding(
            criterion.at("id" if criterion.has("id") else "outcome"),
            "this does not say whether it is `required`; rubric reads false, as documented",
            fixes=(*fixes, *everywhere),
            consequence=f"agentv reads true, and fails the rubric {'with less than 10' if scaled else 'without it'}",
        )


def _is_refused(shape: LlmJudge | Rubric, dialect: Dialect) -> bool:
    known = dialect.type_of(shape.type_name)
    return known is not None and known.fate is SpellingStatus.REJECTED


def _differs(criterion: Criterion, scaled: bool, dialect: Dialect) -> bool:
    """Whether agentv would gate by a criterion by which rubric does not."""
    if criterion.shorthand or criterion.borrowed or criterion.has("required") or criterion.has("score_ranges"):
        return False
    if not _is_read(criterion, dialect):
        return False
    minimum = criterion.min_score is not None or criterion.required_min_score is not None
    properties = dialect.properties
    return not (scaled and (minimum or properties.required_without_min == "never"))


def _is_read(criterion: Criterion, dialect: Dialect) -> bool:
    """Whether agentv reads a text of the criterion; it skips one without."""
    place = criterion.places.get("outcome")
    spelling = dialect.table(Criterion).get(place.name) if place is not None else None
    read = spelling is not None and spelling.fate not in (
        SpellingStatus.TOLERATED,
        SpellingStatus.IGNORED,
        SpellingStatus.REJECTED,
    )
    return read and bool((criterion.outcome or "").strip())


def _everywhere(unstated: list[Criterion], name: str, context: Context) -> Iterator[Fix]:
    """The same for every such criterion of the rubric."""
    edits = [e for c in unstated for fix in add_key_fix(c.node, name, "false", context) for e in fix.edits]
    if len(unstated) > 1 and len(edits) == len(unstated):
        yield Fix(
            f"add `{name}: false` to the {len(unstated)} criteria of this rubric without it", tuple(edits), safe=False
        )
