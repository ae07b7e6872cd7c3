"""The scores 0..10 drawn with their bands."""

from rubric_core.language.evaluators import HIGHEST, Band, ScoreRanges
from rubric_core.language.markdown import plain
from rubric_core.validation.bands import is_sound, sound
from rubric_lsp.features.markdown import fenced

__all__ = ["scale"]

#: The most characters of a band's text under the scale; the list below has the whole text.
_WIDEST = 18


def scale(ranges: ScoreRanges, at: Band | None = None) -> str:
    """Bands as a Markdown table with one column each, and how a score counts; empty without bands.

    Args:
        ranges: The bands.
        at: The band at the cursor, which is used as the example.
    """
    bands = sorted(sound(ranges), key=lambda b: b.low or 0)
    if not bands:
        return ""
    tops = [_scores(b, _width(b)) for b in bands]
    texts = [f"{_short(b):<{len(top)}}" for b, top in zip(bands, tops, strict=True)]
    lines = [" │ ".join(tops), "   ".join(texts).rstrip()]
    full = [f"- **{_bounds(b)}** {plain(_text(b))}" for b in bands if len(_text(b)) > _WIDEST]
    drawn = fenced("\n".join(lines))
    counts = f"A whole number of 0..{HIGHEST} from the judge, divided by {HIGHEST}."
    parts = [drawn, f"{counts}{_between(ranges, bands, at)}{_left_over(ranges)}"]
    return "\n\n".join([*parts, "\n".join(full)] if full else parts)


def _between(ranges: ScoreRanges, bands: list[Band], at: Band | None) -> str:
    """What a score inside a band counts: documents define bands, or points with linear interpolation between them."""
    points = ranges.style == "map"
    widest = max(bands[:-1] if points and len(bands) > 1 else bands, key=_span)
    shown = at if at is not None and is_sound(at) and at.low != at.high else widest
    low, high = shown.low or 0, shown.high or 0
    if low == high:
        return ""
    following = next((b for b in bands if b.low == high + 1), None)
    if not points or following is None:
        return (
            f" Each score within a band counts individually: {low} gives {_share(low)} and {high} gives {_share(high)}."
        )
    raw = (low + high + 1) // 2
    both = f"{low} ({plain(_short(shown))}) and {following.low} ({plain(_short(following))})"
    return f" Between two points it is interpolated linearly: {raw}, between {both}, gives {_share(raw)}."


def _span(band: Band) -> int:
    return (band.high or 0) - (band.low or 0)


def _share(raw: int) -> str:
    return f"{raw / HIGHEST:.2f}"


def _bounds(band: Band) -> str:
    return f"{band.low} – {band.high}" if band.low != band.high else f"{band.low}"


def _scores(band: Band, width: int) -> str:
    """`3 ── 6`, as wide as its column."""
    low, high = str(band.low), str(band.high)
    if low == high:
        return f"{low:<{width}}"
    return f"{low} {'─' * (width - len(low) - len(high) - 2)} {high}"


def _width(band: Band) -> int:
    least = len(str(band.low)) + len(str(band.high)) + 3 if band.low != band.high else len(str(band.low))
    return max(least, len(_short(band)))


def _text(band: Band) -> str:
    return " ".join(band.text.split()) or "…"


def _short(band: Band) -> str:
    text = _text(band)
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


def _left_over(ranges: ScoreRanges) -> str:
    broken = sum(not is_sound(b) for b in ranges.bands)
    return f" {broken} more without sound bounds." if broken else ""
