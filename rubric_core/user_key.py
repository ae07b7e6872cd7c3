"""The key with which this user's rubric signs what must not come with a repository.

Caches, stored results and the memory of trusted folders are signed with it: what somebody else wrote does not count.
"""

import contextlib
import os
from pathlib import Path

from rubric_core.disk import read_file
from rubric_core.user_dirs import user_directory

__all__ = ["user_key"]

_KEY_BYTES = 32
#: Seconds to wait for another process that creates the key.
_PATIENCE = 10.0


def user_key() -> bytes:
    """The key of 32 bytes, created if necessary. Raises OSError, and ValueError for an invalid key file."""
    file = user_directory("XDG_STATE_HOME", ".local", "state") / "rubric" / "cache.key"
    with contextlib.suppress(FileNotFoundError):
        return _read(file)
    from rubric_core.atomic_write import write_file  # noqa: PLC0415  # only the first use creates a key
    from rubric_core.file_lock import locked  # noqa: PLC0415  # as above

    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with locked(file.with_name(f"{file.name}.lock"), _PATIENCE):
        if not file.exists():  # else another process was faster
            write_file(file, os.urandom(_KEY_BYTES), private=True)
    return _read(file)


def _read(file: Path) -> bytes:
    key = read_file(file, _KEY_BYTES)
    if len(key) != _KEY_BYTES:
        raise ValueError(f"{file} is not a key; delete it, and the next command makes another")
    return key
