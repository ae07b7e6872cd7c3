"""What a repository full of suites costs the server: a letter in one of them, beside the same suite alone; and in a shared file.

`python tests/bench/bench_workspace.py [SUITES …]`. Makes the workspaces itself; prints, and never fails. All times are CPU
times of the server, so that other work on the machine counts little; compare the ratios.
"""

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[1] / "lsp")]
from client import VSCODE, Client  # noqa: E402  # beside the tests, whose folder is added above

SIZES = (100, 400, 1_600)
#: Suites below one targets file that is edited.
SHARED = 5_000
_EDITS = 6
#: Seconds without CPU time after which the server is idle: longer than it waits before it looks at other files.
_IDLE = 0.8
#: One targets file is above all suites; as in real ones, some targets are named by none.
TARGETS = "targets:\n" + "".join(f"  - {{name: target-{n}, provider: mock}}\n" for n in range(20))
CASES = "".join(f"- {{id: shared-{n}, criteria: Answers, input: Question {n}}}\n" for n in range(5))
PROMPT = "Rate {{ output }} by {{ criteria }}.\n"
SMALL = """\
name: suite-{number}
execution: {{target: target-{target}}}
tests:
  - id: case-{number}
    criteria: Names the window
    input: How long is it?
    assertions:
      - {{type: contains, value: days}}
"""
CASE = """\
  - id: case-{n}
    criteria: |-
      Names the window of {n} days
    input:
      - {{role: user, content: [{{type: file, value: ../data.txt}}]}}
    assertions:
      - type: llm-grader
        prompt: file://../judge.md
      - type: rubrics
        criteria:
          - {{id: window, outcome: Names the window, weight: 2.0}}
          - {{id: help, outcome: Helps, score_ranges: {{0: no, 5: half, 10: yes}}}}
"""


def suite(number: int) -> str:
    """A suite of eight cases; each third one takes over cases of another file, and each tenth has a mistake."""
    cases = "".join(CASE.format(n=n) for n in range(8))
    taken_over = "" if number % 3 else "  - file://../cases.yaml\n"
    wrong = "" if number % 10 else "    wieght: 1\n"
    return f"name: suite-{number}\nexecution: {{target: target-{number % 15}}}\ntests:\n{cases}{wrong}{taken_over}"


def write(folder: Path, suites: int) -> Path:
    """A workspace with that many suites, eight in a folder; gives one of them."""
    (folder / ".agentv").mkdir(parents=True)
    (folder / ".agentv" / "targets.yaml").write_text(TARGETS, encoding="utf-8")
    for number in range(suites):
        home = folder / f"team-{number // 80}" / f"feature-{number // 8 % 10}"
        if number % 8 == 0:
            (home / "evals").mkdir(parents=True)
            for name, text in (("cases.yaml", CASES), ("judge.md", PROMPT), ("data.txt", "A question.\n")):
                (home / name).write_text(text, encoding="utf-8")
        (home / "evals" / f"{number}.eval.yaml").write_text(suite(number), encoding="utf-8")
    return folder / "team-0" / "feature-0" / "evals" / "0.eval.yaml"


def write_small(folder: Path, suites: int) -> Path:
    """Small suites below one targets file, each target of which a fifth of them names; gives the targets file."""
    targets = folder / ".agentv" / "targets.yaml"
    targets.parent.mkdir(parents=True)
    targets.write_text(TARGETS, encoding="utf-8")
    for number in range(suites):
        home = folder / f"team-{number // 50}"
        home.mkdir(exist_ok=True)
        text = SMALL.format(number=number, target=number % 5)
        (home / f"{number}.eval.yaml").write_text(text, encoding="utf-8")
    return targets


class Figures(NamedTuple):
    """Milliseconds of CPU, and megabytes."""

    first: float
    publish: float
    idle: float
    memory: float


class Server:
    """A server of which the CPU time is known."""

    def __init__(self, folder: Path) -> None:
        self.client = Client()
        self.client.initialize(VSCODE, folder)
        self._home = Path("/proc") / str(self.client.process.pid)

    def cpu(self) -> float:
        """Milliseconds."""
        tasks = (self._home / "task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e6

    def memory(self) -> float:
        """Megabytes."""
        return int((self._home / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20

    def rest(self) -> None:
        """Until it has used no CPU time for a while."""
        before = -1.0
        while self.cpu() - before > 2:
            before = self.cpu()
            time.sleep(_IDLE)


def measured(folder: Path, path: Path) -> Figures:
    """Opens one suite, waits for the first look at all of them, then types."""
    server = Server(folder)
    client, uri, text = server.client, path.as_uri(), path.read_text(encoding="utf-8")
    client.open(uri, text)
    client.diagnostics(uri)
    server.rest()
    first, publish, idle = server.cpu(), [], []
    at = text[: text.index("Names the window")].count("\n")
    for _ in range(_EDITS):
        before = server.cpu()
        where = {"line": at, "character": 10}
        client.change(uri, {"range": {"start": where, "end": where}, "text": "x"})
        client.diagnostics(uri)
        publish.append(server.cpu() - before)
        server.rest()
        idle.append(server.cpu() - before)
    figures = Figures(first, median(publish[1:]), median(idle[1:]), server.memory())
    client.close()
    return figures


def rows(sizes: tuple[int, ...], folder: Path) -> Iterator[str]:
    """A table, as it is measured."""
    yield f"{'suites':>8}{'first look':>12}{'a suite':>10}{'publish':>10}{'× alone':>9}{'idle again':>12}{'memory':>9}"
    # The first server pays for what the system has not read from disk yet.
    alone = measured(folder / "first", write(folder / "first", 1))
    for size in (1, *sizes):
        figures = measured(folder / str(size), write(folder / str(size), size))
        alone = figures if size == 1 else alone
        each = (figures.first - alone.first) / max(1, size - 1)
        yield (
            f"{size:>8,}{figures.first:>9,.0f} ms{each:>7.2f} ms{figures.publish:>7.2f} ms{figures.publish / alone.publish:>9.2f}"
            f"{figures.idle:>9.1f} ms{figures.memory:>6.0f} MB"
        )


def shared_edits(suites: int, folder: Path) -> Iterator[str]:
    """Edits of a targets file, and what each costs until the server is idle again."""
    path = write_small(folder, suites)
    server = Server(folder)
    client, uri, lines = server.client, path.as_uri(), TARGETS.splitlines()
    client.open(uri, TARGETS)
    client.diagnostics(uri)
    server.rest()
    yield f"first look {server.cpu():,.0f} ms, {server.memory():.0f} MB"
    used = lines[1].index("target-0") + len("target-0")
    for edit, line, column, text in (
        ("a comment", 0, len(lines[0]), "  # all of them"),
        ("another target", 19, len(lines[19]), "\n  - {name: another, provider: mock}"),
        ("a setting of a target that a fifth of them name", 1, len(lines[1]) - 1, ", model: x"),
        ("a letter in the name of that target", 1, used, "x"),
    ):
        before = server.cpu()
        where = {"line": line, "character": column}
        client.change(uri, {"range": {"start": where, "end": where}, "text": text})
        server.rest()
        yield f"{edit:<50}{server.cpu() - before:>9,.0f} ms"
    client.close()


def main() -> None:
    """Measure workspaces of several sizes."""
    sizes = tuple(map(int, sys.argv[1:])) or SIZES
    print("A letter in a suite, with others around it below one targets file (CPU):")
    with tempfile.TemporaryDirectory() as folder:
        for row in rows(sizes, Path(folder)):
            print(row, flush=True)
    print(f"\nAn edit of the targets file above {SHARED:,} small suites (CPU until the server is idle again):")
    with tempfile.TemporaryDirectory() as folder:
        for row in shared_edits(SHARED, Path(folder)):
            print(row, flush=True)


if __name__ == "__main__":
    main()
