"""band-bounds: a bound that is no whole number of 0..10 (document 000: "bounds")."""

import math
import re
from collections.abc import Iterator

from rubric_core.language.evaluators import HIGHEST, Band, ScoreRanges
from rubric_core.syntax.scalars import resolve
from rubric_core.syntax.tree import Node, Scalar, Sequence
from rubric_core.text import Edit
from rubric_core.validation.retyping import NUMBERS
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["BAND_BOUNDS"]

#: "0-3" as a key of a map.
_FROM_TO = re.compile(r"(\d+) *(?:-|–|\.\.|to) *\d+\Z")
_DROPS = "agentv drops the whole case with a log line"


@rule("band-bounds", "error", "A bound that is no whole number of 0..10")
def BAND_BOUNDS(ranges: ScoreRanges, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """A judge gives whole scores of 0..10, so bounds are such numbers."""
    for band in ranges.bands:
        for node in _bounds(band, ranges.style):
            problem = _problem(node)
            if problem:
                span = band.at("score_range") if band.borrowed else node.span
                fixes = () if band.borrowed else tuple(_fixes(node, ranges)) or _fitting(ranges, band, node)
                yield Finding(
                    span, f"{problem}; the bounds of a band are whole numbers of 0..10", fixes=fixes, consequence=_DROPS
                )


def _bounds(band: Band, style: str) -> list[Node]:
    place = band.places.get("score_range")
    if place is None:
        return []
    if style == "map":
        return [place.node]
    return place.node.items if isinstance(place.node, Sequence) and len(place.node.items) == 2 else []


def _problem(node: Node) -> str:
    value = node.value if isinstance(node, Scalar) else None
    if isinstance(value, str):
        value = resolve(value.strip()) if value.strip() else value  # the keys of a map are texts to the engine
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"`{node.text}` is no number" if isinstance(node, Scalar) and node.text else "this is no number"
    if value != value or (isinstance(value, float) and not value.is_integer()):  # noqa: PLR0124  # NaN
        return f"{value:g} is not whole"
    return "" if 0 <= value <= HIGHEST else f"{value:g} is outside 0..10"


def _fitting(ranges: ScoreRanges, band: Band, node: Node) -> tuple[Fix, ...]:
    """A number for a word: the one that it names, else the one that joins the band to its neighbours."""
    word = node.text.strip().lower() if isinstance(node, Scalar) else ""
    at = ranges.bands.index(band)
    below = ranges.bands[at - 1].high if at else -1
    above = ranges.bands[at + 1].low if at + 1 < len(ranges.bands) else HIGHEST + 1
    if word in NUMBERS:
        bound: int | None = NUMBERS.index(word)
    elif ranges.style == "map":
        low = ranges.bands[at - 1].low if at else -1
        bound = (
            0 if not at else (low + above) // 2 if low is not None and above is not None and above - low > 1 else None
        )
    elif band.low is None:
        bound = below + 1 if below is not None else None
    else:
        bound = above - 1 if above is not None else None
    if bound is None or not 0 <= bound <= HIGHEST:
        return ()
    return (Fix(f"write {bound}", (Edit(node.span, str(bound)),), safe=False),)


def _fixes(node: Node, ranges: ScoreRanges) -> Iterator[Fix]:
    value = node.value if isinstance(node, Scalar) else None
    scaled = _scaled(ranges)
    if scaled:
        yield Fix("write them all on a scale of 0–10", scaled, safe=False)
    elif isinstance(node, Scalar) and ranges.style == "map" and (found := _FROM_TO.match(node.text)):
        yield Fix(f"write {found[1]}: a band ends where the next one begins", (Edit(node.span, found[1]),))
    elif isinstance(value, int) and not isinstance(value, bool) and value > HIGHEST:
        yield Fix("write 10", (Edit(node.span, str(HIGHEST)),), safe=False)
    elif isinstance(value, int) and not isinstance(value, bool) and value < 0:
        yield Fix("write 0", (Edit(node.span, "0"),), safe=False)
    elif isinstance(value, float) and 0 <= value <= HIGHEST and not value.is_integer():
        yield Fix(f"write {int(value)}", (Edit(node.span, str(int(value))),), safe=False)


def _scaled(ranges: ScoreRanges) -> tuple[Edit, ...]:
    """Every bound on the scale of 0..10, where they were written as shares of 1 or of 100; nothing where they were not."""
    bounds = [
        (which, node)
        for band in ranges.bands
        if not band.borrowed
        for which, node in enumerate(_bounds(band, ranges.style))
    ]
    values = [n.value for _, n in bounds if isinstance(n, Scalar) and type(n.value) in (int, float)]
    numbers = [v for v in values if isinstance(v, int | float)]
    if not numbers or len(numbers) < len(bounds) or min(numbers) < 0 or max(numbers) not in (1, 100):
        return ()
    factor = 10 if max(numbers) == 1 else 0.1
    if factor == 10 and all(float(v).is_integer() for v in numbers):
        return ()
    # The lower bound of a band moves up to a whole number, the upper one down.
    return tuple(
        Edit(node.span, str(round_to(round(value * factor, 6))))
        for (which, node), value in zip(bounds, numbers, strict=True)
        for round_to in (math.floor if which else math.ceil,)
    )
