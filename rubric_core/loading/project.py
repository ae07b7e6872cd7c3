"""The files around suites, each read once and cached until a change is reported.

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
from rubric_core.language.file_kinds import FileKind
from rubric_core.loading.checked_files import CheckedFiles
from rubric_core.loading.dependent_values import DependentValues
from rubric_core.loading.files import absolute
from rubric_core.loading.landmarks import LANDMARKS, landmark_of, stands_for_landmarks
from rubric_core.loading.path_order import SeenPaths, SuitePaths
from rubric_core.loading.questions import Question, Questions
from rubric_core.syntax.parse import LARGEST, parse
from rubric_core.syntax.tree import SyntaxTree

__all__ = ["Project", "TrackedLookup"]

T = TypeVar("T")
#: Up to so many changes are compared with what was known: switching branches changes thousands of files.
_FEW = 20


def _suites_in(folder: Path) -> Path:
    """Represents the set of suites below a folder among the files that something depends on. Not a valid file name."""
    return folder / "**"


class Project:
    """A cache of the files around suites, shared by every analysis of a command or server.

    Args:
        files: Reads files.
        fallback: A directory that is searched last; for the command line, the current one.
        longest: Bytes of a text; a longer one is not looked into.
        by_answer: Whether what asks a small question about a shared file depends on the answer, and not on the file.
    """

    def __init__(
        self, files: Files, fallback: Path | None = None, longest: int = LARGEST, *, by_answer: bool = False
    ) -> None:
        self.files = files
        self.by_answer = by_answer
        self.longest = longest
        self.fallback = absolute(fallback) if fallback is not None else None
        #: Folders whose suites are all known, and these suites.
        self._folders: tuple[Path, ...] = ()
        self._suites = SuitePaths()
        self._checked = CheckedFiles()
        #: Increases with every change: earlier results may be outdated.
        self.version = 0
        #: Facts about single files, by the question.
        self._facts: defaultdict[str, dict[Path, object]] = defaultdict(dict)
        #: Values computed from files, by key.
        self.values = DependentValues()
        self._questions = Questions[Callable[["TrackedLookup"], object]]()
        self._seen = SeenPaths()
        self._paths: dict[str, Path] = {}
        self._marks: dict[Path, Path] = {}
        #: The version of each path's last change, the newest at the end; and of the last change of all paths.
        self._changed: dict[Path, int] = {}
        self._all_changed = 0

    def changed(self, paths: Iterable[Path] | None = None) -> None:
        """Files or directories were changed, created or deleted; None: any of them."""
        if paths is None:
            self._facts.clear()
            self.values.clear()
            self._questions.clear()
            self._change_all()
            return
        named = set(map(absolute, paths))
        landmarks = {stands for each in named for stands in landmark_of(each)}
        around = {each.parent for each in named} | landmarks
        if len(named) <= _FEW:
            around = set(filter(self._has_other_names, around))
        self._touch(around.union(*map(self._seen.below, named)))

    def _has_other_names(self, folder: Path) -> bool:
        """Whether a folder, or the landmarks that it represents, are not what everybody has seen so far.

        An edit of a file changes neither, and thousands of suites look for landmarks beside a targets file.
        """
        known = [(what, facts[folder]) for what, facts in self._facts.items() if folder in facts]
        again: dict[str, Callable[[Path], object]] = {
            "landmarks": lambda path: self.landmarks(path.parent.parent),
            "names": self.files.names,
            "directory": self.files.is_directory,
            "file": self.files.is_file,
            "real folder": os.path.realpath,
        }
        return not known or any(what not in again or again[what](folder) != fact for what, fact in known)

    def _change_all(self) -> None:
        self.version += 1
        self._all_changed = self.version
        self._changed.clear()

    def _touch(self, paths: Collection[Path]) -> None:
        """Drop what depends on the paths. The content of a changed directory is among them."""
        self.version += 1
        self.values.index()
        for path in paths:
            self._mark_changed(path)
            for facts in self._facts.values():
                facts.pop(path, None)
            self._questions.doubt(self.values.forget(path))

    def _mark_changed(self, path: Path) -> None:
        self._changed.pop(path, None)  # so that it is at the end
        self._changed[path] = self.version

    def settle(self) -> None:
        """Index lookups while the process is idle, so that the next change is fast."""
        self._seen.settle()
        self.values.index()

    def changed_since(self, version: int, seen: AbstractSet[Path]) -> bool:
        """Whether a result of that `version` that depends on the files `seen` may be outdated."""
        if version >= self.version:
            return False
        if version < self._all_changed:
            return True
        for question in self._questions.doubtful(seen):
            self.ask(question.key, question.find)
        # By the shorter one: a keystroke changes one file, switching branches changes thousands.
        for path in islice(reversed(self._changed), len(seen)):
            if self._changed[path] <= version:
                return False
            if path in seen:
                return True
        return any(self._changed.get(path, 0) > version for path in seen)

    def ask(
        self, key: object, find: "Callable[[TrackedLookup], object]"
    ) -> "Question[Callable[[TrackedLookup], object]]":
        """A question with its current answer."""
        answer = self.look().once(key, find)
        known = self._questions.get(key)
        if known is None:
            known = self._questions.add(key, find, answer)
        elif self._questions.set(known, answer):
            self._mark_changed(known.mark)
        return known

    def depends_on(self, seen: AbstractSet[Path], files: AbstractSet[Path]) -> bool:
        """Whether a result that depends on the paths `seen` depends on one of these files, directly or by an answer."""
        answers = (self.values.get(question.key) for question in self._questions.among(seen))
        return not files.isdisjoint(seen) or any(
            not files.isdisjoint(answer.seen) for answer in answers if answer is not None
        )

    def has_dependents(self, path: Path) -> bool:
        """Whether anything depends on a file or on its absence."""
        return path in self._seen or any(stands in self._seen for stands in landmark_of(path))

    def path(self, text: str) -> Path:
        """The path of a text, as a single object: suites ask about the same files again and again."""
        known = self._paths.get(text)
        if known is None:
            known = self._paths[text] = Path(text)
        return known

    def saw(self, path: Path) -> Path:
        """Record a dependency on a file or on its absence; returns the single object for its path."""
        return self._seen.add(path)

    def register_suites(self, folders: Iterable[Path], suites: Iterable[Path]) -> bool:
        """Set all suites of some folders, which is required to find unused names. Returns whether anything is new."""
        before = (self._folders, self._suites)
        self._folders, self._suites = tuple(map(absolute, folders)), SuitePaths(suites)
        same_folders = before[0] == self._folders
        old, new = before[1].paths, self._suites.paths
        moved = set(old) ^ set(new) if same_folders else {*old, *new}
        if same_folders and not moved:
            return False
        if self._seen:  # a command registers its suites before anybody looks
            holding = {folder for suite in moved for folder in suite.parents}
            self._touch({_suites_in(folder) for folder in holding})
        return True

    def suites_below(self, folder: Path) -> tuple[Path, ...]:
        """The suites below a folder, ordered by name; empty if not all are known."""
        if not any(folder.is_relative_to(known) for known in self._folders):
            return ()
        return self._suites.below(folder)

    def register_checks(self, checks: Callable[[Path, FileKind, bool], bool]) -> None:
        """Set what decides whether a file is checked by itself; see `CheckedFiles`."""
        self._checked.decide = checks
        self.review_checks()

    def review_checks(self) -> None:
        """Something may have changed that decides whether files are checked by themselves."""
        if moved := self._checked.review():
            self._touch(moved)

    def is_checked(self, path: Path, kind: FileKind, *, nested: bool = False) -> bool:
        """Whether a file that others refer to is checked by itself, as that kind: then its mistakes are reported there.

        `nested`: whether these are files of a family that recognises others by their content, which one of those names.
        """
        return self._checked.ask(path, kind, nested=nested)

    def look(self) -> "TrackedLookup":
        """A lookup of files that records dependencies."""
        return TrackedLookup(self, by_answer=self.by_answer)

    def read_files(self) -> list[Path]:
        """The files whose content something depends on and that have not changed since they were read."""
        return [*dict.fromkeys([*self._facts["text"], *self._facts["blank"]])]

    def fact(self, what: str, path: Path, find: Callable[[Path], T]) -> T:
        """A fact about one file, computed once."""
        facts = self._facts[what]
        # Hashing a path runs in Python: it is looked up once. No fact is the project itself.
        known = facts.get(path, self)
        if known is self:
            known = facts[path] = find(path)
        return known  # type: ignore[return-value]  # one question, one type

    def landmarks(self, directory: Path) -> frozenset[str]:
        """The existing landmarks of a directory."""
        return self.files.present(directory, LANDMARKS)

    def landmarks_mark(self, directory: Path) -> Path:
        """The path that represents the landmarks of a directory, as a single object."""
        known = self._marks.get(directory)
        if known is None:
            known = self._marks[directory] = stands_for_landmarks(directory)
        return known

    def real_path(self, path: Path) -> str:
        """The path with all links resolved. Those of its parent are resolved once for the whole folder."""
        if path.name in ("", "..") or os.path.islink(path):  # noqa: PTH114  # `Path.is_symlink` takes twice as long
            return os.path.realpath(path)
        folder = self.fact("real folder", self.saw(path.parent), os.path.realpath)
        return os.path.join(folder, path.name)  # noqa: PTH118  # as text


#: A longer file is not considered blank.
_BLANK = 256


class TrackedLookup:
    """A lookup in the files of a project. `seen` are all dependencies, including missing files.

    `by_answer`: whether `answer` depends on the answers alone.
    """

    def __init__(self, project: Project, *, by_answer: bool = False) -> None:
        self.project = project
        self.seen: set[Path] = set()
        self._by_answer = by_answer

    def once(self, key: object, make: "Callable[[TrackedLookup], T]") -> T:
        """The result of `make`, cached by key until one of its dependencies changes."""
        kept = self.project.values
        known = kept.get(key)
        if known is None:
            inner = TrackedLookup(self.project)
            value = make(inner)
            known = kept.keep(key, value, frozenset(inner.seen))
        self.seen |= known.seen
        return known.value  # type: ignore[return-value]  # one key, one type

    def answer(self, key: object, find: "Callable[[TrackedLookup], T]") -> T:
        """The same as `once`, but this lookup depends on the value alone: it is outdated when `find` gives another one.

        The value has to be small, and comparable by `==`. Inside of `once`, nothing is different: what is kept there is
        dropped when a file changes, before anybody asks again.
        """
        if not self._by_answer:
            return self.once(key, find)
        question = self.project.ask(key, find)
        self.seen.add(question.mark)
        return question.answer  # type: ignore[return-value]  # one key, one type

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
        """Whether a file contains only white space; False for an unreadable one."""
        return self._fact("blank", path, self._blank)

    def _blank(self, path: Path) -> bool:
        try:
            return not self.project.files.read(path, _BLANK).strip()
        except OSError:  # or longer than that
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

    def read_variables(self, path: Path, limit: int | None = None) -> bytes:
        """See `ports.Files.read_variables`."""
        return self.project.files.read_variables(self._saw(path), limit)

    def suites_below(self, folder: Path) -> tuple[Path, ...]:
        """See `Project.suites_below`."""
        self._saw(_suites_in(folder))
        return self.project.suites_below(folder)

    def is_checked(self, path: Path, kind: FileKind, *, nested: bool = False) -> bool:
        """See `Project.is_checked`."""
        return self.project.is_checked(self._saw(path), kind, nested=nested)

    def real_path(self, path: Path) -> str:
        """The path with all links followed."""
        return self._fact("real path", path, self.project.real_path)

    def text(self, path: Path) -> str | None:
        """The text of a file, None if it cannot be read as text."""
        return self._fact("text", path, self._text)

    def is_too_long(self, path: Path) -> bool:
        """Whether a file has no text here only because of its length: a run reads it."""
        return self._fact("too long", path, self._is_too_long)

    def _is_too_long(self, path: Path) -> bool:
        if self.project.longest >= LARGEST:
            return False
        try:
            return len(self.project.files.read(path, LARGEST)) > self.project.longest
        except OSError:
            return False

    def glance(self, path: Path) -> str | None:
        """The same for a file whose text is not cached, as something else is."""
        return self._text(self._saw(path))

    def data(self, path: Path) -> bytes | None:
        """The content of a binary file, or of one that is too long to be cached; None for one that no run reads."""
        try:
            return self.project.files.read(self._saw(path), LARGEST)
        except (OSError, ValueError):
            return None

    def _text(self, path: Path) -> str | None:
        try:
            return self.project.files.read(path, self.project.longest).decode("utf-8")
        except (OSError, ValueError):
            return None

    def tree(self, path: Path) -> SyntaxTree | None:
        """The tree of a YAML file, None for an unreadable file."""

        def make(look: TrackedLookup) -> SyntaxTree | None:
            text = look.text(path)
            return None if text is None else parse(text)

        return self.once(("tree", path), make)
