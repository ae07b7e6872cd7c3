"""Which targets file applies to a suite: the first in its directory, else in its parents. Nothing here reads the content."""

import errno
from pathlib import Path

from rubric_core.file_access import Files
from rubric_core.loading.directory_search import directories_up, landmarks_in
from rubric_core.loading.landmarks import TARGET_FILES

__all__ = ["LARGEST", "find_targets", "has_targets", "unusable_targets"]

#: Bytes; a longer file cannot be read.
LARGEST = 2_000_000


def find_targets(directory: Path, files: Files, fallback: Path | None = None) -> Path | None:
    """The targets file for a suite in `directory`; `fallback` is searched last (the current directory)."""
    for place in (*directories_up(directory, files), *([fallback] if fallback else [])):
        found = _targets_beside(place, files)
        if found is not None:
            return found
    return None


def unusable_targets(directory: Path, files: Files, fallback: Path | None = None) -> tuple[str, str] | None:
    """Unreadable paths named like a targets file that precede the usable one, and why: a folder, a pipe."""
    for place in (*directories_up(directory, files), *([fallback] if fallback else [])):
        if has_targets(place, files):
            return None
        for name in TARGET_FILES:
            reason = _why_no_file(place / name, files)
            if reason:
                return name, reason
    return None


def _why_no_file(path: Path, files: Files) -> str:
    """Why a path cannot be read; empty if it does not exist."""
    try:
        files.read(path, LARGEST)
    except (FileNotFoundError, NotADirectoryError):
        return "this link points to nothing" if path.is_symlink() else ""
    except OSError as error:
        # A path that is too long does not exist.
        return "" if error.errno == errno.ENAMETOOLONG else error.strerror or str(error)
    return ""


def has_targets(directory: Path, files: Files) -> bool:
    """Whether there is a targets file in that directory itself."""
    return _targets_beside(directory, files) is not None


def _targets_beside(directory: Path, files: Files) -> Path | None:
    return next(landmarks_in(directory, TARGET_FILES, files), None)
