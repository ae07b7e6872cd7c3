"""Which tests run which lines: measured once for a commit, with coverage, in the programs that tests start too."""

import contextlib
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, zip_longest
from pathlib import Path

from coverage import CoverageData
from coverage.exceptions import DataError
from warm import COLD

from .recorder import CONTEXT, OUTCOMES

__all__ = ["ROOT", "Reach", "environment", "measure"]

ROOT = Path(__file__).parents[2]
_CONFIGURATION = f"""
[run]
data_file = {{data}}
parallel = true
context = ${{{{{CONTEXT}-}}}}
source =
    {{folder}}/rubric_core
    {{folder}}/rubric_lsp
"""


class Reach:
    """The tests behind the lines of a checkout.

    Args:
        data: What coverage measured, with the ids of tests as contexts.
        seconds: How long each test took that passed. No other one says anything about a mutation.
    """

    def __init__(self, data: CoverageData, seconds: Mapping[str, float]) -> None:
        self._data = data
        self.seconds = seconds
        self._lines: dict[Path, dict[int, list[str]]] = {}

    def tests(self, path: Path, line: int, folders: tuple[str, ...]) -> list[str]:
        """The ids of the tests below some folders that run a line of a file, the most different and quickest first.

        Those that run anything of the file, for a line that runs at import.
        """
        if path not in self._lines:
            self._lines[path] = self._data.contexts_by_lineno(path.as_posix())
        lines = self._lines[path]
        found = self._known(lines.get(line, ()), folders) or self._known(chain(*lines.values()), folders)
        return list(_in_turn(sorted(found, key=lambda each: (self.seconds[each], each))))

    def _known(self, contexts: Iterable[str], folders: tuple[str, ...]) -> set[str]:
        tests = {each.rpartition("|")[2] for each in contexts}
        return {each for each in tests if each in self.seconds and each.startswith(folders)}


def _in_turn(tests: Iterable[str]) -> Iterator[str]:
    """One of every function, then the second of every function, and so on."""
    functions: dict[str, list[str]] = defaultdict(list)
    for each in tests:
        functions[each.partition("[")[0]].append(each)
    return (each for row in zip_longest(*functions.values()) for each in row if each is not None)


def measure(folder: Path, tests: Sequence[str], kept: Path, at_once: int = 2) -> Reach:
    """Run tests in a checkout, each folder of them in a process of its own; data that are `kept` already are used again."""
    kept.mkdir(parents=True, exist_ok=True)

    def one(name: str) -> Path:
        of_folder = kept / name.replace("/", "-")
        if not (of_folder / "coverage").exists():
            _record(folder, name, of_folder)
        return of_folder

    data, seconds = CoverageData(no_disk=True), dict[str, float]()
    with ThreadPoolExecutor(at_once) as pool:
        for each in pool.map(one, tests):
            read = CoverageData(str(each / "coverage"))
            read.read()
            data.update(read)
            seconds |= json.loads((each / "outcomes.json").read_text(encoding="utf-8"))
    return Reach(data, seconds)


def _record(folder: Path, tests: str, kept: Path) -> None:
    """Measure one folder of tests. Raises RuntimeError."""
    kept.mkdir(exist_ok=True)
    configuration = kept / "coveragerc"
    configuration.write_text(_CONFIGURATION.format(data=kept / "part", folder=folder), encoding="utf-8")
    variables = {
        "COVERAGE_PROCESS_START": str(configuration),
        OUTCOMES: str(kept / "outcomes.json"),
        COLD: "1",  # what is forked is measured with what forks it
        "PYTHONPATH": f"{folder}{os.pathsep}{folder / 'tests'}",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-p", "mutation.recorder"]
    done = subprocess.run(
        [*command, tests], cwd=folder, env=environment(folder) | variables, capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{tests} could not be measured:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    _combine(folder, kept)


def _combine(folder: Path, kept: Path) -> None:
    """Put together what each process measured. One that a test killed as it wrote has left a file that cannot be read."""
    combined = CoverageData(str(kept / "coverage.new"))
    for part in sorted(kept.glob("part.*")):
        read = CoverageData(str(part))
        with contextlib.suppress(DataError):
            read.read()
            combined.update(read, map_path=lambda path: Path(path).relative_to(folder).as_posix())
        part.unlink()
    (kept / "coverage.new").rename(kept / "coverage")


def environment(folder: Path) -> dict[str, str]:
    """Variables with which the packages of a checkout are imported, not those that are installed."""
    own = {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "RUBRIC_WHOLE_RECORDS": "1"}
    return {**os.environ, **own}
