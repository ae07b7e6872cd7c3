"""The files that match a pattern with `*`, `?`, `[…]` or `**`. The search is bounded."""

import os
from collections import deque
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import NamedTuple

from rubric_core.file_access import Files
from rubric_core.loading.directory_search import is_pattern
from rubric_core.loading.files import absolute
from rubric_core.loading.project import TrackedLookup

__all__ = ["TOO_MANY_FOLDERS", "PathMatches", "path_matches"]

#: The maximum number of folders listed for one pattern. A repository has fewer; a whole disk has more.
_MOST_LISTED = 5_000
#: The reason for no result, for the author of the pattern.
TOO_MANY_FOLDERS = f"more than {_MOST_LISTED:,} folders would have to be searched; begin the pattern with a folder"


class PathMatches(NamedTuple):
    """The matching files, ordered by name."""

    paths: tuple[Path, ...] = ()
    #: Whether the search was given up: then nothing is found.
    given_up: bool = False

    @property
    def files_first(self) -> tuple[Path, ...]:
        """Of each folder first its files, then its folders, both in descending order."""
        return tuple(sorted(self.paths, key=_is_file_and_name, reverse=True))


def _is_file_and_name(path: Path) -> list[tuple[bool, bytes]]:
    """For each part of a path, whether it is the file, and its name."""
    return [(place == len(path.parts), os.fsencode(part)) for place, part in enumerate(path.parts, start=1)]


def path_matches(pattern: str, bases: Iterable[Path], files: Files) -> PathMatches:
    """The files that match `pattern`, relative to the first of some directories in which there is one.

    `**` does not enter directories with a dot in front, and no directory is entered twice, in whichever ways links and
    `**` lead there.
    """
    listed = 0
    for base in bases:
        found: set[Path] = set()
        seen: set[tuple[str, int]] = set()
        waiting = deque([(base, PurePath(pattern).parts)])
        while waiting:
            here, parts = waiting.popleft()
            real = files.real_path(here) if isinstance(files, TrackedLookup) else os.path.realpath(here)
            key = (real, len(parts))
            if key in seen:
                continue
            seen.add(key)
            head, rest = parts[0], parts[1:]
            if not is_pattern(head):
                place = absolute(here / head)
                if rest:
                    waiting.append((place, rest))
                elif files.is_file(place):
                    found.add(place)
                continue
            listed += 1
            if listed > _MOST_LISTED:
                return PathMatches(given_up=True)
            if head == "**" and rest:
                waiting.append((here, rest))
            for name in files.names(here):
                place = here / name
                if head == "**":
                    if not name.startswith(".") and files.is_directory(place):
                        waiting.append((place, parts))
                elif PurePath(name).match(head):
                    if rest and files.is_directory(place):
                        waiting.append((place, rest))
                    elif not rest and files.is_file(place):
                        found.add(place)
        if found:
            return PathMatches(tuple(sorted(found)))
    return PathMatches()
