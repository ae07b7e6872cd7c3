"""Statistics of a judge's verdicts: how often it is right, with intervals."""

import random
from collections.abc import Callable, Sequence
from itertools import combinations

from rubric_core.evaluation.engine.repeats import share_interval
from rubric_core.evaluation.judge_check.items import GradedItem, YesNoItem
from rubric_core.lazy_compilation import dataclass

__all__ = ["BARS", "Measure", "RequiredRange", "kappa", "measures_of", "no_better_than_chance"]

_RESAMPLES = 2000
_SEED = 20260501

#: An item, and the judge's result: whether the criterion is met, or a score of 0..10; None for no usable reply.
Said = tuple[YesNoItem, bool | None]
Scored = tuple[GradedItem, int | None]


@dataclass(frozen=True, slots=True)
class Measure:
    """A number with its 95 % interval."""

    name: str
    value: float
    low: float
    high: float
    #: The base of a share: "52 of 60". Empty for other measures.
    counted: str = ""


@dataclass(frozen=True, slots=True)
class RequiredRange:
    """The required range of a measure, both bounds included."""

    name: str
    words: str
    at_least: float = float("-inf")
    at_most: float = float("inf")

    def met(self, measure: Measure) -> bool:
        """Whether the measure clears the bar."""
        return self.at_least - 1e-9 <= measure.value <= self.at_most + 1e-9


BARS: tuple[RequiredRange, ...] = (
    RequiredRange("accuracy", "at least 80 %", at_least=0.8),
    RequiredRange("kappa", "at least 0.60", at_least=0.6),
    RequiredRange("yes-rate", "30 to 70 %", at_least=0.3, at_most=0.7),
    RequiredRange("invalid", "at most 2 %", at_most=0.02),
)


def measures_of(said: Sequence[Said], scored: Sequence[Scored]) -> tuple[Measure, ...]:
    """Accuracy, Cohen's kappa and yes-rate of the yes/no items, the share of unusable replies, and the fit of scores. An unusable reply counts as wrong, and not as yes."""
    right = sum(answer is item.met for item, answer in said)
    yes = sum(answer is True for _, answer in said)
    invalid = sum(answer is None for _, answer in (*said, *scored))
    in_band = sum(score is not None and item.band[0] <= score <= item.band[1] for item, score in scored)
    ordered, pairs = _in_order(scored)
    return (
        _share("accuracy", right, len(said)),
        Measure("kappa", kappa(said), *_bootstrapped(said, kappa)),
        _share("yes-rate", yes, len(said)),
        _share("invalid", invalid, len(said) + len(scored)),
        _share("in band", in_band, len(scored)),
        _share("in order", ordered, pairs),
    )


def no_better_than_chance(measures: Sequence[Measure]) -> bool:
    """Whether guessing could have given this accuracy: half of the items are met, so its interval holds 50 %."""
    accuracy = next(m for m in measures if m.name == "accuracy")
    return accuracy.low <= 0.5


def kappa(said: Sequence[Said]) -> float:
    """Cohen's kappa: agreement beyond chance, -1..1; 0 for a judge with constant replies."""
    count = len(said)
    if not count:
        return 0.0
    agreed = sum(answer is item.met for item, answer in said) / count
    yes, no = (sum(answer is which for _, answer in said) / count for which in (True, False))
    met = sum(item.met for item, _ in said) / count
    chance = yes * met + no * (1 - met)
    return 0.0 if chance >= 1 else (agreed - chance) / (1 - chance)


def _share(name: str, part: int, count: int) -> Measure:
    low, high = share_interval(part, count)
    return Measure(name, part / count if count else 0.0, low, high, f"{part} of {count}")


def _bootstrapped(said: Sequence[Said], measure: Callable[[Sequence[Said]], float]) -> tuple[float, float]:
    """The 95 % interval of a measure, by drawing the items again and again; the same each time."""
    draw = random.Random(_SEED)  # noqa: S311  # no secret
    values = sorted(measure(draw.choices(said, k=len(said))) for _ in range(_RESAMPLES)) if said else [0.0]
    return values[int(0.025 * (len(values) - 1))], values[int(0.975 * (len(values) - 1))]


def _in_order(scored: Sequence[Scored]) -> tuple[int, int]:
    """The share of answer pairs with scores in the right order; ties do not count as right."""
    right = pairs = 0
    for (one, first), (other, second) in combinations(scored, 2):
        if one.group == other.group and one.band != other.band:
            pairs += 1
            if first is not None and second is not None and first != second:
                right += (first < second) == (one.band < other.band)
    return right, pairs
