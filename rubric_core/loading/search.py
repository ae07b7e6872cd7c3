"""Where the files are that a suite names: beside it, or in a directory above it."""

import os
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

from rubric_core.loading.project import Look
from rubric_core.ports import Files

__all__ = [
    "HOMES",
    "URL",
    "configuration_files",
    "current_directory",
    "directories_up",
    "find_file",
    "is_pattern",
    "places_of",
    "remembered",
    "without_function",
]

T = TypeVar("T")

#: The folders in which a repository keeps what its suites share: today's name, and an older one.
HOMES = (".agentv", ".agentevo")
#: Its configuration; what is said first counts.
_CONFIGURATIONS = ("config.local.yaml", "config.yaml", "config.yml")

#: In front of a path where a text could stand, too.
URL = "file://"
_PATTERN = re.compile(r"[*?\[]")
#: What may follow the path of a file with code. Behind an extension, so that it is no drive of Windows.
_FUNCTION = re.compile(r"(?:(?<=\.\w\w)|(?<=\.\w\w\w)):[A-Za-z_$][\w$.]*\Z")


def without_function(name: str) -> str:
    """The path in `make.py:cases` or `hooks.mjs:after.all`, a file with code and what in it is called."""
    return _FUNCTION.sub("", name)


def is_pattern(name: str) -> bool:
    """Whether a path stands for all that match it."""
    return _PATTERN.search(name) is not None


def remembered(files: Files, key: object, find: Callable[[Files], T]) -> T:
    """What `find` makes of the files. A look at a project remembers it, so that thousands of suites ask once per folder."""
    return files.once(key, find) if isinstance(files, Look) else find(files)


def directories_up(start: Path, files: Files) -> tuple[Path, ...]:
    """`start` and every directory above it up to the root of the repository, the top of the disk without one."""

    def find(files: Files) -> tuple[Path, ...]:
        found = []
        for each in (start, *start.parents):
            # One object for each directory: its hash is worked out once.
            directory, is_root = remembered(files, ("is a root", each), partial(_with_root, each))
            found.append(directory)
            if is_root:
                break
        return tuple(found)

    return remembered(files, ("directories up", start), find)


def _with_root(directory: Path, files: Files) -> tuple[Path, bool]:
    """A directory, and whether it is the root of a repository."""
    return directory, files.is_file(directory / ".git" / "HEAD") or files.is_file(directory / ".git")


def configuration_files(start: Path, files: Files) -> Iterator[Path]:
    """The configurations of the engine that there are for what stands in `start`, the nearest first."""
    for directory in directories_up(start, files):
        yield from _configurations_in(directory, files)


def _configurations_in(directory: Path, files: Files) -> tuple[Path, ...]:
    def find(files: Files) -> tuple[Path, ...]:
        places = (directory / home / name for home in HOMES for name in _CONFIGURATIONS)
        return tuple(path for path in places if files.is_file(path))

    return remembered(files, ("configurations in", directory), find)


def places_of(name: str, directory: Path, files: Files, fallback: Path | None = None) -> Iterator[Path]:
    """Where the file or directory `name` is looked for, in this order; `fallback` comes last."""
    path = Path(name)
    if path.is_absolute():
        yield path
    relative = name.lstrip("/\\")
    for place in (*directories_up(directory, files), *([fallback] if fallback else [])):
        yield Path(os.path.normpath(f"{place}{os.sep}{relative}"))


def current_directory() -> Path | None:
    """The directory that is looked into last; None when it was removed under the program, as happens to servers."""
    try:
        return Path.cwd()
    except OSError:
        return None


def find_file(name: str, directory: Path, files: Files, fallback: Path | None = None) -> Path | None:
    """The file that `name` refers to for a suite in `directory`."""
    return next((found for found in places_of(name, directory, files, fallback) if files.is_file(found)), None)
