"""The names that a suite can refer to, for completion."""

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rubric_core.containment import leads_outside
from rubric_core.loading.directory_search import find_file
from rubric_core.loading.files import absolute
from rubric_core.loading.known_names import known_targets, programs, templates
from rubric_core.loading.program_symbols import functions_in
from rubric_core.loading.reference_collector import is_script
from rubric_core.ports import Files
from rubric_lsp.documents.project_index import ProjectIndex
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.features.completion import NameSource
from rubric_lsp.features.family_editor import editor_of

__all__ = ["names_for"]

#: A folder with more entries is not searched for prompts.
_MOST_VISITED = 2_000
_MOST_OFFERED = 300
#: How many parent folders of a suite are searched for files.
_MOST_ABOVE = 3
#: The prefixes of paths that leave the folder or name it explicitly.
_ABOVE = re.compile(r"(?:\.{1,2}/)+")
_SKIPPED = frozenset({"node_modules", "__pycache__", "dist", "build", "venv"})


def names_for(index: ProjectIndex, document: Snapshot) -> NameSource:
    """A source of the names that a suite can refer to: targets, templates, types, scripts, folders and files, functions in a file."""
    suite = document.path

    def names(kind: str, typed: str = "", fits: Callable[[str], bool] = lambda _: True, /) -> Sequence[str]:
        if suite is None:
            return ()
        look = index.project.look()
        if kind in editor_of(document.analysis).shared_names:
            return list(_shared_names(index, document, suite, kind))
        if kind == "function":
            path = find_file(typed, suite.parent, look)
            text = look.text(path) if path is not None else None
            return list(functions_in(path, text)) if path is not None and text is not None else ()
        if kind == "target":
            return sorted(known_targets(look, suite.parent).names)
        if kind == "template":
            return sorted(templates(look, suite.parent))
        if kind == "type":
            return sorted(programs(look, "assertions", suite.parent))
        if kind == "directory":
            return list(_paths_from(index, suite, typed, lambda _, is_folder: is_folder))
        wanted = is_script if kind == "script" else fits
        return list(_paths_from(index, suite, typed, lambda path, is_folder: not is_folder and wanted(path)))

    return names


def _shared_names(index: ProjectIndex, document: Snapshot, path: Path, kind: str) -> Iterator[str]:
    """The names that a document and the files which share them with it define, as far as they are indexed."""
    family, shared = document.file_kind.family, editor_of(document.analysis).shared_names
    here = absolute(path)
    roots = (s for s in index.known() if s.file_kind.is_root and s.file_kind.family == family)
    known = {s.path: s for s in roots if s.path is not None}
    near = [s for at, s in known.items() if at == here or here in s.refers_to]
    more = (index.at(each) for s in near for each in s.case_files)
    found = dict.fromkeys(s for s in (index.at(here), *near, *more) if s is not None)
    names = (n.name for s in found for _, names in s.names(shared) for n in names if n.defines and n.kind == kind)
    yield from dict.fromkeys(names)


def _paths_from(index: ProjectIndex, suite: Path, typed: str, wanted: Callable[[str, bool], bool]) -> Iterator[str]:
    """Paths as a suite writes them: those below its folder, the nearest first, then those below its parent folders.

    `wanted` is called with each path and whether it is a folder.
    """
    found = _ABOVE.match(typed)
    start, offered = found[0] if found is not None else "", 0
    for number in range(_MOST_ABOVE + 1):
        if number and not index.is_open(absolute(suite.parent / start)):
            return
        most = _MOST_VISITED if number == 0 else _MOST_VISITED // 4
        for path, is_folder in _paths_below(index.project.files, suite, start, most):
            if offered < _MOST_OFFERED and wanted(path, is_folder):
                offered += 1
                yield path
        start = f"{start.removeprefix('./')}../"


def _paths_below(files: Files, suite: Path, start: str, most: int) -> Iterator[tuple[str, bool]]:
    """The paths below the folder at `start`, the nearest first, each with whether it is a folder."""
    waiting, visited = deque([start]), 0
    # From a parent folder, files in the suite's own folder have a shorter path.
    around = {suite.parent, *suite.parent.parents}
    while waiting and visited < most:
        here = waiting.popleft()
        folder = absolute(suite.parent / here)
        for name in files.names(folder):
            visited += 1
            if name.startswith(".") or name in _SKIPPED or folder / name in around or folder / name == suite:
                continue
            is_folder = files.is_directory(folder / name)
            if is_folder and not leads_outside(folder / name):
                waiting.append(f"{here}{name}/")
            yield f"{here}{name}", is_folder
