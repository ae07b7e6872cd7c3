"""Files with environment variables, as promptfoo reads them (dotenv)."""

from collections.abc import Iterator

from rubric_core.lazy_compilation import pattern

__all__ = ["variables_in"]

_KEY = pattern(r"[ \t]{0,99}(?:export[ \t]{1,99})?(?P<name>[\w.-]{1,999})(?:[ \t]{0,99}=|:[ \t])[ \t]{0,99}")
_QUOTES = "'\"`"


def variables_in(text: str) -> dict[str, str]:
    """The variables that a file sets; the last one of a name counts."""
    return dict(_entries(text.replace("\r\n", "\n").replace("\r", "\n")))


def _entries(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(text):
        found = _KEY.match(text, at)
        if found is None:
            at = _end_of_line(text, at) + 1
            continue
        value, at = _value(text, found.end())
        yield found["name"], value


def _value(text: str, begin: int) -> tuple[str, int]:
    """The value that begins at an offset, and where its line ends: between quotes also over several lines."""
    quote = text[begin : begin + 1]
    close = _closing(text, begin) if quote and quote in _QUOTES else -1
    if close >= 0:
        return _expanded(quote, text[begin + 1 : close]), _end_of_line(text, close) + 1
    end = _end_of_line(text, begin)
    value = text[begin:end].partition("#")[0].strip()
    is_quoted = len(value) > 1 and value[0] in _QUOTES and value[0] == value[-1]
    return _expanded(value[:1], value[1:-1] if is_quoted else value), end + 1


def _expanded(quote: str, value: str) -> str:
    return value.replace("\\n", "\n").replace("\\r", "\r") if quote == '"' else value


def _closing(text: str, begin: int) -> int:
    """The quote that closes a value, after which only a comment may stand on the line; -1 without one."""
    quote, at = text[begin], begin
    while (at := text.find(quote, at + 1)) >= 0:
        if text[at - 1] != "\\":
            rest = text[at + 1 : _end_of_line(text, at)].strip()
            return at if not rest or rest.startswith("#") else -1
    return -1


def _end_of_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)
