"""Secrets, and how programs and servers write them."""

import base64
import csv
import html
import io
import json
import random
import shlex
from collections.abc import Callable
from urllib.parse import quote, quote_plus
from xml.sax.saxutils import quoteattr

__all__ = ["FORMS", "base64_at", "generated"]

#: What secrets are made of: words, and what is escaped somewhere.
WORDS = ("hunter", "s3cret", "Zx9", "a", "n", "u00e4", "PASS", "7")
SIGNS = (
    '"',
    "\\",
    "&",
    "<",
    ">",
    "ä",
    "ß",
    "‹",
    "›",
    "😀",
    "'",
    "/",
    "+",
    " ",
    "  ",
    "\n",
    "\r\n",
    "\t",
    "%",
    "=",
    "-",
    "_",
    "$",
    "`",
    "{{",
    "п",
)


def generated(seed: int) -> str:
    """A secret: letters and digits alone, or with signs between and around them."""
    chance = random.Random(seed)
    while True:
        parts = [chance.choice(WORDS if chance.random() < 0.5 else SIGNS) for _ in range(chance.randint(2, 9))]
        found = "".join(parts).strip()
        if len(found) >= 6:
            return found


def base64_at(offset: int, coded: Callable[[bytes], bytes] = base64.b64encode) -> Callable[[str], str]:
    return lambda text: coded(b"abc"[:offset] + text.encode() + b"xyz"[: 2 - offset]).decode()


def written_as_csv(text: str) -> str:
    out = io.StringIO()
    csv.writer(out).writerow([text, "x"])
    return out.getvalue()


#: How programs and servers write a text.
FORMS: dict[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "JSON": json.dumps,
    "JSON without escapes": lambda text: json.dumps(text, ensure_ascii=False),
    "JSON of Go": lambda text: json.dumps(text).replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"),
    "JSON of PHP": lambda text: json.dumps(text).replace("/", "\\/"),
    "JSON in JSON": lambda text: json.dumps(json.dumps({"error": text})),
    "JSON in JSON without escapes": lambda text: json.dumps(json.dumps([text], ensure_ascii=False), ensure_ascii=False),
    "JSON in JSON in JSON": lambda text: json.dumps(json.dumps(json.dumps(text))),
    "HTML": html.escape,
    "HTML without quotes": lambda text: html.escape(text, quote=False),
    "HTML in ASCII": lambda text: html.escape(text).encode("ascii", "xmlcharrefreplace").decode(),
    "JSON in HTML": lambda text: html.escape(json.dumps(text)),
    "HTML in JSON": lambda text: json.dumps(html.escape(text)),
    "XML": quoteattr,
    "percent": quote,
    "percent, all": lambda text: quote(text, safe=""),
    "percent, lower case": lambda text: "".join(c if c.isascii() and c.isalnum() else quote(c, safe="").lower() for c in text),
    "percent, as components": lambda text: quote(text, safe="!'()*~"),
    "percent, as users": lambda text: quote(text, safe="!$&'()*+,;="),
    "form": quote_plus,
    "percent, twice": lambda text: quote(quote(text, safe=""), safe=""),
    "JSON, percent": lambda text: quote(json.dumps(text)),
    "shell": shlex.quote,
    "Python": repr,
    "Python, ASCII": ascii,
    "bytes of Python": lambda text: repr(text.encode()),
    "CSV": written_as_csv,
    "on one line": lambda text: " ".join(text.split()),
    "hex": lambda text: text.encode().hex(),
    "hex, upper case": lambda text: text.encode().hex().upper(),
    "hex, byte by byte": lambda text: text.encode().hex(" "),
    "hex, byte by byte in upper case": lambda text: text.encode().hex(":").upper(),
    "Basic": lambda text: f"Basic {base64.b64encode(f'me:{text}'.encode()).decode()}",
    "JSON in a token": lambda text: base64.urlsafe_b64encode(json.dumps({"key": text}).encode()).decode().rstrip("="),
    "base64 in lines": lambda text: base64.encodebytes(f"{'x' * 50}{text}{'y' * 50}".encode()).decode(),
    "base64 in JSON": lambda text: json.dumps(base64.encodebytes(f"{'x' * 50}{text}{'y' * 50}".encode()).decode()),
    **{f"base64 at {n}": base64_at(n) for n in range(3)},
    **{f"base64 for URLs at {n}": base64_at(n, base64.urlsafe_b64encode) for n in range(3)},
    **{f"base64 at {n}, percent": base64_at(n, lambda data: quote(base64.b64encode(data), safe="").encode()) for n in range(3)},
}  # fmt: skip
