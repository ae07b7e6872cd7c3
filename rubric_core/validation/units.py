"""Numbers that people write with a unit, a sign for money, a percent sign or separators."""

import re

__all__ = ["number_meant"]

_NUMBER = re.compile(r"([$€£]?)\s*([-+]?\d+(?:[,_]\d{3})*(?:\.\d+)?|[-+]?\.\d+)\s*(%|[a-zA-Z]*)\Z")
_MILLISECONDS = {"ms": 1, "msec": 1, "s": 1_000, "sec": 1_000, "secs": 1_000, "seconds": 1_000, "m": 60_000, "min": 60_000, "minutes": 60_000}  # fmt: skip
_FACTORS = {"k": 1_000, "usd": 1, "eur": 1, "dollars": 1, "x": 1, "tokens": 1}


def number_meant(text: str, doc: str, *, share: bool) -> str | None:
    """The number that `text` says, as it would be written; None where it says none.

    Args:
        text: What was written.
        doc: What is documented of the key, which names its unit.
        share: Whether the number is a share of 1.
    """
    found = _NUMBER.match(text.strip())
    if found is None:
        return None
    value, unit = float(re.sub(r"[,_]", "", found[2])), found[3].lower()
    if unit == "%":
        return f"{value / 100:g}"
    if unit in _MILLISECONDS:
        if "milliseconds" in doc:
            value *= _MILLISECONDS[unit]
        elif "seconds" in doc:
            value *= _MILLISECONDS[unit] / 1_000
        else:
            return None
    elif unit in _FACTORS:
        value *= _FACTORS[unit]
    elif unit:
        return None
    return None if share and value > 1 else f"{value:.10g}"
