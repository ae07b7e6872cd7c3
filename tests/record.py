"""Records: files of short lines that say what came out of much, each line with a checksum of all that it stands for.

A plain run compares exactly, UPDATE=1 writes the record anew, and people read the difference.
"""

import os
import re
import zlib
from collections.abc import Iterable
from difflib import unified_diff
from pathlib import Path

__all__ = ["UPDATING", "checksum", "compare", "shortened"]

UPDATING = bool(os.environ.get("UPDATE"))
_LONGEST, _SHOWN = 90, 60
_LONG_NUMBER = re.compile(r"\b\d+\.\d{9,}(?:e-?\d+)?\b")
#: Characters of a difference that are shown.
_DIFFERENCE = 4000


def compare(path: Path, lines: Iterable[str]) -> None:
    """Lines are those of a record, or become it with UPDATE=1."""
    text = "".join(f"{line}\n" for line in lines)
    if UPDATING:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    known = path.read_text(encoding="utf-8")
    changed = "\n".join(unified_diff(known.splitlines(), text.splitlines(), n=0, lineterm=""))
    assert not changed, f"{path.name} is another one now, see UPDATE=1:\n{changed[:_DIFFERENCE]}"


def checksum(text: str) -> str:
    """Eight digits that a text has in common with few others. Of a number, what sums of other releases of Python agree in."""
    text = _LONG_NUMBER.sub(lambda found: f"{float(found[0]):.6g}", text)
    return f"{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}"


def shortened(text: str) -> str:
    """A text, cut where it is long: then with its length and its checksum."""
    return text if len(text) <= _LONGEST else f"{text[:_SHOWN]}… {len(text)} {checksum(text)}"
