"""Writes a file atomically: its content is the old one or the new one, even after a full disk, a kill or a power cut.

All files of users are written by this module.
"""

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["write_file", "write_new_file"]

#: Errors of file systems on which only writing in place may be possible.
_REFUSED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY, errno.EXDEV})
#: Bytes of a system's longest file name; a draft needs a name, too.
_LONGEST_NAME = 255


class _NotReplaceableError(Exception):
    """Another file cannot take the place of this one without a loss: its owner, its other names."""


def write_file(path: Path, content: bytes | Iterable[bytes], mode: int = 0o666, *, private: bool = False) -> None:
    """Replace the content of a file, or create it; `content` may be in pieces.

    A temporary file beside it is written, synced and renamed. Links stay links; mode, owner and extended attributes are
    kept. A file with several hard links, with an owner that cannot be kept, or in a folder without write permission is
    written in place, once there is certainly enough space. Signals that end the program are delayed until then.

    Args:
        path: The file; its folder has to exist.
        content: The bytes.
        mode: The permissions of a new file, before the user's umask.
        private: Whether it becomes readable by its owner alone, even if it is more open now.

    Raises OSError; the file is then unchanged.
    """
    with _undisturbed():
        _write(Path(os.path.realpath(path)), content, mode, private=private)


def write_new_file(path: Path, content: bytes) -> None:
    """Write a file and the folders that it needs. Raises OSError, and leaves no folder then."""
    missing = [folder for folder in path.parents if not folder.exists()]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, content)
    except OSError:
        for folder in missing:
            with suppress(OSError):  # it was not made, or another program uses it
                folder.rmdir()
        raise


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Delay signals that end the program, which would leave a temporary file or a truncated file behind."""
    import signal  # noqa: PLC0415  # most checks write nothing

    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _write(real: Path, content: bytes | Iterable[bytes], mode: int, *, private: bool) -> None:
    if private:
        mode = 0o600
        with suppress(FileNotFoundError):
            real.chmod(mode)
    before = _existing(real)
    pieces = [content] if isinstance(content, bytes) else content
    draft = real.with_name(_draft_name(real.name))
    try:
        file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if before is not None else mode)
    except OSError as error:
        if before is None or error.errno not in _REFUSED:
            raise
        _write_in_place(real, b"".join(pieces), before)
        return
    try:
        with os.fdopen(file, "wb") as out:
            out.writelines(pieces)
            out.flush()
            os.fsync(out.fileno())
        _replace(draft, real, before)
    finally:
        draft.unlink(missing_ok=True)


def _existing(path: Path) -> os.stat_result | None:
    """The existing file. Raises OSError if it must not be replaced: not a file, or write-protected."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "this is not a regular file", str(path))
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    return found


def _draft_name(name: str) -> str:
    end = f".{os.urandom(6).hex()}"
    return os.fsdecode(os.fsencode(f".{name}")[: _LONGEST_NAME - len(end)]) + end


def _replace(draft: Path, path: Path, before: os.stat_result | None) -> None:
    try:
        if before is not None:
            _resemble(draft, path, before)
        draft.replace(path)
        _keep_name(path.parent)
    except (OSError, _NotReplaceableError) as error:
        if before is None or (isinstance(error, OSError) and error.errno not in _REFUSED):
            raise
        _write_in_place(path, draft.read_bytes(), before)


def _keep_name(folder: Path) -> None:
    """Bring the names in a folder to the disk: after a power cut, a file that was replaced may else have its old content.

    As well as that can be done: Windows opens no folders, and some file systems sync none. The file is whole either
    way.
    """
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def _resemble(draft: Path, path: Path, before: os.stat_result) -> None:
    """Copy the file's attributes to a draft. Raises _NotReplaceableError if that is impossible."""
    import shutil  # noqa: PLC0415  # loads every archive format; most checks write nothing

    if before.st_nlink > 1:
        raise _NotReplaceableError
    made = draft.stat()
    if hasattr(os, "chown") and (made.st_uid, made.st_gid) != (before.st_uid, before.st_gid):
        try:
            os.chown(draft, before.st_uid, before.st_gid)
        except OSError:
            raise _NotReplaceableError from None
    shutil.copystat(path, draft)  # after the owner: a change of owner takes bits of the mode away
    os.utime(draft)


def _write_in_place(path: Path, content: bytes, known: os.stat_result) -> None:
    """Overwrite a file. Space is allocated first, and the old content is restored if writing fails anyway. Nothing is written if the file was replaced, also by a link, since it was examined."""
    opened = os.open(
        path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    )
    with os.fdopen(opened, "r+b") as file:
        if not os.path.samestat(os.fstat(opened), known):
            raise OSError(errno.ESTALE, "another file has taken its place meanwhile", str(path))
        before = file.read()
        if hasattr(os, "posix_fallocate") and len(content) > len(before):
            try:
                os.posix_fallocate(file.fileno(), 0, len(content))
            except OSError as error:
                if error.errno not in (errno.EOPNOTSUPP, errno.EINVAL):  # a file system that cannot promise
                    with suppress(OSError):
                        file.truncate(len(before))
                    raise
        try:
            _overwrite(file.fileno(), content)
        except BaseException:
            with suppress(OSError):
                _overwrite(file.fileno(), before)
            raise


def _overwrite(file: int, content: bytes) -> None:
    os.lseek(file, 0, os.SEEK_SET)
    left = memoryview(content)
    while left:
        left = left[os.write(file, left) :]
    os.ftruncate(file, len(content))
    os.fsync(file)
