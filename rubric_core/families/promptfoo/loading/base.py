"""The folder that the paths in a file of promptfoo are relative to: that of the configuration which names the file."""

from collections.abc import Iterator
from pathlib import Path

from rubric_core.families.promptfoo.loading.recognition import is_promptfoo_name, may_be_promptfoo_name
from rubric_core.loading.directory_search import directories_up
from rubric_core.loading.project import TrackedLookup

__all__ = ["MOST_READ", "configuration_folder", "folders_with_configurations"]

#: So many folders above a file may have the configuration.
_MOST_ABOVE = 5
#: More configurations in one folder are not read: it is a collection, and its files are found through them.
MOST_READ = 20


def folders_with_configurations(path: Path, look: TrackedLookup) -> Iterator[tuple[Path, list[str]]]:
    """The folders from that of a file upward that have configurations, with the names of these."""
    for folder in directories_up(path.parent, look)[: _MOST_ABOVE + 1]:
        named = [name for name in look.names(folder) if may_be_promptfoo_name(name) and folder / name != path]
        if named:
            yield folder, sorted(named)


def configuration_folder(path: Path, look: TrackedLookup) -> Path | None:
    """The folder of the configuration that names a file, or what leads to it; None where there is no configuration.

    Without one that has the name of the file, or that of its folder, it is the nearest.
    """
    nearest: Path | None = None
    for folder, names in folders_with_configurations(path, look):
        certain = [name for name in names if is_promptfoo_name(name)]
        if any(_mentions(look.text(folder / name) or "", path, folder) for name in (certain or names)[:MOST_READ]):
            return folder
        nearest = nearest or (folder if certain else None)
    return nearest


def _mentions(text: str, path: Path, folder: Path) -> bool:
    below = path.parent.relative_to(folder).parts
    return path.name in text or any(f"{name}/" in text for name in below)
