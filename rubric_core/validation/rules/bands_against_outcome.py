"""bands-against-outcome: bands that grow worse as the score grows."""

import re
from collections.abc import Iterator
from functools import lru_cache
from operator import attrgetter

from rubric_core.language.evaluators import Band, ScoreRanges
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit
from rubric_core.validation.bands import sound
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["BANDS_AGAINST_OUTCOME"]

_GOOD = pattern(
    r"\b(?:excellent|perfect(?:ly)?|fully|complete(?:ly)? (?:accurate|correct|and)|outstanding|flawless|great|expert)\b",
    re.IGNORECASE,
)
_BAD = pattern(
    r"\b(?:wrong|incorrect|poor|bad|missing|fails?|none|no|unreadable|useless|unacceptable|critical)\b", re.IGNORECASE
)
#: Longer texts are not kept.
_SHORT = 200


@rule("bands-against-outcome", "warning", "Bands that get worse as the score rises")
def BANDS_AGAINST_OUTCOME(ranges: ScoreRanges, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """10 is the best score; words of praise at 0 and of blame at 10 are the wrong way round."""
    bands = sorted(sound(ranges), key=attrgetter("low"))
    if len(bands) < 2 or bands[0].borrowed:
        return
    turned = _tone(bands[0].text) == "praise" and _tone(bands[-1].text) == "blame"
    if turned and all("outcome" in band.places for band in bands):
        yield Finding(
            bands[-1].at("outcome"),
            "10 is the best score, but these words describe a bad answer; reverse the bands",
            fixes=tuple(_reverse_outcomes(bands, context)),
        )


def _tone(text: str) -> str:
    return _known_tone(text) if len(text) <= _SHORT else _known_tone.__wrapped__(text)


@lru_cache(maxsize=512)
def _known_tone(text: str) -> str:
    """Whether words are "praise" or "blame", or neither; the bands of most criteria are described alike."""
    good, bad = _GOOD.search(text) is not None, _BAD.search(text) is not None
    return "" if good == bad else "praise" if good else "blame"


def _reverse_outcomes(bands: list[Band], context: Context) -> Iterator[Fix]:
    """The words of the highest band for the lowest, and so on."""
    nodes = [band.places["outcome"].node for band in bands]
    if any(
        band.borrowed or not isinstance(node, Scalar) or node.is_block for band, node in zip(bands, nodes, strict=True)
    ):
        return
    pairs = zip(nodes, reversed(nodes), strict=True)
    edits = tuple(Edit(node.span, context.written(other.span)) for node, other in pairs if node is not other)
    yield Fix("reverse the texts", edits, safe=False)
