"""Versions that must be equal on all machines of a run."""

import hashlib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

__all__ = ["catalogue_hash", "rubric_version"]


def rubric_version() -> str:
    """The version of rubric."""
    try:
        return version("rubric-lsp")
    except PackageNotFoundError:  # run from a checkout
        return "unknown"


def catalogue_hash() -> str:
    """A hash of the language catalogue, which distinguishes checkouts with the same version."""
    home = Path(__file__).parents[1] / "language"
    made = hashlib.sha256()
    for path in sorted(home.rglob("*.py")):
        made.update(path.relative_to(home).as_posix().encode() + b"\0" + path.read_bytes())
    return made.hexdigest()[:16]
