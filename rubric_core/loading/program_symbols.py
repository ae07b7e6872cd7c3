"""The functions of program files that references can name, as in `file://check.py:verdict`, and where each is defined."""

import re
from collections.abc import Iterator
from pathlib import PurePath

from rubric_core.lazy_compilation import pattern
from rubric_core.text import Span

__all__ = ["functions_in", "place_of_function"]

_PYTHON = pattern(r"^(?:(?:async[ \t]{1,9})?def|class)[ \t]{1,9}([A-Za-z_]\w{0,99})", re.MULTILINE)
_RUBY = pattern(r"^[ \t]{0,40}def[ \t]{1,9}(?:self\.)?([A-Za-z_]\w{0,99}[?!]?)", re.MULTILINE)
#: Where JavaScript exports a name: alone, or in a list, of which the names follow.
_EXPORTED = pattern(
    r"\bexports\.([A-Za-z_$][\w$]{0,99})\s{0,9}=(?!=)"
    r"|^export[ \t]{1,9}(?:default[ \t]{1,9})?(?:async[ \t]{1,9})?(?:const|let|var|class|function\b[ \t]{0,9}\*?)[ \t]{0,9}([A-Za-z_$][\w$]{0,99})",
    re.MULTILINE,
)
_LIST = pattern(r"(?:\bmodule\.exports[ \t]{0,9}=|^export(?:[ \t]{1,9}default)?)\s{0,9}\{", re.MULTILINE)
#: A key of an object, at its outermost level: `name`, `name: value`, `name(…) {`, `async name(…) {`, and `value as name`.
_KEY = pattern(r"\s*(?:async\s+)?(?:([A-Za-z_$][\w$]{0,99})\s+as\s+)?([A-Za-z_$][\w$]{0,99})\s{0,9}(?=[,:(}\s])")
_LONGEST = 200_000


def functions_in(path: PurePath, text: str) -> Iterator[str]:
    """The functions that a reference to a program can name, in their order; nothing for a file that is no program."""
    yield from dict.fromkeys(name for name, _ in _defined(path.suffix, text[:_LONGEST]))


def place_of_function(path: PurePath, text: str, name: str) -> Span | None:
    """The name of a function where it is defined, else where it is exported; None if it is not found."""
    last = name.rpartition(".")[2]
    if path.suffix not in (".py", ".rb"):
        word = re.escape(last)
        found = re.search(
            rf"\b(?:function\b\s{{0,9}}\*?\s{{0,9}}|class\s{{1,9}}|(?:const|let|var)\s{{1,9}})({word})(?![\w$])", text
        )
        if found is not None:
            return Span(*found.span(1))
    places = [span for each, span in _defined(path.suffix, text[:_LONGEST]) if each == last]
    if not places and "." in name:
        found = re.search(
            rf"^[ \t]{{1,40}}(?:(?:async[ \t]+)?def[ \t]+)?({re.escape(last)})\s{{0,9}}\(", text, re.MULTILINE
        )
        return Span(*found.span(1)) if found is not None else None
    return places[-1] if places else None


def _defined(suffix: str, text: str) -> Iterator[tuple[str, Span]]:
    if suffix in (".py", ".rb"):
        for found in (_PYTHON if suffix == ".py" else _RUBY).finditer(text):
            yield found[1], Span(*found.span(1))
    elif suffix in (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts"):
        for found in _EXPORTED.finditer(text):
            group = found.lastindex or 1
            yield found[group], Span(*found.span(group))
        for listed in _LIST.finditer(text):
            yield from _keys(text, listed.end())


def _keys(text: str, start: int) -> Iterator[tuple[str, Span]]:
    """The keys of the object that begins before an offset."""
    depth, at, is_key = 0, start, True
    while at < len(text):
        if is_key and depth == 0 and (found := _KEY.match(text, at)) is not None:
            yield found[2], Span(*found.span(2))
            at, is_key = found.end(), False
            continue
        sign = text[at]
        if sign in "\"'`":
            end = text.find(sign, at + 1)
            at = end if end >= 0 else len(text)
        elif text.startswith("//", at):
            end = text.find("\n", at)
            at = end if end >= 0 else len(text)
        elif sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
            if depth < 0:
                return
        elif sign == "," and depth == 0:
            is_key = True
        at += 1
