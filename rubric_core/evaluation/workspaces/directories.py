"""Copies, restores and deletes directories, in a thread."""

import asyncio
import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from rubric_core.evaluation.workspaces.snapshot import take

__all__ = ["copy_directory", "in_thread", "remove_directory", "restore_directory"]

T = TypeVar("T")
_RESULTS = shutil.ignore_patterns(".rubric")


async def in_thread(work: Callable[[], T]) -> T:
    """The result of `work`; if this is cancelled, `work` is completed anyway."""
    task = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise


async def copy_directory(source: Path, target: Path) -> None:
    """Copy a directory to a path that does not exist yet; links stay links. Raises OSError.

    Results of earlier runs are not copied: agents would find answers there, and closing a copied database in the
    process that writes to it would release its locks.
    """
    try:
        await in_thread(lambda: shutil.copytree(source, target, symlinks=True, ignore=_RESULTS))
    except shutil.Error as error:
        raise OSError(f"{error.args[0][0][0]} cannot be copied: {error.args[0][0][2]}") from None


async def remove_directory(path: Path) -> None:
    """Take a directory away, whatever a target did to its permissions."""

    def work() -> None:
        for folder, _, _ in os.walk(path):
            os.chmod(folder, stat.S_IRWXU)  # noqa: PTH101  # it is text
        shutil.rmtree(path, ignore_errors=True)

    await in_thread(work)


async def restore_directory(path: Path, pristine: Path, *, strict: bool) -> None:
    """Restore `path` to `pristine`; ignored files are only restored if `strict`. Raises OSError."""
    await in_thread(lambda: (_all_put_back if strict else _changes_put_back)(path, pristine))


def _all_put_back(path: Path, pristine: Path) -> None:
    for entry in path.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry, ignore_errors=True)
        else:
            entry.unlink()
    shutil.copytree(pristine, path, symlinks=True, dirs_exist_ok=True)


def _changes_put_back(path: Path, pristine: Path) -> None:
    was, now = take(pristine), take(path)
    for name in now.keys() - was.keys():
        (path / name).unlink(missing_ok=True)
    for name, content in was.items():
        if now.get(name) != content:
            place = path / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.unlink(missing_ok=True)
            shutil.copy2(pristine / name, place, follow_symlinks=False)
