"""Finds the files that a suite names: beside it, or in a parent directory."""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from rubric_core.file_access import Files
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.landmarks import CONFIGURATIONS, ROOTS
from rubric_core.loading.project import TrackedLookup

__all__ = [
    "SHARED_DEPTH",
    "URL",
    "configuration_files",
    "configurations_in",
    "current_directory",
    "directories_up",
    "find_directory",
    "find_file",
    "function_of",
    "is_pattern",
    "landmarks_in",
    "memoize_lookup",
    "places_of",
    "without_function",
    "working_directory",
]

T = TypeVar("T")

#: From this depth on, directories are searched one by one, without the cached result of their parent.
SHARED_DEPTH = 50
#: The prefix of a path where a plain text could be, too.
URL = "file://"
_PATTERN = pattern(r"[*?\[]")
#: The suffix of the path of a code file, after its extension, so that a drive of Windows does not match.
_FUNCTION = pattern(r"(?:(?<=\.\w\w)|(?<=\.\w\w\w)):[A-Za-z_$][\w$.]*\Z")


def without_function(name: str) -> str:
    """The path in `make.py:cases` or `hooks.mjs:after.all`: a code file and a function in it."""
    return _FUNCTION.sub("", name)


def function_of(name: str) -> str:
    """The function in `make.py:cases` or `hooks.mjs:after.all`; empty for a path alone."""
    return name[len(without_function(name)) + 1 :]


def is_pattern(name: str) -> bool:
    """Whether a path is a pattern."""
    return _PATTERN.search(name) is not None


def memoize_lookup(files: Files, key: object, find: Callable[[Files], T]) -> T:
    """The result of `find`, cached per project, so that thousands of suites search once per folder."""
    return files.once(key, find) if isinstance(files, TrackedLookup) else find(files)


def directories_up(start: Path, files: Files) -> tuple[Path, ...]:
    """`start` and its parents up to the root of the repository, or of the disk without one."""
    return memoize_lookup(files, ("directories up", start), partial(_directories_up, start))


def _directories_up(start: Path, files: Files) -> tuple[Path, ...]:
    above = start.parent
    if above == start or _is_root(start, files):
        return (start,)
    if len(start.parts) <= SHARED_DEPTH:
        # The results of a parent are the same for its whole content, and one object per directory is hashed once.
        return (start, *directories_up(above, files))
    found = [start]
    for each in start.parents:
        found.append(each)
        if _is_root(each, files):
            break
    return tuple(found)


def _is_root(directory: Path, files: Files) -> bool:
    """Whether a directory is the root of a repository."""
    return any(landmarks_in(directory, ROOTS, files))


def landmarks_in(directory: Path, names: Sequence[str], files: Files) -> Iterator[Path]:
    """The existing ones of some landmarks in that directory itself, in the order of `names`."""
    if isinstance(files, TrackedLookup):
        found = files.landmarks(directory)
        return (directory / name for name in names if name in found) if found else iter(())
    return (path for name in names if files.is_file(path := directory / name))


def configuration_files(start: Path, files: Files) -> Iterator[Path]:
    """The engine's configuration files that apply to `start`, the nearest first."""
    for directory in directories_up(start, files):
        yield from configurations_in(directory, files)


def configurations_in(directory: Path, files: Files) -> tuple[Path, ...]:
    """Those in that directory itself."""
    return tuple(landmarks_in(directory, CONFIGURATIONS, files))


def places_of(
    name: str, directory: Path, files: Files, fallback: Path | None = None, *, beside: bool = False
) -> Iterator[Path]:
    """The places where the file or directory `name` is searched, in order.

    They are `directory`, those above it and `fallback`; with `beside`, `directory` alone.
    """
    if beside:
        as_path = files.path if isinstance(files, TrackedLookup) else Path
        yield as_path(os.path.normpath(directory / name))
        return
    if os.path.isabs(name) and (path := Path(name)).is_absolute():  # noqa: PTH117  # false for what no path is absolute for
        yield path
    relative = name.lstrip("/\\")
    as_path = files.path if isinstance(files, TrackedLookup) else Path
    for place in directories_up(directory, files):
        yield as_path(os.path.normpath(f"{place}{os.sep}{relative}"))
    if fallback:
        yield as_path(os.path.normpath(f"{fallback}{os.sep}{relative}"))


def current_directory() -> Path | None:
    """The directory that is searched last; None if it was removed, as happens to servers."""
    try:
        return Path.cwd()
    except OSError:
        return None


def find_file(
    name: str, directory: Path, files: Files, fallback: Path | None = None, *, beside: bool = False
) -> Path | None:
    """The file of `name` for a suite in `directory`, as `places_of` searches it."""
    places = places_of(name, directory, files, fallback, beside=beside)
    return next((found for found in places if files.is_file(found)), None)


def find_directory(
    name: str, directory: Path, files: Files, fallback: Path | None = None, *, beside: bool = False
) -> Path | None:
    """The directory of `name` for a suite in `directory`, as `places_of` searches it."""
    places = places_of(name, directory, files, fallback, beside=beside)
    return next((found for found in places if files.is_directory(found)), None)


def working_directory(cwd: str | None, directory: Path, files: Files) -> Path:
    """Where the program of a grader runs: in `cwd`, which is searched as files are, or in the directory of the suite."""
    if not cwd:
        return directory
    return find_directory(cwd, directory, files, current_directory()) or directory / cwd
