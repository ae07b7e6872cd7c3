"""Whether a disk has room for the file that SQLite shares between processes as memory.

SQLite creates that file (`-shm`) with holes if the blocks of the file system are smaller than memory pages, or are
allocated late. A process that touches a hole without a free block on the disk is killed by SIGBUS, which cannot be
caught: an editor would lose its server, and a run its report. So nothing is opened that way on a nearly full disk.
"""

import errno
import os
from pathlib import Path

__all__ = ["is_nearly_full", "require_free_space"]

#: Bytes: four times the length of the shared file, which indexes 4,062 pages of the log.
_ROOM = 4 * 32_768


def is_nearly_full(folder: Path) -> bool:
    """Whether a file system has less free space than that; False if the system does not report it, as on Windows."""
    try:
        found = os.statvfs(folder)
    except (OSError, AttributeError):
        return False
    return found.f_blocks > 0 and found.f_bavail * found.f_frsize < _ROOM


def require_free_space(path: Path) -> None:
    """Raises OSError without enough free space to write a database safely; its folder may not exist yet."""
    if is_nearly_full(path.parent if path.parent.is_dir() else path.parents[1]):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
