"""How long a person waits for fixes in a suite of 10,000 lines: for an offer at the cursor, and for 3,000 made at once.

    python tests/bench/bench_fixes.py

Prints the medians beside their limits; nothing is written.
"""

import random
import statistics
import time
from collections.abc import Callable, Iterator

from rubric_core.analysis import Analysis, Language, analyze
from rubric_core.fixing import apply_safe_fixes
from rubric_core.text import Edit, Span
from rubric_lsp.features.code_actions import actions

CASES, LINES_OF_ONE = 1_000, 10
OFFER_MS, ALL_MS = 5, 3_000
#: What stands in each case, and how it is misspelt: a key of the case, a type, a key of a criterion.
SLIPS = {"    input:": "    inptu:", "type: contains\n": "type: contians\n", "outcome:": "otucome:"}


def suite() -> str:
    """A suite without mistakes."""
    cases = (
        f"""  - id: case-{n}
    criteria: Names the day on which parcel {n} arrives
    input: When does parcel {n} arrive?
    assertions:
      - type: contains
        value: day {n}
      - type: rubrics
        criteria:
          - id: calendar-{n}
            outcome: Mentions the calendar of parcel {n}
"""
        for n in range(CASES)
    )
    return "# rubric: dialect=agentv-3\ntests:\n" + "".join(cases)


def milliseconds(do: Callable[[], object]) -> float:
    start = time.perf_counter()
    do()
    return 1_000 * (time.perf_counter() - start)


def offers(sound: Analysis, rng: random.Random) -> Iterator[float]:
    """What the offer takes right after a slip, somewhere in the text."""
    text = sound.document.text
    for word, slip in SLIPS.items():
        for _ in range(15):
            at = text.index(word, text.index(f"id: case-{rng.randrange(CASES)}\n"))
            after = sound.revised([Edit(Span(at, at + len(word)), slip)])
            there = at + slip.index(slip.strip())
            found: list[object] = []
            yield milliseconds(lambda a=after, c=there, f=found: f.extend(actions(a, Span(c, c), asked=False)))
            assert found, f"nothing is offered for {slip!r}"


def main() -> None:
    """Measure and print."""
    language = Language()
    sound = analyze(suite(), language)
    print(f"{len(sound.document.text.splitlines()):,} lines")
    taken = sorted(offers(sound, random.Random(1)))
    print(f"offer after a slip     {statistics.median(taken):8.1f} ms, at most {taken[-1]:.1f}   (limit {OFFER_MS})")
    text = sound.document.text
    for word, slip in SLIPS.items():
        text = text.replace(word, slip)
    broken, counts = analyze(text, language), list[int]()
    took = milliseconds(lambda: counts.append(apply_safe_fixes(broken).count))
    print(f"{counts[0]:,} findings fixed   {took:8.0f} ms   (limit {ALL_MS:,})")


if __name__ == "__main__":
    main()
