"""band-bounds: a bound that is no whole number of 0..10 (document 000: "bounds")."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Band, ScoreRanges
from rubric_core.syntax.tree import Node, Scalar, Sequence
from rubric_core.text import Edit
from rubric_core.validation.bands import HIGHEST
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["BAND_BOUNDS"]

_DROPS = "agentv drops the whole case with a log line"


@rule("band-bounds", "error", "A bound that is no whole number of 0..10")
def BAND_BOUNDS(ranges: ScoreRanges, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """A judge gives whole scores of 0..10, so bounds are such numbers."""
    for band in ranges.bands:
        for node in _bounds(band, ranges.style):
            problem = _problem(node)
            if problem:
                span = band.at("score_range") if band.borrowed else node.span
                fixes = () if band.borrowed else tuple(_fixes(node))
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
    if isinstance(value, str) and value.isdigit():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"`{node.text}` is no number" if isinstance(node, Scalar) and node.text else "this is no number"
    if value != value or (isinstance(value, float) and not value.is_integer()):  # noqa: PLR0124  # NaN
        return f"{value:g} is not whole"
    return "" if 0 <= value <= HIGHEST else f"{value:g} is outside 0..10"


def _fixes(node: Node) -> Iterator[Fix]:
    value = node.value if isinstance(node, Scalar) else None
    if isinstance(value, int) and not isinstance(value, bool) and value > HIGHEST:
        yield Fix("write 10", (Edit(node.span, str(HIGHEST)),), safe=False)
    elif isinstance(value, int) and not isinstance(value, bool) and value < 0:
        yield Fix("write 0", (Edit(node.span, "0"),), safe=False)
    elif isinstance(value, float) and 0 <= value <= HIGHEST and not value.is_integer():
        yield Fix(f"write {int(value)}", (Edit(node.span, str(int(value))),), safe=False)
