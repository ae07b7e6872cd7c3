"""JavaScript in a configuration of promptfoo, as code that another program can run."""

from rubric_core.lazy_compilation import pattern

__all__ = ["declarations_and_result", "without_require"]

_DECLARED = pattern(r"(?:const|let|var)\s")


def declarations_and_result(code: str) -> tuple[str, str]:
    """Split code of one line into its declarations and the expression after them, whose value promptfoo takes.

    They are parted at the last semicolon outside of quotes; where declarations end with none, there is no result.
    """
    if not _DECLARED.match(code):
        return "", code
    quote, last, at = "", len(code), 0
    while at < len(code):
        sign = code[at]
        if sign == "\\":
            at += 1
        elif quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"`":
            quote = sign
        elif sign == ";":
            last = at
        at += 1
    return code[:last], code[last + 1 :]


def without_require(body: str) -> str:
    """The body of a function as a call of it, which has no `require`: promptfoo runs code as a module."""
    return f"((require) => (() => {{\n{body}\n}})())()"
