"""The scores 0..10 drawn with their bands."""

from rubric_core.language.evaluators import HIGHEST, Band, ScoreRanges
from rubric_core.validation.bands import is_sound, sound

__all__ = ["scale"]

#: Characters of a band's text under the scale; all of it stands in the list below.
_WIDEST = 18


def scale(ranges: ScoreRanges) -> str:
    """Bands as columns in the order of their scores, as Markdown; empty when there is none."""
    bands = sorted(sound(ranges), key=lambda b: b.low or 0)
    if not bands:
        return ""
    tops = [_scores(b, _width(b)) for b in bands]
    texts = [f"{_short(b):<{len(top)}}" for b, top in zip(bands, tops, strict=True)]
    lines = [" │ ".join(tops), "   ".join(texts).rstrip()]
    full = [f"- **{_bounds(b)}** {_text(b)}" for b in bands if len(_text(b)) > _WIDEST]
    drawn = "```text\n" + "\n".join(lines) + "\n```"
    parts = [drawn, f"A whole number of 0..{HIGHEST} from the judge, divided by {HIGHEST}.{_left_over(ranges)}"]
    return "\n\n".join([*parts, "\n".join(full)] if full else parts)


def _bounds(band: Band) -> str:
    return f"{band.low} – {band.high}" if band.low != band.high else f"{band.low}"


def _scores(band: Band, width: int) -> str:
    """`3 ── 6`, as wide as its text needs."""
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
