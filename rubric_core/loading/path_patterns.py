"""Patterns for paths, as in .gitignore: relative to a folder, and the last one that matches decides."""

# Paths as text: every file of a tree is looked at.
# ruff: noqa: PTH100

import os
import re
import warnings
from collections.abc import Iterable, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

__all__ = ["Patterns", "braces"]

_BRACES = re.compile(r"\{([^{},]*,[^{}]*)\}")
#: The maximum number of patterns from one with braces, and of its characters in a message.
_MOST, _SHOWN = 1000, 60
# The library's regular expressions for `*`, for `/**/`, and for a pattern that matches at any depth.
_STAR, _FOLDERS, _ANYWHERE = "[^/]*", "(?:/.+)?/", "^(?:.+/)?"
_STARS = re.compile(r"(?:\[\^/\]\*){2,}")
#: A character class, or an escaped character.
_SET = re.compile(r"(\\.|\[\^/\])|\[\^?\]?(?:\\.|[^\]\\])*(?:\]|\\?\Z)")
#: A star, and the text before the next one.
_STAR_BEFORE_STAR = re.compile(
    r"\[\^/\]\*((?:\\.|\[\^/\](?![*+])|\(\?!/\)\[\^?\]?(?:\\.|[^\]\\])*\]|[^][\\()|?*+/^$.])+)(?=\[\^/\]\*)"
)


class Patterns:
    """Some patterns and the folder that they are relative to. Immutable."""

    def __init__(self, folder: Path | str, lines: Iterable[str], *, any_case: bool = False) -> None:
        """Raises ValueError for an invalid pattern."""
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
    # Imported only if there is a pattern.
    from pathspec import GitIgnoreSpec  # noqa: PLC0415

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # a FutureWarning is no news for authors
            spec = GitIgnoreSpec.from_lines(lines)
    except re.error as error:
        raise ValueError(str(error)) from error
    for pattern in spec.patterns:
        regex = getattr(pattern, "regex", None)
        if regex is not None and (text := without_backtracking(regex.pattern)) != regex.pattern:
            pattern.regex = re.compile(text)
    return spec


def without_backtracking(regex: str) -> str:
    """The library's regular expression for a pattern, changed so that each `*` and `**` takes the first place at which the rest up to the next star matches.

    If another star follows, no later place can do better. The library tries them all: a pattern with ten stars never
    ends on a name of 200 characters.
    """
    numbers = count()

    def first(lazy: str, rest: str) -> str:
        name = f"first_{next(numbers)}"
        return f"(?=(?P<{name}>{lazy}{rest}))(?P={name})"

    # As in git, no character class contains the slash.
    sets = _SET.sub(lambda found: f"(?!/){found[0]}" if found[1] is None else found[0], _STARS.sub(_STAR, regex))
    within = _STAR_BEFORE_STAR.sub(lambda found: first("[^/]*?", found[1]), sets)
    start, *middle = within.split(_FOLDERS)
    if not middle:
        return within
    if start.startswith(_ANYWHERE):
        start = "^" + first("(?:.+?/)??", f"{start[len(_ANYWHERE) :]}(?=/)")
    between = [first("(?:/.+?)??/", f"{each}(?=/)") for each in middle[:-1]]
    return "".join([start, *between, _FOLDERS, middle[-1]])


def braces(pattern: str) -> list[str]:
    """`pattern` with every `{a,b}` expanded, which .gitignore does not support. Raises ValueError for too many expansions."""
    made, ready = [pattern], list[str]()
    while made:
        each = made.pop()
        found = _BRACES.search(each)
        if found is None:
            ready.append(each)
        else:
            choices = found[1].split(",")
            made += [each[: found.start()] + choice + each[found.end() :] for choice in reversed(choices)]
        if len(made) + len(ready) > _MOST:
            raise ValueError(f"`{pattern[:_SHOWN]}` stands for more than {_MOST:,} patterns")
    return ready
