"""Comparisons in inline code of promptfoo that never hold, or always do, and values that get lost."""

from collections.abc import Iterator
from typing import NamedTuple

from rubric_core.language.closest_name import closest
from rubric_core.lazy_compilation import pattern

__all__ = ["VainPart", "vain_parts"]

#: What `typeof` gives.
_TYPES = ("string", "number", "boolean", "object", "undefined", "function", "symbol", "bigint")
_TYPEOF = pattern(
    r"\btypeof\s{1,3}[\w$.()\[\]]{1,80}\s{0,3}[!=]==?\s{0,3}"
    r"(?:(?P<quote>[\"'])(?P<type>[^\"'\n]{0,40})(?P=quote)|(?P<class>String|Number|Boolean|Object|Function|Array)\b)"
)
#: The length of something beside a text.
_LENGTH = pattern(r"\.length\s{0,3}(?P<sign>[!=]==)\s{0,3}(?P<text>[\"']\d{1,9}[\"'])")
#: One value that equals two texts.
_TWICE = pattern(
    r"(?P<value>(?<![\w$.])[A-Za-z_$][\w$.]{0,80})\s{0,3}===?\s{0,3}(?P<one>[\"'][^\"'\n]{0,200}[\"'])\s{0,3}(?:&&|\band\b)\s{0,3}"
    r"(?P=value)\s{0,3}===?\s{0,3}(?P<other>[\"'][^\"'\n]{0,200}[\"'])"
)
#: A value between two bounds, in both orders.
_BOUNDS = pattern(
    r"(?P<value>(?<![\w$.])[A-Za-z_$][\w$.()]{0,80})\s{0,3}(?P<first><|>)=?\s{0,3}(?P<one>\d{1,9}(?:\.\d{1,9})?)\s{0,3}(?:&&|\band\b)\s{0,3}"
    r"(?P=value)\s{0,3}(?P<second><|>)=?\s{0,3}(?P<other>\d{1,9}(?:\.\d{1,9})?)"
)
#: `1 < x < 3`, which compares true or false with 3.
_CHAIN = pattern(r"(?<![\w$.])[\w$.]{1,80}\s{0,3}<=?\s{0,3}[A-Za-z_$][\w$.]{0,80}\s{0,3}<=?\s{0,3}\d")
#: A function for each item, with a value that it returns.
_EACH = pattern(
    r"\.forEach\(\s{0,9}(?:async\s{1,9})?(?:\([^()\n]{0,99}\)|[A-Za-z_$][\w$]{0,60})\s{0,3}=>\s{0,3}\{(?P<body>[^{}]{0,500}(?:\{[^{}]{0,500}\}[^{}]{0,500}){0,5})\}"
)
_RETURNED = pattern(r"\breturn\b[ \t]{1,9}(?P<value>[^;\s}][^;\n}]{0,99})")
#: A request whose answer is read at once.
_FETCHED = pattern(r"\b(?:const|let|var)\s{1,9}(?P<name>[A-Za-z_$][\w$]{0,60})\s{0,9}=\s{0,9}fetch\(")


class VainPart(NamedTuple):
    """A part of code that does not depend on what it looks at; offsets in the code."""

    start: int
    end: int
    words: str
    #: What to write in place of it; empty if that depends.
    meant: str = ""


def vain_parts(code: str, plain: str, *, is_python: bool) -> Iterator[VainPart]:
    """Every such part. `plain` is the code with blanks for its texts and comments."""
    yield from _never_both(code, plain)
    if is_python:
        return
    yield from _types(code, plain)
    for found in _LENGTH.finditer(code):
        if plain.startswith(".length", found.start()):
            at, number = found.span("text"), found["text"][1:-1]
            yield VainPart(*at, f"a length is a number, and never {found['text']}; write `{number}`", number)
    for found in _CHAIN.finditer(plain) if "/" not in plain else ():  # which may begin a pattern
        yield VainPart(
            *found.span(), "JavaScript compares the first result with the last number; write two comparisons with `&&`"
        )
    for found in _EACH.finditer(plain):
        returned = _RETURNED.search(plain, *found.span("body"))
        if returned is not None:
            words = "`forEach` drops what its function returns; use `every` or `some`, or a loop"
            yield VainPart(returned.start(), returned.end(), words)
    for found in _FETCHED.finditer(plain):
        name = found["name"]
        used = plain.find(f"{name}.", found.end())
        member = plain[used + len(name) + 1 : used + len(name) + 8]
        if used >= 0 and not member.startswith(("then", "catch", "finally")):
            words = (
                f"`{name}` is a promise here, which has none of the answer; use `.then`, or an async function in a file"
            )
            yield VainPart(*found.span("name"), words)


def _types(code: str, plain: str) -> Iterator[VainPart]:
    for found in _TYPEOF.finditer(code):
        if not plain.startswith("typeof", found.start()) or found["type"] in _TYPES:
            continue
        if found["class"] is not None:
            meant = "object" if found["class"] == "Array" else found["class"].lower()
            yield VainPart(*found.span("class"), f"`typeof` gives a text; write `'{meant}'`", f"'{meant}'")
            continue
        meant = closest(found["type"], _TYPES) or ""
        if not meant and "!" in found[0]:
            continue  # true on purpose
        advice = f"; did you mean `{meant}`?" if meant else f": it is one of {', '.join(_TYPES)}"
        yield VainPart(*found.span("type"), f"`typeof` never gives `{found['type']}`{advice}", meant)


def _never_both(code: str, plain: str) -> Iterator[VainPart]:
    for found in _TWICE.finditer(code):
        if plain.startswith(found["value"], found.start()) and found["one"][1:-1] != found["other"][1:-1]:
            yield VainPart(*found.span(), f"`{found['value']}` never equals both texts; join them by `or`")
    for found in _BOUNDS.finditer(plain):
        low, high = (found["one"], found["other"]) if found["first"] == ">" else (found["other"], found["one"])
        if found["first"] != found["second"] and float(low) > float(high):
            yield VainPart(*found.span(), f"no number is above {low} and below {high}")
