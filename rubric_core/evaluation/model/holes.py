"""Holes: the places in a planned command or URL whose text each case fills in, and patterns of texts with holes.

A hole is its name between NUL characters, which no argument, variable, path or URL can have, so that no suite can write one.
"""

import os
import re
import tempfile
from collections.abc import Iterable, Sequence
from functools import lru_cache

from rubric_core.lazy_compilation import pattern

__all__ = ["FOLDER", "REPEATED", "fits", "has_hole", "hole", "hole_names", "shown", "temporary_folders"]

_MARK = "\0"
_HOLE = pattern(r"\0([^\0]*)\0")
#: Begin and end of a part that occurs any number of times, as in an argument for each file.
REPEATED = ("\0(\0", "\0)\0")
#: Stands for the folder of the suites, where plans of two places are compared.
FOLDER = "\0folder\0"
#: A text as `shlex.quote` writes it: it is one word for any shell.
_QUOTED = r"(?:'[^']*(?:'\"'\"'[^']*)*'|[A-Za-z0-9_@%+=:,./-]+)"
#: The names of holes whose texts are of one form.
_FORMS = {"attempt": r"[0-9]+", "number": r"[0-9]+"}


def hole(name: str) -> str:
    """The hole with a name."""
    return f"{_MARK}{name}{_MARK}"


def has_hole(text: str) -> bool:
    """Whether a text has a hole."""
    return _MARK in text


def hole_names(text: str) -> list[str]:
    """The names of the holes in a text, in order, without the marks of repeated parts."""
    return [name for name in _HOLE.findall(text) if name not in ("(", ")")]


def shown(text: str) -> str:
    """A text with its holes as people read them: `{prompt}`; a variable as `$NAME`, a repeated part with `…`."""
    return _HOLE.sub(lambda found: _SHOWN.get(found[1]) or _word(found[1]), text)


_SHOWN = {"(": "[", ")": "…]", "folder": "."}


def _word(name: str) -> str:
    return name if name.startswith("$") else f"{{{name}}}"


def fits(planned: Sequence[str], texts: Sequence[str], *, in_shell: int = -1) -> bool:
    """Whether texts are what is planned, with anything in its holes.

    Args:
        planned: Words with holes.
        texts: Words without.
        in_shell: The number of the word that a shell reads, from 0: there, a hole is one quoted word.
    """
    if tuple(planned) == tuple(texts):  # some variables are holes in both: they are of one case
        return True
    if not any(_MARK in word for word in planned):
        return False
    # No word has a NUL, so that it separates them.
    joined = "".join(f"{text}{_MARK}" for text in texts)
    if any(_MARK in text for text in texts):
        return False
    return _compiled(tuple(planned), in_shell, temporary_folders()).fullmatch(joined) is not None


def temporary_folders() -> tuple[str, ...]:
    """The folder for temporary files, as it is named and with its links resolved."""
    named = tempfile.gettempdir()
    return tuple(dict.fromkeys((named, os.path.realpath(named))))


@lru_cache(maxsize=1000)
def _compiled(planned: tuple[str, ...], in_shell: int, temporary: tuple[str, ...]) -> "re.Pattern[str]":
    made = []
    for number, word in enumerate(planned):
        if word in REPEATED:
            made.append("(?:" if word == REPEATED[0] else ")*")
        else:
            made.append(f"{''.join(_parts(word, temporary, quoted=number == in_shell))}{_MARK}")
    return re.compile("".join(made), re.DOTALL)


def _parts(word: str, temporary: Sequence[str], *, quoted: bool) -> Iterable[str]:
    """The pattern of one word, part by part."""
    inside, unit = False, list[str]()
    for number, part in enumerate(_HOLE.split(word)):
        is_hole = number % 2 == 1
        if is_hole and part == "(":
            inside, unit = True, []
        elif is_hole and part == ")":
            inside = False
            one = "".join(unit)
            yield f"(?:{one}(?: {one})*)?"
        else:
            text = _form(part, temporary, quoted=quoted) if is_hole else re.escape(part)
            if inside:
                unit.append(text)
            else:
                yield text


def _form(name: str, temporary: Sequence[str], *, quoted: bool) -> str:
    if name in _FORMS:
        return _FORMS[name]
    if name in ("scratch", "workspace"):
        places = "|".join(re.escape(each) for each in temporary)
        return rf"(?:{places})/rubric-[\w-]+{'/workspace' if name == 'workspace' else ''}"
    return _QUOTED if quoted else r"[^\0]*"
