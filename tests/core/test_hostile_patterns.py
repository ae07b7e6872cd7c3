"""None of our own regular expressions takes long, whatever text it sees."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

import pytest
from hostile_patterns import Pattern, attacks, costs, patterns

SCRIPT = Path(__file__).with_name("hostile_patterns.py")
#: The digest of the script, and those of the patterns that it found quick; UPDATE=1 writes it.
ATTACKED = Path(__file__).with_name("attacked_patterns.txt")


def test_no_pattern_of_ours_is_slow() -> None:
    """The new ones are attacked; all of them once the attacks have changed."""
    every = list(patterns())
    script = sha256(SCRIPT.read_bytes()).hexdigest()[:16]
    by, *known = ATTACKED.read_text(encoding="utf-8").split()
    new = [n for n, each in enumerate(every) if by != script or each.digest not in known]
    left = new
    for _ in range(3):  # a machine that does other things at the same time makes its programs take longer
        found = list(attacked(left))
        assert len(found) == len(left)
        left = [number for number, line in zip(left, found, strict=True) if not line.endswith(": ok")]
    assert len(every) > 250
    assert not left, "\n".join(line for line in found if not line.endswith(": ok"))
    if os.environ.get("UPDATE"):
        lines = [script, *sorted({each.digest for each in every})]
        ATTACKED.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def attacked(numbers: Sequence[int]) -> Iterator[str]:
    """What the script says of each. One that takes for ever ends its process; the next one is tried in another."""
    left = list(numbers)
    while left:
        command = [sys.executable, str(SCRIPT), *map(str, left)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        lines = done.stdout.splitlines()
        assert lines, done.stderr
        yield from lines
        left = left[len(lines) :]


@pytest.mark.parametrize(
    ("source", "longest"),
    # The last one tries 2^n ways: with thousands of letters it takes for ever.
    [(r"\s+x", 2_000), (r"(\w*) *:", 1_000), (r"(?:[^a]|b)*c\Z", 18)],
)
def test_what_is_slow_is_found(source: str, longest: int) -> None:
    quick, slow = (costs(Pattern("here", each, 0, ("search",)), longest)[0] for each in (r"[ab]x", source))
    assert slow > 10 * quick


def test_attacks_repeat_what_a_pattern_repeats() -> None:
    texts = {(start, repeated) for start, repeated, _ in attacks(Pattern("here", r"x[ab]+(?:cd)*y", 0, ("search",)))}
    assert {("x", "a"), ("x", "b"), ("xa", "cd"), ("", "x")} <= texts
