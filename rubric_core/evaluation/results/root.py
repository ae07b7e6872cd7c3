"""Where the results of a folder are kept."""

import os
from pathlib import Path

__all__ = ["database_path", "results_root"]


def results_root(folder: Path) -> Path:
    """The folder whose `.rubric` has the results of the suites in `folder`: the root of its repository.

    Outside of a repository, the closest parent folder with results of this user, else the closest one with targets or
    settings of this user in `.agentv`, else `folder` itself.
    """
    above = [folder, *folder.parents]
    for each in above:
        if os.path.exists(each / ".git"):  # noqa: PTH110  # raises for no name
            return each
    with_results = (each for each in above if _is_own(database_path(each)))
    with_settings = (each for each in above if _is_own(each / ".agentv"))
    return next(with_results, None) or next(with_settings, folder)


def database_path(root: Path) -> Path:
    """The file of the results of a root."""
    return root / ".rubric" / "results.db"


def _is_own(path: Path) -> bool:
    """Whether a file or folder exists and belongs to this user: another owner could read what is stored there."""
    try:
        found = os.lstat(path)  # raises no other error
    except (OSError, ValueError):
        return False
    return not hasattr(os, "getuid") or found.st_uid == os.getuid()
