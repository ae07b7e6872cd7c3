"""Plant mistakes of many kinds into real suites and count how many are found, on their line, with a fix that holds up.

    python tests/bench/bench_planted.py [--corpus DIR] [--seed N] [--per-kind N] [--misses] [KIND…]

A mistake is found when the check of the changed text has a finding that the check of the sound one has not. A fix holds up
when its finding is gone, no other comes, the other values stay as they are and fixing again changes nothing. Prints a table.
"""

import argparse
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from planted import KINDS, Plant, Suite, suites
from planted.fixes import analyzed, broken_promises, said, unsettled

from rubric_core.analysis import Analysis, Language
from rubric_core.validation.rule import Diagnostic


@dataclass
class Count:
    """What became of the mistakes of one kind."""

    planted: int = 0
    found: int = 0
    on_line: int = 0
    with_fix: int = 0
    #: Fixes that were tried, and those that keep what fixes promise.
    fixes: int = 0
    sound: int = 0
    missed: list[str] = field(default_factory=list)

    def add(self, other: "Count") -> None:
        """Count the mistakes of another kind as well."""
        for name in ("planted", "found", "on_line", "with_fix", "fixes", "sound"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def row(self) -> str:
        """The shares in columns."""
        shares = [f"{100 * n / self.planted:7.1f} %" for n in (self.found, self.on_line, self.with_fix)]
        sound = f"{100 * self.sound / self.fixes:7.1f} %" if self.fixes else "        –"
        return f"{self.planted:7}{''.join(shares)}{sound}"


def count_kind(plant: Plant, every: Sequence[Suite], language: Language, rng: random.Random, wanted: int) -> Count:
    """Plant a mistake `wanted` times, where there is room for it."""
    count = Count()
    order = list(every)
    rng.shuffle(order)
    for suite in order * 3:
        if count.planted >= wanted:
            break
        planted = plant(suite, rng)
        if planted is not None and planted.text != suite.text:
            look(count, suite, analyzed(planted.text, suite, language), planted.line, language)
    return count


def look(count: Count, suite: Suite, after: Analysis, line: int, language: Language) -> None:
    """Count what became of one mistake."""
    position = after.document.position
    new = new_in(after, suite)
    here = [d for d in new if position(d.span.start).line <= line <= position(d.span.end).line]
    count.planted += 1
    count.found += bool(new)
    count.on_line += bool(here)
    count.with_fix += any(d.fixes for d in here)
    where = f"{suite.path}:{line + 1} ({suite.analysis.dialect.name})"
    if not here:
        lines = sorted({position(d.span.start).line + 1 for d in new})
        count.missed.append(f"{where} found on {lines} {[d.code for d in new][:3]}")
    for found in new:
        for fix in found.fixes:
            broken = list(broken_promises(after, found, fix, suite, language))
            count.fixes += 1
            count.sound += not broken
            count.missed += (f"{where} {found.code} “{fix.title}”: {each}" for each in broken)
    count.missed += (f"{where} {each}" for each in unsettled(after, suite, language))


def new_in(after: Analysis, suite: Suite) -> list[Diagnostic]:
    """What is said of the changed text and not of the sound one."""
    before, text = said(suite.analysis), after.document.text
    new = [d for d in after.diagnostics if (d.code, d.message, text[d.span.start : d.span.end]) not in before]
    more = len(after.diagnostics) > len(suite.analysis.diagnostics)
    return list(after.diagnostics) if more and not new else new


def main() -> int:
    """Plant, count, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, default=Path(__file__).resolve().parents[3] / "shared" / "corpus")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--per-kind", type=int, default=20)
    parser.add_argument("--misses", action="store_true", help="print what was not found on its line, and bad fixes")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="only these kinds")
    options = parser.parse_args()
    if not options.corpus.is_dir():
        print(f"no corpus at {options.corpus}: nothing to plant into")
        return 0
    language = Language()
    every = list(suites(options.corpus, language))
    total = Count()
    print(f"{len(KINDS)} kinds, {len(every)} suites\n\n{'kind':44}planted    found  on line with fix holds up")
    for name, plant in KINDS.items():
        if options.kinds and name not in options.kinds:
            continue
        count = count_kind(plant, every, language, random.Random(f"{options.seed} {name}"), options.per_kind)
        print(f"{name:44}{count.row() if count.planted else '      0  (no place for it)'}")
        if options.misses:
            for missed in count.missed[:4]:
                print(f"    {missed}")
        total.add(count)
    print(f"\n{'all':44}{total.row()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
