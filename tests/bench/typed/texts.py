"""Correct texts of every dialect and file kind: the legal pages of the tests, each file beside the others that it needs."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "core"))

from harness import files
from test_legal import examples

__all__ = ["Text", "texts"]

_TYPED = (".yaml", ".yml", ".jsonl", ".md")
#: Characters; of longer ones every keystroke costs more, and shows nothing else.
_LONGEST = 1_500


@dataclass(frozen=True)
class Text:
    """A file that somebody writes, and the files around it."""

    about: str
    name: str
    text: str
    around: dict[str, str]


def texts() -> Iterator[Text]:
    """Every file of every page, once."""
    seen: set[str] = set()
    for about, page in examples():
        folder = files(page)
        for name, text in folder.items():
            if name.endswith(_TYPED) and text.strip() and len(text) <= _LONGEST and text not in seen:
                seen.add(text)
                yield Text(about, name, text, {n: t for n, t in folder.items() if n != name})
