"""How the work grows with a text that holds N of one thing: the exponent, and seconds of CPU for 100 KB.

    python tests/bench/bench_growth.py [--all] [--strict] [-v] [WORD…]

Every structured text of `grown.py` that has one of the words in its name, or all, in sizes that double, each text in a
process of its own with a limit for everything that is done. As `make bench` runs it: a check, letters typed and the code
actions of the whole text, up to 500 of a thing, for two and a half minutes at most. `--all` does everything else too, of
up to 4,000, in half an hour; words that name something that is done (`check`, `hover`) choose that. It prints a line for
each that grows too fast, with `-v` for every one; with `--strict` the exit code is 1 if any does.
"""

import argparse
import gc
import json
import math
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from grown import GROWN, Grown

from rubric_core.analysis import Analysis, Language, analyze
from rubric_core.formatting import format_edits
from rubric_core.language.dialects import DIALECTS
from rubric_core.migration import NotMigratableError, migrate
from rubric_core.text import Edit, Span
from rubric_lsp.features.code_actions import FIX_ALL, actions
from rubric_lsp.features.completion.complete import complete
from rubric_lsp.features.hover import hover

#: By default, and with `--all`.
SIZES, MORE_SIZES = (125, 250, 500), (125, 250, 500, 1_000, 2_000, 4_000)
USUAL = ("check", "keystroke", "fixes")
#: The seconds of CPU from which on a larger size is not tried, and from which on what is done is stopped.
ENOUGH, STOP = 0.15, 4
#: The seconds after which no further text is begun, without `--all`.
LONGEST = 150
EXPONENT, SECONDS_PER_100_KB = 1.2, 1.0
#: What takes no longer than this is noise.
NOISE = 0.04
NEWEST = DIALECTS[-1].name


def keystroke(known: Analysis, language: Language, path: Path) -> None:
    """A letter more in the middle of the text and one at its end, and what is found then."""
    for at in (len(known.document) // 2, len(known.document)):
        document = known.document.edited(Edit(Span(at, at), "x"))
        analyze(document, language, previous=known, path=path)


def migrated(known: Analysis) -> None:
    try:
        migrate(known.document.text, known.dialect.name, NEWEST, kind=known.kind)
    except NotMigratableError:
        return


#: What is done with an analysis.
OPERATIONS: Mapping[str, Callable[[Analysis, Language, Path], object]] = {
    "check": lambda known, language, path: analyze(known.document.text, language, path=path),
    "keystroke": keystroke,
    "fixes": lambda known, _, __: actions(known, Span(0, len(known.document))),
    "fix all": lambda known, _, __: [a.settled(0, {}) for a in actions(known, Span(0, 0), wanted=FIX_ALL.__eq__)],
    "completion": lambda known, _, __: complete(known, len(known.document)),
    "hover": lambda known, _, __: hover(known, len(known.document) - 2),
    "format": lambda known, _, __: format_edits(known),
    "migrate": lambda known, _, __: migrated(known),
}


#: The sizes and the seconds of CPU, by operation.
Taken = dict[str, list[tuple[int, float]]]


def seconds(do: Callable[[], object]) -> float:
    gc.collect()
    gc.disable()
    begun = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, STOP)  # ends the process
    do()
    signal.setitimer(signal.ITIMER_PROF, 0)
    gc.enable()
    return time.process_time() - begun


def in_child(do: Callable[[Callable[[object], None]], None]) -> list[str]:
    """The lines of JSON that `do` writes in a process of its own, which may come to an end early."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            with os.fdopen(write, "w") as pipe:
                do(lambda line: print(json.dumps(line), file=pipe, flush=True))
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        lines = pipe.read().splitlines()
    os.waitpid(child, 0)
    return lines


def taken(
    make: Grown, operations: Sequence[str], sizes: Sequence[int], path: Path, language: Language
) -> tuple[Taken, dict[str, int]]:
    """What each operation takes, and the size at which it did not come to an end."""
    times: Taken = {operation: [] for operation in operations}
    stopped: dict[str, int] = {}
    left = [(size, operation) for size in sizes for operation in operations]

    def run(write: Callable[[object], None]) -> None:
        known: Analysis | None = None
        last, enough = 0, set[str]()
        for size, operation in left:
            if operation in enough:
                continue
            write((size, operation, None))
            if size != last or known is None:
                known, last = analyze(make(size), language, path=path), size
            spent = seconds(partial(OPERATIONS[operation], known, language, path))
            write((size, operation, spent))
            if spent > ENOUGH:
                enough.add(operation)

    while left:
        found = [json.loads(line) for line in in_child(run)]
        for size, operation, spent in found:
            if spent is not None:
                times[operation].append((size, spent))
        if not found or found[-1][2] is not None:
            break
        at, unfinished, _ = found[-1]
        stopped[unfinished] = at
        left = left[left.index((at, unfinished)) + 1 :]
        slow = {name for name in operations if times[name] and times[name][-1][1] > ENOUGH}
        left = [(size, name) for size, name in left if name not in stopped and name not in slow]
    return times, stopped


def exponent(times: Sequence[tuple[int, float]]) -> float:
    """How fast it grows over the last two doublings."""
    last, first = times[-1], times[max(0, len(times) - 3)]
    return (
        math.log(last[1] / first[1], last[0] / first[0]) if last[0] > first[0] and min(first[1], last[1]) > 0 else 0.0
    )


def line_of(name: str, operation: str, make: Grown, times: Sequence[tuple[int, float]], stopped: int | None) -> str:
    """A line of the table; with a mark where it grows too fast."""
    mark = f"  <- stopped at {stopped:,}" if stopped else ""
    if not times:
        return f"{name:<46}{operation:<12}{mark}"
    size, last = times[-1]
    grows, per = exponent(times), last / len(make(size)) * 100_000
    over = last > NOISE and (grows > EXPONENT or per > SECONDS_PER_100_KB)
    mark = mark or ("  <- over" if over else "")
    return f"{name:<46}{operation:<12}{size:>6,}{1_000 * last:>10.1f}{grows:>10.2f}{per:>14.2f}{mark}"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--all", action="store_true", help="everything that can be done, with larger texts")
    parser.add_argument("--strict", action="store_true", help="fail if anything grows too fast")
    parser.add_argument("-v", "--verbose", action="store_true", help="a line for everything")
    wishes = parser.parse_args()
    words = [w for w in wishes.words if w not in OPERATIONS]
    operations = [o for o in OPERATIONS if o in wishes.words] or list(OPERATIONS if wishes.all else USUAL)
    sizes = MORE_SIZES if wishes.all else SIZES
    language, over, rows, left_out = Language(), 0, 0, 0
    begun = time.monotonic()
    print(f"{'N of one thing':<46}{'':<12}{'N':>6}{'ms CPU':>10}{'exponent':>10}{'s per 100 KB':>14}")
    for (name, path), make in GROWN.items():
        if words and not any(word in name for word in words):
            continue
        if not wishes.all and time.monotonic() - begun > LONGEST:
            left_out += 1
            continue
        times, stopped = taken(make, operations, sizes, Path("/x") / path, language)
        for operation in operations:
            line = line_of(name, operation, make, times[operation], stopped.get(operation))
            rows += 1
            if "<-" in line or wishes.verbose:
                print(line, flush=True)
            over += "<-" in line
    print(
        f"{over} of {rows} grow too fast (exponent above {EXPONENT}, or more than {SECONDS_PER_100_KB:g} s for 100 KB)"
    )
    if left_out:
        print(f"{left_out} texts were left out after {LONGEST} seconds; --all measures every one")
    return int(wishes.strict and over > 0)


if __name__ == "__main__":
    sys.exit(main())
