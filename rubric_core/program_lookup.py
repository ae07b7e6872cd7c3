"""Where programs are found: as the system finds them that starts a program in a directory with an environment."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

__all__ = ["find_program", "process_environment"]


def process_environment() -> Mapping[str, str]:
    """The environment variables of this process, for callers that give no others."""
    return os.environ


def find_program(name: str, directory: Path, environment: Mapping[str, str]) -> str | None:
    """The absolute path of the file that is started by a name or a path; None without one. Links are not resolved.

    Args:
        name: A name that is searched on the PATH, or a path.
        directory: The directory in which the program will run: its path, and the entries of PATH, are relative to that.
        environment: The variables that the program gets. Without PATH, that of this process.
    """
    base = directory.absolute()
    if os.path.dirname(name):  # noqa: PTH120  # a name is no path
        return shutil.which(str(base / name))
    search = environment.get("PATH", process_environment().get("PATH", os.defpath))
    return shutil.which(name, path=os.pathsep.join(str(base / entry) for entry in search.split(os.pathsep)))
