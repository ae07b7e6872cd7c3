"""System locks on files that several processes read and write.

A lock file, or a journal beside it, may be in a repository of unknown origin: links are not followed, so that no other
file is truncated or written to, and pipes do not block.
"""

import contextlib
import errno
import os
import stat
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

__all__ = ["OPEN_LOCK", "locked", "open_own_file", "system_locks"]

#: How a lock file is opened.
OPEN_LOCK = os.O_WRONLY | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
_ONLY_HERE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
#: The mode of files with answers: readable by the owner alone.
_PRIVATE = 0o600
#: Seconds between two tries.
_PAUSE = 0.01
#: How often a lock file may look replaced: on some file systems, no file keeps its identity.
_MOST_MISMATCHES = 10


def system_locks() -> Any:
    """The module of the file locks of POSIX; None without one, as on Windows."""
    with contextlib.suppress(ImportError):
        import fcntl  # noqa: PLC0415  # not on Windows

        return fcntl
    return None


def _windows_locks() -> Any:
    """The module of the file locks of Windows; None elsewhere."""
    with contextlib.suppress(ImportError):
        import msvcrt  # noqa: PLC0415  # on Windows alone

        return msvcrt
    return None


def open_own_file(name: str | os.PathLike[str], flags: int) -> int:
    """Open a file of rubric's own; a new one is private. Raises OSError, also for links and non-files."""
    file = os.open(name, flags | _ONLY_HERE, _PRIVATE)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise OSError(errno.EINVAL, "this is not a regular file", os.fspath(name))
    return file


@contextlib.contextmanager
def locked(path: Path, patience: float | None = None) -> Iterator[None]:
    """Hold a lock file where the system has such locks, and remove it afterwards, except on Windows.

    On Windows, another process could not open the file in the instant in which it is removed.

    Args:
        path: The lock file; its folder has to exist.
        patience: Seconds to wait for another process, which may have been stopped; None waits for as long as it takes.

    Raises OSError.
    """
    locks, windows = system_locks(), _windows_locks()
    end = None if patience is None else time.monotonic() + patience
    if locks is not None:
        file = _lock_file_in_place(locks, path, end)
        try:
            yield
        finally:
            with contextlib.suppress(OSError):  # of a folder that has become read-only
                if not _is_removed(file, path):
                    path.unlink()
            os.close(file)
    elif windows is not None:
        file = open_own_file(path, OPEN_LOCK)
        try:
            _wait_for(partial(_try_to_lock_on_windows, windows, file), path, end)
            try:
                yield
            finally:  # closing the file does not release it at once
                windows.locking(file, windows.LK_UNLCK, 1)
        finally:
            os.close(file)
    else:
        yield


def _lock_file_in_place(locks: Any, path: Path, end: float | None) -> int:
    """The open lock file, locked: not one that its holder removed while this waited for it."""
    mismatches = 0
    while True:
        file = open_own_file(path, OPEN_LOCK)
        try:
            if end is None:
                locks.flock(file, locks.LOCK_EX)
            else:
                _wait_for(partial(_try_to_lock, locks, file), path, end)
            if not _is_removed(file, path) or mismatches == _MOST_MISMATCHES:
                return file
            mismatches += os.fstat(file).st_nlink > 0
        except BaseException:
            os.close(file)
            raise
        os.close(file)


def _is_removed(file: int, path: Path) -> bool:
    """Whether an open file is no longer at its path."""
    found = os.fstat(file)
    try:
        return found.st_nlink == 0 or not os.path.samestat(found, path.lstat())
    except FileNotFoundError:
        return True


def _wait_for(try_to_lock: Callable[[], bool], path: Path, end: float | None) -> None:
    began = time.monotonic()
    while not try_to_lock():
        if end is not None and time.monotonic() >= end:
            raise OSError(errno.EAGAIN, f"another process has locked it for {end - began:g} s", str(path))
        time.sleep(_PAUSE)


def _try_to_lock(locks: Any, file: int) -> bool:
    try:
        locks.flock(file, locks.LOCK_EX | locks.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _try_to_lock_on_windows(locks: Any, file: int) -> bool:
    """Lock the first byte, which need not exist."""
    try:
        locks.locking(file, locks.LK_NBLCK, 1)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EDEADLK):
            raise
        return False
    return True
