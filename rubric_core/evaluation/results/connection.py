"""Opens the database of results: for writing, or for reading without leaving a trace.

It is in a repository, which may come from anybody. So only a regular file is opened that is a database of rubric, with
its own tables and no trigger or view; any other file is set aside by the next run and never shown.
"""

import contextlib
import errno
import logging
import os
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from rubric_core.disk import open_file
from rubric_core.evaluation.results import schema
from rubric_core.evaluation.results.disk_space import is_nearly_full, require_free_space
from rubric_core.evaluation.results.store_errors import DamagedStoreError, ResultStoreError, store_errors
from rubric_core.evaluation.results.store_stamp import stamp_of
from rubric_core.user_dirs import hide

__all__ = [
    "closing_reader", "damaged_beside", "open_to_read", "open_to_write", "read_without_trace", "set_aside",
]  # fmt: skip

log = logging.getLogger("rubric_core")
#: Seconds to wait for other writers: each locks the database for one case, pruning locks it longer.
_PATIENCE = 60.0
#: Bytes of one value: a forged row may claim gigabytes.
_LONGEST_VALUE = 100_000_000
#: Pages of the log after which it is checkpointed, at the cost of a sync.
_LOG_PAGES = 4_000
_PRIVATE = 0o600
#: The most bytes that are copied in order to read them.
_LARGEST_COPY = 1_000_000_000
#: The suffix of a database that was set aside.
_DAMAGED = ".damaged-"
#: The suffixes of SQLite's files beside a database.
_BESIDE = ("-wal", "-shm")
#: The rollback journal of SQLite for databases without a write-ahead log. This one always has a log, so such a file is
#: not its own, but SQLite would replay it.
_JOURNAL = "-journal"
#: How a database without writers is opened: without locks, and without files beside it.
_FROZEN = "mode=ro&immutable=1"
#: How it is opened if the shared-memory file cannot be written: as it is, or in memory of this process.
_NOT_SHARED = "mode=ro&readonly_shm=1"
#: How many reads without locks are tried while others write, before locks are used.
_TRIES = 3
T = TypeVar("T")


def open_to_write(path: Path) -> sqlite3.Connection:
    """Open the database at a path for writing, and create it if necessary. A damaged file, or one that is not such a database, is set aside first. Raises ResultStoreError, also for one of a later version."""
    try:
        return _opened_to_write(path)
    except DamagedStoreError as error:
        set_aside(path, error)
        return _opened_to_write(path)


def _opened_to_write(path: Path) -> sqlite3.Connection:
    with store_errors(path):
        _require_own_folder(path.parent)
        require_free_space(path)
        if not os.path.lexists(path):
            _create(path)
        _require_files(path)
        path.chmod(_PRIVATE)
        # The statements of a case form one transaction, whichever thread executes them.
        connection = _connected(path, "mode=rw", timeout=_PATIENCE)
        with _closed_on_error(connection):
            version = _verified(connection, path)
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES}")
            if version < schema.VERSION:
                schema.migrate(connection, version)
        return connection


def open_to_read(path: Path) -> sqlite3.Connection | None:
    """Open the database at a path for reading; None if it does not exist. Raises ResultStoreError."""
    return _opened_to_read(path, ("mode=rw", "mode=ro", _FROZEN))


def read_without_trace(path: Path, read: Callable[[sqlite3.Connection], T]) -> T | None:
    """The result of `read` on the database at a path; None if it does not exist. Raises ResultStoreError.

    Not even the files that readers share with writers are created, as an editor reads results when a suite is opened.
    Without writers, the database is read like any other file; `read` is called again if one has started meanwhile.
    """
    for _ in range(_TRIES):
        stamp = stamp_of(path)
        ways = (_FROZEN,) if not stamp.log_size else ("mode=ro", _FROZEN)
        try:
            with closing_reader(_opened_to_read(path, ways)) as connection, store_errors(path):
                found = None if connection is None else read(connection)
        except ResultStoreError:
            if stamp == stamp_of(path):
                raise
            continue
        if stamp.log_size or stamp == stamp_of(path):
            return found
    with closing_reader(_opened_to_read(path, ("mode=ro", _FROZEN))) as connection, store_errors(path):
        return None if connection is None else read(connection)


def closing_reader(
    connection: sqlite3.Connection | None,
) -> contextlib.AbstractContextManager[sqlite3.Connection | None]:
    """Closes a connection, if there is one."""
    return contextlib.nullcontext() if connection is None else contextlib.closing(connection)


def _opened_to_read(path: Path, ways: Sequence[str]) -> sqlite3.Connection | None:
    """The database, opened in the first way that works. Raises ResultStoreError."""
    with store_errors(path):
        try:
            path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        _require_files(path)
        if len(ways) > 1 and is_nearly_full(path.parent):
            ways = (_NOT_SHARED, ways[-1])
        for way in ways[:-1]:
            with contextlib.suppress(sqlite3.OperationalError):  # no permission to write, or a read-only file system
                return _reader(path, way)
        if stamp_of(path).log_size and ways[-1] == _FROZEN:
            return _copy_reader(path)
        return _reader(path, ways[-1])


def _copy_reader(path: Path) -> sqlite3.Connection:
    """A copy of the database with its log, for a read-only file system, where SQLite cannot merge them."""
    with tempfile.TemporaryDirectory(prefix="rubric-", ignore_cleanup_errors=True) as folder:
        copy = Path(folder) / path.name
        for end in ("", "-wal"):
            with open_file(Path(f"{path}{end}"), _LARGEST_COPY) as source, Path(f"{copy}{end}").open("wb") as target:
                shutil.copyfileobj(source, target)
        return _reader(copy, "mode=rw")  # whose files stay open when they have no name any more


def _reader(path: Path, how: str) -> sqlite3.Connection:
    connection = _connected(path, how, timeout=_PATIENCE)
    with _closed_on_error(connection):
        _require_readable(_verified(connection, path), path)
        connection.execute("PRAGMA query_only = ON")
    return connection


def _connected(path: Path, how: str, timeout: float) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"file:{quote(os.fsencode(path))}?{how}",
        uri=True,
        timeout=timeout,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.text_factory = _text
    if hasattr(connection, "setlimit"):  # Python 3.11
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
    return connection


def _text(written: bytes) -> str:
    return written.decode(errors="replace")


@contextlib.contextmanager
def _closed_on_error(connection: sqlite3.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        connection.close()
        raise


def _require_files(path: Path) -> None:
    """Raises DamagedStoreError for anything but regular files under the names that SQLite opens, PermissionError for one that may not be read.

    None of them is opened for the check: when a process closes a file, the system releases all its locks on that file,
    those of SQLite included. Another process would then consider itself the last one, and delete the log that this one
    writes to.
    """
    _require_own_folder(path.parent)
    for name in (path, *(path.with_name(path.name + end) for end in (*_BESIDE, _JOURNAL))):
        with contextlib.suppress(FileNotFoundError):
            found = name.lstat()
            if not stat.S_ISREG(found.st_mode):
                raise DamagedStoreError(errno.EINVAL, f"{name} is not a regular file")
            if name.name.endswith(_JOURNAL):
                raise DamagedStoreError(errno.EINVAL, f"{name} belongs to no database of rubric")
    if not os.access(path, os.R_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def _require_own_folder(folder: Path) -> None:
    """Raises ResultStoreError for a `.rubric` that leads elsewhere: a repository may come with a link."""
    real = os.path.realpath(folder)
    if real != os.path.join(os.path.realpath(folder.parent), folder.name):  # noqa: PTH118  # as texts
        raise ResultStoreError(
            errno.ELOOP,
            f"{folder} is a link to {real}: results are kept in the repository alone; replace it by a folder",
        )


def _verified(connection: sqlite3.Connection, path: Path) -> int:
    """The version of the tables. Raises DamagedStoreError for a database of another program, ResultStoreError for a later version."""
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != schema.APPLICATION_ID or version < 1:
        raise DamagedStoreError(errno.EINVAL, f"{path} is not a database of rubric")
    if version > schema.VERSION:
        raise ResultStoreError(
            errno.EINVAL, f"{path} was written by a later version of rubric: update rubric, or move the file away"
        )
    if schema.schema_of(connection) != schema.expected_schema(version):
        raise DamagedStoreError(errno.EINVAL, f"{path} has other tables than those of rubric")
    return int(version)


def _require_readable(version: int, path: Path) -> None:
    if version < schema.OLDEST_READABLE:
        raise ResultStoreError(
            errno.EINVAL, f"{path} was written by an earlier version of rubric: the next run brings it up to date"
        )


def _create(path: Path) -> None:
    """Create a new database atomically: no other program sees a part of it."""
    hide(path.parent)
    draft = path.with_name(f".{path.name}.{os.urandom(6).hex()}")
    file = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _PRIVATE)
    try:
        os.close(file)  # which may fail with the disk
        connection = _connected(draft, "mode=rw", timeout=_PATIENCE)
        with contextlib.closing(connection):
            schema.create(connection)
            # Last: a log would be checkpointed at closing, and closing does not report a full disk.
            connection.execute("PRAGMA journal_mode = WAL")
        _publish(draft, path)
    finally:
        for end in ("", *_BESIDE, _JOURNAL):
            draft.with_name(draft.name + end).unlink(missing_ok=True)


def _publish(draft: Path, path: Path) -> None:
    """Give a new database its name, unless another program was faster."""
    try:
        os.link(draft, path)
    except FileExistsError:
        return
    except OSError:  # a file system without hard links
        if not os.path.lexists(path):
            draft.rename(path)


def damaged_beside(path: Path) -> frozenset[str]:
    """The names of the databases that were set aside for this one."""
    begin = f"{path.name}{_DAMAGED}"
    try:
        names = os.listdir(path.parent)  # noqa: PTH208  # names alone
    except OSError:
        return frozenset()
    ends = (*_BESIDE, _JOURNAL)
    return frozenset(name for name in names if name.startswith(begin) and not name.endswith(ends))


def set_aside(path: Path, error: DamagedStoreError) -> None:
    """Rename an unusable file with SQLite's files beside it, and report it. Raises ResultStoreError."""
    mark = datetime.now(tz=timezone.utc).strftime("%Y%m%d-%H%M%S")
    aside = path.with_name(f"{path.name}{_DAMAGED}{mark}-{os.urandom(2).hex()}")
    with store_errors(path):
        for end in ("", *_BESIDE, _JOURNAL):
            with contextlib.suppress(FileNotFoundError):
                Path(f"{path}{end}").rename(f"{aside}{end}")
    log.warning("%s; it is now %s, and a new one was begun", error, aside.name)
