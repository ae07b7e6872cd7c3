"""Errors of the database of results, which name its file."""

import contextlib
import errno
import sqlite3
from collections.abc import Iterator
from pathlib import Path

__all__ = ["DamagedStoreError", "ResultStoreError", "store_errors"]


class ResultStoreError(OSError):
    """Results cannot be stored or read; the message says why, with the file."""

    def __str__(self) -> str:
        return str(self.strerror)


class DamagedStoreError(ResultStoreError):
    """The file is not a readable database of results."""


@contextlib.contextmanager
def store_errors(path: Path) -> Iterator[None]:
    """Converts errors of SQLite to ResultStoreError, those of a damaged file to DamagedStoreError."""
    try:
        yield
    except (sqlite3.OperationalError, sqlite3.DataError) as error:
        raise ResultStoreError(errno.EIO, f"{path}: {_words(error)}") from error
    except (sqlite3.ProgrammingError, sqlite3.NotSupportedError):
        raise  # unrelated to the file
    except sqlite3.DatabaseError as error:
        raise DamagedStoreError(errno.EIO, f"{path} is damaged: {_words(error)}") from error
    except UnicodeDecodeError as error:  # SQLite's own message quotes damaged content
        raise DamagedStoreError(errno.EIO, f"{path} is damaged: its tables cannot be read") from error
    except ResultStoreError:
        raise
    except OSError as error:
        raise ResultStoreError(error.errno or errno.EIO, f"{path}: {error.strerror or error}") from error


def _words(error: Exception) -> str:
    return {"database or disk is full": "No space left on device"}.get(str(error), str(error))
