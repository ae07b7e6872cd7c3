"""The forms in which a secret may be repeated: escaped, quoted, percent-encoded, in base64, in hex.

A form is a pattern with a few literal texts, one of which every match contains. They are found far faster than the
pattern, which is compiled once one of them occurs. Forms share them where they can: looking for them is what a search in a
text without secrets costs. No two repetitions in a pattern can match the same text, so that a
search takes time in proportion to the length of the text.
"""

import base64
import html
import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache, reduce
from html.entities import codepoint2name
from typing import NamedTuple
from urllib.parse import quote

__all__ = ["SecretForm", "secret_forms"]

#: The least letters and digits that tell a secret from ordinary text where its other characters are lost.
_TELLING = 6
#: Characters of base64 from which line breaks are looked for, and the shortest part between two that `base64` or PEM write.
_BROKEN, _UNBROKEN = 8, 30
#: White space in place of a space or line break: as messages are put on one line.
_WHITE = r"\s{1,200}"
_PARTS = re.compile(r"[0-9A-Za-z]+|[^0-9A-Za-z]+")
_UNITS = re.compile(r"\s+|.", re.DOTALL)
_ALPHANUMERIC = re.compile(r"[0-9A-Za-z]+")
#: What JSON and addresses leave as it is, and the least characters of its base64 that are looked for.
_UNESCAPED = re.compile(r"[0-9A-Za-z_.~-]+")
_SHARED = 10
_BREAK = r"(?:[\r\n\t ]|\\[rn]|%0[AaDd]){0,8}"
_BASE64 = "[0-9A-Za-z+/_-]?"
_PADDING = r"(?:=|%3[Dd]|\\u003[Dd]){0,2}"
_BASE64_SIGNS = {"+": r"(?:[+-]|%2[Bb]|\\u002[Bb])", "/": r"(?:[/_]|\\/|%2[Ff]|\\u002[Ff])"}

#: What programs write between the bytes of a text in hex.
_BETWEEN_BYTES = ("", " ", ":", "-")

#: The forms of a character in one style.
_Style = Callable[[str], tuple[str, ...]]
_Encoder = Callable[[str], str]


class SecretForm(NamedTuple):
    """One form of a secret."""

    #: Every match contains one of these; empty if only the pattern tells.
    anchors: tuple[str, ...]
    pattern: str


def secret_forms(secret: str) -> tuple[SecretForm, ...]:
    """Every form of a secret, as it is written first."""
    plain, escaped = dict.fromkeys(_plain_bytes(secret)), _escaped_bytes(secret)
    pairs = [data.hex(sign) if sign else data.hex() for data in plain for sign in _BETWEEN_BYTES]
    digits = (digits for pair in pairs for digits in (pair, pair.upper()))
    word = max(_UNESCAPED.findall(secret), key=len, default="").encode()
    return tuple(dict.fromkeys((
        _escaped(secret),
        *(SecretForm((each,), each) for each in digits),
        *(_base64_form(data, offset, word) for data in dict.fromkeys((*plain, *escaped)) for offset in range(3)),
    )))  # fmt: skip


def _plain_bytes(secret: str) -> Iterator[bytes]:
    """The bytes of a secret; older clients encode passwords in Latin-1."""
    yield secret.encode("utf-8", "replace")
    for encoding in ("latin-1", "cp1252"):
        if _has(secret, encoding):
            yield secret.encode(encoding)


def _escaped_bytes(secret: str) -> Iterator[bytes]:
    """The bytes of a secret in what is encoded as a whole: a token of JSON, an address."""
    for text in (_json(secret), _json_ascii(secret), quote(secret, errors="replace"), _all_percent(secret)):
        yield text.encode("utf-8", "replace")


# -- escaped --------------------------------------------------------------------------------------------------------------


def _escaped(secret: str) -> SecretForm:
    """The secret as it is, and with what is not a letter or digit escaped."""
    words = _ALPHANUMERIC.findall(secret)
    longest = max(words, key=len, default="")
    lossy = sum(map(len, words)) >= _TELLING
    parts = (
        each if each.isascii() and each.isalnum() else _signs(each, lossy=lossy) for each in _PARTS.findall(secret)
    )
    return SecretForm((longest,) if longest else (), "".join(parts))


def _signs(signs: str, *, lossy: bool) -> str:
    """A pattern for characters between words, all of them in the same style; what is longest is tried first."""
    found = dict[str, tuple[int, int]]()
    for style in (*_STYLES, *(_LOSSY if lossy else ())):
        units = [_unit(each, style) for each in _UNITS.findall(signs)]
        sizes = sum(least for _, least, _ in units), sum(most for _, _, most in units)
        found.setdefault("".join(pattern for pattern, _, _ in units), sizes)
    return f"(?:{'|'.join(sorted(found, key=lambda pattern: (*found[pattern], pattern), reverse=True))})"


def _unit(unit: str, style: _Style) -> tuple[str, int, int]:
    """The pattern for one character, or for white space together, and the least and most characters that it matches."""
    forms = [_forms(char, style) for char in unit]
    pattern = "".join(_any(each) for each in forms)
    if style is _raw and unit.isspace():
        pattern = f"(?:{pattern}|{_WHITE})"
    return pattern, sum(len(each[-1]) for each in forms), sum(len(each[0]) for each in forms)


@lru_cache(maxsize=4096)
def _forms(char: str, style: _Style) -> tuple[str, ...]:
    return tuple(sorted(dict.fromkeys(style(char)), key=lambda form: (-len(form), form)))


def _any(forms: tuple[str, ...]) -> str:
    return re.escape(forms[0]) if len(forms) == 1 else f"(?:{'|'.join(map(re.escape, forms))})"


def _raw(char: str) -> tuple[str, ...]:
    return (char,)


def _in_json(char: str) -> tuple[str, ...]:
    number = ord(char)
    units = [number] if number <= 0xFFFF else [0xD7C0 + (number >> 10), 0xDC00 + (number & 0x3FF)]
    escaped = "".join(f"\\u{unit:04x}" for unit in units)
    slash = ("\\/",) if char == "/" else ()
    return _json(char), escaped, escaped.upper().replace("U", "u"), *slash


def _in_html(char: str) -> tuple[str, ...]:
    number = ord(char)
    named = {**codepoint2name, ord("'"): "apos"}.get(number)
    return (
        char, f"&#{number};", f"&#{number:03};", f"&#x{number:x};", f"&#x{number:X};", f"&#x{number:02x};", f"&#x{number:02X};",
        *((f"&{named};",) if named else ()),
    )  # fmt: skip


def _in_address(char: str) -> tuple[str, ...]:
    return char, *_percent(char.encode("utf-8", "replace")), *(("+",) if char == " " else ())


def _in_old_address(char: str) -> tuple[str, ...]:
    return char, *(_percent(char.encode("cp1252")) if _has(char, "cp1252") else ())


def _percent(data: bytes) -> tuple[str, str]:
    return "".join(f"%{each:02X}" for each in data), "".join(f"%{each:02x}" for each in data)


def _in_code(char: str) -> tuple[str, ...]:
    """As Python, JavaScript and others write it in quotes."""
    number = ord(char)
    forms = [_json(char), repr(char)[1:-1], f"\\{char}" if char in "'\"`$\\" else char]
    if number < 0x100:
        forms += [f"\\x{number:02x}", f"\\x{number:02X}", f"\\{number:03o}"]
    elif number > 0xFFFF:
        forms += [f"\\U{number:08x}", f"\\u{{{number:x}}}"]
    return (*(forms if char != "\\" else ["\\\\"]), *_in_json(char)[1:3])


def _in_bytes(char: str) -> tuple[str, ...]:
    data = char.encode("utf-8", "replace")
    signs = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return (
        "".join(f"\\x{each:02x}" for each in data), "".join(f"\\{each:03o}" for each in data),
        *((signs.get(char, char), char) if char.isascii() else ()),
    )  # fmt: skip


def _in_shell(char: str) -> tuple[str, ...]:
    quoted = {"'": ("'\\''", "'\"'\"'", "''"), '"': ("'\"'", '""')}
    return (f"\\{char}", char, *quoted.get(char, ()))


def _doubled(char: str) -> tuple[str, ...]:
    return (char * 2,) if char in "'\"`%{}" else (char,)


def _decomposed(char: str) -> tuple[str, ...]:
    return (unicodedata.normalize("NFD", char),)


def _on_windows(char: str) -> tuple[str, ...]:
    return ("\r\n", "\\r\\n", "%0D%0A", "\\\\r\\\\n", "&#13;&#10;") if char == "\n" else (char,)


def _read_as(encoding: str, written_in: str = "utf-8") -> _Style:
    def style(char: str) -> tuple[str, ...]:
        return (char.encode(written_in).decode(encoding, "surrogateescape") if _has(char, written_in) else char,)

    return style


def _has(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _lost(char: str) -> tuple[str, ...]:
    """As a program prints what its encoding does not have."""
    return (char,) if char.isascii() else ("?", "�", "�" * len(char.encode("utf-8", "replace")))


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _json_ascii(text: str) -> str:
    return json.dumps(text)[1:-1]


def _all_percent(text: str) -> str:
    return quote(text, safe="", errors="replace")


def _then(style: _Style, *encoders: _Encoder) -> _Style:
    """A style whose forms are encoded once more."""
    return lambda char: tuple(reduce(lambda text, encode: encode(text), encoders, form) for form in style(char))


_FIRST: tuple[_Style, ...] = (
    _raw, _in_json, _in_html, _in_address, _in_old_address, _in_code, _in_bytes, _in_shell, _doubled, _on_windows,
)  # fmt: skip
_AGAIN: tuple[_Encoder, ...] = (
    _json, _json_ascii, html.escape, _all_percent, lambda text: _all_percent(text).lower(), lambda text: quote(text, errors="replace"),
)  # fmt: skip
_STYLES: tuple[_Style, ...] = (
    *_FIRST,
    *(_then(style, encode) for style in _FIRST for encode in _AGAIN),
    *(_then(_in_json, _json, encode) for encode in _AGAIN),
    _decomposed, _read_as("latin-1"), _read_as("cp1252"), _read_as("utf-8", "latin-1"), _read_as("utf-8", "cp1252"),
)  # fmt: skip
_LOSSY: tuple[_Style, ...] = (_lost,)


# -- base64 ---------------------------------------------------------------------------------------------------------------


def _base64_form(data: bytes, offset: int, word: bytes) -> SecretForm:
    """The base64 of a longer text with some bytes that begin in one of three places of a group; `word` is a part of them."""
    core = _base64_core(data, offset)
    broken = len(core) >= _BROKEN
    pattern = (_BREAK if broken else "").join(_BASE64_SIGNS.get(char, char) for char in core)
    # Those that depend on the neighbours, too, are hidden with them.
    return SecretForm(
        _base64_anchors(core, _base64_core(word, (offset + data.index(word)) % 3)),
        f"{_BASE64 if offset else ''}{pattern}{_BASE64 + _PADDING if (offset + len(data)) % 3 else ''}",
    )


def _base64_core(data: bytes, offset: int) -> str:
    """The characters of base64 that depend on these bytes alone."""
    end = offset + len(data)
    whole = base64.b64encode(bytes(offset) + data + bytes(-end % 3)).decode()
    return whole[-(-offset * 8 // 6) : end * 8 // 6]


def _base64_anchors(core: str, of_word: str) -> tuple[str, ...]:
    """What is looked for: of the part that all forms have, if it is long enough to tell, else of the whole."""
    source = of_word if len(of_word) >= _SHARED else core
    part = min(len(source) // 2, _UNBROKEN) if len(core) >= _BROKEN else len(core)
    # A line break cuts one of two parts at most.
    parts = (source[:part], source[part : 2 * part]) if len(core) >= _BROKEN else (core,)
    anchors = tuple(dict.fromkeys(max(_ALPHANUMERIC.findall(each), key=len, default="") for each in parts))
    return anchors if all(anchors) else ()
