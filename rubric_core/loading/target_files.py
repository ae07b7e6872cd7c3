"""Which target file counts for a suite: the first in its directory, else in those above. Nothing here reads the content."""

import errno
from pathlib import Path

from rubric_core.file_access import Files
from rubric_core.loading.directory_search import directories_up, landmarks_in
from rubric_core.loading.landmarks import TARGET_FILES

__all__ = ["LARGEST", "find_targets", "has_targets", "unusable_targets"]

#: Bytes; a longer file cannot be read.
LARGEST = 2_000_000


def find_targets(directory: Path, files: Files, fallback: Path | None = None) -> Path | None:
    """The target file for a suite in `directory`; `fallback` is looked at last (the current directory)."""
    for place in (*directories_up(directory, files), *([fallback] if fallback else [])):
        found = _targets_beside(place, files)
        if found is not None:
            return found
    return None


def unusable_targets(directory: Path, files: Files, fallback: Path | None = None) -> tuple[str, str] | None:
    """Paths with the name of a target file, nearer than the first usable one, that cannot be used, and why: a folder, a pipe."""
    for place in (*directories_up(directory, files), *([fallback] if fallback else [])):
        if has_targets(place, files):
            return None
        for name in TARGET_FILES:
            reason = _why_no_file(place / name, files)
            if reason:
                return name, reason
    return None


def _why_no_file(path: Path, files: Files) -> str:
    """Why what stands there cannot be read; empty where nothing does."""
    try:
        files.read(path, LARGEST)
    except (FileNotFoundError, NotADirectoryError):
        return "this link points to nothing" if path.is_symlink() else ""
    except OSError as error:
        # Where the path is too long, nothing can stand.
        return "" if error.errno == errno.ENAMETOOLONG else error.strerror or str(error)
    return ""


def has_targets(directory: Path, files: Files) -> bool:
    """Whether there is a target file for what stands in that very directory."""
    return _targets_beside(directory, files) is not None


def _targets_beside(directory: Path, files: Files) -> Path | None:
    return next(landmarks_in(directory, TARGET_FILES, files), None)
