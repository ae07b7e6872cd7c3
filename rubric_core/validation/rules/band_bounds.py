"""band-bounds: a bound that is no whole number of 0..10."""

from collections.abc import Iterator

from rubric_core.language.evaluators import HIGHEST, Band, ScoreRanges
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.scalars import resolve
from rubric_core.syntax.tree import Node, Scalar, Sequence
from rubric_core.text import Edit
from rubric_core.validation.intended_bounds import intended_bounds
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.units import NUMBERS

__all__ = ["BAND_BOUNDS"]

#: "0-3" as a key of a map.
_FROM_TO = pattern(r"(\d+) *(?:-|–|\.\.|to) *\d+\Z")
_DROPS = "agentv skips the whole case and only logs it"


@rule("band-bounds", "error", "A band bound that is not a whole number from 0 to 10")
def BAND_BOUNDS(ranges: ScoreRanges, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """A judge gives whole scores of 0..10, so bounds are such numbers."""
    wrong = [
        (number, band, node, why)
        for number, band in enumerate(ranges.bands)
        if not _is_right(band, ranges.style)
        for node in _bounds(band, ranges.style)
        if (why := _problem(node))
    ]
    whole = intended_bounds(ranges) if wrong else None
    for number, band, node, problem in wrong:
        span = band.at("score_range") if band.borrowed else node.span
        single = (
            () if band.borrowed or whole is not None else tuple(_fixes(node, ranges)) or _fitting(ranges, number, node)
        )
        yield Finding(
            span,
            f"{problem}; band bounds are whole numbers from 0 to 10",
            fixes=(whole,) if whole is not None else single,
            consequence=_DROPS,
            hides=ranges.node.whole if ranges.node is not None and not ranges.borrowed else None,
        )


def _is_right(band: Band, style: str) -> bool:
    """Whether the bounds that are written were read as whole numbers of 0..10, as nearly all are."""
    low, high = band.low, 0 if style == "map" else band.high
    return low is not None and high is not None and 0 <= low <= HIGHEST and 0 <= high <= HIGHEST


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
        return f"`{node.text}` is not a number" if isinstance(node, Scalar) and node.text else "this is not a number"
    if value != value or (isinstance(value, float) and not value.is_integer()):  # noqa: PLR0124  # NaN
        return f"{value:g} is not a whole number"
    return "" if 0 <= value <= HIGHEST else f"{value:g} is outside 0..10"


def _fitting(ranges: ScoreRanges, at: int, node: Node) -> tuple[Fix, ...]:
    """A number for a word: the one that it names, else the one that joins the band to its neighbours."""
    word = node.text.strip().lower() if isinstance(node, Scalar) else ""
    below = ranges.bands[at - 1].high if at else -1
    above = ranges.bands[at + 1].low if at + 1 < len(ranges.bands) else HIGHEST + 1
    if word in NUMBERS:
        bound: int | None = NUMBERS.index(word)
    elif ranges.style == "map":
        low = ranges.bands[at - 1].low if at else -1
        bound = (
            0 if not at else (low + above) // 2 if low is not None and above is not None and above - low > 1 else None
        )
    elif node is _bounds(ranges.bands[at], ranges.style)[0]:
        bound = below + 1 if below is not None else None
    else:
        bound = above - 1 if above is not None else None
    if bound is None or not 0 <= bound <= HIGHEST:
        return ()
    return (Fix(f"write {bound}", (Edit(node.span, str(bound)),), safe=False),)


def _fixes(node: Node, ranges: ScoreRanges) -> Iterator[Fix]:
    value = node.value if isinstance(node, Scalar) else None
    if isinstance(node, Scalar) and ranges.style == "map" and (found := _FROM_TO.match(node.text)):
        yield Fix(f"write {found[1]}: a band ends where the next one begins", (Edit(node.span, found[1]),))
    elif isinstance(value, int) and not isinstance(value, bool) and value > HIGHEST:
        yield Fix("write 10", (Edit(node.span, str(HIGHEST)),), safe=False)
    elif isinstance(value, int) and not isinstance(value, bool) and value < 0:
        yield Fix("write 0", (Edit(node.span, "0"),), safe=False)
    elif isinstance(value, float) and 0 <= value <= HIGHEST and not value.is_integer():
        yield Fix(f"write {int(value)}", (Edit(node.span, str(int(value))),), safe=False)
