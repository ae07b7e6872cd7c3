"""Where a user keeps what programs note down: settings, caches, data."""

import errno
import os
from pathlib import Path

__all__ = ["user_directory"]


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
