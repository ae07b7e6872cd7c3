"""overlapping-bands: a score that two bands claim."""

from collections import Counter
from collections.abc import Iterator
from collections.abc import Mapping as MappingOf

from rubric_core.language.evaluators import Band, ScoreRanges
from rubric_core.text import Edit
from rubric_core.validation.bands import bound_edit, covered, sound
from rubric_core.validation.fixes import remove_item_fix
from rubric_core.validation.rule import Context, Finding, Fix, Related, rule
from rubric_core.validation.wording import band_words, score_words

__all__ = ["OVERLAPPING_BANDS"]


@rule("overlapping-bands", "error", "A score that two bands cover")
def OVERLAPPING_BANDS(ranges: ScoreRanges, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Name both bands and the scores that they share."""
    if ranges.style not in ("list", "turned"):
        return
    before: Band | None = None
    bands = sound(ranges)
    claims = Counter(score for band in bands for score in covered([band]))
    for band in sorted(bands, key=lambda b: (b.low, b.high)):
        if before is not None and band.low <= before.high:  # type: ignore[operator]  # sound bands have bounds
            yield _finding(ranges, before, band, claims, context)
        if before is None or band.high > before.high:  # type: ignore[operator]  # see above
            before = band


def _finding(ranges: ScoreRanges, first: Band, second: Band, claims: MappingOf[int, int], context: Context) -> Finding:
    a, b, c, d = first.low, first.high, second.low, second.high
    assert a is not None and b is not None and c is not None and d is not None  # noqa: PT018  # sound bands have bounds
    shared = score_words(range(c, min(b, d) + 1))
    verb = "belongs" if c == min(b, d) else "belong"
    return Finding(
        second.at("score_range"),
        f"{shared} {verb} to two bands: {band_words(a, b)} and {band_words(c, d)}",
        related=(Related(first.at("score_range"), f"{band_words(a, b)} is covered here"),),
        fixes=tuple(_fixes(first, second, claims)) or _inner(ranges, first, second, context),
        consequence="agentv skips the whole case and only logs it",
    )


def _fixes(first: Band, second: Band, claims: MappingOf[int, int]) -> Iterator[Fix]:
    """Move the border between the two, wherever no score gets lost by it; `claims` says how many bands have a score.

    None is safe: which band a shared score belongs to, only the author knows.
    """
    a, b, c, d = first.low, first.high, second.low, second.high
    assert a is not None and b is not None and c is not None and d is not None  # noqa: PT018  # see above
    own = Counter([*range(a, b + 1), *range(c, d + 1)])
    lone = {score for score, number in own.items() if number == claims[score]}  # no other band has them
    if b + 1 <= d and lone <= {*range(a, b + 1), *range(b + 1, d + 1)}:
        yield from _fix(f"start this band at {b + 1}", bound_edit(second, 0, b + 1))
    if a <= c - 1 and lone <= {*range(a, c), *range(c, d + 1)}:
        yield from _fix(f"end the band {band_words(a, b)} at {c - 1}", bound_edit(first, 1, c - 1))


def _inner(ranges: ScoreRanges, first: Band, second: Band, context: Context) -> tuple[Fix, ...]:
    """Of two bands one of which lies inside the other, the inner one can go."""
    inner = second if (second.high or 0) <= (first.high or 0) else first
    if inner.borrowed or inner.node is None:
        return ()
    return remove_item_fix(
        ranges.node, inner.node, context, f"remove the band {band_words(inner.low or 0, inner.high or 0)}"
    )


def _fix(title: str, edit: Edit | None) -> Iterator[Fix]:
    if edit is not None:
        yield Fix(title, (edit,), safe=False)
