"""A preload of the workers of `local:N`: they ignore Ctrl-C, which a terminal sends to all processes; the client stops them."""

import signal
from typing import Any

__all__ = ["dask_setup"]


def dask_setup(_: Any) -> None:
    """Called by Dask in each worker as it starts."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
