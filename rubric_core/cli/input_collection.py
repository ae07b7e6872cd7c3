"""Collects the inputs of a check: its arguments, the folders that it listed, the files that it read."""

# Paths as strings: there are tens of thousands.
# ruff: noqa: PTH109, PTH118, PTH120, PTH208

import errno
import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from rubric_core.cli.check_inputs import ABSENT, FILE, FOLDER, CheckInputs, kind_of, names_in
from rubric_core.cli.dependencies import FOUND_LANDMARKS, NO_NAMES, REAL_PATH, SUITES, Fact
from rubric_core.cli.sources import Source, SourceCollector
from rubric_core.configuration import CONFIGURATION_FILES
from rubric_core.loading.landmarks import LANDMARKS

__all__ = ["inputs_of"]

#: The marker for a missing path.
_GONE = (errno.ENOENT, errno.ENOTDIR, NO_NAMES)


def inputs_of(
    sources: SourceCollector,
    found: Iterable[Source],
    configurations: Iterable[Path],
    facts: Iterable[Fact],
    root: Path | None,
) -> CheckInputs | None:
    """Everything that a check depended on, as plain paths; None if stamps cannot express some of it.

    Args:
        sources: The arguments, after the search.
        found: The checked files.
        configurations: The configuration files.
        facts: The facts about other files.
        root: The folder with the cache, which a first check creates.
    """
    try:
        collection = _Collection(sources.listed_folders, str(root))
        for name in sources.names:
            collection.named(os.path.join(os.getcwd(), name))
        for path, was_there in sources.looked_at.items():
            collection.depend_on_content(path, was_there=was_there)
        folders: set[str] = set()
        for source in found:
            if not source.is_file:
                return None
            # As written: the meaning of `..` depends on links.
            collection.content(os.path.join(os.getcwd(), source.shown))
            folders.update(map(str, source.path.parents))
        for folder in folders:
            for name in CONFIGURATION_FILES:
                # A file that counted and is gone is among the missing ones.
                collection.depend_on_content(os.path.join(folder, name))
        for configuration in configurations:
            collection.content(str(configuration))
        for fact in facts:
            collection.fact(fact)
        return collection.inputs()
    except (_UncertainError, OSError):
        return None


class _UncertainError(Exception):
    """Stamps cannot express an input."""


class _Collection:
    def __init__(self, listed: Mapping[str, Sequence["os.DirEntry[str]"]], root: str) -> None:
        """`listed` are folders whose lists of names count; see `inputs_of`. Raises _UncertainError and OSError."""
        self._entries: dict[str, str] = {}
        self._stamped: defaultdict[str, set[str]] = defaultdict(set)
        for folder, entries in listed.items():
            if folder == root:
                self._entries[folder] = names_in(folder, entries)
                if names_in(folder) != self._entries[folder]:
                    raise _UncertainError
            else:
                self._stamped[folder].add("")
        self._kinds: dict[str, str] = {}
        self._real: dict[str, str] = {}
        #: The names in folders; None for other paths.
        self._names: dict[str, frozenset[str] | None] = {}

    def inputs(self) -> CheckInputs:
        """The collected inputs."""
        stamped = {folder: sorted(names) for folder, names in self._stamped.items()}
        return CheckInputs(stamped, self._kinds, self._real, self._entries)

    def content(self, path: str) -> None:
        """Record that a file was read."""
        folder, name = os.path.split(path)
        self._stamped[folder].add(name)

    def _kind(self, path: str) -> str:
        kind = self._kinds[path] = kind_of(path)
        return kind

    def named(self, path: str) -> None:
        """Record a path of the command line: what was read or listed for it, or any other path."""
        if self._kind(path) == FILE:
            self.content(path)

    def depend_on_content(self, path: str, *, was_there: bool = False) -> None:
        """Record that the content of a file counted, or its absence. Raises _UncertainError."""
        kind = kind_of(path)
        if kind == FILE:
            self.content(path)
        elif kind != ABSENT:
            self._kinds[path] = kind
        elif was_there:
            raise _UncertainError
        else:
            self.absent(path)

    def absent(self, path: str) -> None:
        """Record a missing path: covered if all names of its folder count."""
        self._absent(*os.path.split(path))

    def _absent(self, folder: str, name: str) -> None:
        if self._is_missing(folder, name):
            return
        path = os.path.join(folder, name)
        while name and self._listed(folder) is None:
            folder, name = os.path.split(folder)
        if not self._is_missing(folder, name):
            names = self._listed(folder)
            path = os.path.join(folder, name) if names is not None and name not in names else path
            if self._kind(path) != ABSENT:
                raise _UncertainError

    def _is_missing(self, folder: str, name: str) -> bool:
        """Whether it is missing from the names of a folder whose names all count."""
        if folder not in self._entries and "" not in self._stamped.get(folder, ()):
            return False
        names = self._listed(folder)
        return names is not None and name not in names

    def _listed(self, folder: str) -> frozenset[str] | None:
        if folder not in self._names:
            try:
                self._names[folder] = frozenset(os.listdir(folder))
            except (FileNotFoundError, NotADirectoryError):
                self._names[folder] = None
            except OSError:
                raise _UncertainError from None
        return self._names[folder]

    def fact(self, fact: Fact) -> None:
        """Record a question about a path. Raises _UncertainError."""
        folder, name, answers = fact
        if SUITES in answers:
            return  # implied by the content of folders
        if FOUND_LANDMARKS in answers:
            self._landmarks(os.path.dirname(folder), str(answers[FOUND_LANDMARKS]).split())
            return
        for answer in answers.values():
            if answer is not False and answer not in _GONE:
                break
        else:
            self._absent(folder, name)
            return
        path = os.path.join(folder, name)
        kind = kind_of(path)
        self._agree(answers, kind)
        if REAL_PATH in answers:
            self._real[path] = str(answers[REAL_PATH])
        if kind == FILE and answers.keys() - {"file", "directory", REAL_PATH}:
            self.content(path)
        elif kind == FOLDER and "names" in answers:
            self._stamped[path].add("")
        else:
            self._kinds[path] = kind

    def _landmarks(self, folder: str, found: Collection[str]) -> None:
        """Record which landmarks exist. Raises _UncertainError if that has changed."""
        if not found and all(self._is_missing(folder, first) for first in LANDMARKS):
            return
        for name in (name for those in LANDMARKS.values() for name in those):
            path = os.path.join(folder, name)
            kind = kind_of(path)
            if (kind == FILE) != (name in found):
                raise _UncertainError
            if kind == ABSENT:
                self.absent(path)
            else:
                self._kinds[path] = kind

    def _agree(self, answers: Mapping[str, object], kind: str) -> None:
        """Raises _UncertainError if something has changed, or no stamp can express it."""
        if kind not in (FILE, FOLDER):
            raise _UncertainError
        is_file, is_folder = kind == FILE, kind == FOLDER
        if answers.get("file", is_file) != is_file or answers.get("directory", is_folder) != is_folder:
            raise _UncertainError
