"""What JavaScript makes of values and of code in a configuration of promptfoo."""

from rubric_core.lazy_compilation import pattern

__all__ = ["declarations_and_result", "scalar_text"]

_DECLARED = pattern(r"(?:const|let|var)\s")
#: From here on JavaScript writes whole numbers with an exponent.
_LARGEST_WHOLE = 1e21


def scalar_text(value: str | float | bool | None) -> str:
    """A text, a number, a truth value or null as `String` gives it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST_WHOLE:
        return str(int(value))
    return str(value)


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
