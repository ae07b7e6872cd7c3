"""Plant mistakes of many kinds into real suites and count how many are found, where, and what their fixes are worth.

    python tests/bench/bench_planted.py [--corpus DIR] [--seed N] [--per-kind N] [--misses] [--kinds] [KIND…]

A mistake is found when the check of the changed text has an error or a warning that the check of the sound one has not: on
its line, and over the very words that were changed. A fix holds up when its finding is gone, no other comes, comments and
everything else stay, and fixing again changes nothing. It is right when it gives back the text that was meant, letter for
letter; of some mistakes nobody can tell what was meant, and these are counted by themselves. Prints a table.
"""

import argparse
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

from planted import FAMILIES, KINDS, Plant, Planted, Suite, suites
from planted.fixes import analyzed, broken_promises, said, touched, unsettled

from rubric_core.analysis import Analysis, Language
from rubric_core.fixing import Gate
from rubric_core.text import Span, apply_edits
from rubric_core.validation.rule import Diagnostic


@dataclass
class Count:
    """What became of the mistakes of one kind."""

    planted: int = 0
    found: int = 0
    on_line: int = 0
    spanned: int = 0
    with_fix: int = 0
    #: Mistakes of which the text still tells what was meant; those whose first fix, or any, gives back just that.
    known: int = 0
    first_right: int = 0
    any_right: int = 0
    #: Fixes that were tried, and those that keep what fixes promise; the same of those that are made without asking.
    fixes: int = 0
    sound: int = 0
    right: int = 0
    safe: int = 0
    safe_sound: int = 0
    safe_right: int = 0
    safe_known: int = 0
    #: What was not found where it is, or not given back as it was meant; fixes that do not keep what they promise.
    missed: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    def add(self, other: "Count") -> None:
        """Count the mistakes of another kind as well."""
        for each in fields(self):
            if each.name not in ("missed", "broken"):
                setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))

    def row(self) -> str:
        """The shares in columns."""
        shares = (
            *((n, self.planted) for n in (self.found, self.on_line, self.spanned, self.with_fix)),
            (self.sound, self.fixes), (self.safe_sound, self.safe),
            (self.first_right, self.known), (self.any_right, self.known), (self.safe_right, self.safe_known),
        )  # fmt: skip
        return f"{self.planted:7}" + "".join(f"{100 * n / of:8.1f}%" if of else f"{'–':>9}" for n, of in shares)


COLUMNS = (
    "planted",
    "found",
    "on line",
    "span",
    "with fix",
    "sound",
    "safe ok",
    "1st right",
    "any right",
    "safe right",
)


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
            look(count, suite, planted, analyzed(planted.text, suite, language), language)
    return count


def look(count: Count, suite: Suite, planted: Planted, after: Analysis, language: Language) -> None:
    """Count what became of one mistake."""
    position, line = after.document.position, planted.line
    new = new_in(after, suite)
    loud = [d for d in new if d.severity in ("error", "warning")]
    here = [d for d in loud if position(d.span.start).line <= line <= position(d.span.end).line]
    gate = Gate(after)
    count.planted += 1
    count.found += bool(loud)
    count.on_line += bool(here)
    count.spanned += any(is_over(d.span, touched(suite.text, planted.text), planted.text) for d in loud)
    count.with_fix += any(gate.fixes(d) for d in loud)
    where = f"{suite.path}:{line + 1} ({suite.analysis.dialect.name})"
    if not here:
        lines = sorted({position(d.span.start).line + 1 for d in loud})
        count.missed.append(f"{where} found on {lines} {[d.code for d in loud][:3]}")
    rights = (suite.text,) if planted.right is None else planted.right
    mended = [judged(count, gate, found, suite, language, rights, where) for found in new]
    firsts = [each[0] for each in mended if each]
    count.known += bool(rights)
    count.first_right += bool(rights) and any(firsts)
    count.any_right += bool(rights) and any(any(each) for each in mended)
    if rights and not any(firsts):
        count.missed.append(
            f"{where} not right: {[f'{d.code} “{d.fixes[0].title}”' for d in new if d.fixes][:3] or [d.code for d in new]}"
        )
    count.broken += (f"{where} {each}" for each in unsettled(after, suite, language))


def judged(
    count: Count, gate: Gate, found: Diagnostic, suite: Suite, language: Language, rights: Sequence[str], where: str
) -> list[bool]:
    """Count the fixes of a finding; whether each gives back what was meant."""
    mended: list[bool] = []
    for fix in gate.fixes(found):
        broken = list(broken_promises(gate.analysis, found, fix, suite, language))
        right = apply_edits(gate.analysis.document.text, fix.edits) in rights
        mended.append(right)
        count.fixes += 1
        count.sound += not broken
        count.right += right
        if fix.safe:
            count.safe += 1
            count.safe_sound += not broken
            count.safe_known += bool(rights)
            count.safe_right += right
            if rights and not right:
                count.missed.append(f"{where} safe and not right: {found.code} “{fix.title}”")
        count.broken += (f"{where} {found.code} “{fix.title}”{' SAFE' if fix.safe else ''}: {each}" for each in broken)
    return mended


def is_over(found: Span, mistake: Span, text: str) -> bool:
    """Whether a finding is over the words that were changed, or over no more than the key, value or item that they are in."""
    line = text.rfind("\n", 0, mistake.start) + 1
    end = text.find("\n", mistake.end)
    # What is left out may have stood in front of blanks.
    apart = text[mistake.end : found.start] or text[found.end : mistake.start]
    return not apart.strip(" ") and line <= found.start and (end < 0 or found.end <= end)


def new_in(after: Analysis, suite: Suite) -> list[Diagnostic]:
    """The findings of the changed text that the correct text does not have."""
    before, text = said(suite.analysis), after.document.text
    new = [d for d in after.diagnostics if (d.code, d.message, text[d.span.start : d.span.end]) not in before]
    more = len(after.diagnostics) > len(suite.analysis.diagnostics)
    return list(after.diagnostics) if more and not new else new


def main() -> int:
    """Plant, count, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, default=Path(__file__).resolve().parents[3] / "shared" / "corpus")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--per-kind", type=int, default=4)
    parser.add_argument("--misses", action="store_true", help="print what was not found on its line, and bad fixes")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="only these kinds or families")
    options = parser.parse_args()
    if not options.corpus.is_dir():
        print(f"no corpus at {options.corpus}: nothing to plant into")
        return 0
    language = Language()
    every = list(suites(options.corpus, language))
    families = {name: Count() for name in FAMILIES}
    without = 0
    print(f"{len(KINDS)} kinds, {len(every)} suites\n\n{'kind':52}" + "".join(f"{c:>9}" for c in COLUMNS)[2:])
    for family, name, plant in ((f, n, p) for f, kinds in FAMILIES.items() for n, p in kinds.items()):
        if options.kinds and name not in options.kinds and family not in options.kinds:
            continue
        count = count_kind(plant, every, language, random.Random(f"{options.seed} {name}"), options.per_kind)
        without += not count.planted
        if count.planted:
            print(f"{name:52}{count.row()}")
        if options.misses:
            for each in (*count.broken[:8], *count.missed[:8]):
                print(f"    {'! ' if each in count.broken else ''}{each}")
        families[family].add(count)
    total = Count()
    print()
    for family, count in families.items():
        print(f"{family:52}{count.row()}")
        total.add(count)
    print(f"{'all':52}{total.row()}\n{without} kinds found no place")
    print(
        f"fixes {total.fixes}, right {total.right}; safe fixes {total.safe}, of which not sound {total.safe - total.safe_sound}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
