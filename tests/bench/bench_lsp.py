"""What the server takes, beside what it may take, and beside yaml-language-server in the same run. Prints, and never fails.

`python tests/bench/bench_lsp.py [CASES …]`; the peer is measured up to 360 cases, with its own schema of the language and with ours.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

BENCH = Path(__file__).resolve().parents[3] / "shared" / "bench"
CASES = (36, 360, 3600)
#: Cases; the peer takes minutes for more.
_LARGEST_FOR_PEER = 360
SERVER = [sys.executable, "-m", "rubric_lsp"]
REQUESTS = ("completion@min_score", "completion+edit@min_score", "hover@min_score")
EDIT = 'weight: 2.0=>weight: "x"'


class Row(NamedTuple):
    """One figure and its limit for each size."""

    name: str
    unit: str
    path: tuple[str, ...]
    limits: tuple[float, float, float]


ROWS = (
    Row("didChange → its diagnostics, median", "ms", ("diagnostics", "median"), (5, 12, 40)),
    Row("the same, p95", "ms", ("diagnostics", "p95"), (0, 0, 0)),
    Row("CPU per edit", "ms", ("diagnostics", "cpu_ms_per_edit"), (4, 10, 35)),
    Row("completion, idle", "ms", ("requests", "completion", "median"), (3, 5, 10)),
    Row("completion, right behind an edit", "ms", ("requests", "completion+edit", "median"), (6, 12, 45)),
    Row("hover", "ms", ("requests", "hover", "median"), (2, 3, 5)),
    Row("spawn → first diagnostics", "ms", ("startup", "spawn_to_diagnostics_ms", "median"), (450, 600, 2000)),
    Row("memory", "MB", ("memory", "rss_mb"), (70, 90, 300)),
)


def measured(cases: int, folder: Path, server: Sequence[str] = SERVER, more: Sequence[str] = ()) -> dict[str, Any]:
    """The figures of a server for a suite of `cases` cases; `more` are options of the benchmark."""
    suite = folder / f"big-{cases}.eval.yaml"
    generator = [sys.executable, str(BENCH / "big_suite.py"), str(cases)]
    suite.write_bytes(subprocess.run(generator, capture_output=True, check=True).stdout)
    asked = [word for name in REQUESTS for word in ("--request", name)]
    options = [str(BENCH / "lsp_bench.py"), *more, "--edit", EDIT, "--starts", "5", *asked, str(suite), "--", *server]
    # A package that is installed is compiled; from a checkout that may not be kept, each start would compile it anew.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run([sys.executable, *options], capture_output=True, text=True, check=False, env=environment)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def figure(found: Any, path: tuple[str, ...]) -> float | None:
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, int | float) else None


def table(sizes: tuple[int, ...], results: list[dict[str, Any]]) -> Iterator[str]:
    """The rows, with a mark where a limit is missed."""
    lines = [
        f"{result.get('lines', '?'):,} lines" if "lines" in result else f"{n} cases"
        for n, result in zip(sizes, results, strict=True)
    ]
    yield f"{'':36}" + "".join(f"{line:>24}" for line in lines)
    for row in ROWS:
        cells = []
        for size, result in zip(sizes, results, strict=True):
            value = figure(result, row.path)
            limit = row.limits[CASES.index(size)] if size in CASES else 0
            shown = "—" if value is None else f"{value:,.1f}"
            told = "" if not limit else f" / {limit:g} {row.unit}{'' if value is not None and value <= limit else ' !'}"
            cells.append(f"{shown + told:>24}")
        yield f"{row.name:36}" + "".join(cells)


def peer_command() -> list[str] | None:
    """The command of yaml-language-server, None where it cannot be had."""
    tests = Path(__file__).parents[1]
    sys.path[:0] = [str(tests), str(tests / "schema")]
    from yaml_server import UnavailableError, installed

    try:
        return ["node", str(installed()), "--stdio"]
    except UnavailableError as reason:
        print(f"no peer to compare with: {reason}")
        return None


def compared(sizes: tuple[int, ...], ours: list[dict[str, Any]], folder: Path) -> Iterator[str]:
    """The peer's figures, each as so many times ours."""
    peer = peer_command()
    if peer is None:
        return
    own = folder / "rubric.schema.json"
    command = [sys.executable, "-m", "rubric_core.cli", "schema", "--dialect", "agentv-3"]
    own.write_bytes(subprocess.run(command, capture_output=True, check=True).stdout)
    for name, schema in (("AgentV's schema", BENCH / "agentv-4.42.4.schema.json"), ("our schema", own)):
        small = [(n, result) for n, result in zip(sizes, ours, strict=True) if n <= _LARGEST_FOR_PEER]
        theirs = [measured(n, folder, peer, ("--yaml-schema", f"{schema}=*.eval.yaml")) for n, _ in small]
        yield f"yaml-language-server 2.0.0 with {name}: measured, and how many times ours"
        for row in ROWS:
            cells = []
            for (_, mine), other in zip(small, theirs, strict=True):
                value, base = figure(other, row.path), figure(mine, row.path)
                times = f" = {value / base:.1f} ×" if value is not None and base else ""
                cells.append(f"{'—' if value is None else f'{value:,.1f} {row.unit}' + times:>24}")
            yield f"{row.name:36}" + "".join(cells)
        yield from (str(other["error"]) for other in theirs if "error" in other)


def main() -> None:
    """Measure and print."""
    if not (BENCH / "lsp_bench.py").is_file():
        print(f"no benchmark here: {BENCH / 'lsp_bench.py'} is missing")
        return
    sizes = tuple(int(word) for word in sys.argv[1:]) or CASES
    with tempfile.TemporaryDirectory() as folder:
        results = [measured(cases, Path(folder)) for cases in sizes]
        print("rubric-lsp: measured / limit; ! where the limit is missed")
        for line in (*table(sizes, results), *compared(sizes, results, Path(folder))):
            print(line)
    for result in results:
        if "error" in result:
            print(result["error"])


if __name__ == "__main__":
    main()
