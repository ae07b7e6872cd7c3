"""Lines of a file as they may be shown: without the value of a key that is for secrets.

A finding about another key, or a mistake in the syntax, shows the line above or the whole line too.
"""

import re

__all__ = ["hide_secrets"]

#: A key for a secret at the end of a line: its value is on the next one. `max_tokens` counts tokens.
_KEY = (
    r"(?<![\w-])[\"']?[\w-]{0,40}(?:api[_-]?key|token|secret|passw(?:or)?d|authorization|credentials?)[\"']?[ \t]{0,9}:"
)
_ENDS_WITH_KEY = re.compile(
    rf"{_KEY}[ \t]{{0,99}}(?:[|>][-+0-9]{{0,2}}[ \t]{{0,99}})?(?:#.{{0,300}})?\Z", re.IGNORECASE
)
_SECRET = re.compile(
    rf"{_KEY}[ \t]+(?P<value>\"(?:[^\"\\]|\\.)*\"?|'[^']*'?|[^\s\"'#|>&*{{\[][^,}}\]#]*)", re.IGNORECASE
)
#: What leads to a secret and is none: a reference to the environment, or the name of a variable.
_REFERENCE = re.compile(r"[\"']?(?:\$\{?\w|[A-Z][A-Z0-9_]*[\"']?[ \t]*\Z)")


def hide_secrets(line: str, above: str = "") -> str:
    """A line, or a part of one, with an asterisk for each character of a secret; `above` is the line above."""
    if _ENDS_WITH_KEY.search(above) and ":" not in line:
        blank = len(line) - len(line.lstrip())
        return line[:blank] + _hidden(line[blank:])
    return _SECRET.sub(lambda found: found[0][: found.start("value") - found.start()] + _hidden(found["value"]), line)


def _hidden(value: str) -> str:
    body = value.rstrip()
    if "{{" in body or _REFERENCE.match(body):
        return value
    return "*" * len(body) + value[len(body) :]
