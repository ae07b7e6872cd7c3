"""Cached text files, for clients that cannot request virtual documents."""

import contextlib
import hashlib
import logging
import tempfile
import time
from pathlib import Path

from rubric_core.evaluation.results.journal import write_atomically
from rubric_core.user_dirs import user_directory

__all__ = ["KEPT_DAYS", "cached", "drop_oldest"]

log = logging.getLogger("rubric")
#: Days after which an unused text is deleted: it holds answers of people and models.
KEPT_DAYS = 14


def _home() -> Path:
    return user_directory("XDG_CACHE_HOME", ".cache") / "rubric" / "texts"


def cached(name: str, uri: str, text: str) -> Path:
    """A private read-only file with a text about a suite. Raises OSError."""
    try:
        return _write_text(_home(), name, uri, text)
    except OSError as error:  # no home, or not writable
        log.info("no cache for texts: %s", error)
        return _write_text(Path(tempfile.mkdtemp(prefix="rubric-")), name, uri, text)


def _write_text(home: Path, name: str, uri: str, text: str) -> Path:
    folder = home / hashlib.sha256(uri.encode()).hexdigest()[:12]
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder.chmod(0o700)
    path = folder / name
    # A file cannot hold a lone surrogate, which an answer may have.
    write_atomically(path, text.encode(errors="replace").decode(), private=True)
    path.chmod(0o400)
    return path


def drop_oldest() -> None:
    """Delete files older than `KEPT_DAYS`, and empty folders; those that cannot be deleted stay."""
    try:
        home = _home()
    except OSError:
        return
    oldest = time.time() - KEPT_DAYS * 24 * 3600
    for folder in home.glob("*/"):
        for path in folder.glob("*"):
            with contextlib.suppress(OSError):
                if path.lstat().st_mtime < oldest:
                    path.unlink()
        with contextlib.suppress(OSError):
            folder.rmdir()  # fails if it is not empty
