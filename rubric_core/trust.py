"""Which folders a person has said may run: a suite is code, and nothing runs because it was opened.

Trust is in a folder as it is, not in its path: another one that is put in its place is not trusted. It also knows what the
suites of the folder did when they were run, so that a person is asked again when they do something else.
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
    """A path with its links followed, as far as they lead anywhere: links in a circle and names that are too long stay."""
    return Path(os.path.realpath(path))  # `Path.resolve` raises for them


def is_wide(folder: Path) -> bool:
    """Whether a folder holds more than a person can know: a whole disk, the home folder, or the homes of everybody."""
    real = real_path(folder)
    home = real_path(Path(os.path.expanduser("~")))  # noqa: PTH111  # `Path.home` raises for a user without one
    return real == Path(real.anchor) or home.is_relative_to(real)


@dataclass(slots=True)
class _Entry:
    """A trusted folder."""

    path: Path
    #: What tells it from another folder with its path, see `_identity`.
    identity: list[int]
    #: By the path of a suite in it: what its cases did when they were run, and which these cases are.
    does: dict[str, set[str]] = field(default_factory=dict)
    cases: dict[str, set[str]] = field(default_factory=dict)

    @property
    def is_unchanged(self) -> bool:
        return _identity(self.path) == self.identity

    def row(self) -> dict[str, Any]:
        suites = {s: {"does": sorted(self.does[s]), "cases": sorted(self.cases[s])} for s in self.does}
        return {"path": str(self.path), "identity": self.identity, "suites": suites}


class Trust:
    """The folders whose suites may be run from an editor, kept in the user's state directory."""

    def __init__(self, file: Path | None = None) -> None:
        self._given = file

    @property
    def file(self) -> Path:
        """Where they are listed. Raises OSError for a user without a home."""
        return self._given or user_directory("XDG_STATE_HOME", ".local", "state") / "rubric" / "trust.json"

    def folders(self) -> list[Path]:
        """Every trusted folder that is still the one that was trusted; a file that cannot be read trusts nothing."""
        return [entry.path for entry in self._entries() if entry.is_unchanged]

    def allows(self, path: Path) -> bool:
        """Whether `path` is a trusted folder or lies in one; links are followed first."""
        return self._holding(self._entries(), real_path(path)) is not None

    def folder_of(self, path: Path) -> Path | None:
        """The trusted folder that holds `path`."""
        entry = self._holding(self._entries(), real_path(path))
        return entry.path if entry is not None else None

    def run_before(self, suite: Path) -> frozenset[str]:
        """The cases of a suite in a trusted folder that `allow` was told of."""
        real = real_path(suite)
        entry = self._holding(self._entries(), real)
        return frozenset(entry.cases.get(str(real), ())) if entry is not None else frozenset()

    def known(self, suite: Path, cases: Collection[str]) -> frozenset[str] | None:
        """What a suite did before, by the identities of `allow`; None when none of these cases was run yet."""
        real = real_path(suite)
        entry = self._holding(self._entries(), real)
        name = str(real)
        if entry is None or not entry.cases.get(name, set()) & set(cases):
            return None
        return frozenset(entry.does[name])

    def allow(self, suite: Path, cases: Collection[str], does: Collection[str]) -> None:
        """Remember what these cases of a suite in a trusted folder do. Raises OSError when that cannot be written down."""
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
        """Trust a folder from now on. Raises OSError when that cannot be written down, or it cannot be looked at."""
        real = real_path(folder)
        identity = _identity(real)
        if identity is None:
            raise FileNotFoundError(2, "no such folder", str(real))
        with self._changing() as entries:
            entries[:] = [*(entry for entry in entries if entry.path != real), _Entry(real, identity)]
        return real

    def remove(self, folder: Path) -> Path:
        """Trust a folder no longer."""
        real = real_path(folder)
        with self._changing() as entries:
            entries[:] = [entry for entry in entries if entry.path != real]
        return real

    @contextmanager
    def _changing(self) -> Iterator[list[_Entry]]:
        """The list, to be changed: what another process changes meanwhile is kept. Raises OSError, also where it is none that is known here."""
        file = self.file
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with locked(file.with_name(f"{file.name}.lock"), _PATIENCE):
            listed = self._listed()
            if listed is None:  # of a later version, perhaps
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
        """What is listed; nothing where that is damaged. Raises OSError for a file that is there and cannot be read."""
        return _entries(self._listed() or ())

    def _listed(self) -> list[object] | None:
        """The rows of the file; None where it is no list. Raises OSError for a file that is there and cannot be read."""
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
        # Nobody else has to know which folders there are, or may add one.
        text = json.dumps({"folders": rows}, indent=1) + "\n"
        try:
            write_file(self.file, text.encode(), private=True)
        except OSError as error:
            if error.filename is None:  # as of a full disk
                error.filename = str(self.file)
            raise


def _entries(rows: Iterable[object]) -> list[_Entry]:
    return [entry for row in rows if (entry := _entry(row)) is not None]


def _entry(row: object) -> _Entry | None:
    """A folder as it was written down; None for anything else, also for a path alone, which names any folder."""
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
    """The number and the birth of a folder, for numbers are used again; its device where the birth is not known. None for one that does not exist."""
    try:
        found = folder.stat()
    except (OSError, ValueError):
        return None
    birth = getattr(found, "st_birthtime_ns", None) or getattr(found, "st_birthtime", None)
    if birth is None and sys.platform == "linux":
        birth = _born(folder)
    # Some disks have another device number after each start of the machine.
    return [0 if birth else found.st_dev, found.st_ino, int(birth or 0)]


#: Of statx(2): no folder to begin at, what is asked for, and where it stands in the answer.
_HERE, _BIRTH, _MASK_AT, _SECONDS_AT, _NANOSECONDS_AT, _SIZE = -100, 0x800, 0, 80, 88, 256


def _born(folder: Path) -> int:
    """When a folder was made, in nanoseconds; 0 where that is not known. Python has no statx(2)."""
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
