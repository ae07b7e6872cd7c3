"""Mistakes in score ranges."""

import random

from planted.suite import Plant, Planted, Suite, entries
from rubric_core.language.evaluators import Criterion

__all__ = ["KINDS"]


def ranged(bands: str, line: int) -> Plant:
    """Give a criterion score ranges; `line` counts from the key."""

    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        found = [
            (s, o)
            for s, o in suite.of(Criterion, "outcome")
            if not s.has("score_ranges") and not getattr(s, "shorthand", False)
        ]
        if not found:
            return None
        shape, offset = rng.choice(found)
        last = entries(shape)[-1].span.end + offset
        start = shape.node.entries[0].key.span.start + offset
        column = start - suite.text.rfind("\n", 0, start) - 1
        text_key = "expected_outcome" if suite.analysis.dialect.name == "agentv-1" else "outcome"
        lines = bands.replace("TEXT", text_key).split("\n")
        added = "".join(f"\n{' ' * column}{each}" for each in ["score_ranges:", *lines])
        while suite.text[last - 1] in " \n":
            last -= 1
        text = suite.text[:last] + added + suite.text[last:]
        return Planted(text, text.count("\n", 0, last) + 1 + line)

    return plant


_B = "  - {score_range: [%s], TEXT: %s}"


def _string_ranges(suite: Suite, rng: random.Random) -> Planted | None:
    planted = ranged("  X", 0)(suite, rng)
    return planted and Planted(
        planted.text.replace("score_ranges:\n", "score_ranges: good to bad #\n", 1).replace("  X", "", 1), planted.line
    )


KINDS: dict[str, Plant] = {
    "bands overlap": ranged("\n".join([_B % ("0, 5", "poor"), _B % ("5, 10", "good")]), 2),
    "bands leave a gap": ranged("\n".join([_B % ("0, 3", "poor"), _B % ("5, 10", "good")]), 1),
    "bands end below 10": ranged("\n".join([_B % ("0, 3", "poor"), _B % ("4, 9", "good")]), 2),
    "band bound above 10": ranged("\n".join([_B % ("0, 3", "poor"), _B % ("4, 12", "good")]), 2),
    "band bound not whole": ranged("\n".join([_B % ("0, 3.5", "poor"), _B % ("4, 10", "good")]), 1),
    "band bound is a word": ranged("\n".join([_B % ("0, three", "poor"), _B % ("4, 10", "good")]), 1),
    "band reversed": ranged("\n".join([_B % ("3, 0", "poor"), _B % ("4, 10", "good")]), 1),
    "band with three numbers": ranged("\n".join([_B % ("0, 1, 3", "poor"), _B % ("4, 10", "good")]), 1),
    "band without text": ranged("\n".join(["  - {score_range: [0, 3]}", _B % ("4, 10", "good")]), 1),
    "band without score_range": ranged("\n".join(["  - {TEXT: poor}", _B % ("4, 10", "good")]), 1),
    "band is a string": ranged("\n".join(["  - poor", _B % ("0, 10", "good")]), 1),
    "map of bands not from 0": ranged("  2: poor\n  6: good", 1),
    "map of bands with a bad key": ranged("  0: poor\n  high: good", 2),
    "map of bands with an empty text": ranged("  0: poor\n  6:", 2),
    "map of bands beyond 10": ranged("  0: poor\n  11: good", 2),
    "score ranges are a string": _string_ranges,
}
