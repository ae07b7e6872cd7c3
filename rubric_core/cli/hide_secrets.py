"""Masks secrets in a file before lines of it are shown: values of keys with secret names, passwords in addresses, well-known keys.

So are what files of other programs keep secret (`.env`, `.npmrc`, `.netrc`, Docker's `config.json`, PEM): a suite may quote them.
A finding is shown with the lines around it, so that a secret may be shown though nothing is wrong with it.
"""

import re
from collections.abc import Iterable, Iterator

from rubric_core.language.secret_names import WELL_KNOWN_KEY
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.parse import LARGEST, parse
from rubric_core.syntax.tree import Alias, Mapping, Node, Scalar, walk
from rubric_core.text import Span

__all__ = ["hidden_spans", "hide_secrets", "with_hidden"]

#: The end of a key that holds a secret. `max_tokens` and `author` do not end like this.
_NAME = (
    r"(?:(?:api|access|auth|private|secret|subscription)[_-]?key"
    r"|token|secret|passw(?:or)?d|passphrase|authorization|credentials?|bearer|cookie)"
)
_IS_SECRET = pattern(rf"(?:.{{0,200}}[^a-z])?[a-z]{{0,40}}{_NAME}\Z", re.IGNORECASE | re.DOTALL)
#: A text without any of these holds no secret: the end of such a key, of a password in an address, or an escape, which may hide a key.
_SIGNS = (
    "key",
    "token",
    "secret",
    "passw",
    "passphrase",
    "authorization",
    "credential",
    "bearer",
    "cookie",
    "auth:",
    "auth=",
    'auth"',
    "auth'",
    "auth ",
    "-----begin",
    "@",
    "\\x",
    "\\u",
)
#: The same for the keys of well-known services, which are written as they are.
_KNOWN_SIGNS = (
    "sk-",
    "ghp_",
    "gho_",
    "ghu_",
    "ghr_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "hf_",
    "xox",
    "AKIA",
    "AIza",
    "eyJ",
)
#: A key with a secret name, for files with syntax errors: its value is the rest of the line, or the lines below with more indentation.
_KEY = rf"(?<![\w-])[\"']?[\w-]{{0,40}}{_NAME}[\"']?[ \t]{{0,9}}:"
_ENDS_WITH_KEY = pattern(rf"{_KEY}[ \t]{{0,99}}(?:[|>][-+0-9]{{0,2}}[ \t]{{0,99}})?(?:#.{{0,300}})?\Z", re.IGNORECASE)
#: Characters of the longest match of it, and more: only so much of a line is searched.
_LONGEST_KEY = 700
_SECRET = pattern(rf"{_KEY}[ \t]*(?P<value>\"(?:[^\"\\]|\\.)*\"?|'[^']*'?|[^\s\"'#|>&*{{\[][^,}}\]#]*)", re.IGNORECASE)
#: A word, up to a character that ends it in a shell, an address or a list; quotes keep words together.
_WORD = r"(?:\$\{\{[^{}\n]{0,200}\}\}|\"[^\"\n]{0,2000}\"?|'[^'\n]{0,2000}'?|[^\s\"',;&)}\]]{1,2000})"
#: `NAME=value` of shells, `.env` and `.npmrc`; with spaces around it, as in INI files, at the start of a line; and `--token value` of programs.
_ASSIGNED = pattern(
    rf"(?:(?<![\w.-])[\w.-]{{0,60}}(?:{_NAME}|_auth)=(?![=>])|^[ \t]{{0,40}}[\w.-]{{0,60}}{_NAME}[ \t]{{1,20}}=[ \t]{{1,20}}(?=[^\s=>])"
    rf"|(?<!\S)--[\w-]{{0,60}}{_NAME}[ \t]{{1,9}}(?=[^\s-]))(?P<value>{_WORD})",
    re.IGNORECASE | re.MULTILINE,
)
#: `password value` of `.netrc`: after the other words of an entry, or alone on a line.
_NETRC = pattern(
    r"(?:\b(?:login|machine|account)[ \t]{1,9}\S{1,200}[ \t]{1,9}|^[ \t]{0,40}(?=\S{1,20}[ \t]{1,9}\S{1,2000}[ \t]*$))"
    r"passw(?:or)?d[ \t]{1,9}(?P<value>[^\s:=]\S{0,2000})",
    re.IGNORECASE | re.MULTILINE,
)
#: Docker's `"auth": "…"`, which is a name and a password in base64.
_LOGIN = pattern(
    r"(?<![\w-])[\"']?_?auth[\"']?[ \t]{0,9}[:=][ \t]{0,9}[\"']?(?P<value>[A-Za-z0-9+/_-]{8,2000}={0,2})(?![\w-])",
    re.IGNORECASE,
)
#: What is in a PEM block, which a missing end makes everything below.
_PEM = pattern(r"-----BEGIN [A-Z0-9 ]{1,60}-----(?P<value>(?:(?!-----END).){1,100000})", re.DOTALL)
_PASSWORD = pattern(r"(?<=://)[^\s/:@\"']{0,200}:(?P<value>[^\s/@\"']{1,200})(?=@)")
#: References to environment variables are shown: they name a secret but do not contain it.
_REFERENCES = pattern(r"(\$?\{\{[^{}]{0,200}\}\}|\$\{\w{1,100}\}|\$[A-Z_][A-Z0-9_]{0,99}\b)")
_VARIABLE = pattern(r"[\"']?(?:[A-Z]+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]*)+)[\"']?\s*\Z")
_ASTERISKS = pattern(r"\*+")
_SHOWN = pattern(r"\S")
_BREAK = pattern(r"(?<=\n)")
#: Characters of a text that is too large to be read, of which its first line is shown: to look through 15 MB takes up to 25 s.
_OF_REFUSED = 20_000


def hide_secrets(text: str) -> str:
    """The text with every character of a secret replaced by an asterisk; offsets and lines stay the same.

    Of a text that is too large to be read there is only the beginning, where it is said that it is too large.
    """
    if len(text) > LARGEST:
        return hide_secrets(text[:_OF_REFUSED])
    # Fifty times faster than an expression, which most texts of a check would go through for nothing.
    folded = text.casefold()
    if not any(sign in folded for sign in _SIGNS) and not any(sign in text for sign in _KNOWN_SIGNS):
        return text
    shown = WELL_KNOWN_KEY.sub(lambda found: "*" * len(found[0]), text)
    for secret in (_PASSWORD, _PEM, _ASSIGNED, _NETRC, _LOGIN):
        shown = secret.sub(_with_hidden_word, shown)
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


def hidden_spans(text: str) -> tuple[Span, ...]:
    """What `hide_secrets` replaces, in the order of the text; of one that is too large, also everything but the beginning."""
    if len(text) > LARGEST:
        return (*hidden_spans(text[:_OF_REFUSED]), Span(_OF_REFUSED, len(text)))
    shown = hide_secrets(text)
    if shown is text:
        return ()
    runs = (Span(*found.span()) for found in _ASTERISKS.finditer(shown))
    return tuple(span for span in runs if text[span.start : span.end] != shown[span.start : span.end])


def with_hidden(text: str, hidden: Iterable[Span]) -> str:
    """The text with an asterisk for every character of some spans, which are in its order."""
    parts: list[str] = []
    at = 0
    for start, end in hidden:
        parts += (text[at:start], "*" * (end - start))
        at = end
    return "".join([*parts, text[at:]])


def _secrets(node: Mapping, text: str) -> Iterator[Span]:
    """The spans of the secret values in a mapping."""
    for entry in node.entries:
        if entry.name is not None and _IS_SECRET.match(entry.name):
            yield from (_content(value, text) for value in _values(entry.value))


def _values(node: Node) -> Iterator[Scalar]:
    """The scalars in a node, including those that its aliases refer to."""
    for each in walk(node):
        found = each.target if isinstance(each, Alias) else each
        yield from (inner for inner in (walk(found) if found is not each else (each,)) if isinstance(inner, Scalar))


def _content(value: Scalar, text: str) -> Span:
    """The span of a value; of a block scalar only the lines below its `|` or `>`."""
    if not value.is_block:
        return value.span
    begin = text.find("\n", value.span.start, value.span.end)
    return Span(value.span.end if begin < 0 else begin, value.span.end)


def _by_lines(text: str) -> Iterator[str]:
    """The lines of a text with syntax errors, masked by how each line looks: its tree may be wrong."""
    inside: int | None = None
    for line in _BREAK.split(text):
        body = line.lstrip(" \t")
        blank = len(line) - len(body)
        if inside is not None and (blank > inside or not body.strip()):
            yield line[:blank] + _hidden(body)
            continue
        inside = blank if _ENDS_WITH_KEY.search(line.rstrip()[-_LONGEST_KEY:]) else None
        yield _SECRET.sub(_with_hidden_value, line)


def _with_hidden_value(found: re.Match[str]) -> str:
    return found[0][: found.start("value") - found.start()] + _hidden(found["value"])


def _with_hidden_word(found: re.Match[str]) -> str:
    """As `_with_hidden_value`, where a word in capitals is a value, too, and not the name of a variable."""
    return found[0][: found.start("value") - found.start()] + _masked(found["value"])


def _hidden(value: str) -> str:
    """A masked value; references to variables stay, since they show where the secret comes from."""
    return value if _VARIABLE.match(value) else _masked(value)


def _masked(value: str) -> str:
    parts = _REFERENCES.split(value)
    # Only references, blanks and quotes.
    if all(not part.strip(" \t\n\"'") for part in parts[::2]):
        return value
    return "".join(part if number % 2 else _SHOWN.sub("*", part) for number, part in enumerate(parts))
