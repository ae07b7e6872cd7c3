"""Which commit of a repository is checked out, and whether files differ from it."""

import os
import re
import subprocess
from contextlib import suppress
from pathlib import Path

from rubric_core.disk import read_file

__all__ = ["commit_of", "is_dirty"]

#: Bytes of a file of git that names commits.
_LARGEST = 20_000_000
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
#: Seconds that git may take to compare the files of a large repository.
_PATIENCE = 3.0
#: `status` refreshes no index and starts no program that the repository names.
_STATUS = ("git", "--no-optional-locks", "-c", "core.fsmonitor=false", "status", "--porcelain", "--untracked-files=no")


def commit_of(root: Path) -> str:
    """The commit that is checked out at the root of a repository; "" without one. Starts no program."""
    with suppress(OSError, ValueError):
        folder = _git_folder(root)
        head = _line(folder / "HEAD")
        if not head.startswith("ref: "):
            return head if _COMMIT.fullmatch(head) else ""
        name = head.removeprefix("ref: ")
        shared = _shared_folder(folder)
        for each in (folder, shared):
            with suppress(OSError):
                found = _line(each / name)
                if _COMMIT.fullmatch(found):
                    return found
        return _packed(shared, name)
    return ""


def _git_folder(root: Path) -> Path:
    """The folder of git; a worktree and a submodule have a file that names it. Raises OSError."""
    beside = root / ".git"
    if beside.is_dir():
        return beside
    return root / _line(beside).removeprefix("gitdir: ")


def _shared_folder(folder: Path) -> Path:
    """The folder of branches, which all worktrees share."""
    with suppress(OSError):
        return folder / _line(folder / "commondir")
    return folder


def _packed(folder: Path, name: str) -> str:
    lines = read_file(folder / "packed-refs", _LARGEST).decode(errors="replace").splitlines()
    found = (line.split(" ", 1)[0] for line in lines if line.endswith(f" {name}"))
    return next((commit for commit in found if _COMMIT.fullmatch(commit)), "")


def _line(path: Path) -> str:
    return read_file(path, _LARGEST).decode().split("\n", 1)[0].strip()


def is_dirty(root: Path) -> bool:
    """Whether tracked files differ from the commit; False if git cannot say, or takes too long."""
    with suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(  # noqa: S603  # our own words
            _STATUS, cwd=root, capture_output=True, check=True, timeout=_PATIENCE, env={**os.environ, "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        return bool(done.stdout.strip())
    return False
