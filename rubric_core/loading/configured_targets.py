"""Targets in other files than the closest one: in configurations, and in files that a target file includes."""

from contextlib import suppress
from pathlib import Path

from rubric_core.loading.directory_search import configuration_files, current_directory, find_file
from rubric_core.loading.targets import LoadedTargetFile, read_targets
from rubric_core.ports import Files

__all__ = ["configured_target_files", "merge_target_files"]


def configured_target_files(directory: Path, files: Files) -> list[LoadedTargetFile]:
    """The targets in the configurations around `directory` and in the files that these name, the nearest first."""
    found = []
    for path in configuration_files(directory, files):
        with suppress(OSError, ValueError):
            found.append(merge_target_files(read_targets(path, files, beside_others=True), files))
    return [file for file in found if file.entries or file.defaults]


def merge_target_files(file: LoadedTargetFile, files: Files) -> LoadedTargetFile:
    """A targets file with the files that it names, as in `providers: [file://more.yaml]`; an unreadable one is empty."""
    for name in file.includes:
        path = find_file(name, file.path.parent, files, current_directory())
        if path is not None and path != file.path:
            with suppress(OSError, ValueError):
                file = file.joined(read_targets(path, files))
    return file
