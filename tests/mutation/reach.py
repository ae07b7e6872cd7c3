"""Which tests run which lines: measured once for a commit, with coverage."""

import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from coverage import CoverageData

__all__ = ["ROOT", "Reach", "environment", "measure"]

ROOT = Path(__file__).parents[2]
_CONFIGURATION = (
    "[run]\nrelative_files = true\ndynamic_context = test_function\nsource =\n    rubric_core\n    rubric_lsp\n"
)


class Reach:
    """The tests behind the lines of a checkout.

    Args:
        files: The data of coverage.
        folder: The checkout in which they were measured.
    """

    def __init__(self, files: Sequence[Path], folder: Path) -> None:
        self._data = CoverageData(no_disk=True)
        for each in files:
            read = CoverageData(str(each))
            read.read()
            self._data.update(read)
        self._folder = folder
        #: Tests are named by module; modules in different folders have different names.
        self._modules = {path.stem: path for path in sorted((folder / "tests").rglob("test_*.py"))}
        self._lines: dict[Path, dict[int, list[str]]] = {}

    def tests(self, path: Path, line: int) -> list[str]:
        """The ids of the tests that run a line of a file, whose path is relative; none for one that runs at import."""
        if path not in self._lines:
            self._lines[path] = self._data.contexts_by_lineno(path.as_posix())
        found = (self._id(context) for context in self._lines[path].get(line, ()))
        return sorted({each for each in found if each})

    def _id(self, context: str) -> str:
        module, _, function = context.rpartition(".")
        path = self._modules.get(module.rpartition(".")[2])
        if path is None:  # a method of a class of tests
            module, _, of = module.rpartition(".")
            path, function = self._modules.get(module.rpartition(".")[2]), f"{of}::{function}"
        return "" if path is None else f"{path.relative_to(self._folder).as_posix()}::{function}"


def measure(folder: Path, tests: Sequence[str], kept: Path) -> Reach:
    """Run tests in a checkout, each folder of them in a process of its own; data that are `kept` already are used again."""
    kept.mkdir(parents=True, exist_ok=True)
    configuration = kept / "coveragerc"
    configuration.write_text(_CONFIGURATION, encoding="utf-8")

    def one(name: str) -> Path:
        data = kept / f"{name.replace('/', '-')}.coverage"
        if not data.exists():
            command = [sys.executable, "-m", "coverage", "run", f"--rcfile={configuration}", f"--data-file={data}.new"]
            command += ["-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", name]
            done = subprocess.run(
                command, check=False, cwd=folder, env=environment(folder), capture_output=True, text=True
            )
            if done.returncode not in (0, 1):
                raise RuntimeError(f"{name} could not be measured:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
            Path(f"{data}.new").rename(data)
        return data

    with ThreadPoolExecutor(2) as pool:
        return Reach(list(pool.map(one, tests)), folder)


def environment(folder: Path) -> dict[str, str]:
    """Variables with which the packages of a checkout are imported, not those that are installed."""
    return {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
