"""Which commit of a repository is checked out, and whether files differ from it."""

import os
import re
import struct
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from rubric_core.disk import read_file
from rubric_core.git_index import differs_from_index
from rubric_core.program_lookup import process_environment

__all__ = ["commit_of", "is_dirty"]

#: Bytes of a file of git that names commits.
_LARGEST = 20_000_000
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
#: Seconds that git may take to compare the files of a large repository.
_PATIENCE = 3.0
#: Fails if the index differs from the commit. Git opens no file of the working tree, so it starts no filter.
_COMPARED = (
    "git", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.devnull, "diff-index", "--cached", "--quiet",
    "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "HEAD", "--",
)  # fmt: skip
#: Git fetches missing objects with programs that the repository may name: it is not to fetch any.
_NO_PROGRAMS = {"LC_ALL": "C", "GIT_ALLOW_PROTOCOL": "", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"}


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
    """Whether tracked files differ from the commit; False if that cannot be read, or takes too long.

    `git status` would start the filters that a repository configures to compare contents. So the files are compared here,
    with what the index says of them, and git compares the index with the commit, for which it opens no file.
    """
    with suppress(OSError, ValueError, struct.error, subprocess.SubprocessError):
        until = time.monotonic() + _PATIENCE
        if differs_from_index(root, _git_folder(root), until):
            return True
        done = subprocess.run(  # noqa: S603  # our own words
            _COMPARED, cwd=root, capture_output=True, check=False, timeout=max(0.1, until - time.monotonic()),
            stdin=subprocess.DEVNULL, env={**process_environment(), **_NO_PROGRAMS},
        )  # fmt: skip
        return done.returncode == 1
    return False
