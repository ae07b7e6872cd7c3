"""Argument types that several commands share. Each raises argparse.ArgumentTypeError with the expected value."""

import argparse
import contextlib

__all__ = ["amount", "count", "share"]


def share(text: str) -> float:
    """A score of 0..1."""
    with contextlib.suppress(ValueError):
        if 0 <= (value := float(text)) <= 1:
            return value
    raise argparse.ArgumentTypeError(f"a number from 0 to 1, not {text!r}")


def amount(text: str) -> float:
    """A number above 0."""
    with contextlib.suppress(ValueError):
        if 0 < (value := float(text)) < float("inf"):
            return value
    raise argparse.ArgumentTypeError(f"a number above 0, not {text!r}")


def count(text: str) -> int:
    """A whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a whole number of at least 1, not {text!r}")
    return int(text)
