"""Copies, restores and deletes directories of a run, in a thread."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from rubric_core.evaluation.workspaces.snapshot import take
from rubric_core.ports import Directories

__all__ = ["in_thread", "restore_directory"]

T = TypeVar("T")


async def in_thread(work: Callable[[], T]) -> T:
    """The result of `work`; if this is cancelled, `work` is completed anyway."""
    task = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise


async def restore_directory(path: Path, pristine: Path, directories: Directories, *, strict: bool) -> None:
    """Restore `path` to `pristine`; ignored files are only restored if `strict`. Raises OSError."""
    await in_thread(lambda: (_all_put_back if strict else _changes_put_back)(path, pristine, directories))


def _all_put_back(path: Path, pristine: Path, directories: Directories) -> None:
    for entry in directories.entries(path):
        directories.remove(Path(entry.path))
    directories.copy(pristine, path)


def _changes_put_back(path: Path, pristine: Path, directories: Directories) -> None:
    was, now = take(pristine, directories), take(path, directories)
    for name in now.keys() - was.keys():
        directories.remove(path / name)
    for name, content in was.items():
        if now.get(name) != content:
            directories.copy_file(pristine / name, path / name)
