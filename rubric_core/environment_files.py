"""Files that hold environment variables, such as `.env`. rubric reads the variables, and neither shows nor sends the text."""

import errno
import os
from pathlib import Path

__all__ = ["is_environment_file", "refuse_environment_file"]


def is_environment_file(path: Path) -> bool:
    """Whether a file is called `.env`, `.env.*` or `.envrc`, in small or capital letters, or is a link to such a file."""
    # As text, and by its own name first: asked for every file that is read, of which few are links.
    return _is_named(path.name) or (os.path.islink(path) and _is_named(os.path.basename(os.path.realpath(path))))  # noqa: PTH114, PTH119


def refuse_environment_file(path: Path) -> None:
    """Raise OSError for a file whose content would be sent, and which holds environment variables."""
    if is_environment_file(path):
        raise OSError(errno.EACCES, "it holds environment variables: rubric neither shows nor sends it", str(path))


def _is_named(name: str) -> bool:
    folded = name.casefold()
    return folded in (".env", ".envrc") or folded.startswith(".env.")
