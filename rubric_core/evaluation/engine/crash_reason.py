"""Why a case has no score after a crash: the machine lacks a resource, or rubric has a bug."""

import errno
import traceback
from pathlib import Path

from rubric_core.loading.directory_search import current_directory

__all__ = ["crash_reason"]

#: The resource that has run out, by error number.
_OUT_OF = {
    errno.EAGAIN: "processes and threads",
    errno.EMFILE: "open files",
    errno.ENFILE: "open files",
    errno.ENOMEM: "memory",
    errno.ENOSPC: "disk space",
    errno.EDQUOT: "disk space",
}
#: Python's message when it cannot start a thread.
_NO_THREAD = "can't start new thread"


def crash_reason(error: Exception, place: str) -> str:
    """The reason of an unscored case after an error that no code expected; `place` is where the case is, in words."""
    # Only the lookup of the current folder has no file name: a program has removed the folder.
    if isinstance(error, FileNotFoundError) and error.filename is None and current_directory() is None:
        return "the current folder is gone"
    missing = _missing_resource(error)
    if missing is not None:
        return f"this machine gave no more {missing}: run it again when there is more, or with fewer workers"
    places = traceback.extract_tb(error.__traceback__)
    where = f" at {Path(places[-1].filename).name}:{places[-1].lineno}" if places else ""
    return (
        f"rubric failed: {type(error).__name__}: {error}{where}; this is a mistake in rubric, please report it{place}"
    )


def _missing_resource(error: Exception) -> str | None:
    if isinstance(error, MemoryError):
        return "memory"
    if isinstance(error, RuntimeError) and _NO_THREAD in str(error):
        return _OUT_OF[errno.EAGAIN]
    return _OUT_OF.get(error.errno) if isinstance(error, OSError) and error.errno is not None else None
