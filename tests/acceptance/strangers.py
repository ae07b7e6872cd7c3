"""Commands as a stranger gives them in a repository of theirs."""

import os
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
#: Who commits; a machine may know nobody.
AUTHOR = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")


def run(command: list[str], folder: Path, patience: int = 300, **environment: str) -> subprocess.CompletedProcess[str]:
    """A finished command, with what it printed; `patience` are the seconds that it has."""
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=patience,
    )


def git(folder: Path, *words: str) -> str:
    done = run(["git", *AUTHOR, *words], folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()
