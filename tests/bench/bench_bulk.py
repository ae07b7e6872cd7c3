"""What comes in bulk: many changes on disk in one notification, a suite of 3.7 MB, thousands of stored results.

`python tests/bench/bench_bulk.py`. Prints CPU times of the server, and never fails.
"""

import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[1] / "lsp")]
from bench_workspace import Server  # noqa: E402  # beside this file, whose folder is added above

from rubric_core.evaluation.model.exchanges import Exchange  # noqa: E402
from rubric_core.evaluation.model.result import CaseResult, EvaluatorResult, Verdict  # noqa: E402
from rubric_core.evaluation.results.database import ResultDatabase  # noqa: E402
from rubric_core.evaluation.results.records import RunInfo, RunState  # noqa: E402
from rubric_core.ports import ChatMessage  # noqa: E402

EVENTS = 10_000
CASES = 21_000
RESULTS = 20_000
SUITE = "tests:\n  - {id: a, criteria: x, input: hi}\n"
CASE = """\
  - id: case-{n}
    input: hello number {n} and more words to make it long enough
    criteria: says hello politely
    assertions:
      - {{type: contains, value: hello}}
"""
EVALUATOR = EvaluatorResult(name="contains-hello", type="contains", verdict=Verdict.PASSED, score=1.0, hits=("hello",))
RESULT = CaseResult(
    id="", verdict=Verdict.PASSED, score=1.0, evaluators=(EVALUATOR,), answer="hello", target="default", dialect="agentv-3",
    exchanges=(Exchange(role="target", to="default", kind="mock", model="mock", messages=(ChatMessage("user", "hi"),)),),
    fingerprint="69dcdb91f2e9a7dd9543f261b3933fc8", at="2026-01-01T00:00:00+00:00", line=3,
)  # fmt: skip


def _spent(server: Server, path: Path, text: str) -> float:
    """Milliseconds until what is wrong in a suite is published."""
    before = server.cpu()
    server.client.open(path.as_uri(), text)
    server.client.diagnostics(path.as_uri())
    return server.cpu() - before


def _stored(path: Path) -> float:
    """Microseconds that a result takes to be stored."""
    results = [replace(RESULT, id=f"c{n}") for n in range(RESULTS)]
    before = time.process_time()
    writer = ResultDatabase.of(path).begin(RunInfo(suites=(path,)))
    for each in results:
        writer.add(each, suite=path)
    writer.end(RunState.DONE)
    return (time.process_time() - before) / RESULTS * 1e6


def rows(folder: Path) -> Iterator[str]:
    """A line for each, as it is measured."""
    path = folder / "a.eval.yaml"
    path.write_text(SUITE, encoding="utf-8")
    server = Server(folder)
    _spent(server, path, SUITE)
    server.rest()
    before = server.cpu()
    changes = [{"uri": (folder / f"x/{n}.eval.yaml").as_uri(), "type": 1 + n % 3} for n in range(EVENTS)]
    server.client.notify("workspace/didChangeWatchedFiles", {"changes": changes})
    server.client.request("workspace/symbol", {"query": "a"})
    yield f"{EVENTS:,} watched files in one notification, to the next answer {server.cpu() - before:>8,.0f} ms"
    big = "name: big\ntests:\n" + "".join(CASE.format(n=n) for n in range(CASES))
    spent = _spent(server, folder / "big.eval.yaml", big)
    yield f"a suite of {len(big) / 1e6:.1f} MB opened, to its diagnostics {spent:>23,.0f} ms"
    server.client.close()
    for name in ("stored", "stored once more"):
        yield f"{RESULTS:,} results {name}, each {_stored(path):>36,.0f} µs"
    server = Server(folder)
    spent = _spent(server, path, SUITE)
    yield f"a suite with {RESULTS:,} stored results opened, to its diagnostics {spent:>10,.0f} ms"
    before = server.cpu()
    server.rest()
    yield f"   and until all results are read, in the background {server.cpu() - before:>20,.0f} ms"
    server.client.close()


def main() -> None:
    """Measure each."""
    print("In bulk (CPU of the server):")
    with tempfile.TemporaryDirectory() as folder:
        for row in rows(Path(folder)):
            print(row, flush=True)


if __name__ == "__main__":
    main()
