"""Work grows with a text, and not faster: the calls that a check makes of a structured text, and of one twice as long.

No clock is read. What grows inside of one call, as a search through a list does, only `bench_growth.py` tells.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest
from grown import GROWN

from rubric_core.analysis import Language, analyze

LANGUAGE = Language()
SIZE, MOST = 120, 2.4
#: So many calls go up and down with what is remembered from text to text.
NOISE = 4_000


def calls(do: Callable[[], object]) -> int:
    """How many functions are called, those of C among them."""
    count = 0

    def profile(_: FrameType, event: str, __: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(profile)
    try:
        do()
    finally:
        sys.setprofile(None)
    return count


def check(text: str, path: str) -> int:
    """How many calls a check of a text takes."""
    return calls(lambda: analyze(text, LANGUAGE, path=Path("/x") / path))


@pytest.mark.parametrize(("name", "path"), GROWN, ids=[name for name, _ in GROWN])
def test_twice_as_much_takes_twice_as_long(name: str, path: str) -> None:
    make = GROWN[name, path]
    check(make(8), path)  # what is worked out once for all texts
    small, large = check(make(SIZE), path), check(make(2 * SIZE), path)
    assert large - MOST * small <= NOISE, f"{small:,} calls, then {large:,}"


def test_what_grows_faster_is_seen() -> None:
    def quadratic(size: int) -> int:
        return calls(lambda: [[abs(1) for _ in range(size)] for _ in range(size)])

    assert quadratic(2 * SIZE) - MOST * quadratic(SIZE) > NOISE
