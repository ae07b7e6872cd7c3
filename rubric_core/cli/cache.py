"""What earlier checks found, in `.rubric/cache` of the project: a file that is as it was is not analysed again.

There is a file for each kind of check (which paths are named with which options, by which rubric), and it holds what the
last check of that kind found, nothing older. It is signed with a key that only the user has: one that comes with a
repository, to hide its mistakes, is none. Whatever goes wrong with it, the check is made without.
"""

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from hmac import compare_digest
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import rubric_core
from rubric_core.cli.dependencies import Fact, digest
from rubric_core.disk import read_file
from rubric_core.evaluation.writing import write_atomically
from rubric_core.homes import hide, user_directory

__all__ = ["Cache", "Entry"]

#: Bytes; what would be larger is not kept, and not read.
_LARGEST = 64_000_000
#: Files of which the oldest is given up for another one.
_MOST_FILES = 8
#: Seconds after which what a check that was killed left behind is cleared away.
_LEFT_BEHIND = 3600
_KEY_BYTES = 32
_BEGIN = "check-"


class Entry(NamedTuple):
    """What was found in a file."""

    #: What the file was.
    state: str
    #: The numbers of the facts that held.
    facts: Sequence[int]
    #: What was found then.
    row: str


class Cache:
    """What the last check of one kind found."""

    def __init__(self, file: Path, key: bytes) -> None:
        """Reads it; a file that is missing, damaged or signed by somebody else holds nothing."""
        self._file = file
        self._key = key
        self._facts: dict[int, Fact] = {}
        self._known: dict[str, Entry] = {}
        #: The numbers of the facts that hold no more; None as long as nobody looked.
        self._wrong: frozenset[int] | None = None
        self._kept: dict[str, Entry] = {}
        self._is_news = False
        with contextlib.suppress(OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            self._facts, self._known = self._read()

    @classmethod
    def of(cls, names: Sequence[str], kind: object) -> "Cache | None":
        """The cache for a check of the files of these `names`; None where none can be kept.

        Args:
            names: The paths, at least one.
            kind: Everything that counts for all of them, as plain data.
        """
        with contextlib.suppress(OSError, ValueError):
            folder = _project_of(names) / ".rubric" / "cache"
            # A link leads where a repository wants it to.
            if not any(each.is_symlink() for each in (folder, folder.parent)):
                described = json.dumps([_program(), sys.version, os.getcwd(), kind])  # noqa: PTH109  # as text
                return cls(folder / f"{_BEGIN}{digest(described.encode())}.json", _user_key())
        return None

    def __contains__(self, name: str) -> bool:
        return name in self._known

    def compare(self, holds: Callable[[Iterable[Fact]], Iterator[bool]]) -> None:
        """Find out which facts hold no more; what depends on one of them is not given any more."""
        told = zip(self._facts, holds(self._facts.values()), strict=True)
        self._wrong = frozenset(number for number, is_so in told if not is_so)

    def find(self, name: str, state: str) -> str | None:
        """What was found in the file of that name, None unless it is in that state and everything else is as it was."""
        entry = self._known.get(name)
        if entry is None or entry.state != state or self._wrong is None or not self._wrong.isdisjoint(entry.facts):
            return None
        self._kept[name] = entry
        return entry.row

    def keep(self, name: str, entry: Entry) -> None:
        """Remember what was found in a file."""
        self._kept[name] = entry
        self._is_news = True

    def learn(self, facts: Iterable[tuple[int, Fact]]) -> None:
        """Facts that entries refer to."""
        self._facts.update(facts)

    def save(self) -> None:
        """Write what was found and used since it was read, if that is anything else; where it cannot be written, nothing."""
        if self._is_news or len(self._kept) != len(self._known):
            with contextlib.suppress(OSError):
                self._write()

    def _read(self) -> tuple[dict[int, Fact], dict[str, Entry]]:
        signature, _, body = read_file(self._file, _LARGEST).partition(b"\n")
        if not compare_digest(signature, self._signature(body)):
            return {}, {}
        folders, entries = json.loads(body)
        facts = (Fact(folder, name, answers) for folder, listed in folders for name, answers in listed)
        return dict(enumerate(facts)), {name: Entry(*entry) for name, entry in entries.items()}

    def _write(self) -> None:
        numbers = set().union(*(entry.facts for entry in self._kept.values()))
        ordered = sorted(numbers, key=lambda number: self._facts[number][:2])
        folders = [
            (folder, [(fact.name, fact.answers) for fact in map(self._facts.__getitem__, listed)])
            for folder, listed in groupby(ordered, lambda number: self._facts[number].folder)
        ]
        place = {number: at for at, number in enumerate(ordered)}.__getitem__
        entries = {n: (entry.state, [*map(place, entry.facts)], entry.row) for n, entry in self._kept.items()}
        body = json.dumps([folders, entries], separators=(",", ":"), check_circular=False)
        if len(body) < _LARGEST:
            hide(self._file.parent.parent)
            write_atomically(self._file, f"{self._signature(body.encode()).decode()}\n{body}")
            self._clear()

    def _signature(self, body: bytes) -> bytes:
        signed = blake2b(os.fsencode(self._file) + b"\n", key=self._key)
        signed.update(body)
        return signed.hexdigest().encode()

    def _clear(self) -> None:
        """Give up the oldest files, and what killed checks left half written."""
        files = sorted(((e.stat().st_mtime, e.name) for e in os.scandir(self._file.parent)), reverse=True)
        whole = [name for _, name in files if name.startswith(_BEGIN)]
        half = [name for at, name in files if name.startswith(f".{_BEGIN}") and at < time.time() - _LEFT_BEHIND]
        for name in (*whole[_MOST_FILES:], *half):
            (self._file.parent / name).unlink(missing_ok=True)


def _project_of(names: Sequence[str]) -> Path:
    """The root of the repository that holds everything that is named, or the folder that does."""
    common = os.path.commonpath([os.path.abspath(name) for name in names])  # noqa: PTH100  # links stay as they are
    folder = Path(common) if os.path.isdir(common) else Path(common).parent  # noqa: PTH112  # as text
    return next((each for each in (folder, *folder.parents) if (each / ".git").exists()), folder)


def _user_key() -> bytes:
    """The key that signs the user's caches, made where there is none. Raises OSError."""
    file = user_directory("XDG_STATE_HOME", ".local", "state") / "rubric" / "cache.key"
    with contextlib.suppress(FileNotFoundError):
        return _whole(read_file(file, _KEY_BYTES))
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    with contextlib.suppress(FileExistsError):
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as written:
            written.write(os.urandom(_KEY_BYTES))
    # Of two checks that make one at once, the first wins.
    with contextlib.suppress(FileExistsError):
        os.link(draft, file)
    draft.unlink(missing_ok=True)
    return _whole(read_file(file, _KEY_BYTES))


def _whole(key: bytes) -> bytes:
    if len(key) != _KEY_BYTES:
        raise ValueError("this is no key")
    return key


def _program() -> list[object]:
    """What rubric is: its version, its code as far as Python looks at it, and the packages that it can import."""
    home = os.path.dirname(os.path.abspath(rubric_core.__file__))  # noqa: PTH100, PTH120  # as text
    packages = [name for folder in sys.path for name in _packages_in(folder)]
    return [rubric_core.__version__, home, digest(repr(sorted(_code_below(home))).encode()), sorted(packages)]


def _code_below(folder: str) -> Iterator[tuple[str, int, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _code_below(entry.path)
            elif entry.name.endswith((".py", ".json")):
                status = entry.stat()
                yield entry.path, status.st_size, status.st_mtime_ns


def _packages_in(folder: str) -> list[str]:
    try:
        return [name for name in os.listdir(folder or ".") if name.endswith((".dist-info", ".egg-info"))]  # noqa: PTH208
    except OSError:
        return []
