"""The other engine that the benchmarks are held against."""

import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from npm import UnavailableError, installed

__all__ = ["AGENTV", "agentv"]

AGENTV = "4.42.4"


def agentv() -> str | None:
    """The program agentv: what AGENTV in the environment names, else that of npm; None, which is told, where it cannot be had."""
    named = os.environ.get("AGENTV")
    if named:
        return shutil.which(named)
    try:
        return str(installed("agentv", AGENTV, "800 MB").parent / ".bin" / "agentv")
    except UnavailableError as reason:
        print(f"no peer to compare with: {reason}")
        return None
