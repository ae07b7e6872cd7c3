"""Patterns for paths, as in .gitignore: relative to a folder, and the last one that matches decides."""

# Paths as text: every file of a tree is looked at.
# ruff: noqa: PTH100

import os
import re
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

__all__ = ["Patterns", "braces"]

_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")


class Patterns:
    """Some patterns and the folder that they are relative to. Immutable."""

    def __init__(self, folder: Path | str, lines: Iterable[str], *, any_case: bool = False) -> None:
        """Raises ValueError for a line that is no pattern."""
        self.folder = os.path.abspath(folder)
        self.lines = tuple(line.lower() if any_case else line for line in lines)
        self._any_case = any_case
        self._spec = _compiled(self.lines)

    def __bool__(self) -> bool:
        return self._spec is not None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Patterns) and (self.folder, self.lines) == (other.folder, other.lines)

    def __hash__(self) -> int:
        return hash((self.folder, self.lines))

    def __repr__(self) -> str:
        return f"Patterns({self.folder!r}, {self.lines!r})"

    def decide(self, path: Path | str, *, is_folder: bool = False) -> bool | None:
        """True: matched; False: matched by a line with `!`; None: matched by no line, or not below the folder."""
        if self._spec is None:
            return None
        whole = os.path.abspath(path)
        base = self.folder if self.folder.endswith(os.sep) else self.folder + os.sep
        if not whole.startswith(base):
            return None
        inner = whole[len(base) :].replace(os.sep, "/") + ("/" if is_folder else "")
        return self._spec.check_file(inner.lower() if self._any_case else inner).include


def _compiled(lines: Sequence[str]) -> "GitIgnoreSpec | None":
    if not any(line.strip() and not line.startswith("#") for line in lines):
        return None
    # Only where there is a pattern: a check without any shall not wait for it.
    from pathspec import GitIgnoreSpec  # noqa: PLC0415

    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", FutureWarning
            )  # what Python may one day read otherwise is no news for authors
            return GitIgnoreSpec.from_lines(lines)
    except re.error as error:
        raise ValueError(str(error)) from error


def braces(pattern: str) -> list[str]:
    """`pattern` with every `{a,b}` written out, which .gitignore does not know."""
    found = _BRACES.search(pattern)
    if found is None:
        return [pattern]
    choices = found[1].split(",")
    return [each for choice in choices for each in braces(pattern[: found.start()] + choice + pattern[found.end() :])]
