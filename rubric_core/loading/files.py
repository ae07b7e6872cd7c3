"""Reading suites from disk, and finding them."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

__all__ = ["UnreadableError", "find_suites", "is_suite_name", "read_text"]

_SUITE = re.compile(r"(?i)(?:.*\.eval|.*-eval|dataset[\w-]*|.*\.test|eval|suite)\.ya?ml\Z")
_SKIPPED = frozenset({".git", ".hg", ".venv", "venv", "node_modules", "__pycache__", ".rubric", "dist", "build"})


class UnreadableError(Exception):
    """A file that cannot be read as text; the message names the file and what to do."""


def read_text(path: Path) -> str:
    """The text of a UTF-8 file, line breaks and byte order mark as they are. Raises UnreadableError."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise UnreadableError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise UnreadableError(f"{path}: this is a folder, not a file") from None
    except OSError as error:
        raise UnreadableError(f"{path}: cannot be read: {error.strerror or error}") from None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise UnreadableError(f"{path}: this is UTF-16, not UTF-8; save it as UTF-8") from None
        line = data.count(b"\n", 0, error.start) + 1
        what = "this is a binary file" if b"\0" in data[:8000] else "save it as UTF-8"
        raise UnreadableError(
            f"{path}:{line}: not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}; {what}"
        ) from None


def is_suite_name(name: str) -> bool:
    """Whether a file of that name is a suite by the patterns of any dialect."""
    return _SUITE.match(name) is not None


def find_suites(folder: Path) -> Iterator[Path]:
    """The suites in a folder and below it, in the order of their names."""
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if f not in _SKIPPED)
        yield from (Path(root) / name for name in sorted(files) if is_suite_name(name))
