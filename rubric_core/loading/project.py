"""The files around suites, each read once and remembered until somebody says that it has changed.

Nothing here is executed, nothing is written, and the environment is not read.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from rubric_core.loading.files import absolute
from rubric_core.ports import Files
from rubric_core.syntax.parse import parse
from rubric_core.syntax.tree import Tree

__all__ = ["Look", "OpenFiles", "Project"]

T = TypeVar("T")
#: Bytes; a longer file is not looked into.
LARGEST = 5_000_000
#: Whoever has not looked since more changes than these looks again.
_REMEMBERED = 64


class OpenFiles:
    """Files on disk, with the documents that an editor has open in front of them."""

    def __init__(self, files: Files, opened: Callable[[Path], str | None]) -> None:
        """`opened` gives the text of an open document, None for a file that is not open."""
        self._files = files
        self._opened = opened

    def read(self, path: Path, limit: int | None = None) -> bytes:
        """See `ports.Files.read`."""
        text = self._opened(path)
        return self._files.read(path, limit) if text is None else text.encode("utf-8", "surrogatepass")

    def is_file(self, path: Path) -> bool:
        """See `ports.Files.is_file`."""
        return self._opened(path) is not None or self._files.is_file(path)

    def is_directory(self, path: Path) -> bool:
        """See `ports.Files.is_directory`."""
        return self._files.is_directory(path)

    def names(self, path: Path) -> tuple[str, ...]:
        """See `ports.Files.names`."""
        return self._files.names(path)


class _Kept(Generic[T]):
    """Something that was found out, and what it depends on."""

    __slots__ = ("seen", "value")

    def __init__(self, value: T, seen: frozenset[Path]) -> None:
        self.value = value
        self.seen = seen


def _suites_in(folder: Path) -> Path:
    """Stands for which suites there are below a folder, among the files that something depends on. No file is called so."""
    return folder / "**"


class _Change(NamedTuple):
    """Files that changed at once, with the directories that they are in; None: any file may have."""

    paths: frozenset[Path] | None
    #: The paths as directories: what is below one of them has changed, too.
    tops: tuple[str, ...] = ()

    def touches(self, seen: Collection[Path]) -> bool:
        """Whether something that depends on the files `seen` may be different now."""
        if self.paths is None or not self.paths.isdisjoint(seen):
            return True
        return any(f"{path}/".startswith(self.tops) for path in seen)


class Project:
    """What is known of the files around suites. One serves every analysis of a command or a server.

    Args:
        files: Where they are read.
        fallback: A directory that is searched last, the current one of a command line.
    """

    def __init__(self, files: Files, fallback: Path | None = None) -> None:
        self.files = files
        self.fallback = absolute(fallback) if fallback is not None else None
        #: Folders of which every suite is known, and these suites.
        self._folders: tuple[Path, ...] = ()
        self._suites: tuple[Path, ...] = ()
        self._checked = False
        #: Grows with every change: what was worked out before may be wrong.
        self.version = 0
        self._kept: dict[object, _Kept[object]] = {}
        self._seen: set[Path] = set()
        self._changes: deque[_Change] = deque(maxlen=_REMEMBERED)

    def changed(self, paths: Iterable[Path] | None = None) -> None:
        """Files have changed, come or gone, or directories; None: any of them."""
        if paths is None:
            self._kept.clear()
            self._remember(_Change(None))
            return
        gone = frozenset(map(absolute, paths))
        change = _Change(gone | {p.parent for p in gone}, tuple(f"{p}/" for p in gone))
        self._remember(change)
        for key in [k for k, kept in self._kept.items() if change.touches(kept.seen)]:
            del self._kept[key]

    def _remember(self, change: _Change) -> None:
        self.version += 1
        self._changes.append(change)

    def changed_since(self, version: int, seen: Collection[Path]) -> bool:
        """Whether what was found out at that `version` from the files `seen` may be wrong by now."""
        since = self.version - version
        if since <= 0:
            return False
        if since > len(self._changes):
            return True
        return any(self._changes[-number].touches(seen) for number in range(1, since + 1))

    def sees(self, path: Path) -> bool:
        """Whether anything was ever found out from a file, or from its not being there."""
        return path in self._seen

    def knows(self, folders: Iterable[Path], suites: Iterable[Path], *, checked: bool = False) -> bool:
        """Every suite in some folders: only then can anything be said to be used by none. Gives whether that is news.

        `checked`: whether what the suites refer to there is checked as well, so that mistakes are said where they are.
        """
        before = (self._folders, self._suites, self._checked)
        self._checked = checked
        self._folders, self._suites = tuple(map(absolute, folders)), tuple(map(absolute, suites))
        if before == (self._folders, self._suites, checked):
            return False
        if before[2] != checked:
            self._remember(_Change(None))
            return True
        same_folders = before[0] == self._folders
        moved = set(before[1]) ^ set(self._suites) if same_folders else {*before[1], *self._suites}
        self._remember(_Change(frozenset(_suites_in(folder) for suite in moved for folder in suite.parents)))
        return True

    def suites_below(self, folder: Path) -> tuple[Path, ...]:
        """The suites in a folder and below it; none when there may be more than are known."""
        if not any(folder == known or known in folder.parents for known in self._folders):
            return ()
        return tuple(s for s in self._suites if folder in s.parents)

    def is_checked(self, path: Path) -> bool:
        """Whether a file is checked by itself as well."""
        return self._checked and any(known in path.parents for known in self._folders)

    def look(self) -> "Look":
        """Look at the files, keeping account of which."""
        return Look(self)

    def kept(self, key: object) -> "_Kept[object] | None":
        """What was found out under that key."""
        return self._kept.get(key)

    def keep(self, key: object, value: object, seen: frozenset[Path]) -> None:
        """Remember what was found out."""
        self._kept[key] = _Kept(value, seen)
        self._seen |= seen


#: A file of white space that is longer than this many bytes is something else.
_BLANK = 256


class Look:
    """One look at the files of a project. `seen` is everything that it depends on, missing files included."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.seen: set[Path] = set()

    def once(self, key: object, make: "Callable[[Look], T]") -> T:
        """What `make` finds out, the same for the same key until a file that it saw has changed."""
        known = self.project.kept(key)
        if known is None:
            inner = Look(self.project)
            value = make(inner)
            known = _Kept[object](value, frozenset(inner.seen))
            self.project.keep(key, value, known.seen)
        self.seen |= known.seen
        return known.value  # type: ignore[return-value]  # one key, one type

    def _fact(self, what: str, path: Path, find: Callable[[Path], T]) -> T:
        key = (what, path)
        known = self.project.kept(key)
        if known is None:
            known = _Kept[object](find(path), frozenset((path,)))
            self.project.keep(key, known.value, known.seen)
        self.seen.add(path)
        return known.value  # type: ignore[return-value]  # one key, one type, here too

    def is_file(self, path: Path) -> bool:
        """See `ports.Files.is_file`."""
        return self._fact("file", path, self.project.files.is_file)

    def is_directory(self, path: Path) -> bool:
        """See `ports.Files.is_directory`."""
        return self._fact("directory", path, self.project.files.is_directory)

    def is_blank(self, path: Path) -> bool:
        """Whether a file holds nothing but white space; False for one that cannot be read."""
        return self._fact("blank", path, self._blank)

    def _blank(self, path: Path) -> bool:
        try:
            return not self.project.files.read(path, _BLANK).strip()
        except OSError:  # longer than that, too
            return False

    def names(self, path: Path) -> tuple[str, ...]:
        """See `ports.Files.names`."""
        return self._fact("names", path, self.project.files.names)

    def read(self, path: Path, limit: int | None = None) -> bytes:
        """See `ports.Files.read`."""
        self.seen.add(path)
        return self.project.files.read(path, limit)

    def suites_below(self, folder: Path) -> tuple[Path, ...]:
        """See `Project.suites_below`."""
        self.seen.add(_suites_in(folder))
        return self.project.suites_below(folder)

    def text(self, path: Path) -> str | None:
        """The text of a file, None for one that cannot be read as text."""
        return self._fact("text", path, self._text)

    def _text(self, path: Path) -> str | None:
        try:
            return self.project.files.read(path, LARGEST).decode("utf-8")
        except (OSError, ValueError):
            return None

    def tree(self, path: Path) -> Tree | None:
        """The tree of a YAML file, None for a file that cannot be read."""

        def make(look: Look) -> Tree | None:
            text = look.text(path)
            return None if text is None else parse(text)

        return self.once(("tree", path), make)
