"""Lists that promptfoo writes as a text with commas."""

from rubric_core.lazy_compilation import pattern

__all__ = ["comma_values"]

#: Each character has one reading, except a backslash before the last quote: with two, a row of them would be tried in
#: 2^n ways.
_FIELD = pattern(r'"((?:\\["\\]|""|[^"\\]|\\(?!["\\]))*\\?)"\s*(?=,|\Z)|([^",][^,]*)')
_IN_QUOTES = pattern(r'\\(["\\])|"(")')


def comma_values(text: str) -> list[str]:
    """The parts of a text with commas; quotes keep commas together. Raises ValueError for a quote that is not closed before a comma."""
    found: list[str] = []
    at = 0
    while True:
        while at < len(text) and (text[at].isspace() or text[at] == ","):
            at += 1
        if at >= len(text):
            return found
        field = _FIELD.match(text, at)
        if field is None:
            raise ValueError("a quote that is not closed before a comma")
        quoted = field[1]
        found.append(_IN_QUOTES.sub(lambda m: m[1] or m[2], quoted) if quoted is not None else field[2].strip())
        at = field.end()
