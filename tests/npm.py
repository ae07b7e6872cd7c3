"""Programs of others, as npm has them: installed below .tools when they are not there yet."""

import fcntl
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["UnavailableError", "installed"]

_TOOLS = Path(__file__).parents[1] / ".tools"


class UnavailableError(Exception):
    """Why a program cannot be had here."""


def installed(name: str, version: str, size: str = "", *options: str, beside: Sequence[str] = ()) -> Path:
    """The folder of a package, installed when npm is there; `size` is told before much is loaded. Raises UnavailableError.

    `options` go to `npm install`; `beside` are further packages, each with its version, that are installed with it.
    """
    npm = shutil.which("npm")
    if shutil.which("node") is None or npm is None:
        raise UnavailableError(f"node and npm are not there: {name} cannot run")
    folder = _TOOLS / name
    package = folder / "node_modules" / name
    folder.mkdir(parents=True, exist_ok=True)
    # Tests run side by side, and two installations into one folder destroy each other.
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _install(npm, folder, f"{name}@{version}", size, options, beside)
    return package


def _install(npm: str, folder: Path, package: str, size: str, options: Sequence[str], beside: Sequence[str]) -> None:
    name, _, version = package.rpartition("@")
    if not all(_is_there(folder, each) for each in (package, *beside)):
        if size:
            sys.stderr.write(f"Installing {name} {version} from npm into .tools, once ({size}) …\n")
        quiet = ["--no-audit", "--no-fund", "--no-save", *options]
        command = [npm, "install", *quiet, "--prefix", str(folder), package, *beside]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        if done.returncode:
            raise UnavailableError(f"npm cannot install {name} {version}: {done.stderr.strip()[-200:]}")


def _is_there(folder: Path, package: str) -> bool:
    name, _, version = package.rpartition("@")
    written = folder / "node_modules" / name / "package.json"
    return written.is_file() and json.loads(written.read_text(encoding="utf-8"))["version"] == version
