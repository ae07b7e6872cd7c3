"""Removes collections that are nested too deeply for libyaml."""

from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.stand_ins import HOLE

__all__ = ["cut_deep_nesting"]

#: Brackets, and quoted values, whose brackets do not count.
_BRACKET = pattern(r"""[\[\]{}]|(?<=[\[{,:\s])(?:"(?:[^"\\]|\\.)*"|'[^']*')""")
_LINE = pattern(r"[^\r\n]*")
_NO_BREAK = pattern(r"[^\r\n]")


def cut_deep_nesting(text: str, outermost: int, deepest: int, *, rest: bool = False) -> str:
    """`text` of the same length with a hole in the place of the collection at `deepest`.

    Where that is never closed, the one at `outermost` goes; with `rest`, so does all that follows.
    """
    end = _closed(text, deepest)
    start = outermost if end is None or rest else deepest
    if rest:
        end = len(text)
    elif end is None:
        end = _closed(text, outermost) or _LINE.match(text, outermost).end()  # type: ignore[union-attr]  # it matches nothing, too
    return f"{text[:start]}{HOLE}{_NO_BREAK.sub(' ', text[start + 1 : end])}{text[end:]}"


def _closed(text: str, start: int) -> int | None:
    """The offset after the bracket that closes the one at `start`, found by counting; None if it is never closed."""
    depth = 0
    for found in _BRACKET.finditer(text, start):
        depth += 1 if found[0] in "[{" else -1 if found[0] in "]}" else 0
        if depth <= 0:
            return found.end() if found.start() > start else None
    return None
