"""required-without-minimum: a graded criterion that gates without saying at which score."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Criterion, ScoreRanges
from rubric_core.validation.bands import sound
from rubric_core.validation.fixes import add_key_fix
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.wording import number

__all__ = ["REQUIRED_WITHOUT_MINIMUM"]

#: What authors mostly ask for.
_USUAL = 6


@rule("required-without-minimum", "information", "A graded criterion that gates without a minimum", needs={"required"})
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
    name = share or context.dialect.spelled(Criterion, "required_min_score")
    start = _start(criterion.score_ranges)
    fixes: tuple[Fix, ...] = ()
    if name and start and not criterion.borrowed:
        fixes = add_key_fix(criterion.node, name, number(start / 10) if share else str(start), context)
    if context.dialect.properties.required_without_min == "never":
        yield Finding(
            criterion.at("required"),
            f"set `{name}` to the lowest passing score: `required` alone gates nothing here",
            fixes=fixes,
            severity="warning",
            consequence="agentv reads it only on criteria without score ranges",
        )
        return
    needs = "any score but 0" if context.dialect.properties.required_without_min == "nonzero" else "a score of 10"
    yield Finding(
        criterion.at("required"),
        f"set `{name}` to the lowest passing score: `required` alone needs {needs} here",
        fixes=fixes,
    )


def _start(ranges: ScoreRanges) -> int:
    """Where the band starts that is nearest to 6: a minimum says most at the start of one. 0 when there is none."""
    bands = [(band.low or 0, band.high or 0) for band in sound(ranges)]
    starts = [low for low, _ in bands if low and not any(a < low <= b for a, b in bands)]
    return min(starts, key=lambda low: abs(low - _USUAL), default=0)
