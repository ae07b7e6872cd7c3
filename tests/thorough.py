"""How much is tried: what `make test` takes for a sample is tried whole with RUBRIC_THOROUGH=1, which `.ci/run` sets."""

import os
from typing import TypeVar

import pytest

__all__ = ["THOROUGH", "only_thorough", "sample", "seeds"]

THOROUGH = bool(os.environ.get("RUBRIC_THOROUGH"))
#: A test that takes too long to come before every commit.
only_thorough = pytest.mark.skipif(not THOROUGH, reason="takes long: runs with RUBRIC_THOROUGH=1, as in .ci/run")
T = TypeVar("T")


def seeds(amount: int, few: int) -> range:
    """Seeds of random tests: the first few of them before a commit."""
    return range(amount if THOROUGH else few)


def sample(every: list[T], step: int) -> list[T]:
    """One in `step` before a commit."""
    return every[:: 1 if THOROUGH else step]
