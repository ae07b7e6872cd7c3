"""Trusted folders: a suite is code, and nothing runs because it was opened.

Trust belongs to the folder, not to its path: another folder in its place is not trusted. The effects of the suites that
ran in the folder are stored, too, so that the user is asked again when they change.
"""

import errno
import json
import os
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rubric_core.atomic_write import write_file
from rubric_core.disk import read_file
from rubric_core.file_lock import locked
from rubric_core.lazy_compilation import dataclass, field
from rubric_core.user_dirs import user_directory

__all__ = ["Trust", "is_wide", "real_path"]

#: Bytes.
_LARGEST = 10_000_000
#: Seconds to wait for another process that changes the list.
_PATIENCE = 2.0


def real_path(path: Path) -> Path:
    """A path with its links resolved as far as possible: cyclic links and names that are too long stay."""
    return Path(os.path.realpath(path))  # `Path.resolve` raises for them


def is_wide(folder: Path) -> bool:
    """Whether a folder is too wide to trust: a whole disk, the home folder, or the parent of all home folders."""
    real = real_path(folder)
    home = real_path(Path(os.path.expanduser("~")))  # noqa: PTH111  # `Path.home` raises for a user without one
    return real == Path(real.anchor) or home.is_relative_to(real)


@dataclass(slots=True)
class _Entry:
    """A trusted folder."""

    path: Path
    #: Identifies the folder at the path, see `_identity`.
    identity: list[int]
    #: By the path of a suite: the effects of its cases when they ran, and the ids of these cases.
    does: dict[str, set[str]] = field(default_factory=dict)
    cases: dict[str, set[str]] = field(default_factory=dict)

    @property
    def is_unchanged(self) -> bool:
        return _identity(self.path) == self.identity

    def row(self) -> dict[str, Any]:
        suites = {s: {"does": sorted(self.does[s]), "cases": sorted(self.cases[s])} for s in self.does}
        return {"path": str(self.path), "identity": self.identity, "suites": suites}


class Trust:
    """The folders whose suites may run from an editor, stored in the user's state directory."""

    def __init__(self, file: Path | None = None) -> None:
        self._given = file

    @property
    def file(self) -> Path:
        """The list. Raises OSError for a user without a home."""
        return self._given or user_directory("XDG_STATE_HOME", ".local", "state") / "rubric" / "trust.json"

    def folders(self) -> list[Path]:
        """Every trusted folder that is still the same folder; an unreadable list trusts nothing."""
        return [entry.path for entry in self._entries() if entry.is_unchanged]

    def allows(self, path: Path) -> bool:
        """Whether `path` is a trusted folder or inside one, with links resolved."""
        return self._holding(self._entries(), real_path(path)) is not None

    def folder_of(self, path: Path) -> Path | None:
        """The trusted folder that holds `path`."""
        entry = self._holding(self._entries(), real_path(path))
        return entry.path if entry is not None else None

    def run_before(self, suite: Path) -> frozenset[str]:
        """The cases of a suite in a trusted folder that were passed to `allow`."""
        real = real_path(suite)
        entry = self._holding(self._entries(), real)
        return frozenset(entry.cases.get(str(real), ())) if entry is not None else frozenset()

    def known(self, suite: Path, cases: Collection[str]) -> frozenset[str] | None:
        """The earlier effects of a suite, by the identities of `allow`; None if none of these cases ran before."""
        real = real_path(suite)
        entry = self._holding(self._entries(), real)
        name = str(real)
        if entry is None or not entry.cases.get(name, set()) & set(cases):
            return None
        return frozenset(entry.does[name])

    def allow(self, suite: Path, cases: Collection[str], does: Collection[str]) -> None:
        """Remember the effects of these cases of a suite in a trusted folder. Raises OSError if that cannot be stored."""
        real = real_path(suite)
        name = str(real)
        entry = self._holding(self._entries(), real)
        if entry is None or (set(does) <= entry.does.get(name, set()) and set(cases) <= entry.cases.get(name, set())):
            return
        with self._changing() as entries:
            entry = self._holding(entries, real)
            if entry is not None:
                entry.does.setdefault(name, set()).update(does)
                entry.cases.setdefault(name, set()).update(cases)

    def add(self, folder: Path) -> Path:
        """Trust a folder. Raises OSError if that cannot be stored, or the folder cannot be read."""
        real = real_path(folder)
        identity = _identity(real)
        if identity is None:
            raise FileNotFoundError(2, "no such folder", str(real))
        with self._changing() as entries:
            entries[:] = [*(entry for entry in entries if entry.path != real), _Entry(real, identity)]
        return real

    def remove(self, folder: Path) -> Path:
        """Stop trusting a folder."""
        real = real_path(folder)
        with self._changing() as entries:
            entries[:] = [entry for entry in entries if entry.path != real]
        return real

    @contextmanager
    def _changing(self) -> Iterator[list[_Entry]]:
        """The list, locked for a change. Raises OSError, also for a list of unknown format."""
        file = self.file
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with locked(file.with_name(f"{file.name}.lock"), _PATIENCE):
            listed = self._listed()
            if listed is None:  # perhaps of a later version
                raise OSError(errno.EINVAL, "this is not a list of trusted folders; move it away", str(file))
            entries = _entries(listed)
            yield entries
            self._write(entries)

    def _holding(self, entries: Collection[_Entry], real: Path) -> _Entry | None:
        held = [each for each in entries if real.is_relative_to(each.path) and each.is_unchanged]
        return max(held, key=lambda each: len(each.path.parts), default=None)

    def _entries(self) -> list[_Entry]:
        try:
            return self._read()
        except OSError:
            return []

    def _read(self) -> list[_Entry]:
        """The list; empty if it is damaged. Raises OSError for an existing file that cannot be read."""
        return _entries(self._listed() or ())

    def _listed(self) -> list[object] | None:
        """The rows of the file; None if it is not a list. Raises OSError for an existing file that cannot be read."""
        try:
            text = read_file(self.file, _LARGEST)
            data = json.loads(text) if text.strip() else {"folders": []}
        except FileNotFoundError:
            return []
        except (ValueError, RecursionError):
            return None
        listed = data.get("folders") if isinstance(data, dict) else None
        return listed if isinstance(listed, list) else None

    def _write(self, entries: Collection[_Entry]) -> None:
        rows = [entry.row() for entry in sorted(entries, key=lambda each: str(each.path))]
        # Nobody else may read or change the list of folders.
        text = json.dumps({"folders": rows}, indent=1) + "\n"
        try:
            write_file(self.file, text.encode(), private=True)
        except OSError as error:
            if error.filename is None:  # for example a full disk
                error.filename = str(self.file)
            raise


def _entries(rows: Iterable[object]) -> list[_Entry]:
    return [entry for row in rows if (entry := _entry(row)) is not None]


def _entry(row: object) -> _Entry | None:
    """A folder from its row; None for anything else, also for a path alone, which could be any folder."""
    if (
        not isinstance(row, Mapping)
        or not isinstance(row.get("path"), str)
        or not isinstance(row.get("identity"), list)
    ):
        return None
    path = Path(row["path"])
    if not path.is_absolute():
        return None
    entry = _Entry(path, row["identity"])
    suites = row.get("suites")
    for name, told in suites.items() if isinstance(suites, Mapping) else ():
        if isinstance(told, Mapping):
            entry.does[name], entry.cases[name] = _words(told.get("does")), _words(told.get("cases"))
    return entry


def _words(value: object) -> set[str]:
    return {each for each in value if isinstance(each, str)} if isinstance(value, list) else set()


def _identity(folder: Path) -> list[int] | None:
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
