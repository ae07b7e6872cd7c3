"""The local model behind HTTP, on the loopback address only, protected by a key."""

import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rubric_core.isolated_python import code_argv
from rubric_core.local.weights import ALIAS, LocalError

__all__ = ["LocalServer", "check_runtime"]

_RUNTIME = "xllamacpp"
_HOW = f"pip install {_RUNTIME}"
_CONTEXT = 4096
_QUIET = -1


def check_runtime() -> None:
    """Raises LocalError when the model cannot be run here: the runtime is not installed, or not made for this processor."""
    if find_spec(_RUNTIME) is None:
        raise LocalError(f"{_RUNTIME}, which runs the model, is not installed: {_HOW}")
    # In a separate process, which crashes at once if the processor lacks an instruction.
    probe = subprocess.run(code_argv(f"import {_RUNTIME}"), capture_output=True, text=True, check=False)  # noqa: S603  # our own words
    if probe.returncode < 0:
        raise LocalError(f"{_RUNTIME} does not run on this processor: it needs AVX2, or an Apple M1 or later")
    if probe.returncode:
        last = (probe.stderr.strip().splitlines() or ["for an unknown reason"])[-1]
        raise LocalError(f"{_RUNTIME} cannot be loaded: {last}")


class LocalServer:
    """The server, running from its making on, until its process ends.

    Args:
        weights: The file with the weights.
        key: What requests have to carry as their key.
        port: Where it listens; 0 takes a free one.

    Raises LocalError when it cannot be started.
    """

    def __init__(self, weights: Path, key: str, port: int = 0) -> None:
        import xllamacpp  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415  # an extra that few have

        settings: Any = xllamacpp.CommonParams()
        settings.model.path = str(weights)
        settings.model_alias = {ALIAS}
        settings.hostnames = ["127.0.0.1"]
        settings.port = port
        settings.api_keys = [key]
        settings.cors_origins = "http://127.0.0.1"
        settings.n_ctx = _CONTEXT
        settings.n_parallel = 1
        settings.verbosity = _QUIET
        try:
            self._server: Any = xllamacpp.Server(settings)
        except RuntimeError as error:
            where = f" on port {port}; is it in use?" if port else ":"
            raise LocalError(f"the model cannot be served{where} {error}") from None

    @property
    def url(self) -> str:
        """The base address for an OpenAI-compatible target."""
        return f"{self._server.listening_address}/v1"
