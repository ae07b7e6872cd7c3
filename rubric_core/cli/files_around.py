"""The files that may use a file which was named by itself: what it is depends on them."""

import os
from collections.abc import Collection, Iterator
from pathlib import Path

from rubric_core.configuration.discovery import Discovery
from rubric_core.containment import bounds_of, is_repository
from rubric_core.language.file_extensions import YAML
from rubric_core.language.file_kinds import FileKind
from rubric_core.loading.detect_file_kind import kind_by_name
from rubric_core.loading.files import UnreadableError, absolute, read_text
from rubric_core.loading.landmarks import HOMES

__all__ = ["FilesAround"]

#: Files that may name others.
_NAMING = (*YAML, ".json")


class FilesAround:
    """Searches the repositories of named files, or the current folder, for what may use them.

    Args:
        discovery: Walks these folders, and no others.
    """

    def __init__(self, discovery: Discovery) -> None:
        self._discovery = discovery
        #: The folders that were searched, and all suites in them.
        self.folders: list[Path] = []
        self.suites: list[Path] = []

    def users(self, named: Collection[Path]) -> list[Path]:
        """The suites and configurations that may use one of the files, directly or through other files.

        Only texts are compared here: whoever asks analyzes them.
        """
        self.folders = list(dict.fromkeys(_root_of(path) for path in sorted(named)))
        walks = (self._discovery.suites, self._discovery.related)
        every = (absolute(name) for folder in self.folders for walk in walks for name in walk(str(folder)))
        self.suites = [path for path in every if kind_by_name(path) is not FileKind.TARGETS]
        wanted = {word for path in named for word in _words_of(path)}
        if not wanted or not self.suites:
            return []
        texts = {path: text for path in dict.fromkeys((*self.suites, *self._others())) if (text := _text(path))}
        found: set[Path] = set()
        while more := [p for p, text in texts.items() if p not in found and any(word in text for word in wanted)]:
            found.update(more)
            wanted.update(word for path in more for word in _words_of(path))
        # Targets are found by every suite below them.
        homes = tuple(_home_of(path) for path in named if kind_by_name(path) is FileKind.TARGETS)
        using = (path for path in self.suites if path in found or any(path.is_relative_to(home) for home in homes))
        return [path for path in using if path not in named]

    def _others(self) -> Iterator[Path]:
        """The other files in the folders that may name files."""
        for name in self._discovery.passed_files():
            if name.endswith(_NAMING):
                yield Path(name)


def _home_of(targets: Path) -> Path:
    return targets.parent.parent if targets.parent.name in HOMES else targets.parent


def _root_of(path: Path) -> Path:
    """The repository of a file; without one, the current folder if the file is in it, else the folder of the file."""
    root = bounds_of(path.parent)
    if is_repository(root):
        return Path(root)
    here, home = absolute("."), Path(os.path.expanduser("~"))  # noqa: PTH111  # a missing home is not an error
    return here if path.is_relative_to(here) and not home.is_relative_to(here) else path.parent


def _words_of(path: Path) -> Iterator[str]:
    """What a text contains that names a file: its name, that of a template without its ending, or a folder of cases."""
    yield path.stem if kind_by_name(path) is FileKind.TEMPLATE else path.name
    yield "*"
    if path.stem == "case":
        yield path.parent.parent.name


def _text(path: Path) -> str:
    try:
        return read_text(path)
    except UnreadableError:
        return ""
