"""Texts as files of a cache, for clients that cannot ask the server for a document."""

import contextlib
import hashlib
import os
import time
from pathlib import Path

from rubric_core.evaluation.writing import write_atomically

__all__ = ["KEPT_DAYS", "cached", "tidy"]

#: Days after which a text that nobody wanted to see again is thrown away: it holds what people and models said.
KEPT_DAYS = 14


def _home() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "rubric" / "texts"


def cached(name: str, uri: str, text: str) -> Path:
    """A file with the text about a suite, not to be edited and not for others to read. Raises OSError."""
    folder = _home() / hashlib.sha256(uri.encode()).hexdigest()[:12]
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder.chmod(0o700)
    path = folder / name
    write_atomically(path, text)
    path.chmod(0o400)
    return path


def tidy() -> None:
    """Throw away what is older than `KEPT_DAYS`, and folders with nothing left; what cannot be removed stays."""
    oldest = time.time() - KEPT_DAYS * 24 * 3600
    for folder in _home().glob("*/"):
        for path in folder.glob("*"):
            with contextlib.suppress(OSError):
                if path.lstat().st_mtime < oldest:
                    path.unlink()
        with contextlib.suppress(OSError):
            folder.rmdir()  # refused while something is in it
