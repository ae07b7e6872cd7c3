"""The directories of settings, caches and data: of the user, and of a project."""

import errno
import os
from collections.abc import Sequence
from pathlib import Path

from rubric_core.atomic_write import write_file

__all__ = ["cache_folder", "hide", "user_directory"]


def user_directory(variable: str, *below: str) -> Path:
    """The directory that an environment variable such as XDG_STATE_HOME names, else the one at `below` in the home.

    Raises OSError for a user without a home, as programs in containers often are.
    """
    named = os.environ.get(variable)
    if named:
        return Path(named)
    try:
        return Path.home().joinpath(*below)
    except RuntimeError:
        raise OSError(errno.ENOENT, f"this user has no home directory: set HOME or {variable}") from None


def cache_folder(names: Sequence[str]) -> Path | None:
    """The cache folder of the project of these paths (at least one); None if nothing may be written.

    It is in their common repository, else in their common folder. Raises ValueError for paths without a common folder.
    """
    common = os.path.commonpath([os.path.abspath(name) for name in names])  # noqa: PTH100  # links stay as they are
    folder = Path(common) if os.path.isdir(common) else Path(common).parent  # noqa: PTH112  # as text
    root = next((each for each in (folder, *folder.parents) if (each / ".git").exists()), folder)
    cache = root / ".rubric" / "cache"
    # A link leads where a repository wants it to.
    return None if any(each.is_symlink() for each in (cache, cache.parent)) else cache


def hide(folder: Path) -> None:
    """Make a folder whose content git does not track. Raises OSError."""
    ignore = folder / ".gitignore"
    if not os.path.lexists(ignore):  # through a broken link, its target would be created
        folder.mkdir(parents=True, exist_ok=True)
        write_file(ignore, b"*\n")
