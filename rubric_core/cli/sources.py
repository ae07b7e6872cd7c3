"""What a check was asked to look at: files, folders, patterns and standard input."""

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rubric_core.configuration.discovery import Discovery
from rubric_core.language.closest import closest
from rubric_core.loading.files import SUITE_NAMES, absolute, decoded, read_text

__all__ = ["STANDARD_INPUT", "Source", "Sources"]

STANDARD_INPUT = "-"
_MAGIC = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class Source:
    """One text to check."""

    #: As it was given, or found.
    shown: str
    #: Where it is, or would be; what is around it there counts.
    path: Path
    is_file: bool = True

    @property
    def place(self) -> Path | None:
        """Where it is, as far as anybody said so; None for standard input without a name."""
        return None if self.shown == STANDARD_INPUT else self.path

    def read(self) -> str:
        """The text. Raises UnreadableError."""
        return read_text(Path(self.shown)) if self.is_file else decoded(sys.stdin.buffer.read(), self.shown)


class Sources:
    """Finds what the names stand for, each file once."""

    def __init__(self, names: Iterable[str], discovery: Discovery, standard_input: str | None) -> None:
        """`standard_input` is the name under which `-` is read."""
        self._names = tuple(names)
        self._discovery = discovery
        self._standard_input = standard_input
        #: A sentence for each name behind which nothing was found.
        self.failures: list[str] = []

    def found(self) -> Iterator[Source]:
        """Everything there is to check."""
        seen: set[Path] = set()
        for name in self._names:
            for source in self._named(name):
                if source.path not in seen:
                    seen.add(source.path)
                    yield source
        self.failures += self._discovery.unreadable

    def _named(self, name: str) -> Iterator[Source]:
        if name == STANDARD_INPUT:
            shown = self._standard_input or name
            yield Source(shown, absolute(shown), is_file=False)
        elif Path(name).is_dir():
            yield from self._several(
                self._discovery.suites(name), f"{name}: no suites in this folder; rubric looks for {SUITE_NAMES}"
            )
        elif not os.path.lexists(name) and _MAGIC & set(name):
            yield from self._several(self._discovery.matching(name), f"{name}: no file matches this pattern")
        elif not os.path.lexists(name):
            self.failures.append(f"{name}: there is no such file{_advice(Path(name))}")
        else:
            yield Source(name, absolute(name))

    def _several(self, paths: Iterator[str], otherwise: str) -> Iterator[Source]:
        number = 0
        for path in paths:
            number += 1
            yield Source(path, absolute(path))
        if not number and not self._discovery.unreadable:
            self.failures.append(otherwise)


def _advice(path: Path) -> str:
    """The file that was probably meant."""
    try:
        meant = closest(path.name, os.listdir(path.parent))  # noqa: PTH208  # names only
    except OSError:
        return ""
    return f"; did you mean {path.parent / meant}?" if meant else ""
