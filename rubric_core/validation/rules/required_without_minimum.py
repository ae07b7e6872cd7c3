"""required-without-minimum: a graded criterion that gates without saying at which score."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Criterion, ScoreRanges
from rubric_core.syntax.edit import add_entry
from rubric_core.syntax.tree import Mapping
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["REQUIRED_WITHOUT_MINIMUM"]


@rule("required-without-minimum", "information", "A graded criterion that gates without a minimum")
def REQUIRED_WITHOUT_MINIMUM(criterion: Criterion, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Releases and documents disagree on what `required` alone means for a score of 0..10, so say it."""
    gated = criterion.min_score is not None or criterion.required_min_score is not None
    if (
        criterion.required is not True
        or gated
        or not isinstance(criterion.score_ranges, ScoreRanges)
        or not criterion.has("required")
    ):
        return
    share = context.dialect.spelled(Criterion, "min_score")
    name, value = (share, "0.6") if share else (context.dialect.spelled(Criterion, "required_min_score"), "6")
    fixes: tuple[Fix, ...] = ()
    if name and isinstance(criterion.node, Mapping) and not criterion.borrowed:
        edit = add_entry(context.text, criterion.node, name, value)
        fixes = (Fix(f"add `{name}: {value}`", (edit,), safe=False),) if edit else ()
    needs = "any score but 0" if context.dialect.properties.required_without_min == "nonzero" else "a score of 10"
    yield Finding(
        criterion.at("required"),
        f"`required` alone asks for {needs} here; say which score is enough with `{name}`",
        fixes=fixes,
    )
