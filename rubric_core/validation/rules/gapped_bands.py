"""gapped-bands: a score that no band claims."""

from collections.abc import Iterator

from rubric_core.language.evaluators import HIGHEST, Band, ScoreRanges
from rubric_core.text import Edit
from rubric_core.validation.bands import bound_edit, covered, is_sound, placeholder_bands
from rubric_core.validation.rule import Context, Finding, Fix, Related, rule
from rubric_core.validation.wording import band_words, score_words

__all__ = ["GAPPED_BANDS"]


@rule("gapped-bands", "error", "A score that no band covers", awaits="item")
def GAPPED_BANDS(ranges: ScoreRanges, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """Name the scores that are missing, one finding for each gap."""
    if ranges.style not in ("list", "turned") or not all(map(is_sound, ranges.bands)):
        return
    if not ranges.bands:
        yield Finding(
            ranges.span,
            "no band at all; the bands must cover the scores 0–10",
            fixes=() if ranges.borrowed or ranges.node is None else (placeholder_bands(ranges.node),),
            consequence="agentv skips the whole case and only logs it",
        )
        return
    missing = [s for s in range(HIGHEST + 1) if s not in covered(ranges.bands)]
    for start in (s for s in missing if s - 1 not in missing):
        end = start
        while end + 1 in missing:
            end += 1
        yield _finding(ranges.bands, start, end)


def _finding(bands: list[Band], start: int, end: int) -> Finding:
    below = next((b for b in bands if b.high == start - 1), None)
    above = next((b for b in bands if b.low == end + 1), None)
    band = below or above
    assert band is not None  # a gap that does not touch a band would be everything, which is the empty list
    fixes = []
    if below is not None:
        fixes += _fix(f"end the band {_words(below)} at {end}", bound_edit(below, 1, end))
    if above is not None:
        fixes += _fix(f"start the band {_words(above)} at {start}", bound_edit(above, 0, start))
    verb = "belongs" if start == end else "belong"
    related = (
        (Related(above.at("score_range"), f"the next band is {_words(above)}"),)
        if below is not None and above is not None
        else ()
    )
    return Finding(
        band.at("score_range"),
        f"{score_words(range(start, end + 1))} {verb} to no band; the bands must cover 0–10",
        related=related,
        fixes=tuple(fixes),
        consequence="agentv skips the whole case and only logs it",
    )


def _words(band: Band) -> str:
    assert band.low is not None and band.high is not None  # noqa: PT018  # only sound bands come here
    return band_words(band.low, band.high)


def _fix(title: str, edit: Edit | None) -> list[Fix]:
    """Move a border. Not safe, even where only one can move: a band may have been left out."""
    return [Fix(title, (edit,), safe=False)] if edit is not None else []
