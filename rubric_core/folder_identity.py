"""Which folder it is: another one at the same path is not the same folder."""

import os
import sys
from pathlib import Path

__all__ = ["folder_identity"]


def folder_identity(folder: Path) -> list[int] | None:
    """The inode and time of creation of a folder, as inodes are reused; its device if that time is unknown. None for a missing folder."""
    try:
        found = folder.stat()
    except (OSError, ValueError):
        return None
    birth = getattr(found, "st_birthtime_ns", None) or getattr(found, "st_birthtime", None)
    if birth is None and sys.platform == "linux":
        birth = _born(folder)
    # Some disks get another device number at each boot.
    return [0 if birth else found.st_dev, found.st_ino, int(birth or 0)]


#: Constants of statx(2): no base folder, the requested field, and its place in the result.
_HERE, _BIRTH, _MASK_AT, _SECONDS_AT, _NANOSECONDS_AT, _SIZE = -100, 0x800, 0, 80, 88, 256


def _born(folder: Path) -> int:
    """The time of creation of a folder in nanoseconds; 0 if unknown. Python has no statx(2)."""
    import ctypes  # noqa: PLC0415  # only where somebody trusts a folder

    found = ctypes.create_string_buffer(_SIZE)
    try:
        failed = ctypes.CDLL(None).statx(_HERE, os.fsencode(folder), 0, _BIRTH, found)
    except (OSError, AttributeError):  # a C library without it
        return 0
    answer = found.raw
    if failed or not int.from_bytes(answer[_MASK_AT : _MASK_AT + 4], sys.byteorder) & _BIRTH:
        return 0
    seconds = int.from_bytes(answer[_SECONDS_AT : _SECONDS_AT + 8], sys.byteorder, signed=True)
    return seconds * 10**9 + int.from_bytes(answer[_NANOSECONDS_AT : _NANOSECONDS_AT + 4], sys.byteorder)
