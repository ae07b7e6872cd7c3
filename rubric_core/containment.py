"""Where a path leads: a command on a folder reads and writes nothing outside of that folder, or of its repository."""

# Paths as text: asked for each link of a large folder.
# ruff: noqa: PTH100, PTH114, PTH118, PTH120, PTH121

import os
from pathlib import Path

__all__ = ["OUTSIDE", "bounds_of", "is_inside", "is_repository", "leads_outside"]

#: Why a link is left alone.
OUTSIDE = "it is a link to a file outside of this folder and its repository"


def bounds_of(folder: Path | str) -> str:
    """The real path of the repository that a folder is in, or of the folder itself where there is none."""
    real = here = os.path.realpath(folder)
    while not is_repository(here):
        above = os.path.dirname(here)
        if above == here:
            return real
        here = above
    return here


def is_repository(folder: str) -> bool:
    """Whether a folder is the root of a repository."""
    return os.path.lexists(os.path.join(folder, ".git"))


def is_inside(path: Path | str, bounds: str) -> bool:
    """Whether a file is below `bounds`, with all links resolved. A name in other letters is the same where the disk says so."""
    real = os.path.realpath(path)
    if real.startswith(os.path.join(bounds, "")):
        return True
    above = os.path.dirname(real)
    while above != os.path.dirname(above):
        if above.casefold() == bounds.casefold() and _is_same(above, bounds):
            return True
        above = os.path.dirname(above)
    return False


def leads_outside(path: Path | str) -> bool:
    """Whether a file is a link that leads out of its folder and the repository of that."""
    return os.path.islink(path) and not is_inside(path, bounds_of(os.path.dirname(os.path.abspath(path))))


def _is_same(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False
