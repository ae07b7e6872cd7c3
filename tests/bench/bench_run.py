"""What a run takes for a trivial case, and for calls of a judge, beside another engine with the same suites.

`python tests/bench/bench_run.py`. In the first table the target is a mock and the three evaluators of each case are deterministic,
so what is measured is the engine itself: all of it, from its start to the stored results. In the second one each case waits for a
judge; ideal is that nothing else takes time. CPU is that of the process, which a busy machine blurs least; compare figures of one
run only. Modules are compiled once, as they are for users: `PYTHONDONTWRITEBYTECODE` would add a second to each run. Prints, and
never fails.
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

from bench_judges import CALLS, ENVIRONMENT, judged_suite
from peers import AGENTV, agentv

#: Seconds of CPU that a trivial case may take.
MAY_TAKE = 0.0012
#: Seconds that a judge takes, and how many cases are run at once.
JUDGE, WORKERS = 0.05, (4, 16, 64)
#: The share of the ideal speed that calls should reach with so many at once, and their number, so that the start does not count.
EFFICIENCY, FURTHER = {16: 0.8, 64: 0.6}, 800
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
#: Tests of promptfoo whose provider says back what it is told.
ROWS = (1000, 3000)
CONFIGURATION = "prompts: ['Say hello number {{n}} to {{name}}']\nproviders: [echo]\ntests:\n"
ROW = """\
  - description: case %d
    vars: {n: %d, name: world %d}
    assert:
      - {type: contains, value: hello}
      - {type: icontains, value: 'NUMBER {{n}}'}
      - {type: equals, value: 'Say hello number {{n}} to {{name}}'}
      - {type: starts-with, value: Say}
      - {type: not-contains, value: goodbye}
"""
#: Seconds of CPU that a further row may take.
ROW_MAY_TAKE = 0.0015
TURNS = (500, 1000, 2000)
CONVERSATION = "tests:\n  - id: c\n    criteria: c\n    input: hi\n    mode: conversation\n    turns:\n"
TURN = "      - {{input: hi {n}, assertions: [{{type: contains, value: hello}}]}}\n"
REPEATS = 3


class Taken(NamedTuple):
    """What a run took."""

    seconds: float
    #: Seconds of the processor.
    work: float
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


def measured(folder: Path, command: list[str]) -> tuple[Taken, str]:
    """What the whole process took, and what it printed."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    begun = time.perf_counter()
    with (folder / "printed").open("w+", encoding="utf-8") as printed:
        running = subprocess.Popen(
            command, cwd=folder, stdout=printed, stderr=subprocess.DEVNULL, env={**environment, **ENVIRONMENT}
        )
        _, status, used = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
        taken = time.perf_counter() - begun
        printed.seek(0)
        # Kilobytes on Linux, bytes on macOS.
        megabytes = used.ru_maxrss / (1024 if sys.platform != "darwin" else 1024 * 1024)
        return Taken(taken, used.ru_utime + used.ru_stime, megabytes, 0), printed.read()


def middle(runs: list[Taken]) -> Taken:
    """The median of several runs."""
    seconds, work, megabytes = (median(figures) for figures in list(zip(*runs, strict=True))[:3])
    return Taken(seconds, work, megabytes, min(each.passed for each in runs))


def rubric(folder: Path, name: str, *more: str, repeats: int = REPEATS, afresh: bool = True) -> Taken:
    """The median of several runs of rubric; `afresh` each without results of earlier ones."""
    runs = []
    for _ in range(repeats):
        if afresh:
            shutil.rmtree(folder / ".rubric", ignore_errors=True)
        command = [sys.executable, "-m", "rubric_core.cli", "run", name, "--format", "jsonl", *more]
        taken, out = measured(folder, command)
        passed = sum(json.loads(line)["verdict"] == "passed" for line in out.splitlines())
        runs.append(taken._replace(passed=passed))
    return middle(runs)


def checked(folder: Path, cases: int) -> float:
    """The peak of memory, in megabytes, of a check, which reads the same suite and runs nothing."""
    name = write(folder, cases)
    return measured(folder, [sys.executable, "-m", "rubric_core.cli", "check", name])[0].megabytes


def of_agentv(folder: Path, program: str, name: str, *more: str) -> Taken:
    """The median of several runs of agentv."""
    runs = []
    for _ in range(REPEATS):
        results = folder / ".agentv" / "results"
        shutil.rmtree(results, ignore_errors=True)
        taken, _ = measured(folder, [program, "eval", "run", name, *more])
        rows = [json.loads(line) for file in results.rglob("index.jsonl") for line in file.read_text().splitlines()]
        runs.append(taken._replace(passed=sum(row.get("score") == 1 for row in rows)))
    return middle(runs)


def row(name: str, taken: Taken, more: str = "") -> None:
    """A line of a table."""
    print(
        f"{name:<40}{taken.work:>9.2f}{taken.seconds:>9.2f}{taken.megabytes:>8.0f} MB{taken.passed:>8} passed   {more}"
    )


def beside(theirs: Taken, ours: Taken) -> str:
    """How much more another engine takes, if it did the same."""
    if theirs.passed != ours.passed:
        return "no comparison: it passes other cases"
    times = ((theirs.work, ours.work, "CPU"), (theirs.seconds, ours.seconds, "time"), (theirs.megabytes, ours.megabytes, "memory"))  # fmt: skip
    return ", ".join(f"{their / our:.1f} × the {what}" for their, our, what in times)


def trivial(folder: Path, program: str | None) -> None:
    """What a case takes that asks nobody: with many of them, run again, and run three times each."""
    print(f"{'a run with a mock target':<40}{'CPU s':>9}{'seconds':>9}{'memory':>11}")
    sizes = {}
    for cases in (1, 1000, 10000):
        name = write(folder, cases)
        taken = sizes[cases] = rubric(folder, name, repeats=1 if cases > 1000 else REPEATS)
        each = taken.work / cases
        said = f"{each * 1000:.2f} ms of CPU a case, may take {MAY_TAKE * 1000:g}{'; missed' * (each > MAY_TAKE)}"
        row(f"rubric, {cases:,} case{'s' if cases > 1 else ''}", taken, said if cases > 1 else "")
    row("the same, 10,000 results stored before", rubric(folder, name, repeats=1, afresh=False))
    row("rubric, 1,000 cases, three runs each", rubric(folder, write(folder, 1000), "--repeat", "3"))
    grown = (sizes[10000].megabytes - sizes[1000].megabytes) / 9
    read = (checked(folder, 10000) - checked(folder, 1000)) / 9
    print(f"{'':<40}each further 1,000 cases take {grown:.0f} MB; to read them takes {read:.0f} MB (rubric check)")
    if program is not None:
        theirs = of_agentv(folder, program, write(folder, 1000))
        row(f"agentv {AGENTV}, 1,000 cases", theirs, beside(theirs, sizes[1000]))


def rows(folder: Path) -> None:
    """What each further row of promptfoo takes, with five assertions."""
    taken = []
    for number in ROWS:
        place = folder / f"rows-{number}"
        place.mkdir()
        text = CONFIGURATION + "".join(ROW % (n, n, n) for n in range(number))
        (place / "promptfooconfig.yaml").write_text(text, encoding="utf-8")
        taken.append(rubric(place, "promptfooconfig.yaml"))
        row(f"rubric, {number:,} rows of promptfoo", taken[-1])
    each = (taken[1].work - taken[0].work) / (ROWS[1] - ROWS[0])
    missed = "; missed" * (each > ROW_MAY_TAKE)
    print(f"{'':<40}{each * 1000:.2f} ms of CPU for each further row, may take {ROW_MAY_TAKE * 1000:g}{missed}")


def conversations(folder: Path) -> None:
    """What conversations take whose target sees all turns before."""
    for turns in TURNS:
        name = f"turns-{turns}.eval.yaml"
        text = CONVERSATION + "".join(TURN.format(n=n) for n in range(turns))
        (folder / name).write_text(text, encoding="utf-8")
        row(f"rubric, a conversation of {turns:,} turns", rubric(folder, name))


def judged(program: str | None) -> None:
    """What calls of a judge take beyond waiting for it."""
    print(f"\n{f'{CALLS} calls of {JUDGE * 1000:.0f} ms':<40}{'CPU s':>9}{'seconds':>9}{'memory':>11}")
    with judged_suite(JUDGE) as path:
        for workers in WORKERS:
            more = ("--workers", str(workers))
            ours = rubric(path.parent, path.name, *more)
            row(f"rubric, {workers} workers", ours, f"ideal {CALLS / workers * JUDGE:.2f} s")
            if program is not None:
                theirs = of_agentv(path.parent, program, path.name, *more)
                row(f"agentv {AGENTV}, {workers} workers", theirs, beside(theirs, ours))


def further_calls() -> None:
    """How close each further call comes to the ideal, in which nothing but waiting takes time."""
    for workers, goal in EFFICIENCY.items():
        took = []
        for calls in (CALLS, CALLS + FURTHER):
            with judged_suite(JUDGE, calls) as path:
                took.append(rubric(path.parent, path.name, "--workers", str(workers)))
        seconds, work = ((took[1][n] - took[0][n]) / FURTHER for n in (0, 1))
        reached = JUDGE / workers / seconds
        said = f"{work * 1000:.2f} ms of CPU, {reached:.2f} of the ideal, goal {goal}{'; missed' * (reached < goal)}"
        print(f"{f'each further call, {workers} workers':<40}{said}")


def main() -> None:
    """Print the tables."""
    program = agentv()
    with tempfile.TemporaryDirectory() as name:
        trivial(Path(name), program)
        rows(Path(name))
        conversations(Path(name))
    judged(program)
    further_calls()


if __name__ == "__main__":
    main()
