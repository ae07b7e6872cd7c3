"""The edits of suites and their companion files when files or folders are moved."""

from collections.abc import AsyncIterator
from pathlib import Path

from rubric_core.language.file_kinds import FileKind
from rubric_core.text import Edit
from rubric_lsp.documents.project_index import ProjectIndex
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.features.moved_files import FileMoves, edit_of, rewritten_references

__all__ = ["reference_edits"]


async def reference_edits(around: ProjectIndex, moves: FileMoves) -> list[tuple[Snapshot, list[Edit]]]:
    """The edits that keep every reference valid after the `moves`, to be made before them."""
    return [(part, edits) async for part in _documents(around) if (edits := _edits(around, part, moves))]


def _edits(around: ProjectIndex, document: Snapshot, moves: FileMoves) -> list[Edit]:
    # A file that was missing a moment ago may exist now: renames follow one another quickly.
    path, files = document.path, around.project.files
    if path is None:
        return []
    return [
        edit_of(name.moved(local.outer(name.span)), new)
        for local, names in document.names()
        for name in names
        if (new := rewritten_references(name, path, moves, files)) is not None
    ]


async def _documents(around: ProjectIndex) -> AsyncIterator[Snapshot]:
    """Every suite, and the files that they refer to, if these can refer to others."""
    seen: set[Path] = set()
    further: dict[Path, None] = {}
    async for suite in around.suites():
        for part in suite.parts:
            yield part
        seen.update([suite.path] if suite.path is not None else [])
        further.update({p: None for p, kind in suite.refers_to.items() if kind is not FileKind.PROMPT})
    for path in further:
        found = around.at(path) if path not in seen else None
        for part in found.parts if found is not None else ():
            yield part
