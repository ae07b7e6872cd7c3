"""The notes of a migration from promptfoo: parts that were not carried over, and parts whose meaning changes."""

from typing import NamedTuple

__all__ = ["ConversionNote", "Notes"]


class ConversionNote(NamedTuple):
    """One sentence for the author."""

    #: The file that it is about, as messages name it, and the line, from 1.
    file: str
    line: int
    words: str
    #: Further lines of that file of which the same is true.
    more: tuple[int, ...] = ()

    def __str__(self) -> str:
        also = f" (also in {', '.join(map(str, self.more))})" if self.more else ""
        return f"{self.file}:{self.line}: {self.words}{also}"


class Notes:
    """Collects notes; the same sentence about several lines is one note."""

    def __init__(self) -> None:
        self._lines: dict[tuple[str, str], list[int]] = {}

    def add(self, file: str, line: int, words: str) -> None:
        """Note something about a line."""
        lines = self._lines.setdefault((file, words), [])
        if line not in lines:
            lines.append(line)

    def listed(self) -> list[ConversionNote]:
        """Every note, by file and line."""
        found = (
            ConversionNote(file, min(lines), words, tuple(sorted(lines)[1:]))
            for (file, words), lines in self._lines.items()
        )
        return sorted(found)
