"""What a check takes from a cold start, beside what it may take, and beside `agentv validate` in the same run.

`python tests/bench/bench_check.py`. Prints, and never fails.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from peers import AGENTV, agentv

CASE = """\
  - id: case-{n}
    criteria: |-
      Names the window of {n} days
      and what happens after it.
    input:
      - role: user
        content: |-
          I bought this coat {n} days ago.

          Can I still return it?
    expected_output:
      - role: assistant
        content: You can return it within 30 days.
    assertions:
      - type: rubrics
        criteria:
          - id: window-{n}
            outcome: Names the window of 30 days
            weight: 2.0
            min_score: 0.8
            score_ranges:
              0: Names no window
              3: Names another window
              6: Names the window, not what follows
              8: Names the window and what follows
              10: Names both, and helps
      - type: contains
        value: 30 days
"""
REPEATS = 5


class Row(NamedTuple):
    """One thing to measure: what it is called, what is checked, and the seconds that it may take."""

    name: str
    paths: tuple[str, ...]
    limit: float


ROWS = (
    Row("one file of 10 cases", ("many/evals/suite-0.eval.yaml",), 0.3),
    Row("100 files of 10 cases, as a folder", ("many",), 0.81),
    Row("one file of 10,080 lines", ("big.eval.yaml",), 0.6),
)


def suite(cases: int) -> str:
    """A suite without a mistake."""
    return "name: returns\ntests:\n" + "".join(CASE.format(n=n) for n in range(cases))


def write(folder: Path) -> None:
    """Everything that is checked."""
    (folder / ".git").mkdir()  # agentv looks for the root of a repository, and finds fault with every file without one
    (folder / "many" / "evals").mkdir(parents=True)
    for number in range(100):
        text = suite(10).replace("case-", f"case-{number}-")
        (folder / "many" / "evals" / f"suite-{number}.eval.yaml").write_text(text, encoding="utf-8")
    lines = CASE.count("\n")
    (folder / "big.eval.yaml").write_text(suite(10_080 // lines), encoding="utf-8")


def seconds(folder: Path, command: Sequence[str]) -> float:
    """The median time of the whole process."""
    taken = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        subprocess.run(command, cwd=folder, capture_output=True, check=False)
        taken.append(time.perf_counter() - begun)
    return median(taken)


def main() -> None:
    """Print the table."""
    ours, theirs = [sys.executable, "-m", "rubric_core.cli", "check"], agentv()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder)
        seconds(folder, [*ours, *ROWS[0].paths])
        peer = f"{f'agentv validate {AGENTV}':>24}" if theirs else ""
        print(f"{'rubric check, cold':<40}{'seconds':>9}{'may take':>10}{peer}")
        for row in ROWS:
            taken = seconds(folder, [*ours, *row.paths])
            other = seconds(folder, [theirs, "validate", *row.paths]) if theirs else 0.0
            times = f"{f'{other:.2f} = {other / taken:.1f} ×':>24}" if theirs else ""
            print(f"{row.name:<40}{taken:>9.2f}{row.limit:>10.2f}{times}{'' if taken <= row.limit else '   missed'}")


if __name__ == "__main__":
    main()
