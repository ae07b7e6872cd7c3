"""Landmarks: the files that are searched in every folder from a suite upward.

They are targets files, the engine's configuration, and markers of the root of a repository. For most folders one
listing shows that there are none, and one path represents all of them among the files that something depends on.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

__all__ = [
    "CONFIGURATIONS", "HOMES", "INSTALLED", "LANDMARKS", "ROOTS", "TARGET_FILES", "every_landmark", "is_any_landmark", "landmark_of",
    "stands_for_landmarks",
]  # fmt: skip

#: The folders for files shared by the suites of a repository: the current name, and an older one.
HOMES = (".agentv", ".agentevo")
#: The engine's configuration; earlier names take precedence.
CONFIGURATIONS = tuple(
    f"{home}/{name}" for home in HOMES for name in ("config.local.yaml", "config.yaml", "config.yml")
)
#: Targets files, in the order in which they are searched in each directory.
TARGET_FILES = (
    "targets.yaml", "targets.yml", ".agentv/targets.yaml", ".agentv/targets.yml", ".agentevo/targets.yaml",
    "providers.yaml", "providers.yml", ".agentv/providers.yaml", ".agentv/providers.yml",
)  # fmt: skip
#: What tells the release of the engine that npm has put beside the suites.
INSTALLED = "node_modules/agentv/package.json"
#: Markers of the root of a repository.
ROOTS = (".git/HEAD", ".git")

_EVERY = (*TARGET_FILES, *CONFIGURATIONS, INSTALLED, *ROOTS)


def _by_first_part() -> Mapping[str, tuple[str, ...]]:
    names: dict[str, tuple[str, ...]] = {}
    for name in _EVERY:
        first = name.partition("/")[0]
        names[first] = (*names.get(first, ()), name)
    return MappingProxyType(names)


#: All of them, as paths below a folder, by the first part of the path.
LANDMARKS = _by_first_part()
_LOWER = frozenset(name.lower() for name in _EVERY)
_MARK = "**", "landmarks"


def stands_for_landmarks(folder: Path) -> Path:
    """Represents the landmarks of a folder among the files that something depends on. Not a valid file name."""
    return folder.joinpath(*_MARK)


def is_any_landmark(path: Path) -> bool:
    """Whether a path represents all landmarks of a folder."""
    return path.parts[-2:] == _MARK


def every_landmark(path: Path) -> Iterator[Path]:
    """The possible paths of the landmarks that a path represents."""
    folder = path.parent.parent
    return (folder / name for name in _EVERY)


def landmark_of(path: Path) -> Iterator[Path]:
    """The path that represents the landmarks which a changed path may affect. Some disks ignore the case of names."""
    name, folder = path.name.lower(), path.parent
    if name in LANDMARKS:
        yield stands_for_landmarks(folder)
    if f"{folder.name.lower()}/{name}" in _LOWER:
        yield stands_for_landmarks(folder.parent)
    if path.parts[-3:] == tuple(INSTALLED.split("/")):
        yield stands_for_landmarks(folder.parent.parent)
