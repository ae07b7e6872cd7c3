"""How the work grows with a text that holds N of one thing: the exponent, and seconds of CPU for 100 KB.

    python tests/bench/bench_growth.py [--all] [--alone] [--strict] [-v] [WORD…]

Every structured text of `grown.py` that has one of the words in its name, or all, each in a process of its own with a
limit for everything that is done. Each text is four times as large as the one before it, until what is done takes long
enough to be measured. As `make bench` runs it: a check, letters typed, the code actions of the whole text, every safe
fix, the migration to the newest dialect, and a run of promptfoo's rows, in a project as the
command line and the editors have one, so that what a text refers to is looked for; with `--alone` without. `--all` does everything else too, with larger texts; words that name
something that is done (`check`, `hover`) choose that. It prints a line for each that grows too fast, with `-v` for every
one; with `--strict` the exit code is 1 if any does.
"""

import argparse
import asyncio
import gc
import json
import math
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from grown import GROWN, PROMPTFOO, Grown

from rubric_core.analysis import Analysis, Language, analyze
from rubric_core.disk import DiskFiles
from rubric_core.evaluation.cases.load import suite_in
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.formatting import format_edits
from rubric_core.language.dialects import DIALECTS
from rubric_core.loading.files import read_text
from rubric_core.loading.project import Project
from rubric_core.migration import NotMigratableError, migrate
from rubric_core.text import Edit, Span
from rubric_lsp.features.code_actions import FIX_ALL, actions
from rubric_lsp.features.completion.complete import complete
from rubric_lsp.features.hover import hover

#: By default, and with `--all`. The first one is not measured: it pays for what is made at first use.
SIZES, MORE_SIZES = (8, 64, 256), (8, 64, 256, 1_024, 4_096)
USUAL = ("check", "keystroke", "fixes", "fix all", "migrate", "run")
#: The seconds of CPU from which on a larger size is not tried, of texts of so many characters, and from which on what is
#: done is stopped. Of a short text the part that does not grow with it would count for most.
ENOUGH, LONG, STOP = 0.06, 8_000, 4
EXPONENT, SECONDS_PER_100_KB = 1.2, 1.0
#: What takes no longer than this is noise.
NOISE = 0.04
KEYSTROKES = 4
NEWEST = DIALECTS[-1].name


#: How a text is analysed: by its path, and among its files.
Analyze = Callable[..., Analysis]


def keystroke(known: Analysis, look: Analyze) -> None:
    """A letter more at the end of each of four lines in the middle of the text, and what is found then."""
    at = len(known.document) // 2
    for _ in range(KEYSTROKES):
        at = max(known.document.text.find("\n", at + 1), 0)
        document = known.document.edited(Edit(Span(at, at), "x"))
        look(document, previous=known)


def migrated(known: Analysis) -> None:
    if known.dialect not in DIALECTS:
        return
    try:
        migrate(known.document.text, known.dialect.name, NEWEST, kind=known.kind)
    except NotMigratableError:
        return


def run(known: Analysis) -> None:
    """Run the rows of promptfoo that only say back what they are told."""
    if known.document.text.startswith(PROMPTFOO):
        path = Path("/x/promptfooconfig.yaml")
        cases = suite_in(path, known, Project(DiskFiles(), path.parent), read_text, Options()).cases
        asyncio.run(run_cases([each for case in cases for each in variations(case)]))


#: What is done with an analysis.
OPERATIONS: Mapping[str, Callable[[Analysis, Analyze], object]] = {
    "check": lambda known, look: look(known.document.text),
    "keystroke": keystroke,
    "fixes": lambda known, _: actions(known, Span(0, len(known.document))),
    "fix all": lambda known, _: [a.settled(0, {}) for a in actions(known, Span(0, 0), wanted=FIX_ALL.__eq__)],
    "completion": lambda known, _: complete(known, len(known.document)),
    "hover": lambda known, _: hover(known, len(known.document) - 2),
    "format": lambda known, _: format_edits(known),
    "migrate": lambda known, _: migrated(known),
    "run": lambda known, _: run(known),
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
    make: Grown, operations: Sequence[str], sizes: Sequence[int], looks: Callable[[], Analyze]
) -> tuple[Taken, dict[str, int]]:
    """What each operation takes, and the size at which it did not come to an end."""
    times: Taken = {operation: [] for operation in operations}
    stopped: dict[str, int] = {}
    left = [(size, operation) for size in sizes for operation in operations]

    def run(write: Callable[[object], None]) -> None:
        known: Analysis | None = None
        look = looks()
        last, enough = 0, set[str]()
        for size, operation in left:
            if operation in enough:
                continue
            write((size, operation, None))
            if size != last or known is None:
                # Each size finds out for itself what is around: a check does not know it either.
                look = looks()
                known, last = look(make(size)), size
            spent = seconds(partial(OPERATIONS[operation], known, looks() if operation == "check" else look))
            write((size, operation, spent))
            if spent > ENOUGH and len(known.document) > LONG:
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
        slow = {n for n in operations if any(t > ENOUGH and len(make(size)) > LONG for size, t in times[n])}
        left = [(size, name) for size, name in left if name not in stopped and name not in slow]
    return times, stopped


def exponent(times: Sequence[tuple[int, float]]) -> float:
    """How fast it grows from the size before the last one to the last."""
    if len(times) < 2 or min(times[-2][1], times[-1][1]) <= 0:
        return 0.0
    (small, first), (large, last) = times[-2:]
    return math.log(last / first, large / small)


@dataclass
class Row:
    """A line of the table."""

    name: str
    operation: str
    make: Grown
    #: Sizes and seconds of CPU.
    times: Sequence[tuple[int, float]]
    #: The size at which it did not come to an end.
    stopped: int | None

    @property
    def per_100_kb(self) -> float:
        """Seconds of CPU for 100 KB of the largest text."""
        size, last = self.times[-1]
        return last / len(self.make(size)) * 100_000 / (KEYSTROKES if self.operation == "keystroke" else 1)

    @property
    def is_over(self) -> bool:
        if self.stopped or not self.times:
            return True
        # What a run takes depends on its rows, of which a text of 100 KB may have thousands.
        is_slow = self.operation != "run" and self.per_100_kb > SECONDS_PER_100_KB
        grows = exponent(self.times) > EXPONENT or is_slow
        return self.times[-1][1] > NOISE and grows

    def again(self, times: Sequence[tuple[int, float]]) -> "Row":
        """The least that each size took, when it is measured once more."""
        best = dict(times)
        return replace(self, times=[(size, min(spent, best.get(size, spent))) for size, spent in self.times])

    def __str__(self) -> str:
        mark = f"  <- stopped at {self.stopped:,}" if self.stopped else "  <- over" if self.is_over else ""
        if not self.times:
            return f"{self.name:<46}{self.operation:<12}{mark}"
        size, last = self.times[-1]
        return (
            f"{self.name:<46}{self.operation:<12}{size:>6,}{1_000 * last:>10.1f}"
            f"{exponent(self.times):>10.2f}{self.per_100_kb:>14.2f}{mark}"
        )


def rows_of(
    name: str, operations: Sequence[str], sizes: Sequence[int], path: str, looks: Callable[[], Analyze]
) -> Iterator[Row]:
    """What is done with a text. What takes too long is measured again: others work on the machine, too."""
    make = GROWN[name, path]
    times, stopped = taken(make, operations, sizes, looks)
    rows = [Row(name, each, make, times[each][1:], stopped.get(each)) for each in operations]
    doubtful = [row.operation for row in rows if row.is_over and not row.stopped]
    again, _ = taken(make, doubtful, sizes, looks) if doubtful else ({}, {})
    return (row.again(again.get(row.operation, ())) for row in rows)


def _looking(language: Language, path: Path, *, is_alone: bool) -> Analyze:
    """How a text at a path is analysed, in a project of which nothing is known yet."""
    project = None if is_alone else Project(DiskFiles(), path.parent)
    return partial(analyze, language=language, path=path, project=project)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--all", action="store_true", help="everything that can be done, with larger texts")
    parser.add_argument("--alone", action="store_true", help="without a project: nothing else is looked for")
    parser.add_argument("--strict", action="store_true", help="fail if anything grows too fast")
    parser.add_argument("-v", "--verbose", action="store_true", help="a line for everything")
    wishes = parser.parse_args()
    words = [w for w in wishes.words if w not in OPERATIONS]
    operations = [o for o in OPERATIONS if o in wishes.words] or list(OPERATIONS if wishes.all else USUAL)
    sizes = MORE_SIZES if wishes.all else SIZES
    language, over, count = Language(), 0, 0
    gc.freeze()  # what is there now is never garbage, and need not be looked through each time
    print(f"{'N of one thing':<46}{'':<12}{'N':>6}{'ms CPU':>10}{'exponent':>10}{'s per 100 KB':>14}")
    for name, path in GROWN:
        if words and not any(word in name for word in words):
            continue
        looks = partial(_looking, language, Path("/x") / path, is_alone=wishes.alone)
        for row in rows_of(name, operations, sizes, path, looks):
            count += 1
            over += row.is_over
            if row.is_over or wishes.verbose:
                print(row, flush=True)
    print(
        f"{over} of {count} grow too fast (exponent above {EXPONENT}, or more than {SECONDS_PER_100_KB:g} s for 100 KB)"
    )
    return int(wishes.strict and over > 0)


if __name__ == "__main__":
    sys.exit(main())
