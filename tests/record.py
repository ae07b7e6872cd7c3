"""Records: files of short lines that summarize results, each line with a checksum of everything that it stands for.

A plain run compares exactly, and UPDATE=1 rewrites the record. A sample of the lines is compared with those of the record. RECORDED=FOLDER writes each text that a checksum stands for into a file
of that folder: run the test with it before and after a change, and compare the files of a line's two checksums.
"""

import os
import re
import zlib
from collections.abc import Iterable
from difflib import unified_diff
from pathlib import Path

from thorough import THOROUGH

__all__ = ["UPDATING", "WHOLE", "checksum", "compare", "is_sampled", "shortened"]

UPDATING = bool(os.environ.get("UPDATE"))
#: Whether records are compared whole; before a commit, a sample of the long ones is. `make mutation` sets the variable.
WHOLE = THOROUGH or UPDATING or bool(os.environ.get("RUBRIC_WHOLE_RECORDS"))
_IN_FULL = os.environ.get("RECORDED")
_LONGEST, _SHOWN = 90, 60
_LONG_NUMBER = re.compile(r"\b\d+\.\d{9,}(?:e-?\d+)?\b")
#: Characters of a difference that are shown.
_DIFFERENCE = 4000


def is_sampled(name: str, step: int) -> bool:
    """Whether a line about `name` is compared: one in `step`, always the same ones, unless all are."""
    return WHOLE or zlib.crc32(name.encode("utf-8", "surrogatepass")) % step == 0


def compare(path: Path, lines: Iterable[str], *, is_sample: bool = False) -> None:
    """Lines are those of a record, or become it with UPDATE=1; a sample of lines is among them, in their order."""
    text = "".join(f"{line}\n" for line in lines)
    if is_sample and not UPDATING:
        known = iter(path.read_text(encoding="utf-8").splitlines())
        lost = [line for line in text.splitlines() if line not in known]
        assert not lost, f"{path.name} changes; UPDATE=1 rewrites it:\n{lost[0][:_DIFFERENCE]}"
        return
    if UPDATING:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    known = path.read_text(encoding="utf-8")
    changed = "\n".join(unified_diff(known.splitlines(), text.splitlines(), n=0, lineterm=""))
    assert not changed, (
        f"{path.name} changes; UPDATE=1 rewrites it, RECORDED=FOLDER shows what is behind it:\n{changed[:_DIFFERENCE]}"
    )


def checksum(text: str) -> str:
    """The checksum of a text, with long numbers rounded: their last digits differ between releases of Python."""
    data = _LONG_NUMBER.sub(lambda found: f"{float(found[0]):.6g}", text).encode("utf-8", "surrogatepass")
    number = f"{zlib.crc32(data):08x}"
    if _IN_FULL:
        Path(_IN_FULL).mkdir(parents=True, exist_ok=True)
        Path(_IN_FULL, f"{number}.txt").write_bytes(data)
    return number


def shortened(text: str) -> str:
    """A text, cut where it is long: then with its length and its checksum."""
    return text if len(text) <= _LONGEST else f"{text[:_SHOWN]}… {len(text)} {checksum(text)}"
