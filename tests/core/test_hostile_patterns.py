"""None of our own regular expressions takes long, whatever text it sees."""

import subprocess
import sys
from pathlib import Path

import pytest
from hostile_patterns import Pattern, attacks, costs, patterns
from thorough import only_thorough


@only_thorough
def test_no_pattern_of_ours_is_slow() -> None:
    """In a process of its own: one that takes for ever is ended by the system, and the next one is tried in another process."""
    script = Path(__file__).with_name("hostile_patterns.py")
    found: list[str] = []
    first, ended = 0, False
    while not ended:
        done = subprocess.run([sys.executable, str(script), str(first)], capture_output=True, text=True, check=False)
        lines = done.stdout.splitlines()
        assert lines, done.stderr
        found += lines
        ended, first = done.returncode == 0, int(lines[-1].split()[0]) + 1
    assert len(found) == len(list(patterns())) > 250
    assert [line for line in found if not line.endswith(": ok")] == []


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
