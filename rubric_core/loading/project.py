"""The files around suites, each read once and remembered until somebody says that it has changed.

Nothing here is executed, nothing is written, and the environment is not read.
"""

import os
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from pathlib import Path
from typing import TypeVar

from rubric_core.file_access import Files
from rubric_core.loading.dependent_values import DependentValues
from rubric_core.loading.files import absolute
from rubric_core.loading.landmarks import LANDMARKS, landmark_of, stands_for_landmarks
from rubric_core.loading.path_order import SeenPaths, SuitePaths
from rubric_core.syntax.parse import parse
from rubric_core.syntax.tree import SyntaxTree

__all__ = ["Project", "TrackedLookup"]

T = TypeVar("T")
#: Bytes; a longer file is not looked into.
LARGEST = 5_000_000
#: Bytes of the largest file that a run takes for a prompt or for cases.
LARGEST_READ = 20_000_000


def _suites_in(folder: Path) -> Path:
    """Stands for which suites there are below a folder, among the files that something depends on. No file is called so."""
    return folder / "**"


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
        self._suites = SuitePaths()
        self._checked = False
        #: Grows with every change: what was computed before may be wrong.
        self.version = 0
        #: What single files were found to be or to hold, by the question.
        self._facts: defaultdict[str, dict[Path, object]] = defaultdict(dict)
        #: What was computed from files, by its key.
        self.values = DependentValues()
        self._seen = SeenPaths()
        self._paths: dict[str, Path] = {}
        self._marks: dict[Path, Path] = {}
        #: When each path changed last, the newest at the end; and when any of them may have.
        self._changed: dict[Path, int] = {}
        self._all_changed = 0

    def changed(self, paths: Iterable[Path] | None = None) -> None:
        """Files have changed, come or gone, or directories; None: any of them."""
        if paths is None:
            self._facts.clear()
            self.values.clear()
            self._change_all()
            return
        named = set(map(absolute, paths))
        landmarks = (stands for each in named for stands in landmark_of(each))
        self._touch({each.parent for each in named}.union(landmarks, *map(self._seen.below, named)))

    def _change_all(self) -> None:
        self.version += 1
        self._all_changed = self.version
        self._changed.clear()

    def _touch(self, paths: Collection[Path]) -> None:
        """Forget what depends on any of the paths. What is below a directory has changed with it, and is among them."""
        self.version += 1
        self.values.index()
        for path in paths:
            self._changed.pop(path, None)  # so that it stands at the end
            self._changed[path] = self.version
            for facts in self._facts.values():
                facts.pop(path, None)
            self.values.forget(path)

    def settle(self) -> None:
        """Index what was looked up since the last change, while the process is idle, so that the next change finds it done."""
        self._seen.settle()
        self.values.index()

    def changed_since(self, version: int, seen: AbstractSet[Path]) -> bool:
        """Whether what was found out at that `version` from the files `seen` may be wrong by now."""
        if version >= self.version:
            return False
        if version < self._all_changed:
            return True
        # By whichever is shorter: a letter changes one file, another branch thousands.
        for path in islice(reversed(self._changed), len(seen)):
            if self._changed[path] <= version:
                return False
            if path in seen:
                return True
        return any(self._changed.get(path, 0) > version for path in seen)

    def sees(self, path: Path) -> bool:
        """Whether anything was ever found out from a file, or from its not being there."""
        return path in self._seen or any(stands in self._seen for stands in landmark_of(path))

    def path(self, text: str) -> Path:
        """The path in a text, the same object each time: suites ask about the same files again and again."""
        known = self._paths.get(text)
        if known is None:
            known = self._paths[text] = Path(text)
        return known

    def saw(self, path: Path) -> Path:
        """Something is found out from a file, or from its not being there; gives the path that stands for it."""
        return self._seen.add(path)

    def knows(self, folders: Iterable[Path], suites: Iterable[Path], *, checked: bool = False) -> bool:
        """Every suite in some folders: only then can anything be said to be used by none. Gives whether that is news.

        `checked`: whether what the suites refer to there is checked as well, so that mistakes are said where they are.
        """
        before = (self._folders, self._suites, self._checked)
        self._checked = checked
        self._folders, self._suites = tuple(map(absolute, folders)), SuitePaths(suites)
        same_folders = before[0] == self._folders
        if before[2] != checked:
            self._change_all()
            return True
        old, new = before[1].paths, self._suites.paths
        moved = set(old) ^ set(new) if same_folders else {*old, *new}
        if same_folders and not moved:
            return False
        holding = {folder for suite in moved for folder in suite.parents}
        self._touch({_suites_in(folder) for folder in holding})
        return True

    def suites_below(self, folder: Path) -> tuple[Path, ...]:
        """The suites in a folder and below it, in the order of their names; none when there may be more than are known."""
        if not any(folder.is_relative_to(known) for known in self._folders):
            return ()
        return self._suites.below(folder)

    def is_checked(self, path: Path) -> bool:
        """Whether a file is checked by itself as well."""
        return self._checked and any(known in path.parents for known in self._folders)

    def look(self) -> "TrackedLookup":
        """Look at the files, keeping account of which."""
        return TrackedLookup(self)

    def read_files(self) -> list[Path]:
        """The files whose content counts somewhere, and of which a change was not seen since they were read."""
        return [*dict.fromkeys([*self._facts["text"], *self._facts["blank"]])]

    def fact(self, what: str, path: Path, find: Callable[[Path], T]) -> T:
        """What one file is or holds, found out once."""
        facts = self._facts[what]
        # A path is hashed in Python: it is looked up once. No fact is the project itself.
        known = facts.get(path, self)
        if known is self:
            known = facts[path] = find(path)
        return known  # type: ignore[return-value]  # one question, one type

    def landmarks(self, directory: Path) -> frozenset[str]:
        """Which of the landmarks are there in a directory."""
        return self.files.present(directory, LANDMARKS)

    def landmarks_mark(self, directory: Path) -> Path:
        """What stands for the landmarks in a directory, the same object each time."""
        known = self._marks.get(directory)
        if known is None:
            known = self._marks[directory] = stands_for_landmarks(directory)
        return known

    def real_path(self, path: Path) -> str:
        """The path with all links followed. The links above it are followed once for all that is in its folder."""
        if path.name in ("", "..") or os.path.islink(path):  # noqa: PTH114  # `Path.is_symlink` takes twice as long
            return os.path.realpath(path)
        folder = self.fact("real folder", self.saw(path.parent), os.path.realpath)
        return os.path.join(folder, path.name)  # noqa: PTH118  # as text


#: A file of white space that is longer than this many bytes is something else.
_BLANK = 256


class TrackedLookup:
    """One look at the files of a project. `seen` is everything that it depends on, missing files included."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.seen: set[Path] = set()

    def once(self, key: object, make: "Callable[[TrackedLookup], T]") -> T:
        """What `make` finds out, the same for the same key until a file that it saw has changed."""
        kept = self.project.values
        known = kept.get(key)
        if known is None:
            inner = TrackedLookup(self.project)
            value = make(inner)
            known = kept.keep(key, value, frozenset(inner.seen))
        self.seen |= known.seen
        return known.value  # type: ignore[return-value]  # one key, one type

    def _saw(self, path: Path) -> Path:
        path = self.project.saw(path)
        self.seen.add(path)
        return path

    def _fact(self, what: str, path: Path, find: Callable[[Path], T]) -> T:
        path = self.project.saw(path)
        self.seen.add(path)
        return self.project.fact(what, path, find)

    def path(self, text: str) -> Path:
        """See `Project.path`."""
        return self.project.path(text)

    def is_file(self, path: Path) -> bool:
        """See `ports.Files.is_file`."""
        return self._fact("file", path, self.project.files.is_file)

    def is_directory(self, path: Path) -> bool:
        """See `ports.Files.is_directory`."""
        return self._fact("directory", path, self.project.files.is_directory)

    def landmarks(self, directory: Path) -> frozenset[str]:
        """See `Project.landmarks`."""
        project = self.project
        return self._fact("landmarks", project.landmarks_mark(directory), lambda _: project.landmarks(directory))

    def is_blank(self, path: Path) -> bool:
        """Whether a file holds nothing but white space; False for one that cannot be read."""
        return self._fact("blank", path, self._blank)

    def _blank(self, path: Path) -> bool:
        try:
            return not self.project.files.read(path, _BLANK).strip()
        except OSError:  # longer than that, too
            return False

    def present(self, path: Path, names: Mapping[str, Sequence[str]]) -> frozenset[str]:
        """See `ports.Files.present`."""
        return frozenset(name for those in names.values() for name in those if self.is_file(path / name))

    def names(self, path: Path) -> tuple[str, ...]:
        """See `ports.Files.names`."""
        return self._fact("names", path, self.project.files.names)

    def read(self, path: Path, limit: int | None = None) -> bytes:
        """See `ports.Files.read`."""
        return self.project.files.read(self._saw(path), limit)

    def suites_below(self, folder: Path) -> tuple[Path, ...]:
        """See `Project.suites_below`."""
        self._saw(_suites_in(folder))
        return self.project.suites_below(folder)

    def real_path(self, path: Path) -> str:
        """The path with all links followed."""
        return self._fact("real path", path, self.project.real_path)

    def text(self, path: Path) -> str | None:
        """The text of a file, None for one that cannot be read as text."""
        return self._fact("text", path, self._text)

    def glance(self, path: Path) -> str | None:
        """The same for a file of which something else is kept: its text is not."""
        return self._text(self._saw(path))

    def data(self, path: Path) -> bytes | None:
        """The content of a file that is no text, or longer than those that are kept; None for one that no run reads."""
        try:
            return self.project.files.read(self._saw(path), LARGEST_READ)
        except (OSError, ValueError):
            return None

    def _text(self, path: Path) -> str | None:
        try:
            return self.project.files.read(path, LARGEST).decode("utf-8")
        except (OSError, ValueError):
            return None

    def tree(self, path: Path) -> SyntaxTree | None:
        """The tree of a YAML file, None for a file that cannot be read."""

        def make(look: TrackedLookup) -> SyntaxTree | None:
            text = look.text(path)
            return None if text is None else parse(text)

        return self.once(("tree", path), make)
