"""Assertions about the text, the duration and the cost of an output."""

from collections.abc import Mapping
from typing import Any

from rubric_core.families.promptfoo.migration.conversion import Conversion, NotCarriedError, Surroundings, text_of
from rubric_core.language.javascript_values import scalar_text
from rubric_core.loading.directory_search import URL

__all__ = ["compared", "cost", "json_value", "latency", "several", "trimmed", "word_count"]

_WHITE_SPACE = "AgentV ignores white space around the output here; promptfoo does not"
_NO_COST = "AgentV fails it where the provider reports no cost; promptfoo makes an error of the row"


def compared(settings: Mapping[str, Any], _: Surroundings) -> Conversion:
    """Types that look for one text."""
    return Conversion({"value": text_of(settings)})


def trimmed(settings: Mapping[str, Any], _: Surroundings) -> Conversion:
    """Types that AgentV compares without the white space around."""
    value = text_of(settings)
    if value != value.strip():
        raise NotCarriedError("AgentV compares without the white space around this value: write a `javascript` check")
    return Conversion({"value": value}, differs=(_WHITE_SPACE,))


def several(settings: Mapping[str, Any], around: Surroundings) -> Conversion:
    """Types that look for several texts."""
    value = settings.get("value")
    if isinstance(value, str) and value.startswith(URL):
        raise NotCarriedError(f"AgentV takes no file as the value of `{settings['type']}`: write its texts as a list")
    if isinstance(value, str) and "{{" in value and "," not in value:
        raise NotCarriedError("promptfoo splits the filled-in value at its commas; for AgentV write a list of texts")
    try:
        found = around.comma_values(value) if isinstance(value, str) else value
    except ValueError as error:
        raise NotCarriedError(f"its value has {error}") from None
    if (
        not isinstance(found, list)
        or not found
        or any(isinstance(each, dict | list) or each in (None, "") for each in found)
    ):
        raise NotCarriedError(f"AgentV needs a list of texts as the value of `{settings['type']}`")
    return Conversion({"value": [scalar_text(each) for each in found]})


def json_value(settings: Mapping[str, Any], _: Surroundings) -> Conversion:
    """`is-json`."""
    if settings.get("value") is not None:
        raise NotCarriedError(
            "AgentV's `is-json` takes no schema: check the fields in a `javascript` check, or with `field-accuracy`"
        )
    return Conversion({})


def word_count(settings: Mapping[str, Any], _: Surroundings) -> Conversion:
    """`word-count`, as JavaScript."""
    value = settings.get("value")
    count = "output.trim().split(/\\s+/).filter(Boolean).length"
    bounds = value if isinstance(value, dict) else {"exact": value}
    signs = {"exact": "===", "min": ">=", "max": "<="}
    low, high = bounds.get("min"), bounds.get("max")
    if isinstance(low, int) and isinstance(high, int) and low > high:
        raise NotCarriedError("its `min` is above its `max`, at which promptfoo makes an error of the row")
    if not bounds or any(n not in signs or isinstance(v, bool) or not isinstance(v, int) for n, v in bounds.items()):
        raise NotCarriedError("AgentV has no `word-count`: write a `javascript` check")
    return Conversion(
        {"type": "javascript", "value": " && ".join(f"{count} {signs[n]} {v}" for n, v in bounds.items())}
    )


def latency(settings: Mapping[str, Any], _: Surroundings) -> Conversion:
    """`latency`."""
    return Conversion({"threshold": _number(settings)})


def cost(settings: Mapping[str, Any], _: Surroundings) -> Conversion:
    """`cost`."""
    return Conversion({"budget": _number(settings)}, differs=(_NO_COST,))


def _number(settings: Mapping[str, Any]) -> float:
    found = settings.get("threshold")
    if isinstance(found, bool) or not isinstance(found, int | float) or found < 0:
        raise NotCarriedError(f"`{settings['type']}` has no `threshold`, which both programs need")
    return found
