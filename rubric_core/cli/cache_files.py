"""The files in `.rubric/cache` of a project, in which checks keep findings for later checks.

Each is signed with the user's key, so that a file that comes with a repository, to hide its mistakes, is ignored.
"""

# Paths as strings: a check without other work needs only these.
# ruff: noqa: PTH100, PTH109, PTH120, PTH208

import json
import os
import sys
import time
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

import rubric_core
from rubric_core.signed_files import SignedFile
from rubric_core.user_dirs import hide
from rubric_core.user_key import user_key

__all__ = ["CacheFile", "digest"]

#: Bytes; larger files are neither written nor read.
_LARGEST = 64_000_000
#: The number of files of one kind, of which the oldest is replaced.
_MOST_FILES = 8
#: Seconds after which temporary files of a killed check are removed.
_LEFT_BEHIND = 3600


def digest(content: bytes) -> str:
    """The digest of a content."""
    return blake2b(content, digest_size=16).hexdigest()


class CacheFile:
    """A cache file of the same version of rubric, the same user and the same path."""

    def __init__(self, folder: Path, kind: str, wanted: object) -> None:
        """Raises OSError and ValueError without a key to sign it with.

        Args:
            folder: The cache, see `cache_folder`.
            kind: The kind of content, which is the first part of its name.
            wanted: Everything that affects the content, as plain data.
        """
        self._kind = f"{kind}-"
        key = user_key()
        described = json.dumps([_program(), sys.version, os.getcwd(), wanted])
        self._file = folder / f"{self._kind}{digest(described.encode())}.json"
        self._signed = SignedFile(self._file, key, _LARGEST)

    def read(self) -> bytes:
        """The text written last. Raises OSError, and ValueError for another signature."""
        return self._signed.read()

    def write(self, text: bytes) -> None:
        """Replace the text. Raises OSError."""
        from rubric_core.atomic_write import write_file  # noqa: PLC0415  # most checks write nothing

        if len(text) < _LARGEST:
            hide(self._file.parent.parent)
            self._file.parent.mkdir(parents=True, exist_ok=True)
            write_file(self._file, self._signed.signed(text), 0o600)
            self._clear()

    def _clear(self) -> None:
        """Delete the oldest files, and temporary files of killed checks."""
        files = sorted(((e.stat().st_mtime, e.name) for e in os.scandir(self._file.parent)), reverse=True)
        whole = [name for _, name in files if name.startswith(self._kind)]
        half = [name for at, name in files if name.startswith(".") and at < time.time() - _LEFT_BEHIND]
        for name in (*whole[_MOST_FILES:], *half):
            (self._file.parent / name).unlink(missing_ok=True)


def _program() -> list[object]:
    """The identity of rubric: its version, the stamps of its code, and the packages that it can import."""
    home = os.path.dirname(os.path.abspath(rubric_core.__file__))
    packages = [name for folder in sys.path for name in _packages_in(folder)]
    return [rubric_core.__version__, home, digest(repr(sorted(_code_below(home))).encode()), sorted(packages)]


def _code_below(folder: str) -> Iterator[tuple[str, int, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _code_below(entry.path)
            elif entry.name.endswith((".py", ".json", ".md")):
                status = entry.stat()
                yield entry.path, status.st_size, status.st_mtime_ns


def _packages_in(folder: str) -> list[str]:
    try:
        return [name for name in os.listdir(folder or ".") if name.endswith((".dist-info", ".egg-info"))]
    except OSError:
        return []
