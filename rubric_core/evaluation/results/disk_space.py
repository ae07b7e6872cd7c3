"""Whether a disk has room for the file that SQLite shares between processes, which it writes to as memory.

SQLite makes that file (`-shm`) with holes where the blocks of a file system are smaller than the pages of memory, or are given out
late. A process that touches a hole for which the disk has no block left is ended by SIGBUS, which nothing can catch: an editor would lose
its server, and a run its report. So nothing is opened that way on a disk that is nearly full.
"""

import errno
import os
from pathlib import Path

__all__ = ["is_nearly_full", "require_free_space"]

#: Bytes: four times the length of the file, which holds the places of 4,062 pages of the log.
_ROOM = 4 * 32_768


def is_nearly_full(folder: Path) -> bool:
    """Whether a file system has less room than that; False where the system does not tell, as Windows does not."""
    try:
        found = os.statvfs(folder)
    except (OSError, AttributeError):
        return False
    return found.f_blocks > 0 and found.f_bavail * found.f_frsize < _ROOM


def require_free_space(path: Path) -> None:
    """Raises OSError where there is no room to write safely to a database, whose folder may still have to be made."""
    if is_nearly_full(path.parent if path.parent.is_dir() else path.parents[1]):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
