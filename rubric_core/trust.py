"""Trusted folders: a suite is code, and nothing runs because it was opened.

Trust belongs to the folder, not to its path: another folder in its place is not trusted. A folder remembers what its
suites did when somebody allowed it: the entries of their plans, by content. Which suite or case does it, and who runs
it, plays no part.
"""

import contextlib
import errno
import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from rubric_core.atomic_write import write_file
from rubric_core.disk import read_file
from rubric_core.file_lock import locked
from rubric_core.folder_identity import folder_identity
from rubric_core.lazy_compilation import dataclass
from rubric_core.user_dirs import user_directory
from rubric_core.user_key import user_key

__all__ = ["RunPlan", "Trust", "is_wide", "real_path"]

#: Bytes.
_LARGEST = 50_000_000
#: Seconds to wait for another process that changes the list.
_PATIENCE = 2.0
#: The most entries that a folder remembers.
_MOST = 10_000


class RunPlan(Protocol):
    """What runs do, see `evaluation.model.plan`."""

    @property
    def outside(self) -> Collection[object]:
        """The files that are read outside of the folder."""

    def entries(self, key: bytes, folder: Path) -> Mapping[str, str]:
        """The words of each entry by its keyed hash; paths below the folder count by their place in it."""


def real_path(path: Path) -> Path:
    """A path with its links resolved as far as possible: cyclic links and names that are too long stay."""
    return Path(os.path.realpath(path))  # `Path.resolve` raises for them


def is_wide(folder: Path) -> bool:
    """Whether a folder is too wide to trust: a whole disk, the home folder, or the parent of all home folders."""
    real = real_path(folder)
    home = real_path(Path(os.path.expanduser("~")))  # noqa: PTH111  # `Path.home` raises for a user without one
    return real == Path(real.anchor) or home.is_relative_to(real)


@dataclass(slots=True)
class _Folder:
    """A folder that is trusted, or that an editor trusts while it has it open."""

    path: Path
    #: Identifies the folder at the path, see `folder_identity`.
    identity: list[int]
    #: Whether a person trusts it. Otherwise only an editor does, each time that it starts the server.
    is_trusted: bool
    #: The hashes of the remembered entries, the longest unused first; None before its first run.
    memory: list[str] | None = None

    @property
    def is_unchanged(self) -> bool:
        return folder_identity(self.path) == self.identity

    def remember(self, entries: Iterable[str]) -> None:
        """Add entries; those that are known count as used."""
        used = sorted(entries)
        unused = set(self.memory or ()).difference(used)
        self.memory = [*(entry for entry in self.memory or () if entry in unused), *used][-_MOST:]

    def is_fresh(self, entries: Iterable[str]) -> bool:
        """Whether known entries are too recent to be forgotten soon, so that their use need not be written down."""
        memory = self.memory or []
        return len(memory) <= _MOST // 2 or set(memory[: len(memory) // 2]).isdisjoint(entries)

    def row(self) -> dict[str, Any]:
        remembered = {} if self.memory is None else {"remembered": self.memory}
        return {"path": str(self.path), "identity": self.identity, **remembered}


class Trust:
    """The folders whose suites may run without a question, stored in the user's state directory."""

    def __init__(self, file: Path | None = None) -> None:
        self._given = file

    @property
    def file(self) -> Path:
        """The list. Raises OSError for a user without a home."""
        return self._given or user_directory("XDG_STATE_HOME", ".local", "state") / "rubric" / "trust.json"

    def folders(self) -> list[Path]:
        """Every trusted folder that is still the same folder; an unreadable list trusts nothing."""
        return [each.path for each in self._folders() if each.is_trusted and each.is_unchanged]

    def allows(self, path: Path) -> bool:
        """Whether `path` is a trusted folder or inside one, with links resolved."""
        return self.folder_of(path) is not None

    def folder_of(self, path: Path) -> Path | None:
        """The trusted folder that holds `path`."""
        real = real_path(path)
        holding = [each for each in self.folders() if real.is_relative_to(each)]
        return max(holding, key=lambda each: len(each.parts), default=None)

    def has_memory(self, folder: Path) -> bool:
        """Whether something ran in a folder or was allowed to, so that anything else is new."""
        found = _at(folder, self._folders())
        return found is not None and found.memory is not None

    def new_entries(self, folder: Path, plans: Sequence[RunPlan]) -> Mapping[str, str] | None:
        """The words of the entries that a folder does not remember, by their hashes; None before its first run.

        Raises OSError without a key to compare them with.
        """
        found = _at(folder, self._folders())
        if found is None or found.memory is None:
            return None
        known = set(found.memory)
        return {entry: words for entry, words in _entries(folder, plans).items() if entry not in known}

    def allowed(self, folder: Path, plans: Sequence[RunPlan]) -> Mapping[str, str]:
        """The entries of a run that a person has to allow first, as of `new_entries`; it may begin if there are none.

        A folder without a memory remembers its first run, unless that reads files outside of it. The caller knows that
        the folder is trusted, by a person or by an editor. Raises OSError.
        """
        new = self.new_entries(folder, plans)
        if new is None:
            if any(plan.outside for plan in plans):
                return _entries(folder, plans)
            self.remember(folder, plans)
        elif not new and not self._is_fresh(folder, plans):
            with contextlib.suppress(OSError):  # they are forgotten sooner
                self.remember(folder, plans)
        return new or {}

    def _is_fresh(self, folder: Path, plans: Sequence[RunPlan]) -> bool:
        found = _at(folder, self._folders())
        return found is not None and found.is_fresh(_entries(folder, plans))

    def remember(self, folder: Path, plans: Sequence[RunPlan]) -> None:
        """Remember what runs in a folder do. Raises OSError if that cannot be stored."""
        entries = _entries(folder, plans)
        with self._changing() as folders:
            found = _at(folder, folders)
            if found is None:
                found = _known(real_path(folder), trusted=False)
                folders.append(found)
            found.remember(entries)

    def add(self, folder: Path) -> Path:
        """Trust a folder, which keeps its memory. Raises OSError if that cannot be stored, or the folder cannot be read."""
        found = _known(real_path(folder), trusted=True)
        with self._changing() as folders:
            before = [each for each in folders if each.identity == found.identity]
            # Its own at this path, else that of the place from which it was moved.
            found.memory = next((e.memory for e in sorted(before, key=lambda e: e.path != found.path)), None)
            folders[:] = [*(each for each in folders if each.path != found.path), found]
        return found.path

    def remove(self, folder: Path) -> Path:
        """Stop trusting a folder, and forget what it remembers."""
        real = real_path(folder)
        with self._changing() as folders:
            folders[:] = [each for each in folders if each.path != real]
        return real

    @contextmanager
    def _changing(self) -> Iterator[list[_Folder]]:
        """The list, locked for a change. Raises OSError, also for a list of unknown format."""
        file = self.file
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with locked(file.with_name(f"{file.name}.lock"), _PATIENCE):
            data = self._read()
            if data is None:  # perhaps of a later version
                raise OSError(errno.EINVAL, "this is not a list of trusted folders; move it away", str(file))
            folders = list(_parsed(data))
            yield folders
            self._write(folders)

    def _folders(self) -> list[_Folder]:
        """The list; empty if it is damaged or cannot be read."""
        try:
            return list(_parsed(self._read() or {}))
        except OSError:
            return []

    def _read(self) -> Mapping[str, Any] | None:
        """The content of the file; None if it is not a list. Raises OSError for an existing file that cannot be read."""
        try:
            text = read_file(self.file, _LARGEST)
            data = json.loads(text) if text.strip() else {"folders": []}
        except FileNotFoundError:
            return {}
        except (ValueError, RecursionError):
            return None
        return data if isinstance(data, dict) and isinstance(data.get("folders"), list) else None

    def _write(self, folders: Iterable[_Folder]) -> None:
        ordered = sorted(folders, key=lambda each: str(each.path))
        # Earlier versions trust every row of `folders`.
        data = {
            "folders": [each.row() for each in ordered if each.is_trusted],
            "open": [each.row() for each in ordered if not each.is_trusted],
        }
        # Nobody else may read or change the list of folders.
        text = json.dumps(data, indent=1) + "\n"
        try:
            write_file(self.file, text.encode(), private=True)
        except OSError as error:
            if error.filename is None:  # for example a full disk
                error.filename = str(self.file)
            raise


def _entries(folder: Path, plans: Sequence[RunPlan]) -> dict[str, str]:
    """The entries of plans in a folder. Raises OSError without a valid key."""
    try:
        key, real = user_key(), real_path(folder)
    except ValueError as error:
        raise OSError(errno.EINVAL, str(error)) from None
    return {entry: words for plan in plans for entry, words in plan.entries(key, real).items()}


def _at(folder: Path, folders: Iterable[_Folder]) -> _Folder | None:
    """The row of a folder, if it is still the same folder."""
    real = real_path(folder)
    return next((each for each in folders if each.path == real and each.is_unchanged), None)


def _known(real: Path, *, trusted: bool) -> _Folder:
    """A folder without a memory. Raises FileNotFoundError."""
    identity = folder_identity(real)
    if identity is None:
        raise FileNotFoundError(2, "no such folder", str(real))
    return _Folder(real, identity, trusted)


def _parsed(data: Mapping[str, Any]) -> Iterator[_Folder]:
    """The folders of a list. Anything else in it is left out."""
    for name in ("folders", "open"):
        rows = data.get(name)
        for row in rows if isinstance(rows, list) else ():
            found = _folder(row, trusted=name == "folders")
            if found is not None:
                yield found


def _folder(row: object, *, trusted: bool) -> _Folder | None:
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
    memory = row.get("remembered")
    return _Folder(path, row["identity"], trusted, _words(memory) if isinstance(memory, list) else None)


def _words(values: Iterable[object]) -> list[str]:
    return [each for each in values if isinstance(each, str)]
