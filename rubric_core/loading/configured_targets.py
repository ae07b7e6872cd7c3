"""Targets in other files than the closest one: in configurations, and in files that these or a targets file name."""

from contextlib import suppress
from functools import partial
from pathlib import Path

from rubric_core.file_access import Files
from rubric_core.lazy_compilation import replace
from rubric_core.loading.directory_search import configuration_files, current_directory, find_file, memoize_lookup
from rubric_core.loading.target_files import LARGEST
from rubric_core.loading.targets import LoadedTargetFile, default_names, read_targets
from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain_data import plain

__all__ = ["configured_target_files", "merge_target_files", "whole_target_file"]


def configured_target_files(directory: Path, files: Files) -> list[LoadedTargetFile]:
    """The targets in the configurations around `directory` and in the files that these name, the nearest first."""
    found = []
    for path in configuration_files(directory, files):
        with suppress(OSError, ValueError):
            found.append(whole_target_file(path, files, current_directory(), beside_others=True))
    return [file for file in found if file.entries or file.defaults or file.unread]


def whole_target_file(
    path: Path, files: Files, fallback: Path | None, *, beside_others: bool = False
) -> LoadedTargetFile:
    """A targets file or a configuration (`beside_others`), with the files that it names. Raises OSError or ValueError.

    `fallback` is the directory that is searched last for these.
    """

    def read(files: Files) -> LoadedTargetFile:
        return merge_target_files(read_targets(path, files, beside_others=beside_others), files, fallback)

    return memoize_lookup(files, ("whole target file", path), read)


def merge_target_files(file: LoadedTargetFile, files: Files, fallback: Path | None) -> LoadedTargetFile:
    """A targets file with the files that it names: `providers: file://more.yaml`, `defaults: file://usual.yaml`.

    Those that cannot be read are `unread`.
    """
    find = partial(find_file, directory=file.path.parent, files=files, fallback=fallback)
    unread, included = list(file.unread), dict[str, tuple[str, ...]]()
    for name in file.includes:
        path = find(name)
        if path == file.path:
            continue
        try:
            further = read_targets(_existing(path), files)
            file, included[name] = file.joined(further), tuple(each.name for each in further.entries)
        except (OSError, ValueError):
            unread.append(name)
    if file.defaults_file:
        try:
            file = replace(file, defaults={**_defaults_in(_existing(find(file.defaults_file)), files), **file.defaults})
        except (OSError, ValueError):
            unread.append(file.defaults_file)
    return replace(file, included=included, unread=tuple(unread))


def _existing(path: Path | None) -> Path:
    if path is None:
        raise FileNotFoundError
    return path


def _defaults_in(path: Path, files: Files) -> dict[str, str]:
    """The names in a file of defaults. Raises OSError or ValueError."""
    tree = parse(files.read(path, LARGEST).decode("utf-8"))
    return default_names(plain(tree.root, tree.anchors))
