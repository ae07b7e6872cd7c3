"""Whether files differ from the index of a repository. Starts no program, and reads a file only where its times do not decide."""

import hashlib
import os
import stat
import struct
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rubric_core.disk import read_file

__all__ = ["differs_from_index"]

#: Bytes of an index, and of a file whose content is compared.
_LARGEST = 500_000_000
_HEADER = struct.Struct(">4sII")
#: Times and place, mode, owner and size of a file when it was added.
_STATUS = struct.Struct(">10I")
_FLAGS = struct.Struct(">H")
#: Of the flags: further ones follow; the file is taken to be unchanged; the length of its name, if it is shorter.
_EXTENDED, _ASSUMED, _NAME = 0x4000, 0x8000, 0x0FFF
#: Of the further ones: the file is not in the working tree.
_SKIPPED = 0x4000
_LINK, _SUBMODULE, _FOLDER = 0o120000, 0o160000, 0o040000
_EXTENSION_OF_SPLIT = b"link"


class _Entry(NamedTuple):
    path: bytes
    mode: int
    size: int
    #: Seconds, and nanoseconds of them.
    changed: tuple[int, int]
    name: bytes


def differs_from_index(root: Path, folder: Path, until: float) -> bool:
    """Whether a file below `root` is not as the index in the folder of git says. Submodules are left out.

    Raises OSError or ValueError for an index that cannot be read, also when the time `until` has passed.
    """
    index = folder / "index"
    written = index.stat().st_mtime_ns
    for entry in _entries(read_file(index, _LARGEST)):
        if time.monotonic() > until:
            raise ValueError("it takes too long")
        if _differs(os.path.join(os.fsencode(root), entry.path), entry, written):  # noqa: PTH118  # bytes
            return True
    return False


def _differs(path: bytes, entry: _Entry, written: int) -> bool:
    try:
        found = os.lstat(path)
    except OSError:
        return True
    if stat.S_IFMT(found.st_mode) != stat.S_IFMT(entry.mode):
        return True
    if (
        sys.platform != "win32"
        and entry.mode != _LINK
        and bool(found.st_mode & stat.S_IXUSR) != bool(entry.mode & 0o100)
    ):
        return True
    if found.st_size & 0xFFFFFFFF == entry.size and _unchanged(found, entry, written):
        return False
    return _named(path, entry) != entry.name


def _unchanged(found: os.stat_result, entry: _Entry, written: int) -> bool:
    """Whether its time says that it is the file that was added. One as new as the index may have been changed since."""
    seconds, nanoseconds = divmod(found.st_mtime_ns, 1_000_000_000)
    same = entry.changed == (seconds & 0xFFFFFFFF, nanoseconds if entry.changed[1] else 0)
    return same and found.st_mtime_ns < written


def _named(path: bytes, entry: _Entry) -> bytes:
    """The name that git gives to the content as it is; a filter or a conversion of line breaks may give another."""
    content = os.readlink(path) if entry.mode == _LINK else read_file(Path(os.fsdecode(path)), _LARGEST)  # noqa: PTH115  # bytes
    digest = hashlib.new("sha1" if len(entry.name) == 20 else "sha256", usedforsecurity=False)
    digest.update(b"blob %d\0" % len(content) + content)
    return digest.digest()


def _entries(index: bytes) -> Iterator[_Entry]:
    """The files of an index, of versions 2 to 4. Raises ValueError or struct.error for another."""
    magic, version, count = _HEADER.unpack_from(index)
    if magic != b"DIRC" or version not in (2, 3, 4):
        raise ValueError("no index")
    length = _name_length(index)
    at, path = _HEADER.size, b""
    for _ in range(count):
        begin = at
        _, _, seconds, nanoseconds, _, _, mode, _, _, size = _STATUS.unpack_from(index, at)
        at += _STATUS.size
        name = index[at : at + length]
        at += length
        (flags,) = _FLAGS.unpack_from(index, at)
        at += _FLAGS.size
        further = 0
        if flags & _EXTENDED:
            (further,) = _FLAGS.unpack_from(index, at)
            at += _FLAGS.size
        if version == 4:
            kept, at = _varint(index, at)
            end = index.index(b"\0", at)
            path = path[: len(path) - kept] + index[at:end]
            at = end + 1
        else:
            end = index.index(b"\0", at)
            path = index[at:end]
            at = begin + (end - begin + 8) // 8 * 8
        if not flags & _ASSUMED and not further & _SKIPPED and mode not in (_SUBMODULE, _FOLDER):
            yield _Entry(path, mode, size, (seconds, nanoseconds), name)
    if _EXTENSION_OF_SPLIT in _extensions(index, at, len(index) - length):
        raise ValueError("a split index: most files are in another one")


def _extensions(index: bytes, at: int, end: int) -> Iterator[bytes]:
    while at + 8 <= end:
        yield index[at : at + 4]
        at += 8 + int.from_bytes(index[at + 4 : at + 8], "big")


def _name_length(index: bytes) -> int:
    """The bytes of a name of content, which the checksum at the end of the index has as well."""
    for length, kind in ((20, "sha1"), (32, "sha256")):
        if hashlib.new(kind, index[:-length], usedforsecurity=False).digest() == index[-length:]:
            return length
    return 20  # written without a checksum


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number as git writes it, and the place after it."""
    value = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        value = ((value + 1) << 7) | (data[at] & 0x7F)
    return value, at + 1
