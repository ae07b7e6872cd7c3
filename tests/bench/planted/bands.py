"""Mistakes in score ranges."""

import random

from planted.suite import Plant, Planted, Suite, entries
from rubric_core.language.evaluators import Band, Criterion

__all__ = ["KINDS"]


def ranged(bands: str, line: int, *right: str) -> Plant:
    """Give a criterion score ranges; `line` counts from the key. `right`: the score ranges that can have been meant."""

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
        text_key = suite.analysis.dialect.spelled(Band, "outcome") or "outcome"
        while suite.text[last - 1] in " \n":
            last -= 1

        def whole(written: str) -> str:
            lines = written.replace("TEXT", text_key).split("\n")
            added = "".join(f"\n{' ' * column}{each}" for each in ["score_ranges:", *lines])
            return suite.text[:last] + added + suite.text[last:]

        text = whole(bands)
        return Planted(text, text.count("\n", 0, last) + 1 + line, tuple(map(whole, right)))

    return plant


_B = "  - {score_range: [%s], TEXT: %s}"


def _string_ranges(suite: Suite, rng: random.Random) -> Planted | None:
    planted = ranged("  X", 0)(suite, rng)
    text = planted and planted.text.replace("score_ranges:\n", "score_ranges: good to bad #\n", 1).replace("  X", "", 1)
    return planted and Planted(text, planted.line, ())


def _two(first: str, second: str) -> str:
    return f"{_B % (first, 'poor')}\n{_B % (second, 'good')}"


def _three(first: str, second: str, third: str) -> str:
    return f"{_two(first, second)}\n{_B % (third, 'best')}"


_MAP = "  0: poor\n  4: good\n  8: best"


KINDS: dict[str, Plant] = {
    "bands overlap": ranged(_two("0, 5", "5, 10"), 2, _two("0, 4", "5, 10"), _two("0, 5", "6, 10")),
    "bands overlap by two": ranged(_two("0, 6", "5, 10"), 2, _two("0, 4", "5, 10"), _two("0, 6", "7, 10")),
    "bands leave a gap": ranged(_two("0, 3", "5, 10"), 1, _two("0, 4", "5, 10"), _two("0, 3", "4, 10")),
    "bands end below 10": ranged(_two("0, 3", "4, 9"), 2, _two("0, 3", "4, 10")),
    "bands begin above 0": ranged(_two("1, 3", "4, 10"), 1, _two("0, 3", "4, 10")),
    "band bound above 10": ranged(_two("0, 3", "4, 12"), 2, _two("0, 3", "4, 10")),
    "band bound not whole": ranged(_two("0, 3.5", "4, 10"), 1, _two("0, 3", "4, 10")),
    "band bound is a word": ranged(_two("0, three", "4, 10"), 1, _two("0, 3", "4, 10")),
    "band bound in quotes": ranged(_two('0, "3"', "4, 10"), 1, _two("0, 3", "4, 10")),
    "band reversed": ranged(_two("3, 0", "4, 10"), 1, _two("0, 3", "4, 10")),
    "band with three numbers": ranged(_two("0, 1, 3", "4, 10"), 1, _two("0, 3", "4, 10")),
    "band with one number": ranged("  - {score_range: 0, TEXT: poor}\n" + _B % ("1, 10", "good"), 1, _two("0, 0", "1, 10")),
    "band as a text": ranged("  - {score_range: 0-3, TEXT: poor}\n" + _B % ("4, 10", "good"), 1, _two("0, 3", "4, 10")),
    "band as a quoted text": ranged('  - {score_range: "0-3", TEXT: poor}\n' + _B % ("4, 10", "good"), 1, _two("0, 3", "4, 10")),
    "bands as texts": ranged("  - {score_range: 0-3, TEXT: poor}\n  - {score_range: 4-10, TEXT: good}", 1, _two("0, 3", "4, 10")),
    "band without text": ranged("\n".join(["  - {score_range: [0, 3]}", _B % ("4, 10", "good")]), 1),
    "band without score_range": ranged("\n".join(["  - {TEXT: poor}", _B % ("4, 10", "good")]), 1, *(_two("0, 3", "4, 10"), "  - {TEXT: poor, score_range: [0, 3]}\n" + _B % ("4, 10", "good"))),
    "band is a string": ranged("\n".join(["  - poor", _B % ("4, 10", "good")]), 1, _two("0, 3", "4, 10")),
    "bands as shares": ranged(_two("0, 0.3", "0.4, 1"), 1, _two("0, 3", "4, 10")),
    "bands as shares that meet": ranged(_two("0, 0.5", "0.5, 1"), 1, _two("0, 5", "6, 10"), _two("0, 4", "5, 10")),
    "one band as a share": ranged(_two("0, 0.3", "4, 10"), 1, _two("0, 3", "4, 10")),
    "bands of a hundred": ranged(_three("0, 30", "31, 70", "71, 100"), 1, _three("0, 3", "4, 7", "8, 10")),
    "bands of a hundred that meet": ranged(_three("0, 30", "30, 70", "70, 100"), 1, _three("0, 3", "4, 7", "8, 10"), _three("0, 2", "3, 6", "7, 10")),
    "last bound of a hundred": ranged(_three("0, 3", "4, 7", "8, 100"), 3, _three("0, 3", "4, 7", "8, 10")),
    "bands of five": ranged(_three("0, 1", "2, 3", "4, 5"), 3),
    "bound of a hundred in the middle": ranged(_three("0, 3", "4, 70", "8, 10"), 2, _three("0, 3", "4, 7", "8, 10")),
    "bands by min and max": ranged("  - {min: 0, max: 3, TEXT: poor}\n  - {min: 4, max: 10, TEXT: good}", 1, _two("0, 3", "4, 10")),
    "bands by from and to": ranged("  - {from: 0, to: 3, TEXT: poor}\n  - {from: 4, to: 10, TEXT: good}", 1, _two("0, 3", "4, 10")),
    "bands under range": ranged("  - {range: [0, 3], TEXT: poor}\n  - {range: [4, 10], TEXT: good}", 1, _two("0, 3", "4, 10")),
    "score_range misspelt": ranged("  - {score_rnage: [0, 3], TEXT: poor}\n" + _B % ("4, 10", "good"), 1, _two("0, 3", "4, 10")),
    "text of a band under description": ranged("  - {score_range: [0, 3], description: poor}\n" + _B % ("4, 10", "good"), 1, _two("0, 3", "4, 10")),
    "text of a band under label": ranged("  - {score_range: [0, 3], label: poor}\n" + _B % ("4, 10", "good"), 1, _two("0, 3", "4, 10")),
    "map of bands not from 0": ranged("  2: poor\n  6: good", 1, "  0: poor\n  6: good"),
    "map of bands from 1": ranged("  1: poor\n  4: good\n  8: best", 1, _MAP),
    "map of bands with a bad key": ranged("  0: poor\n  high: good", 2),
    "map of bands with an empty text": ranged("  0: poor\n  6:", 2),
    "map of bands beyond 10": ranged("  0: poor\n  11: good", 2, "  0: poor\n  10: good"),
    "map of bands of a hundred": ranged("  0: poor\n  40: good\n  80: best", 2, _MAP),
    "map of bands as shares": ranged("  0: poor\n  0.4: good\n  0.8: best", 2, _MAP),
    "map from spans to texts": ranged("  0-3: poor\n  4-7: good\n  8-10: best", 1, _MAP),
    "map from quoted spans to texts": ranged('  "0-3": poor\n  "4-7": good\n  "8-10": best', 1, _MAP),
    "map from texts to spans": ranged("  poor: [0, 3]\n  good: [4, 7]\n  best: [8, 10]", 1, _MAP),
    "map with a number twice": ranged("  0: poor\n  4: good\n  4: best", 3),
    "score ranges are a string": _string_ranges,
}  # fmt: skip
