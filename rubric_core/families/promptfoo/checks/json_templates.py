"""Mistakes in JSON that has template statements between its values, so that no parser reads it as it is."""

import re
from collections.abc import Iterator
from types import MappingProxyType
from typing import NamedTuple

from rubric_core.lazy_compilation import pattern

__all__ = ["JsonFault", "json_fault", "tokens"]

#: Its groups: a statement or comment, what is filled in, a string, a sign, another value, anything else.
_TOKEN = pattern(
    r"\s*(?:(?P<statement>\{%[^%]{0,999}%\}|\{#[^#]{0,999}#\})|(?P<shown>\{\{[^{}]{0,999}\}\})"
    r"|(?P<string>\"(?:[^\"\\\n]|\\.){0,20000}\")|(?P<sign>[{}\[\],:])|(?P<word>-?[\w.+-]{1,99})|(?P<other>\S))"
)
_WORD = pattern(r"\{%-?\s{0,99}(\w{1,20})")
#: Statements with an end, their branches, and the ends.
_BLOCKS, _BRANCHES = frozenset({"if", "for"}), frozenset({"else", "elif", "elseif"})
_ENDS = frozenset({"endif", "endfor"})
_CLOSED_BY = MappingProxyType({"[": "]", "{": "}"})
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
    return _unclosed(text) if not text[at:].strip() else None


def tokens(text: str) -> Iterator[re.Match[str]]:
    """The tokens of JSON with template statements between them; the group of each that matched says what it is."""
    at = 0
    while (found := _TOKEN.match(text, at)) is not None:
        yield found
        at = found.end()


def _unclosed(text: str) -> JsonFault | None:
    """A bracket that nothing closes, in whatever way the statements go.

    Nothing is known of branches and loops that open or close more than they have, nor of other statements.
    """
    outer: list[str] = []
    #: The brackets that are open in each statement around.
    inner: list[list[str]] = []
    for found in tokens(text):
        kind = found.lastgroup or ""
        open_here = inner[-1] if inner else outer
        if kind == "statement" and found[kind].startswith("{%"):
            word = _WORD.match(found[kind])
            name = word[1] if word is not None else ""
            if name not in _BLOCKS | _BRANCHES and name not in _ENDS and (name != "set" or "=" not in found[kind]):
                return None
            if (name in _ENDS or name in _BRANCHES) and (not inner or inner[-1]):
                return None
            if name in _ENDS:
                inner.pop()
            elif name in _BLOCKS:
                inner.append([])
        elif kind == "sign" and found[kind] in _CLOSED_BY:
            open_here.append(found[kind])
        elif kind == "sign" and found[kind] in _CLOSED_BY.values():
            if not open_here or _CLOSED_BY[open_here[-1]] != found[kind]:
                is_certain = not inner and (bool(outer) or not text[found.end() :].strip())
                missing = f"`{_CLOSED_BY[open_here[-1]]}` is missing before" if open_here else ""
                words = f"{missing} `{found[kind]}`" if missing else f"`{found[kind]}` closes nothing"
                return JsonFault(words, found.start(kind)) if is_certain else None
            open_here.pop()
    if not outer or inner:
        return None
    return JsonFault(f"`{_CLOSED_BY[outer[-1]]}` is missing at the end", len(text.rstrip()) - 1)


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
