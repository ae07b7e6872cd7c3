"""What a run of a thousand cases takes, beside what it may take and what another engine takes for the same suite.

`python tests/bench/bench_run.py`. The target is a mock and the three evaluators of each case are deterministic, so what is
measured is the engine itself. Prints, and never fails.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

from peers import AGENTV, agentv

TARGETS = '{"targets": [{"name": "default", "provider": "mock", "response": "hello world 42"}]}\n'
CASE = """\
  - id: case-{n}
    criteria: Says hello
    input: Say hello number {n}
    assertions:
      - {{type: contains, value: hello}}
      - {{type: regex, value: "[0-9]+"}}
      - {{type: equals, value: hello world 42}}
"""
REPEATS = 3


class Taken(NamedTuple):
    """What a run took."""

    seconds: float
    #: The most memory that the process had, in megabytes.
    megabytes: float
    passed: int


def write(folder: Path, cases: int) -> str:
    """A suite with that many cases."""
    (folder / ".agentv").mkdir(exist_ok=True)
    (folder / ".agentv" / "targets.yaml").write_text(TARGETS, encoding="utf-8")
    name = f"{cases}.eval.yaml"
    text = "name: bench\ntests:\n" + "".join(CASE.format(n=n) for n in range(cases))
    (folder / name).write_text(text, encoding="utf-8")
    return name


def measured(folder: Path, command: list[str]) -> tuple[float, float, str]:
    """Seconds of the whole process, its peak of memory in megabytes, and what it printed."""
    begun = time.perf_counter()
    with (folder / "printed").open("w+", encoding="utf-8") as printed:
        running = subprocess.Popen(command, cwd=folder, stdout=printed, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
        taken = time.perf_counter() - begun
        printed.seek(0)
        # Kilobytes on Linux, bytes on macOS.
        return taken, used.ru_maxrss / (1024 if sys.platform != "darwin" else 1024 * 1024), printed.read()


def rubric(folder: Path, cases: int) -> Taken:
    """The median of several runs of rubric, each without results of earlier ones."""
    name = write(folder, cases)
    runs = []
    for _ in range(REPEATS):
        shutil.rmtree(folder / ".rubric", ignore_errors=True)
        seconds, memory, out = measured(
            folder, [sys.executable, "-m", "rubric_core.cli", "run", name, "--format", "jsonl"]
        )
        passed = sum(json.loads(line)["verdict"] == "passed" for line in out.splitlines())
        runs.append(Taken(seconds, memory, passed))
    return Taken(median(r.seconds for r in runs), median(r.megabytes for r in runs), min(r.passed for r in runs))


def checked(folder: Path, cases: int) -> float:
    """The peak of memory, in megabytes, of a check, which reads the same suite and runs nothing."""
    name = write(folder, cases)
    return measured(folder, [sys.executable, "-m", "rubric_core.cli", "check", name])[1]


def of_agentv(folder: Path, program: str, cases: int) -> Taken:
    """The median of several runs of agentv."""
    name = write(folder, cases)
    runs = []
    for _ in range(REPEATS):
        results = folder / ".agentv" / "results"
        shutil.rmtree(results, ignore_errors=True)
        seconds, memory, _ = measured(folder, [program, "eval", "run", name])
        rows = [json.loads(line) for file in results.rglob("index.jsonl") for line in file.read_text().splitlines()]
        runs.append(Taken(seconds, memory, sum(row.get("score") == 1 for row in rows)))
    return Taken(median(r.seconds for r in runs), median(r.megabytes for r in runs), min(r.passed for r in runs))


def row(name: str, taken: Taken, limit: float | None) -> None:
    """A line of the table."""
    may = f"{limit:>10.2f}" if limit is not None else f"{'':>10}"
    missed = "   missed" if limit is not None and taken.seconds > limit else ""
    print(f"{name:<40}{taken.seconds:>9.2f}{may}{taken.megabytes:>8.0f} MB{taken.passed:>8} passed{missed}")


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"{'a run with a mock target':<40}{'seconds':>9}{'may take':>10}{'memory':>11}")
        sizes = {cases: rubric(folder, cases) for cases in (1, 1000, 4000, 10000)}
        for cases, taken in sizes.items():
            row(f"rubric, {cases:,} case{'s' if cases > 1 else ''}", taken, 2.0 if cases == 1000 else None)
        grown = (sizes[10000].megabytes - sizes[1000].megabytes) / 9
        read = (checked(folder, 10000) - checked(folder, 1000)) / 9
        print(f"{'':<40}each further 1,000 cases take {grown:.0f} MB; to read them takes {read:.0f} MB (rubric check)")
        program = agentv()
        if program is not None:
            theirs, ours = of_agentv(folder, program, 1000), sizes[1000]
            row(f"agentv {AGENTV}, 1,000 cases", theirs, None)
            times = (
                f"{theirs.seconds / ours.seconds:.1f} × the time, {theirs.megabytes / ours.megabytes:.1f} × the memory"
            )
            print(f"{'':<40}that is {times} of rubric")


if __name__ == "__main__":
    main()
