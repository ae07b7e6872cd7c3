"""What a run on a cluster takes beside a run in one process: `python tests/bench/bench_cluster.py [CASES]`.

The first part runs CASES cases (default 5,000) with a mock target and one
deterministic check with `rubric run`, from its start to the stored results, and prints throughput, processor time and memory of
each process. A scheduler and two workers are started for it as a person would. The second part runs cases that each wait for a
judge with 4, 16 and 64 slots; ideal is that nothing but waiting takes time. Prints, and never fails.
"""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from bench_judges import CALLS, ENVIRONMENT, judged_suite
from bench_run import JUDGE, WORKERS

from rubric_core.cluster.connection import cluster_at
from rubric_core.cluster.executor import ClusterExecutor
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.engine.events import CaseDone, Event
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import Verdict

CASES = 5_000
#: Cases of one suite; a file of all 100,000 would be larger than what is read.
OF_A_SUITE = 20_000
CASE = "  - {{id: c{n}, criteria: c, input: hi {n}, assertions: [{{type: contains, value: hello}}]}}\n"
BIN = Path(sys.executable).parent


class Taken(NamedTuple):
    """The use of a process that has ended."""

    seconds: float
    #: Seconds of the processor, with the children that have ended.
    work: float
    #: The most memory of the process itself.
    megabytes: float
    #: What it ended with.
    status: int


class Started:
    """A process, from its start."""

    def __init__(self, *argv: str, directory: Path) -> None:
        self._began = time.monotonic()
        self._process = subprocess.Popen(
            argv, cwd=directory, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **ENVIRONMENT}
        )

    def ended(self) -> Taken:
        """Wait for its end."""
        most = 0.0
        while True:
            most = max(most, self._megabytes())
            pid, status, usage = os.wait4(self._process.pid, os.WNOHANG)
            if pid:
                break
            time.sleep(0.1)
        self._process.returncode = 0  # it is not there to be waited for again
        return Taken(time.monotonic() - self._began, usage.ru_utime + usage.ru_stime, most, status)

    def stopped(self) -> Taken:
        """End it as Ctrl-C does."""
        most = self._megabytes()
        self._process.send_signal(signal.SIGINT)
        return self.ended()._replace(megabytes=most)

    def _megabytes(self) -> float:
        # Not `ru_maxrss`: a process inherits that of the one that started it.
        for line in Path(f"/proc/{self._process.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
        return 0.0  # it has just ended


@contextmanager
def suite(cases: int) -> Iterator[Path]:
    """A folder with suites of that many cases together."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / ".agentv").mkdir()
        (folder / ".agentv/targets.yaml").write_text(
            "targets: [{name: default, provider: mock, response: hello world}]\n"
        )
        for first in range(0, cases, OF_A_SUITE):
            numbers = range(first, min(cases, first + OF_A_SUITE))
            text = "tests:\n" + "".join(CASE.format(n=n) for n in numbers)
            (folder / f"bench-{first}.eval.yaml").write_text(text)
        yield folder


def _row(name: str, taken: Taken, cases: int) -> None:
    print(
        f"  {name:<12} {taken.seconds:>7.1f} s {taken.work:>8.1f} s CPU {1000 * taken.work / cases:>7.2f} ms each {taken.megabytes:>6.0f} MB"
    )


def trivial(cases: int) -> None:
    """Cases that take next to no time."""
    print(f"{cases:,} cases with a mock target and one check; load of the machine {os.getloadavg()[0]:.1f}")
    rubric = str(BIN / "rubric")
    with suite(cases) as folder:
        own = Started(rubric, "run", "-q", directory=folder).ended()
    _row("one process", own, cases)
    if own.status:
        sys.exit("not all cases passed")
    with suite(cases) as folder:
        address = "tcp://127.0.0.1:18786"
        scheduler = Started(
            str(BIN / "dask"), "scheduler", "--host", "127.0.0.1", "--port", "18786", "--no-dashboard", directory=folder
        )
        workers = [
            Started(str(BIN / "dask"), "worker", address, "--nthreads", "2", "--no-dashboard", directory=folder)
            for _ in range(2)
        ]
        client = Started(rubric, "run", "-q", "--on", address, directory=folder).ended()
        _row("client", client, cases)
        if client.status:
            sys.exit("not all cases passed on the cluster")
        for each in workers:
            _row("worker", each.stopped(), cases)
        _row("scheduler", scheduler.stopped(), cases)
    print(f"  {cases / own.seconds:.0f} cases a second in one process, {cases / client.seconds:.0f} on two workers")


async def waits(path: Path, address: str | None, slots: int) -> tuple[float, float]:
    """Seconds until the first result, and from then to the last one."""
    read = load_suite(path)
    at: list[float] = []

    def heard(event: Event) -> None:
        if isinstance(event, CaseDone):
            at.append(time.monotonic())

    executor = ClusterExecutor(read, address, send=ENVIRONMENT) if address is not None else None
    began = time.monotonic()
    results = await run_cases(read.cases, on_event=heard, workers=slots, executor=executor)
    wrong = [each.reason for each in results if each.verdict is not Verdict.PASSED]
    if wrong:
        sys.exit(f"{len(wrong)} cases did not pass: {wrong[0]}")
    return at[0] - began, at[-1] - at[0]


def judged() -> None:
    """Cases that wait for a judge."""
    print(f"{CALLS} judge calls of {JUDGE * 1000:.0f} ms; load of the machine {os.getloadavg()[0]:.1f}")
    os.environ.update(ENVIRONMENT)
    with judged_suite(JUDGE) as path:
        for slots in WORKERS:
            ideal = JUDGE * (CALLS / slots - 1)  # the first ones are over when it begins
            _, own = asyncio.run(waits(path, None, slots))
            with cluster_at("local:2", slots) as address:
                before, there = asyncio.run(waits(path, address, slots))
            print(
                f"  {slots:>2} slots: ideal {ideal:.2f} s; one process {own:.2f} s; two workers {there:.2f} s after {before:.2f} s until the first result"
            )


if __name__ == "__main__":
    judged()
    trivial(int(sys.argv[1]) if len(sys.argv) > 1 else CASES)
