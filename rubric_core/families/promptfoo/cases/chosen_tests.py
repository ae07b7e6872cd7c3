"""Which tests of a configuration promptfoo runs: those of a range or a sample in its options."""

from collections.abc import Callable, Mapping
from typing import Any

from rubric_core.families.promptfoo.cases.configuration import ConfigurationError, PromptfooConfiguration
from rubric_core.language.javascript_values import value_text
from rubric_core.lazy_compilation import pattern
from rubric_core.sandbox.values import number

__all__ = ["chosen_tests"]

_RANGE = pattern(r"([0-9]{0,15})\s{0,9}:\s{0,9}([0-9]{0,15})\Z")
_MASK = 0xFFFFFFFF


def chosen_tests(configuration: PromptfooConfiguration, count: int) -> list[int]:
    """The numbers of the tests that run by default, from 0, in promptfoo's order. Raises ConfigurationError.

    A sample without a seed differs from run to run in promptfoo; all tests run here.
    """
    line, options = (_mapping(configuration.data.get(name)) for name in ("commandLineOptions", "evaluateOptions"))
    written = next((each["filterRange"] for each in (line, options) if each.get("filterRange") is not None), None)
    if written is None and "filterRange" in options:
        raise ConfigurationError("promptfoo stops at `filterRange` without a value")
    numbers = list(range(count)) if written is None else _range(written, count)
    size, seed = line.get("filterSample"), line.get("filterSampleSeed")
    if size is None or seed is None:
        return numbers
    if configuration.data.get("scenarios"):
        raise ConfigurationError(
            "rubric does not run `filterSample` with `scenarios`, of which promptfoo takes samples each"
        )
    size, seed = _whole(size), _whole(seed)
    if size is None or seed is None:
        raise ConfigurationError("promptfoo stops at a `filterSample` or `filterSampleSeed` that is no whole number")
    return _shuffled(numbers, _random(value_text(seed)))[:size]


def _whole(value: Any) -> int | None:
    """The whole number that JavaScript makes of a value; None if that is another one, or none."""
    made = float(number(value))
    return int(made) if made.is_integer() else None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _range(written: Any, count: int) -> list[int]:
    found = _RANGE.match(written.strip()) if isinstance(written, str) else None
    first, end = (found[1], found[2]) if found is not None else ("", "")
    if not (first or end) or (first and end and int(first) > int(end)):
        raise ConfigurationError(f"promptfoo stops at the `filterRange` {written!r:.60}, which is no `start:end`")
    return list(range(count))[int(first or 0) : int(end) if end else None]


def _shuffled(numbers: list[int], random: Callable[[], float]) -> list[int]:
    for last in range(len(numbers) - 1, 0, -1):
        other = int(random() * (last + 1))
        numbers[last], numbers[other] = numbers[other], numbers[last]
    return numbers


def _random(seed: str) -> Callable[[], float]:
    """The generator of promptfoo: numbers from 0 to 1, in 32 bits."""
    state = 2166136261
    for each in seed:
        state = ((state ^ ord(each)) * 16777619) & _MASK

    def following() -> float:
        nonlocal state
        state = (state + 1831565813) & _MASK
        value = ((state ^ state >> 15) * (state | 1)) & _MASK
        value ^= (value + ((value ^ value >> 7) * (value | 61) & _MASK)) & _MASK
        return ((value ^ value >> 14) & _MASK) / 4294967296

    return following
