"""Unicode properties in JavaScript patterns, as for letters, as ranges of characters: the general categories."""

import sys
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache

__all__ = ["property_ranges"]

_PREFIXES = ("General_Category=", "gc=")
#: The long names of JavaScript.
_LONG: Mapping[str, str] = {
    "Letter": "L", "Cased_Letter": "LC", "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll", "Titlecase_Letter": "Lt", "Modifier_Letter": "Lm",
    "Other_Letter": "Lo", "Mark": "M", "Combining_Mark": "M", "Nonspacing_Mark": "Mn", "Spacing_Mark": "Mc", "Enclosing_Mark": "Me", "Number": "N",
    "Decimal_Number": "Nd", "digit": "Nd", "Letter_Number": "Nl", "Other_Number": "No", "Punctuation": "P", "punct": "P", "Connector_Punctuation": "Pc",
    "Dash_Punctuation": "Pd", "Open_Punctuation": "Ps", "Close_Punctuation": "Pe", "Initial_Punctuation": "Pi", "Final_Punctuation": "Pf",
    "Other_Punctuation": "Po", "Symbol": "S", "Math_Symbol": "Sm", "Currency_Symbol": "Sc", "Modifier_Symbol": "Sk", "Other_Symbol": "So",
    "Separator": "Z", "Space_Separator": "Zs", "Line_Separator": "Zl", "Paragraph_Separator": "Zp", "Other": "C", "Control": "Cc", "cntrl": "Cc",
    "Format": "Cf", "Surrogate": "Cs", "Private_Use": "Co", "Unassigned": "Cn",
}  # fmt: skip
_SHORT = frozenset(_LONG.values())


def property_ranges(name: str, *, inverse: bool) -> str | None:
    """The characters of a property, or all others, as ranges inside of brackets; None for one that is no general category."""
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    if name == "Any":
        return None if inverse else "\\x00-\\U0010ffff"
    if name == "ASCII":
        return "\\x80-\\U0010ffff" if inverse else "\\x00-\\x7f"
    short = _LONG.get(name, name)
    return _ranges(short, inverse) if short in _SHORT else None


@lru_cache(maxsize=32)
def _ranges(category: str, inverse: bool) -> str:
    kinds = ("Lu", "Ll", "Lt") if category == "LC" else (category,)
    return "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in _stretches(kinds, inverse=inverse))


def _stretches(kinds: tuple[str, ...], *, inverse: bool) -> Iterator[tuple[int, int]]:
    """From where to where the characters of some categories go."""
    start = -1
    for code in range(sys.maxunicode + 2):
        inside = code <= sys.maxunicode and unicodedata.category(chr(code)).startswith(kinds) is not inverse
        if inside and start < 0:
            start = code
        elif not inside and start >= 0:
            yield start, code - 1
            start = -1
