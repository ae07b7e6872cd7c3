"""The other programs that the benchmarks are held against."""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from npm import UnavailableError, installed

__all__ = ["AGENTV", "agentv", "python_tools"]

AGENTV = "4.42.4"


def agentv() -> str | None:
    """The program agentv: from AGENTV in the environment, else from npm; None, with a message, if it is not available."""
    named = os.environ.get("AGENTV")
    if named:
        return shutil.which(named)
    try:
        return str(installed("agentv", AGENTV, "800 MB").parent / ".bin" / "agentv")
    except UnavailableError as reason:
        print(f"no peer to compare with: {reason}")
        return None


def python_tools(*names: str) -> list[str | None]:
    """Programs of PyPI, in an environment of their own below .tools; None, which is told, for one that cannot be had."""
    place = Path(__file__).resolve().parents[2] / ".tools" / "python"
    programs = [place / "bin" / name for name in names]
    if not all(program.exists() for program in programs):
        venv.create(place, with_pip=True)
        pip = [place / "bin" / "python", "-m", "pip", "install", "--quiet", *names]
        if subprocess.run(pip, check=False).returncode != 0:
            print(f"not to compare with: {', '.join(names)} cannot be installed")
    return [str(program) if program.exists() else None for program in programs]
