"""Where the files are that a suite names: beside it, or in a directory above it."""

import re
from collections.abc import Iterator
from pathlib import Path

from rubric_core.loading.files import absolute
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
    "without_function",
]

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


def directories_up(start: Path, files: Files) -> Iterator[Path]:
    """`start` and every directory above it up to the root of the repository, the top of the disk without one."""
    for directory in (start, *start.parents):
        yield directory
        if files.is_file(directory / ".git" / "HEAD") or files.is_file(directory / ".git"):
            return


def configuration_files(start: Path, files: Files) -> Iterator[Path]:
    """The configurations of the engine that there are for what stands in `start`, the nearest first."""
    for directory in directories_up(start, files):
        places = (directory / home / name for home in HOMES for name in _CONFIGURATIONS)
        yield from (path for path in places if files.is_file(path))


def places_of(name: str, directory: Path, files: Files, fallback: Path | None = None) -> Iterator[Path]:
    """Where the file or directory `name` is looked for, in this order; `fallback` comes last."""
    path = Path(name)
    if path.is_absolute():
        yield path
    relative = name.lstrip("/\\")
    for place in (*directories_up(directory, files), *([fallback] if fallback else [])):
        yield absolute(place / relative)


def current_directory() -> Path | None:
    """The directory that is looked into last; None when it was removed under the program, as happens to servers."""
    try:
        return Path.cwd()
    except OSError:
        return None


def find_file(name: str, directory: Path, files: Files, fallback: Path | None = None) -> Path | None:
    """The file that `name` refers to for a suite in `directory`."""
    return next((found for found in places_of(name, directory, files, fallback) if files.is_file(found)), None)
