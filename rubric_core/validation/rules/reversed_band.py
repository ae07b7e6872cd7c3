"""reversed-band: the lower bound is the higher one."""

from collections.abc import Iterator

from rubric_core.language.evaluators import HIGHEST, Band
from rubric_core.validation.bands import bound_edit
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["REVERSED_BAND"]


@rule("reversed-band", "error", "A band whose bounds are reversed")
def REVERSED_BAND(band: Band, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """Swap the bounds."""
    if band.low is None or band.high is None or band.low <= band.high or max(band.low, band.high) > HIGHEST:
        return
    edits = (bound_edit(band, 0, band.high), bound_edit(band, 1, band.low))
    fixes = (Fix("swap the bounds", tuple(e for e in edits if e is not None)),) if None not in edits else ()
    message = f"the band ends at {band.high}, below its start at {band.low}"
    yield Finding(
        band.at("score_range"), message, fixes=fixes, consequence="agentv skips the whole case and only logs it"
    )
