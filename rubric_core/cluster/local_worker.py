"""What Dask loads into the workers of `local:N`: Ctrl-C reaches every process of a terminal, and who started the run ends the others."""

import signal
from typing import Any

__all__ = ["dask_setup"]


def dask_setup(_: Any) -> None:
    """Called by Dask in each worker as it starts."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
