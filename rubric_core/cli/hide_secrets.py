"""A file as it may be shown: without the value of a key that is for secrets, and without passwords in addresses.

A finding about another key, or a mistake in the syntax, shows the lines above, or one that holds more.
"""

import re
from collections.abc import Iterator

from rubric_core.syntax.parse import parse
from rubric_core.syntax.tree import Alias, Mapping, Node, Scalar, walk
from rubric_core.text import Span

__all__ = ["hide_secrets"]

#: How a name ends that is for a secret. `max_tokens` counts tokens, and an author is no secret.
_NAME = (
    r"(?:(?:api|access|auth|private|secret|subscription)[_-]?key"
    r"|token|secret|passw(?:or)?d|passphrase|authorization|credentials?|bearer|cookie)"
)
_IS_SECRET = re.compile(rf"(?:.{{0,200}}[^a-z])?[a-z]{{0,40}}{_NAME}\Z", re.IGNORECASE | re.DOTALL)
#: How keys of well-known services look, wherever they stand: behind a key that is misspelt, in a command line.
_KNOWN = (
    r"(?<![\w-])(?:sk-[\w-]{8}|gh[pousr]_\w{8}|github_pat_\w{8}|glpat-[\w-]{8}|hf_\w{16}|xox[abeprs]-[\w-]{8}"
    r"|AKIA[0-9A-Z]{12}|AIza[\w-]{16}|eyJ[\w-]{8,400}\.[\w-]{8})[\w.-]*"
)
_KNOWN_KEY = re.compile(_KNOWN)
#: A text without any of these has none: the end of such a name, the end of a password, an escape that may be a part of a name.
_SIGN = re.compile(rf"(?i:{_NAME})|@|\\[xu]|{_KNOWN}")
#: A key for a secret in a text that is no YAML. What is behind it is its value, or the lines below that are further in.
_KEY = rf"(?<![\w-])[\"']?[\w-]{{0,40}}{_NAME}[\"']?[ \t]{{0,9}}:"
_ENDS_WITH_KEY = re.compile(
    rf"{_KEY}[ \t]{{0,99}}(?:[|>][-+0-9]{{0,2}}[ \t]{{0,99}})?(?:#.{{0,300}})?\Z", re.IGNORECASE
)
_SECRET = re.compile(
    rf"{_KEY}[ \t]*(?P<value>\"(?:[^\"\\]|\\.)*\"?|'[^']*'?|[^\s\"'#|>&*{{\[][^,}}\]#]*)", re.IGNORECASE
)
_PASSWORD = re.compile(r"(?<=://)[^\s/:@\"']{0,200}:(?P<value>[^\s/@\"']{1,200})(?=@)")
#: What leads to a secret and is none: references to the environment, or the name of a variable.
_REFERENCES = re.compile(r"(\$?\{\{[^{}]{0,200}\}\}|\$\{\w{1,100}\}|\$[A-Z_][A-Z0-9_]{0,99}\b)")
_VARIABLE = re.compile(r"[\"']?(?:[A-Z]+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]*)+)[\"']?\s*\Z")
_SHOWN = re.compile(r"\S")
_BREAK = re.compile(r"(?<=\n)")


def hide_secrets(text: str) -> str:
    """The text with an asterisk for each character of a secret; everything stays where it is."""
    if _SIGN.search(text) is None:
        return text
    shown = _KNOWN_KEY.sub(lambda found: "*" * len(found[0]), text)
    shown = _PASSWORD.sub(_with_hidden_value, shown)
    tree = parse(text)
    spans = sorted({span for node in walk(tree.root) if isinstance(node, Mapping) for span in _secrets(node, text)})
    parts: list[str] = []
    at = 0
    for span in spans:
        if span.start >= at:
            parts += (shown[at : span.start], _hidden(shown[span.start : span.end]))
            at = span.end
    shown = "".join([*parts, shown[at:]])
    return "".join(_by_lines(shown)) if tree.problems else shown


def _secrets(node: Mapping, text: str) -> Iterator[Span]:
    """Where the values stand that must not be shown, in the entries of a mapping."""
    for entry in node.entries:
        if entry.name is not None and _IS_SECRET.match(entry.name):
            yield from (_content(value, text) for value in _values(entry.value))


def _values(node: Node) -> Iterator[Scalar]:
    """The values in a node; those that an alias stands for are written elsewhere."""
    for each in walk(node):
        found = each.target if isinstance(each, Alias) else each
        yield from (inner for inner in (walk(found) if found is not each else (each,)) if isinstance(inner, Scalar))


def _content(value: Scalar, text: str) -> Span:
    """Where the text of a value stands: of one in a block, below the line with its sign."""
    if not value.is_block:
        return value.span
    begin = text.find("\n", value.span.start, value.span.end)
    return Span(value.span.end if begin < 0 else begin, value.span.end)


def _by_lines(text: str) -> Iterator[str]:
    """A text of which no tree can be made, so that what was read of it may be something else."""
    inside: int | None = None
    for line in _BREAK.split(text):
        body = line.lstrip(" \t")
        blank = len(line) - len(body)
        if inside is not None and (blank > inside or not body.strip()):
            yield line[:blank] + _hidden(body)
            continue
        inside = blank if _ENDS_WITH_KEY.search(line.rstrip()) else None
        yield _SECRET.sub(_with_hidden_value, line)


def _with_hidden_value(found: re.Match[str]) -> str:
    return found[0][: found.start("value") - found.start()] + _hidden(found["value"])


def _hidden(value: str) -> str:
    """A value with asterisks; references in it are shown, for they say where a secret comes from."""
    if _VARIABLE.match(value):
        return value
    parts = _REFERENCES.split(value)
    # A quote around a reference alone is no secret.
    if all(not part.strip(" \t\n\"'") for part in parts[::2]):
        return value
    return "".join(part if number % 2 else _SHOWN.sub("*", part) for number, part in enumerate(parts))
