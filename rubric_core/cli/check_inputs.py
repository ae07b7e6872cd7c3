"""The files and folders that a check depended on, compared by stamps.

As in git's index, a file is unchanged if its size, times, mode and inode are. Its change time (ctime), which programs
cannot set, is one of them. Clocks have a resolution: a file that may have changed within one tick counts as changed,
and so does every file on a disk without change times.
"""

# Paths as strings: there are tens of thousands.
# ruff: noqa: PTH116, PTH118

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

__all__ = ["ABSENT", "FILE", "FOLDER", "CheckInputs", "DiskTime", "kind_of", "names_in", "real_path", "stamp_at"]

#: The kind of a path; any other word is the number of the error of the lookup.
ABSENT, FILE, FOLDER, _OTHER = "", "file", "folder", "other"
#: Nanoseconds after which another change gives a file another time, on any file system.
_TICK = 2 * 10**9


class DiskTime(NamedTuple):
    """The clock of a disk, which may be that of another machine."""

    device: int
    now: int

    @classmethod
    def of(cls, folder: Path) -> "DiskTime":
        """The time of the disk of a folder. Raises OSError.

        Without change times this is 1970, so that nothing on that disk counts as settled.
        """
        probe = folder / f".time.{os.urandom(6).hex()}"
        os.close(os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        try:
            os.utime(probe, ns=(0, 0))
            found = probe.stat()
        finally:
            probe.unlink()
        # On Windows this is the time of creation.
        return cls(found.st_dev, 0 if sys.platform == "win32" else found.st_ctime_ns)

    @classmethod
    def before(cls, folder: Path, begun: int, seconds: float) -> "DiskTime":
        """The time of the disk `seconds` ago, or earlier if a clock was set meanwhile. Raises OSError.

        Args:
            folder: As in `of`.
            begun: The time of this machine then, in nanoseconds.
            seconds: By the monotonic clock.
        """
        device, now = cls.of(folder)
        return cls(device, min(begun, now - int(seconds * 10**9)))

    def settled(self, found: os.stat_result) -> bool:
        """Whether something had not changed for long enough that another change would have another time."""
        return found.st_dev == self.device and max(found.st_mtime_ns, found.st_ctime_ns) < self.now - _TICK


class CheckInputs(NamedTuple):
    """The files and folders that a check depended on."""

    #: By folder, the names of the files that were read; an empty name stands for the list of names.
    stamped: Mapping[str, Sequence[str]]
    #: The kinds of other paths that were looked up.
    kinds: Mapping[str, str]
    #: Their locations, with links resolved.
    real: Mapping[str, str]
    #: By folder, the digests of `names_in`, where a folder's times are useless: a first check creates `.rubric` in it.
    entries: Mapping[str, str]

    def stamps(self, since: DiskTime | None = None) -> list[str]:
        """A stamp of each of the `paths`, empty for one that is gone, or may have changed `since`."""
        return [stamp_at(path, since) for path in self.paths()]

    def changed(self, stamps: Sequence[str]) -> frozenset[str] | None:
        """The files that have other stamps now; None if something else may have changed as well. Raises OSError, ValueError.

        A change time tells, which programs cannot set. `stamps` are those of `paths` from before.
        """
        if not self.hold():
            return None
        now = zip(self.paths(), stamps, self.stamps(), strict=True)
        paths = frozenset(path for path, before, stamp in now if not before or before != stamp)
        return paths if all(kind_of(path) == FILE for path in paths) else None

    def joined(self, other: "CheckInputs") -> "CheckInputs":
        """These inputs and those of `other`."""
        folders = {**self.stamped, **other.stamped}
        stamped = {
            folder: sorted({*self.stamped.get(folder, ()), *names}) if folder in other.stamped else names
            for folder, names in folders.items()
        }
        return CheckInputs(
            stamped, {**self.kinds, **other.kinds}, {**self.real, **other.real}, {**self.entries, **other.entries}
        )

    def hold(self) -> bool:
        """Whether all inputs without a stamp are unchanged. Raises OSError for a folder that cannot be listed."""
        folders: dict[str, str] = {}
        return (
            all(kind_of(path) == kind for path, kind in self.kinds.items())
            and all(real_path(path, folders) == real for path, real in self.real.items())
            and all(names_in(folder) == names for folder, names in self.entries.items())
        )

    def paths(self) -> Iterator[str]:
        """The files and folders that have stamps."""
        for folder, names in self.stamped.items():
            inside = os.path.join(folder, "")
            for name in names:
                yield inside + name if name else folder


def _stamp_of(found: os.stat_result) -> bytes:
    mode, inode, device, *_ = found
    times = found.st_mtime_ns, found.st_ctime_ns
    return b"%d %d %d %d %d %d\n" % (mode, inode, device, found.st_size, *times)


def stamp_at(path: str, since: DiskTime | None) -> str:
    """The stamp of a path, empty for one that is gone, or may have changed `since`."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):  # a name that this locale cannot say
        return ""
    return "" if since is not None and not since.settled(found) else _stamp_of(found).decode().rstrip()


def names_in(folder: str, entries: "Iterable[os.DirEntry[str]] | None" = None) -> str:
    """A digest of the names and kinds of the entries of a folder, except rubric's own folder; `entries`, if it was listed before.

    Raises OSError for a folder that cannot be listed.
    """
    from hashlib import blake2b  # noqa: PLC0415  # see `stamp`

    if entries is None:
        with os.scandir(folder) as listed:
            return names_in(folder, list(listed))
    named = sorted((e.name, e.is_dir(follow_symlinks=False), e.is_symlink()) for e in entries if e.name != ".rubric")
    return blake2b(repr(named).encode(errors="surrogateescape"), digest_size=16).hexdigest()


def kind_of(path: str) -> str:
    """The kind of a path: file, folder, other, absent, or the number of the lookup error."""
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return ABSENT
    except OSError as error:
        # A text that is too long for a path.
        return ABSENT if error.errno == errno.ENAMETOOLONG else str(error.errno)
    return FOLDER if stat.S_ISDIR(mode) else FILE if stat.S_ISREG(mode) else _OTHER


def real_path(path: str, folders: dict[str, str]) -> str:
    """A path with all links resolved; `folders` are those that were resolved before."""
    folder, name = os.path.split(path)
    with contextlib.suppress(OSError):
        if not name or name in (os.curdir, os.pardir) or stat.S_ISLNK(os.lstat(path).st_mode):
            return os.path.realpath(path)
    real = folders.get(folder)
    if real is None:
        real = folders[folder] = os.path.realpath(folder)
    return os.path.join(real, name)
