r"""Unicode properties in JavaScript patterns, `\p{…}`, as sets of characters.

General categories come from Python's Unicode data, everything else from the tables of the package regex.
"""

import re
import sys
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

from rubric_core.js_regex.nodes import InvalidPatternError, UnsupportedPatternError
from rubric_core.js_regex.ranges import ALL, Ranges, inverse, normal

__all__ = ["property_named"]

#: The long names of general categories.
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
#: Properties that a character has or has not, by their names in ECMAScript.
_BINARY = frozenset(
    [
        "ASCII_Hex_Digit",
        "AHex",
        "Alphabetic",
        "Alpha",
        "Bidi_Control",
        "Bidi_C",
        "Bidi_Mirrored",
        "Bidi_M",
        "Case_Ignorable",
        "CI",
        "Cased",
        "Changes_When_Casefolded",
        "CWCF",
        "Changes_When_Casemapped",
        "CWCM",
        "Changes_When_Lowercased",
        "CWL",
        "Changes_When_NFKC_Casefolded",
        "CWKCF",
        "Changes_When_Titlecased",
        "CWT",
        "Changes_When_Uppercased",
        "CWU",
        "Dash",
        "Default_Ignorable_Code_Point",
        "DI",
        "Deprecated",
        "Dep",
        "Diacritic",
        "Dia",
        "Emoji",
        "Emoji_Component",
        "EComp",
        "Emoji_Modifier",
        "EMod",
        "Emoji_Modifier_Base",
        "EBase",
        "Emoji_Presentation",
        "EPres",
        "Extended_Pictographic",
        "ExtPict",
        "Extender",
        "Ext",
        "Grapheme_Base",
        "Gr_Base",
        "Grapheme_Extend",
        "Gr_Ext",
        "Hex_Digit",
        "Hex",
        "IDS_Binary_Operator",
        "IDSB",
        "IDS_Trinary_Operator",
        "IDST",
        "ID_Continue",
        "IDC",
        "ID_Start",
        "IDS",
        "Ideographic",
        "Ideo",
        "Join_Control",
        "Join_C",
        "Logical_Order_Exception",
        "LOE",
        "Lowercase",
        "Lower",
        "Math",
        "Noncharacter_Code_Point",
        "NChar",
        "Pattern_Syntax",
        "Pat_Syn",
        "Pattern_White_Space",
        "Pat_WS",
        "Quotation_Mark",
        "QMark",
        "Radical",
        "Regional_Indicator",
        "RI",
        "Sentence_Terminal",
        "STerm",
        "Soft_Dotted",
        "SD",
        "Terminal_Punctuation",
        "Term",
        "Unified_Ideograph",
        "UIdeo",
        "Uppercase",
        "Upper",
        "Variation_Selector",
        "VS",
        "White_Space",
        "space",
        "XID_Continue",
        "XIDC",
        "XID_Start",
        "XIDS",
    ]
)
#: Properties of texts, which only the flag `v` knows.
_OF_TEXTS = frozenset(
    [
        "Basic_Emoji",
        "Emoji_Keycap_Sequence",
        "RGI_Modifier_Sequence",
        "RGI_Flag_Sequence",
        "RGI_Emoji_Modifier_Sequence",
        "RGI_Emoji_Flag_Sequence",
        "RGI_Emoji_Tag_Sequence",
        "RGI_Emoji_ZWJ_Sequence",
        "RGI_Emoji",
    ]
)
_VALUE = re.compile(r"[A-Z][a-z]+(?:_[A-Za-z]+)*\Z")


def property_named(text: str, *, sets: bool) -> Ranges:
    """The characters with a property, as written between braces; `sets` is the flag `v`.

    Raises InvalidPatternError for an unknown property, UnsupportedPatternError for a property of strings.
    """
    name, equals, value = text.partition("=")
    if equals and name in ("Script", "sc", "Script_Extensions", "scx") and _VALUE.match(value):
        return _in_tables(f"{'scx' if name in ('Script_Extensions', 'scx') else 'sc'}={value}", text)
    if equals and name in ("General_Category", "gc"):
        name = value if _LONG.get(value, value) in _SHORT else ""
    elif equals:
        name = ""
    if _LONG.get(name, name) in _SHORT:
        return _category(_LONG.get(name, name))
    if name in ("Any", "ASCII", "Assigned"):
        return ALL if name == "Any" else ((0, 0x7F),) if name == "ASCII" else inverse(_category("Cn"))
    if name in _BINARY:
        return _in_tables(name, text)
    if sets and name in _OF_TEXTS:
        raise UnsupportedPatternError(f"rubric cannot run \\p{{{text}}}, which matches strings")
    raise InvalidPatternError(f"there is no property {text}")


@lru_cache(maxsize=32)
def _category(name: str) -> Ranges:
    kinds = ("Lu", "Ll", "Lt") if name == "LC" else (name,)
    codes = (code for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)).startswith(kinds))
    return normal((code, code) for code in codes)


@lru_cache(maxsize=32)
def _in_tables(name: str, text: str) -> Ranges:
    try:
        import regex as engine  # noqa: PLC0415  # imported with the first pattern that needs it
    except ImportError:
        raise UnsupportedPatternError(f"for \\p{{{text}}} the package regex is needed: pip install regex") from None
    try:
        pattern = engine.compile(f"\\p{{{name}}}+")
    except engine.error:
        raise InvalidPatternError(f"there is no property {text}") from None
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    return tuple((found.start(), found.end() - 1) for found in pattern.finditer(every))
