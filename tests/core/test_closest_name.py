"""The name that was meant: distances to many names at once are those to each, and take no longer than what tells them apart."""

import random
import sys

import pytest

from rubric_core.language.closest_name import Lexicon, is_typo


def plain_distance(a: str, b: str) -> int:
    """How many letters have to be typed, left out, changed or swapped, by the book."""
    rows = [[max(i, j) if not i * j else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            ways = [rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] != b[j - 1])]
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                ways.append(rows[i - 2][j - 2] + 1)
            rows[i][j] = min(ways)
    return rows[-1][-1]


def test_the_nearest_name_is_the_nearest_by_the_book():
    draw = random.Random(3)

    def word() -> str:
        return "".join(draw.choice("abx") for _ in range(draw.randint(2, 9)))

    for _ in range(400):
        known = tuple({word() for _ in range(12)})
        name = word()
        if name in known:
            continue
        # Of a name that is too far away it does not matter how far.
        far = {k: min(plain_distance(name, k), max(1, len(k) // 3) + 1) for k in known}
        nearest = min(known, key=lambda k: (far[k], abs(len(k) - len(name)), k))
        equal = [k for k in known if (far[k], abs(len(k) - len(name))) == (far[nearest], abs(len(nearest) - len(name)))]
        if far[nearest] <= max(1, len(nearest) // 3):
            assert Lexicon(known).closest(name) == (nearest if len(equal) == 1 else None)


@pytest.mark.parametrize("others", [0, 200])
def test_of_equally_close_names_none_is_meant(others: int):
    """A safe fix would pick one of them."""
    names = [f"another-{chr(97 + n % 26)}{n}-name" for n in range(others)]
    assert Lexicon(("row-1", "row-2", *names)).closest("row-3") is None
    assert Lexicon(("row-1", *names)).closest("row-3") == "row-1"
    assert Lexicon(("a_b", "a-b", *names)).closest("a b") is None


def test_names_that_begin_alike_are_compared_from_where_they_differ():
    """Of 200 names with 60 letters in common only the ends are looked at, once the first was."""
    known = tuple(f"{'parcel-and-letter-' * 4}{n:03}" for n in range(90))
    columns = 0

    def count(_, event, function):
        nonlocal columns
        columns += event == "c_call" and function.__name__ == "append"

    lexicon = Lexicon(known)
    sys.setprofile(count)
    try:
        assert lexicon.closest(f"{'parcel-and-letter-' * 4}9x9") is None  # 009, 019 and others
    finally:
        sys.setprofile(None)
    assert columns < 75 + 4 * 90


def test_a_slip_is_one_or_two_letters():
    assert is_typo("inptu", "input")
    assert not is_typo("output", "input")
