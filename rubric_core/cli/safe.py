"""Lines as a stream may have them: in characters that it can show, and with nothing that a terminal acts on."""

import re
from typing import TextIO

from rubric_core.cli.style import Style

__all__ = ["Safe"]

_ASCII = str.maketrans(
    {
        "✔": "+",
        "◐": "~",
        "✘": "x",
        "○": "o",
        "⟳": "*",
        "⚠": "!",
        "→": "->",
        "…": "...",
        "–": "-",
        "·": "|",
        "×": "x",
        "←": "<-",
        "�": "?",
    }
)
#: Colours, and characters that a terminal acts on.
_CONTROL = re.compile(r"\x1b\[[0-9;]*m|[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Safe:
    """Makes lines fit for a stream: what an answer or an id holds moves no cursor and sets no title."""

    def __init__(self, stream: TextIO) -> None:
        self.style = Style.of(stream)
        self._plain = not _can_say("✔", stream)

    def __call__(self, line: str) -> str:
        line = _CONTROL.sub(lambda found: found[0] if found[0].endswith("m") and self.style.colour else "�", line)
        return line.translate(_ASCII) if self._plain else line


def _can_say(text: str, stream: TextIO) -> bool:
    try:
        text.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
