"""Code of runs reaches the world through the ports of the run alone: what goes past them, nothing around them sees."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

EVALUATION = Path(__file__).parents[1] / "rubric_core" / "evaluation"
FAMILIES = EVALUATION.with_name("families")
#: The folders of a family that have nothing to do with runs: what its commands do is done for the person who calls them.
_NOT_RUN = frozenset({"analysis", "checks", "commands", "language", "loading", "migration"})
#: Modules that start programs, open connections, or make files.
MODULES = frozenset(
    {"subprocess", "websockets", "httpx", "socket", "urllib.request", "http.client", "shutil", "tempfile", "pty"}
)
#: Names that run code, read the environment, or are the adapters themselves.
NAMES = frozenset({
    "exec", "eval", "os.environ", "os.getenv", "os.system", "os.popen", "os.fork", "os.posix_spawn", "asyncio.create_subprocess_exec",
    "asyncio.create_subprocess_shell", "importlib.import_module", "__import__", "SourceFileLoader", "EntryPoint", "process_environment",
    "DiskFiles", "DiskDirectories", "OsProcesses", "HttpxHttp", "system_ports",
})  # fmt: skip
#: Where they may be used, and why.
ALLOWED = {
    # Loaded before there is a run, where a caller gives no files or variables.
    "cases/from_data.py": {"DiskFiles": 1},
    "cases/load.py": {"DiskFiles": 1},
    "cases/options.py": {"process_environment": 1},
    "cases/runnable.py": {"DiskFiles": 1},
    # Called from Python without ports, which are those of the system then.
    "engine/grade.py": {"system_ports": 1},
    "engine/rekey_recordings.py": {"system_ports": 1},
    "engine/run.py": {"system_ports": 1, "importlib.import_module": 1},
    "engine/schedule.py": {"system_ports": 1},
    "evaluators/llm_judge.py": {"system_ports": 1},
    "evaluators/code.py": {"process_environment": 1, "DiskDirectories": 1, "DiskFiles": 1, "OsProcesses": 1},
    # The program of a process of its own, which is started through the port.
    "engine/evaluator_process.py": {"exec": 1, "SourceFileLoader": 1, "EntryPoint": 1},
    "engine/custom_evaluators.py": {"EntryPoint": 1},
    # Names alone: of the folder for temporary files, and of the replies of servers.
    "model/holes.py": {"tempfile": 1},
    # Own modules, by constant names.
    "__init__.py": {"importlib.import_module": 1},
    # Stored results, which belong to rubric.
    "results/connection.py": {"shutil": 1, "tempfile": 1},
    "results/signatures.py": {"os.environ": 1},
    # The same in a family.
    "families/promptfoo/cases/family_cases.py": {"DiskFiles": 2},
    "families/promptfoo/targets/http.py": {"http.client": 1},
}


def uses(source: str) -> Iterator[str]:
    """The forbidden modules and names that a text uses, each once per place; imports of names are not uses of them."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (
                alias.name for alias in node.names if alias.name in MODULES or alias.name.split(".")[0] in MODULES
            )
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            yield from (module for _ in [0] if module in MODULES or module.split(".")[0] in MODULES)
            yield from (f"{module}.{alias.name}" for alias in node.names if f"{module}.{alias.name}" in NAMES | MODULES)
        elif isinstance(node, ast.Attribute | ast.Name):
            name = ast.unparse(node)
            if name in NAMES:
                yield name


def test_runs_reach_the_world_through_their_ports() -> None:
    found = {
        path.relative_to(EVALUATION if root is EVALUATION else root.parent).as_posix(): dict(
            Counter(uses(path.read_text(encoding="utf-8")))
        )
        for root in (EVALUATION, FAMILIES)
        for path in sorted(root.rglob("*.py"))
        if root is EVALUATION or _NOT_RUN.isdisjoint(path.relative_to(root).parts)
    }
    assert {name: used for name, used in found.items() if used} == ALLOWED


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import subprocess\nsubprocess.run([])", ["subprocess"]),
        ("from subprocess import run", ["subprocess"]),
        ("def f():\n    from websockets.asyncio.client import connect", ["websockets.asyncio.client"]),
        ("exec('x')", ["exec"]),
        ("import os\nos.environ['A']", ["os.environ"]),
        ("from os import environ", ["os.environ"]),
        ("import shutil\nshutil.which('a')", ["shutil"]),
        ("files = files or DiskFiles()", ["DiskFiles"]),
        ("field(default_factory=DiskFiles)", ["DiskFiles"]),
        ("text = 'exec(code)'", []),
        ("self.executor.exec_module(x)", []),
    ],
)
def test_the_search_finds_each_way(source: str, found: list[str]) -> None:
    assert list(uses(source)) == found
