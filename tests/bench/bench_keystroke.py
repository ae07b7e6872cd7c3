"""CPU of a keystroke in a long file, and of the requests that VS Code sends behind it. Prints, and never fails.

`python tests/bench/bench_keystroke.py [CHARACTERS]`; yaml-language-server beside it where it can be had, as so many times ours.
"""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Any

MEASURE = Path(__file__).resolve().parents[3] / "shared" / "measure"
SERVER = [sys.executable, "-m", "rubric_lsp"]
LINES = (100, 1_000, 10_000, 100_000)
#: Lines of the file in which every request is measured; the peer takes seconds for each keystroke in it.
_REQUESTS_AT, _FEW = 10_000, 6


def keystroke(perf: ModuleType, folder: Path, lines: int, times: int) -> float:
    """CPU in milliseconds from a letter to its diagnostics, the median."""
    path = folder / f"k{lines}.eval.yaml"
    path.write_text(perf.suite(lines), encoding="utf-8")
    client = perf.Lsp(SERVER, str(folder))
    try:
        client.open(path)
        client.published()
        client.idle()
        line, column = perf.middle(client.text)

        def typed(number: int) -> None:
            perf.type_in(client, line, column, number)
            client.published(client.v)

        spent = [perf.settled_cpu(client, lambda number=n: typed(number), 0.02) for n in range(times + 4)]
        return median(spent[4:])
    finally:
        client.close()


def requests(perf: ModuleType, folder: Path, server: Sequence[str], times: int) -> dict[str, float]:
    """CPU in milliseconds of each thing that VS Code asks for behind a letter, the medians."""
    options: Any = type("Options", (), {"folder": folder})
    used, _ = perf.trace_of(options, [*server], {}, _REQUESTS_AT, times)
    return {name: median(spent) for name, spent in used.items()}


def _peer() -> list[str] | None:
    """The command of yaml-language-server, None where it cannot be had."""
    tests = Path(__file__).parents[1]
    sys.path[:0] = [str(tests), str(tests / "schema")]
    from yaml_server import UnavailableError, installed

    try:
        return ["node", str(installed()), "--stdio"]
    except UnavailableError as reason:
        print(f"no peer to compare with: {reason}")
        return None


def main() -> None:
    """Measure and print."""
    if not (MEASURE / "perf.py").is_file():
        print(f"no measurements here: {MEASURE / 'perf.py'} is missing")
        return
    sys.path.insert(0, str(MEASURE))
    import perf

    times = int(sys.argv[1]) if len(sys.argv) > 1 else 24
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        for lines in LINES:
            print(f"didChange → publish, {lines:,} lines: {keystroke(perf, folder, lines, times):.1f} ms of CPU")
        ours, peer = requests(perf, folder, SERVER, times), _peer()
        theirs = requests(perf, folder, peer, _FEW) if peer is not None else {}
        for each in (*ours, "all"):
            one, other = (sum(d.values()) if each == "all" else d.get(each, 0.0) for d in (ours, theirs))
            beside = f"   yaml-language-server: {other / one:.1f} × as much" if other and one else ""
            print(f"{each:28}{one:8.1f} ms, {_REQUESTS_AT:,} lines{beside}")


if __name__ == "__main__":
    main()
