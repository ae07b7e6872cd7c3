"""`python -m chaos`, with `tests` on the path: `make chaos` calls it.

Every part runs in a process of its own, two at a time, and says what it counted and found. Exit code 1 where there is a fault;
what shows each of them again is in `artifacts/chaos`.
"""

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .parts import PARTS
from .tally import Part, Setting, Tally
from .texts import has_corpus, suite_texts, texts

__all__ = ["main"]

#: Seconds for one part; none takes half of it.
TIME_LIMIT = 600.0
#: Faults of one part that are printed.
SHOWN = 10
EVIDENCE = Path(__file__).parents[2] / "artifacts" / "chaos"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run parts. Gives the exit code."""
    options = _options(arguments)
    if options.part:
        return _one(options)
    chosen = [part for part in PARTS if options.only in part.name]
    corpus = "with the corpus" if has_corpus() else "the corpus is not beside the checkout: skipped"
    print(f"seed {options.seed}: {len(texts()):,} texts, {len(suite_texts()):,} suites to begin with, {corpus}")
    begun, faults = time.monotonic(), 0
    with ThreadPoolExecutor(options.at_once) as pool:
        for part, tally, seconds in pool.map(lambda part: (part, *_apart(part, options)), chosen):
            print(_summary(part, tally, seconds), flush=True)
            faults += len(tally.faults)
            _keep(part, options.seed, tally)
    print(f"seed {options.seed}: {len(chosen)} parts, {faults} faults, {time.monotonic() - begun:.0f} s")
    return 1 if faults or not chosen else 0


def _summary(part: Part, tally: Tally, seconds: float) -> str:
    """A line about a part, and one about each fault."""
    counted = ", ".join(f"{number:,} {what}" for what, number in tally.counts.items())
    verdict = f"{len(tally.faults)} FAULTS" if tally.faults else "ok"
    lines = [f"{verdict:9} {part.name:10} {part.about}: {counted} ({seconds:.0f} s)"]
    shown = [f"          fault: {fault}" for fault in tally.faults[:SHOWN]]
    more = len(tally.faults) - len(shown)
    return "\n".join([*lines, *shown, *([f"          and {more} more, in {EVIDENCE}"] if more else [])])


def _keep(part: Part, seed: int, tally: Tally) -> None:
    """Keep what shows the faults again."""
    if tally.evidence:
        EVIDENCE.mkdir(parents=True, exist_ok=True)
        rows = "".join(f"{json.dumps(each, default=repr)}\n" for each in tally.evidence)
        (EVIDENCE / f"{part.name}-{seed}.jsonl").write_text(rows, encoding="utf-8")


def _apart(part: Part, options: argparse.Namespace) -> tuple[Tally, float]:
    """Run a part in a process of its own, which ends with everything that it started."""
    command = [sys.executable, "-m", "chaos", "--part", part.name, "--seed", str(options.seed)]
    command += ["--edits", str(options.edits)] if options.edits else []
    command += ["--seconds", str(options.seconds)] if options.seconds else []
    begun = time.monotonic()
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    tally = Tally()
    try:
        out, err = running.communicate(timeout=TIME_LIMIT + (options.seconds or 0))
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate()
        tally.fault(f"not done within {TIME_LIMIT:.0f} s")
        return tally, time.monotonic() - begun
    with contextlib.suppress(ProcessLookupError):
        os.killpg(running.pid, signal.SIGKILL)
    lines = out.splitlines()
    if running.returncode or not lines:
        tally.fault(f"the part itself ended with {running.returncode}", err=err, out=out)
        tally.faults[-1] += f": {err.strip()[-800:]}"
    else:
        tally = Tally.from_json(lines[-1])
    return tally, time.monotonic() - begun


def _one(options: argparse.Namespace) -> int:
    """Run one part here; the last line that is printed is its tally."""
    (part,) = (each for each in PARTS if each.name == options.part)
    with _workplace() as folder:
        tally = Tally()
        part.run(Setting(options.seed, folder, edits=options.edits, seconds=options.seconds or 240.0), tally)
    print(tally.to_json(), flush=True)
    return 0


@contextlib.contextmanager
def _workplace() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="chaos-", ignore_cleanup_errors=True) as folder:
        yield Path(folder).resolve()


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m chaos", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="the same seed does the same")
    parser.add_argument("--only", default="", metavar="TEXT", help="parts that have this in their name")
    parser.add_argument("--at-once", type=int, default=2, metavar="N", help="parts at once")
    parser.add_argument("--edits", type=int, metavar="N", help="random edits")
    parser.add_argument("--seconds", type=float, metavar="N", help="seconds after which random edits end")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
