"""Runs one suite with both programs, each in a copy of its own, and compares what came of it."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from . import agentv, rubric
from .bundles import SuiteSource, lay_out
from .compare import Difference, compare_cases
from .outcome import CaseOutcome, SuiteOutcome, keyed
from .payloads import compare_captured, read_captured
from .requests import compare_requests, marked_labels
from .server import ScriptedServer

__all__ = ["Comparison", "Runner", "compare_suites"]

#: Seconds for one program and one suite.
TIME_LIMIT = 240
#: A `bun` that is node: agentv starts assertions of `.agentv/assertions` with it.
TOOLS = Path(__file__).with_name("tools")
#: What targets refer to, and what keeps programs from asking, colouring and looking for updates.
VARIABLES = {"PARITY_KEY": "sk-parity", "PARITY_MODEL": "scripted", "CI": "1", "NO_COLOR": "1"}


@dataclass(frozen=True)
class Comparison:
    """A suite as both programs ran it."""

    suite: str
    agentv: SuiteOutcome
    rubric: SuiteOutcome
    differences: tuple[Difference, ...]
    #: The labels of marked requests to models.
    labels: frozenset[str]


@dataclass(frozen=True)
class Runner:
    """Both programs, a folder to work in, and the server that answers."""

    agentv: tuple[str, ...]
    work: Path
    server: ScriptedServer

    def __post_init__(self) -> None:
        """Make a repository for each program: both look for the files of a suite up to its root."""
        for program in ("agentv", "rubric"):
            subprocess.run(["git", "init", "-q", str(self._folder(program))], check=True)

    def compare(self, source: SuiteSource) -> Comparison:
        """Lay a suite out for each program, run it and compare."""
        folders = {program: self._folder(program) / "suites" / source.name for program in ("agentv", "rubric")}
        suites = {program: lay_out(source, folder, program, self.server) for program, folder in folders.items()}
        return self.compare_laid_out(source.name, suites["agentv"], suites["rubric"])

    def run_agentv(self, source: SuiteSource) -> SuiteOutcome:
        """Run a suite with agentv alone."""
        folder = self._folder("agentv") / "suites" / source.name
        return self._agentv(source.name, lay_out(source, folder, "agentv", self.server))

    def compare_laid_out(self, name: str, for_agentv: Path, for_rubric: Path) -> Comparison:
        """Run a suite that is there in two copies, and compare."""
        one, other = self._agentv(name, for_agentv), self._rubric(for_rubric)
        requests = list(self.server.requests)
        differences = (
            *compare_cases(one.cases, other.cases),
            *compare_captured(one.captured, other.captured),
            *compare_requests(requests, name, {"agentv": for_agentv.parent, "rubric": for_rubric.parent}),
        )
        return Comparison(name, one, other, differences, marked_labels(requests, name))

    def _agentv(self, name: str, suite: Path) -> SuiteOutcome:
        output = self._folder("agentv") / "results" / name.replace(".", "-")  # it takes a dot for a file
        shutil.rmtree(output, ignore_errors=True)
        done = self._run("agentv", suite, (*self.agentv, *agentv.run_arguments(suite, output)))
        return self._outcome("agentv", suite, done, agentv.outcomes(output) if output.is_dir() else [])

    def _rubric(self, suite: Path) -> SuiteOutcome:
        done = self._run("rubric", suite, (*rubric.command(), *rubric.run_arguments(suite)))
        return self._outcome("rubric", suite, done, rubric.outcomes(done.printed))

    def _outcome(self, program: str, suite: Path, done: "_Done", outcomes: list[CaseOutcome]) -> SuiteOutcome:
        captured = read_captured(suite.parent, self._folder(program))
        return SuiteOutcome(keyed(outcomes), captured, done.seconds, done.said)

    def _run(self, program: str, suite: Path, command: tuple[str, ...]) -> "_Done":
        started = time.monotonic()
        environment = self._environment(program)
        try:
            done = subprocess.run(
                command, cwd=suite.parent, env=environment, capture_output=True, text=True, timeout=TIME_LIMIT,
                stdin=subprocess.DEVNULL, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return _Done("", f"{program} did not end in {TIME_LIMIT} s", time.monotonic() - started)
        said = done.stderr if done.stdout.startswith("{") else f"{done.stdout}\n{done.stderr}"
        return _Done(done.stdout, said.strip()[-1500:], time.monotonic() - started)

    def _environment(self, program: str) -> Mapping[str, str]:
        """A home of its own, so that nothing a user has configured is found, and this Python first."""
        home = self._folder(program) / "home"
        home.mkdir(parents=True, exist_ok=True)
        path = os.pathsep.join([str(TOOLS), str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        return {"PATH": path, "HOME": str(home), "LANG": "C.UTF-8", **VARIABLES}

    def _folder(self, program: str) -> Path:
        return self.work / program


@dataclass(frozen=True)
class _Done:
    printed: str
    said: str
    seconds: float


def compare_suites(runner: Runner, sources: Iterable[SuiteSource], at_once: int) -> Iterator[Comparison]:
    """Compare suites, some of them at once, in the order of their names."""
    with ThreadPoolExecutor(at_once) as pool:
        yield from pool.map(runner.compare, sources)
