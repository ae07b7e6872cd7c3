"""Where programs note things down: settings, caches and data of a user, and what a project keeps to itself."""

import errno
import os
from pathlib import Path

from rubric_core.atomic_write import write_file

__all__ = ["hide", "user_directory"]


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


def hide(folder: Path) -> None:
    """Make a folder whose content git does not track: it is nobody's source. Raises OSError."""
    ignore = folder / ".gitignore"
    if not ignore.exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_file(ignore, b"*\n")
