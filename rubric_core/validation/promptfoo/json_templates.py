"""Mistakes in JSON that has template statements between its values, so that no parser reads it as it is (issue 18, section 2)."""

from typing import NamedTuple

from rubric_core.lazy_compilation import pattern

__all__ = ["JsonFault", "json_fault"]

#: Its groups: a statement or comment, what is filled in, a string, a sign, another value, anything else.
_TOKEN = pattern(
    r"\s*(?:(?P<statement>\{%[^%]{0,999}%\}|\{#[^#]{0,999}#\})|(?P<shown>\{\{[^{}]{0,999}\}\})"
    r"|(?P<string>\"(?:[^\"\\\n]|\\.){0,20000}\")|(?P<sign>[{}\[\],:])|(?P<word>-?[\w.+-]{1,99})|(?P<other>\S))"
)
_VALUES = frozenset({"string", "word"})


class JsonFault(NamedTuple):
    """What is wrong, and where it shows."""

    words: str
    offset: int


def json_fault(text: str) -> JsonFault | None:
    """The first pair of neighbours that no JSON has, whatever the statements make of it."""
    at, before, start = 0, "", 0
    while (found := _TOKEN.match(text, at)) is not None:
        kind = found.lastgroup or ""
        sign = found["sign"] if kind == "sign" else ""
        here = found.start(kind)
        if kind == "other":
            return JsonFault(
                "a string has no end" if found[kind] == '"' else f"`{found[kind]}` is not expected here", here
            )
        fault = _between(before, "value" if kind in _VALUES else sign, text[here : found.end()])
        if fault:
            return JsonFault(fault, start if fault.startswith("a comma") else here)
        # What is filled in may be anything, several values included.
        before = sign or ("value" if kind in _VALUES else "")
        at, start = found.end(), here
    return None


def _between(before: str, after: str, written: str) -> str:
    """What is wrong between two neighbours; nothing is known of an empty one."""
    if not before or not after:
        return ""
    ends, begins = before in ("value", "}", "]"), after in ("value", "{", "[")
    if ends and begins:
        return f"a comma or a colon is missing before `{written[:20]}`"
    if before in (",", ":", "{", "[") and after in (",", ":"):
        return f"`{after}` is not expected here"
    if before in (",", ":") and after in ("}", "]"):
        return f"a value is missing before `{after}`"
    return ""
