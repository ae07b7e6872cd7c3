"""The dependencies of a file's findings: every question of a check about other files, with the answer.

Unlike with stamps, a result is reused only if each question still has the same answer, whatever the clock says and
however quickly files change.
"""

import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

from rubric_core.cli.cache_files import digest
from rubric_core.language.file_kinds import FileKind, kind_named
from rubric_core.loading.known_names import INSTALLED, installed_evaluators
from rubric_core.loading.landmarks import LANDMARKS
from rubric_core.loading.project import Project, TrackedLookup
from rubric_core.ports import Files

__all__ = [
    "CHECKED",
    "FOUND_LANDMARKS",
    "NO_NAMES",
    "REAL_PATH",
    "SUITES",
    "CurrentFacts",
    "Fact",
    "RecordingFiles",
    "RecordingProject",
    "checked_question",
]

#: A boolean, a digest, or an error number.
Answer = bool | str | int
_FILE, _DIRECTORY, _NAMES, _READ = "file", "directory", "names", "read "
#: Whether a file is checked by itself; the name of its kind is added.
CHECKED, _NESTED = "checked ", " nested"
SUITES, _EVALUATORS, REAL_PATH, FOUND_LANDMARKS = "suites", "evaluators", "real path", "landmarks"

#: The beginnings of questions whose answers are not those of files alone.
_OF_THE_CHECK = (CHECKED, SUITES, _EVALUATORS)


def _names_digest(names: Iterable[object]) -> str:
    return digest(b"\0".join(os.fsencode(str(name)) for name in names))


#: The answer for a folder that is empty or missing.
NO_NAMES = _names_digest(())


def checked_question(kind: FileKind, *, nested: bool) -> str:
    """The question of `RecordingProject.is_checked`."""
    return f"{CHECKED}{kind.name}{_NESTED if nested else ''}"


class RecordingFiles:
    """Files that record every question about them with its answer."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self.answers: defaultdict[Path, dict[str, Answer]] = defaultdict(dict)
        #: Paths with new questions.
        self.grown: set[Path] = set()
        #: Files that changed during the check: one question had two answers.
        self.unsteady: set[Path] = set()

    def read(self, path: Path, limit: int | None = None) -> bytes:
        """See `ports.Files.read`."""
        question = f"{_READ}{'' if limit is None else limit}"
        try:
            content = self._files.read(path, limit)
        except OSError as error:
            self.note(path, question, error.errno or 0)
            raise
        self.note(path, question, digest(content))
        return content

    def read_variables(self, path: Path, limit: int | None = None) -> bytes:
        """See `ports.Files.read_variables`. No check depends on it."""
        return self._files.read_variables(path, limit)

    def is_file(self, path: Path) -> bool:
        """See `ports.Files.is_file`."""
        return bool(self.note(path, _FILE, self._files.is_file(path)))

    def is_directory(self, path: Path) -> bool:
        """See `ports.Files.is_directory`."""
        return bool(self.note(path, _DIRECTORY, self._files.is_directory(path)))

    def present(self, path: Path, names: Mapping[str, Sequence[str]]) -> frozenset[str]:
        """See `ports.Files.present`. Nothing is recorded: `RecordingProject.landmarks` has one answer for all of them."""
        return self._files.present(path, names)

    def names(self, path: Path) -> tuple[str, ...]:
        """See `ports.Files.names`."""
        names = self._files.names(path)
        self.note(path, _NAMES, _names_digest(names))
        return names

    def note(self, path: Path, question: str, answer: Answer) -> Answer:
        """Record a question about a path. Returns the answer."""
        answers = self.answers[path]
        if question not in answers:
            answers[question] = answer
            self.grown.add(path)
        elif answers[question] != answer:
            self.unsteady.add(path)
        return answer


class Fact(NamedTuple):
    """Questions about one path, with their answers."""

    folder: str
    name: str
    answers: dict[str, Answer]

    @property
    def path(self) -> str:
        """The path that was asked about."""
        return os.path.join(self.folder, self.name)  # noqa: PTH118  # there are many

    @property
    def is_of_content(self) -> bool:
        """Whether the content of a file was asked for."""
        return any(question.startswith(_READ) for question in self.answers)


class RecordingProject(Project):
    """A project that records file by file what is looked up."""

    def __init__(self, files: Files, fallback: Path) -> None:
        self.recorded = RecordingFiles(files)
        super().__init__(self.recorded, fallback)
        self._looks: list[TrackedLookup] = []
        #: The number of the known fact about each path, and the facts that were not passed on yet.
        self._numbers: dict[Path, int] = {}
        self._news: list[tuple[int, Fact]] = []
        self._process = 0
        self._next = 0

    def look(self) -> TrackedLookup:
        """See `Project.look`."""
        look = super().look()
        self._looks.append(look)
        return look

    def real_path(self, path: Path) -> str:
        """See `Project.real_path`."""
        real = super().real_path(path)
        self.recorded.note(path, REAL_PATH, real)
        return real

    def is_checked(self, path: Path, kind: FileKind, *, nested: bool = False) -> bool:
        """See `Project.is_checked`."""
        question = checked_question(kind, nested=nested)
        return bool(self.recorded.note(path, question, super().is_checked(path, kind, nested=nested)))

    def landmarks(self, directory: Path) -> frozenset[str]:
        """See `Project.landmarks`."""
        found = super().landmarks(directory)
        self.recorded.note(self.landmarks_mark(directory), FOUND_LANDMARKS, _landmarks_answer(found))
        return found

    def begin(self) -> None:
        """Start recording for the next file."""
        self._looks.clear()

    def facts(self) -> tuple[int, ...] | None:
        """The numbers of all facts since the last file began; None if some are uncertain."""
        seen: set[Path] = set().union(*(look.seen for look in self._looks))
        for path in self.recorded.grown:
            self._numbers.pop(path, None)
        self.recorded.grown.clear()
        for path in seen.difference(self._numbers):
            self._number(path)
        return tuple(map(self._numbers.__getitem__, seen)) if seen.isdisjoint(self.recorded.unsteady) else None

    def news(self) -> list[tuple[int, Fact]]:
        """New facts by their numbers. No two processes share a number."""
        news, self._news = self._news, []
        return news

    def _number(self, path: Path) -> None:
        if self._process != os.getpid():
            self._process, self._next, self._news = os.getpid(), int.from_bytes(os.urandom(8), "little") << 24, []
        answers = self._answers(path)
        if not answers:  # the question is unknown
            self.recorded.unsteady.add(path)
        self._next += 1
        self._numbers[path] = self._next
        self._news.append((self._next, Fact(str(path.parent), path.name, answers)))

    def _answers(self, path: Path) -> dict[str, Answer]:
        if path == INSTALLED:
            return {_EVALUATORS: _names_digest(sorted(installed_evaluators(super().look())))}
        answers = dict(self.recorded.answers.get(path, {}))
        return {**answers, SUITES: _suites_digest(self, path)} if path.name == "**" else answers


def _folded(name: str) -> str:
    """A key that is equal for names that some file system may consider equal."""
    return name.casefold() if name.isascii() else normalize("NFD", name).casefold()


def _listed(folder: str) -> frozenset[str] | None:
    if sys.platform == "win32":  # where "a." is another spelling of "a"
        return None
    try:
        return frozenset(map(_folded, os.listdir(folder)))  # noqa: PTH208  # names are wanted
    except (FileNotFoundError, NotADirectoryError, UnicodeEncodeError):  # a name that another locale could say
        return frozenset()
    except OSError:
        return None


def _landmarks_answer(found: frozenset[str]) -> str:
    return " ".join(sorted(found))


def _suites_digest(project: Project, path: Path) -> str:
    return _names_digest(project.suites_below(path.parent))


class CurrentFacts:
    """Current answers. Each folder is listed once: most questions concern missing files."""

    def __init__(self, files: Files, project: Project, changed: frozenset[str] | None = None) -> None:
        """`changed`: the only files that may have changed since the questions were answered; None: any may have."""
        self._files = files
        self._project = project
        self._changed = changed

    def holds(self, facts: Iterable[Fact]) -> Iterator[bool]:
        """Whether each fact still holds; facts of one folder have to be consecutive."""
        folder, listed = None, None
        for fact in facts:
            if self._changed is not None and fact.path not in self._changed:
                yield all(
                    self._answer(fact, question) == answer
                    for question, answer in fact.answers.items()
                    if question.startswith(_OF_THE_CHECK)
                )
                continue
            if fact.folder != folder:
                folder, listed = fact.folder, _listed(fact.folder)
            # The root of the disk has no name, and no folder lists it.
            gone = listed is not None and fact.name != "" and _folded(fact.name) not in listed
            yield all(
                answer is False if gone and question in (_FILE, _DIRECTORY) else self._answer(fact, question) == answer
                for question, answer in fact.answers.items()
            )

    def _answer(self, fact: Fact, question: str) -> Answer:
        path = Path(fact.folder, fact.name)
        if question == _FILE:
            return self._files.is_file(path)
        if question == _DIRECTORY:
            return self._files.is_directory(path)
        if question == _NAMES:
            return _names_digest(self._files.names(path))
        if question == REAL_PATH:
            return os.path.realpath(path)
        if question == FOUND_LANDMARKS:
            return _landmarks_answer(self._files.present(path.parent.parent, LANDMARKS))
        if question.startswith(CHECKED):
            name = question.removeprefix(CHECKED)
            kind = kind_named(name.removesuffix(_NESTED))
            return self._project.is_checked(path, kind, nested=name.endswith(_NESTED))
        if question == SUITES:
            return _suites_digest(self._project, path)
        if question == _EVALUATORS:
            return _names_digest(sorted(installed_evaluators(self._project.look())))
        try:
            limit = question.removeprefix(_READ)
            return digest(self._files.read(path, int(limit) if limit else None))
        except OSError as error:
            return error.errno or 0
