"""Reserves standard output for results, whatever the code of a suite prints."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from rubric_core.cli.sanitize import as_safe, underlying

__all__ = ["results_only_stdout"]

_OUT, _ERR = 1, 2


@contextmanager
def results_only_stdout() -> Iterator[TextIO]:
    """Yields standard output; within the context, everything that other code writes there goes to standard error.

    Other code includes custom evaluators, which run in this process, and the programs that they start.
    """
    usual = sys.stdout
    usual.flush()
    kept = _moved(usual)
    if kept is None:  # a test or another program captures the output
        results: TextIO = usual
    else:
        opened = open(kept, "w", encoding=usual.encoding, errors=usual.errors, buffering=1 if usual.isatty() else -1)  # noqa: PTH123, SIM115  # closed below
        results = as_safe(opened, usual)
    sys.stdout = underlying(sys.stderr)  # the reader sanitizes the output, and handles `\r`
    try:
        yield results
        results.flush()
    finally:
        sys.stdout = usual
        if kept is not None:
            os.dup2(kept, _OUT)
            _closed(results)


def _moved(stream: TextIO) -> int | None:
    """The stream with the original standard output; None if `stream` is not the process's standard output."""
    try:
        if stream.fileno() != _OUT:
            return None
        kept = os.dup(_OUT)
        os.dup2(_ERR, _OUT)
    except (OSError, ValueError):
        return None
    return kept


def _closed(results: TextIO) -> None:
    """Close it; a failure to write, as on a full disk, was reported already and is ignored."""
    try:
        results.flush()
    except OSError:
        with open(os.devnull, "w", encoding="utf-8") as nothing:  # noqa: PTH123
            os.dup2(nothing.fileno(), results.fileno())
    with suppress(OSError):
        results.close()
