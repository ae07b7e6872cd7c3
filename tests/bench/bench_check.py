"""What a check takes, cold and with what the last one kept, beside other programs in the same run.

`python tests/bench/bench_check.py`. Prints, and never fails. CPU time is that of the process and its helpers: other work on
the machine changes it less than the time on the clock, and the ratios least of all. Besides generated suites it checks real ones,
copies of the files of AgentV below one targets file, where these are at hand.
"""

import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from peers import AGENTV, agentv, python_tools

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
#: A configuration of promptfoo as its users have them, and a test of it.
CONFIGURATION = """\
description: Support answers
prompts:
  - |-
    You are a support agent. Use the context.
    Context: {{context}}
    Question: {{question}}
  - 'Answer briefly: {{question}} ({{context}})'
providers:
  - id: openai:gpt-4.1-mini
    config:
      temperature: 0
  - echo
defaultTest:
  assert:
    - type: latency
      threshold: 5000
tests:
"""
TEST = """\
  - description: Return {n}
    vars:
      question: Can I return order {n} after {n} days?
      context: The window is 30 days.
    assert:
      - type: contains
        value: 30 days
      - type: llm-rubric
        value: Names the window of 30 days
        threshold: 0.8
      - type: javascript
        value: output.length < 500
"""
TARGETS = "targets:\n  - {name: default, provider: mock}\n"
#: Numbers of suites in the folders that are checked as a whole.
FOLDERS = (100, 500, 1000, 2000)
REPEATS = 3
#: Configurations of promptfoo in a folder, and the tests of each.
CONFIGURATIONS, TESTS = 500, 8
#: Real files, and how often they are copied.
REAL = Path(__file__).resolve().parents[3] / "shared" / "corpus"
COPIES = (4, 16)
#: The most suites that a peer is asked to check: it takes long enough.
MOST_OF_PEERS = 100


class Taken(NamedTuple):
    """Seconds of a whole process with its helpers: on the clock, and of the processors."""

    clock: float
    cpu: float


def suite(cases: int) -> str:
    """A suite without a mistake."""
    return "name: returns\ntests:\n" + "".join(CASE.format(n=n) for n in range(cases))


def write(folder: Path) -> None:
    """Everything that is checked; a folder of N suites is called N."""
    (folder / ".git").mkdir()  # agentv looks for the root of a repository, and finds fault with every file without one
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    for number in FOLDERS:
        for n in range(number):
            place = folder / str(number) / f"team-{n // 20}" / "evals"
            place.mkdir(parents=True, exist_ok=True)
            text = suite(10).replace("case-", f"case-{n}-")
            (place / f"suite-{n}.eval.yaml").write_text(text, encoding="utf-8")
        (folder / str(number) / ".agentv").mkdir()
        (folder / str(number) / ".agentv" / "targets.yaml").write_text(TARGETS, encoding="utf-8")
    for n in range(CONFIGURATIONS):
        (folder / "promptfoo" / str(n)).mkdir(parents=True)
        text = CONFIGURATION + "".join(TEST.format(n=n * TESTS + test) for test in range(TESTS))
        (folder / "promptfoo" / str(n) / "promptfooconfig.yaml").write_text(text, encoding="utf-8")
    (folder / "one.eval.yaml").write_text(suite(10), encoding="utf-8")
    (folder / "big.eval.yaml").write_text(suite(10_080 // CASE.count("\n")), encoding="utf-8")


def copied(folder: Path, times: int) -> str:
    """Copies of real files below one targets file. Gives the name of the folder, which says how many suites there are."""
    made = folder / "real"
    for n in range(times):
        shutil.copytree(REAL, made / f"copy-{n}")
    (made / ".agentv").mkdir()
    (made / ".agentv" / "targets.yaml").write_text(TARGETS, encoding="utf-8")
    suites, files = (sum(1 for each in made.rglob(name) if each.is_file()) for name in ("*.eval.y*ml", "*"))
    return made.rename(folder / f"{suites:,} real suites of {files:,} files").name


def taken(folder: Path, command: Sequence[str]) -> Taken:
    """The median of some runs."""
    runs = [once(folder, command) for _ in range(REPEATS)]
    return Taken(median(run.clock for run in runs), median(run.cpu for run in runs))


def once(folder: Path, command: Sequence[str]) -> Taken:
    """One run."""
    begun = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Taken(time.perf_counter() - begun, used.ru_utime + used.ru_stime)


def changed(folder: Path, command: Sequence[str], suite: Path) -> Taken:
    """The same, each after a comment was added to a suite."""
    runs = []
    for _ in range(REPEATS):
        with suite.open("a", encoding="utf-8") as file:
            file.write("# a comment\n")
        time.sleep(3)  # what has just changed counts as changed, whatever its time is
        runs.append(once(folder, command))
    return Taken(median(run.clock for run in runs), median(run.cpu for run in runs))


def row(name: str, ours: Taken, beside: Iterable[tuple[str, Taken]] = ()) -> None:
    """Print what was measured, and each peer as a multiple of our processor time."""
    others = "".join(f"   {peer} {other.cpu / ours.cpu:.1f} ×" for peer, other in beside)
    print(f"{name:<48}{ours.clock:>8.2f}{ours.cpu:>8.2f}{others}", flush=True)


def exponent(points: Sequence[tuple[int, float]]) -> float:
    """How time grows with the number of files: 1 is linear."""
    xs, ys = [math.log(n) for n, _ in points], [math.log(seconds) for _, seconds in points]
    middle = sum(xs) / len(xs)
    return sum((x - middle) * y for x, y in zip(xs, ys, strict=True)) / sum((x - middle) ** 2 for x in xs)


def main() -> None:
    """Print the table."""
    ours = [sys.executable, "-m", "rubric_core.cli", "check"]
    yamllint, jsonschema = python_tools("yamllint", "check-jsonschema")
    theirs = agentv()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder)
        schema = subprocess.run([*ours[:-1], "schema"], capture_output=True, check=True).stdout
        (folder / "schema.json").write_bytes(schema)
        peers = {
            f"agentv validate {AGENTV}": [theirs, "validate"] if theirs else [],
            "yamllint": [yamllint] if yamllint else [],
            "check-jsonschema": [jsonschema, "--schemafile", "schema.json"] if jsonschema else [],
        }
        present = {peer: command for peer, command in peers.items() if command}

        def beside(paths: Sequence[str]) -> Iterable[tuple[str, Taken]]:
            return ((peer, taken(folder, [*command, *paths])) for peer, command in present.items())

        taken(folder, [*ours, "one.eval.yaml"])
        print(f"{'rubric check, seconds':<48}{'clock':>8}{'CPU':>8}   CPU of others")
        row("one file of 10 cases", taken(folder, [*ours, "one.eval.yaml"]), beside(["one.eval.yaml"]))
        row("one file of 10,080 lines", taken(folder, [*ours, "big.eval.yaml"]), beside(["big.eval.yaml"]))
        cold, warm = [], []
        for number in FOLDERS:
            paths = sorted(str(p.relative_to(folder)) for p in (folder / str(number)).rglob("*.eval.yaml"))
            fresh = taken(folder, [*ours, "--no-cache", str(number)])
            row(f"{number} files, cold", fresh, beside(paths) if number <= MOST_OF_PEERS else ())
            taken(folder, [*ours, str(number)])
            kept = taken(folder, [*ours, str(number)])
            row(f"{number} files, none changed", kept)
            cold.append((number, fresh.cpu))
            warm.append((number, kept.cpu))
        print(f"CPU grows with files ** {exponent(cold):.2f} cold, ** {exponent(warm):.2f} where none changed")
        row(f"{CONFIGURATIONS} promptfooconfig.yaml, cold", taken(folder, [*ours, "--no-cache", "promptfoo"]))
        for times in COPIES if REAL.is_dir() else ():
            place = copied(folder, times)
            row(f"{place}, cold", taken(folder, [*ours, "--no-cache", "--quiet", place]))
            taken(folder, [*ours, "--quiet", place])
            row(f"{place}, none changed", taken(folder, [*ours, "--quiet", place]))
            row(
                f"{place}, one changed",
                changed(folder, [*ours, "--quiet", place], next((folder / place).rglob("*.eval.yaml"))),
            )


if __name__ == "__main__":
    main()
