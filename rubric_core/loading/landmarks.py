"""Landmarks: the files that are looked for in every folder from a suite upward.

Targets, the engine's configuration, and what makes a folder the root of a repository. Of most folders one listing tells that there
are none, and one path stands for all of them among the files that something depends on.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

__all__ = [
    "CONFIGURATIONS", "HOMES", "LANDMARKS", "ROOTS", "TARGET_FILES", "every_landmark", "is_any_landmark", "landmark_of",
    "stands_for_landmarks",
]  # fmt: skip

#: The folders in which a repository keeps what its suites share: today's name, and an older one.
HOMES = (".agentv", ".agentevo")
#: The engine's configuration; what is said first counts.
CONFIGURATIONS = tuple(
    f"{home}/{name}" for home in HOMES for name in ("config.local.yaml", "config.yaml", "config.yml")
)
#: Files with targets, in the order in which they are looked for in each directory.
TARGET_FILES = (
    "targets.yaml", "targets.yml", ".agentv/targets.yaml", ".agentv/targets.yml", ".agentevo/targets.yaml",
    "providers.yaml", "providers.yml", ".agentv/providers.yaml", ".agentv/providers.yml",
)  # fmt: skip
#: What the root of a repository has one of.
ROOTS = (".git/HEAD", ".git")

_EVERY = (*TARGET_FILES, *CONFIGURATIONS, *ROOTS)


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
    """Stands for the landmarks in a folder, among the files that something depends on. No file is called so."""
    return folder.joinpath(*_MARK)


def is_any_landmark(path: Path) -> bool:
    """Whether a path stands for all landmarks of a folder."""
    return path.parts[-2:] == _MARK


def every_landmark(path: Path) -> Iterator[Path]:
    """Where the landmarks are, or would be, that a path stands for."""
    folder = path.parent.parent
    return (folder / name for name in _EVERY)


def landmark_of(path: Path) -> Iterator[Path]:
    """What stands for landmarks that may have come or gone with a path. Some disks do not tell `A` from `a`."""
    name, folder = path.name.lower(), path.parent
    if name in LANDMARKS:
        yield stands_for_landmarks(folder)
    if f"{folder.name.lower()}/{name}" in _LOWER:
        yield stands_for_landmarks(folder.parent)
