"""Which release of the engine the suites of a folder are for: the installed one, else what the configuration requires."""

import json
from functools import partial
from pathlib import Path

from rubric_core.language.releases import Releases
from rubric_core.loading.directory_search import configurations_in, directories_up, landmarks_in
from rubric_core.loading.landmarks import INSTALLED
from rubric_core.loading.project import TrackedLookup
from rubric_core.syntax.tree import Mapping, Scalar

__all__ = ["engine_releases"]


def engine_releases(folder: Path, look: TrackedLookup) -> Releases | None:
    """The releases for the suites in a folder; None where neither tells. The nearest of each counts."""
    return look.answer(("engine releases", folder), partial(_find, folder))


def _find(folder: Path, look: TrackedLookup) -> Releases | None:
    folders = directories_up(folder, look)
    for each in folders:
        for file in landmarks_in(each, (INSTALLED,), look):
            found = _installed(look.text(file) or "")
            if found is not None:
                return found
    for each in folders:
        for file in configurations_in(each, look):
            found = _required(file, look)
            if found is not None:
                return found
    return None


def _installed(text: str) -> Releases | None:
    try:
        package = json.loads(text)
    except (ValueError, RecursionError):
        return None
    version = package.get("version") if isinstance(package, dict) else None
    return Releases.of(version) if isinstance(version, str) else None


def _required(file: Path, look: TrackedLookup) -> Releases | None:
    tree = look.tree(file)
    root = tree.root if tree is not None else None
    value = root.get("required_version") if isinstance(root, Mapping) else None
    return Releases.of(value.text) if isinstance(value, Scalar) else None
