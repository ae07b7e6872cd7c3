"""What is found in hundreds of texts, in each dialect and under small damage: all of every finding, as recorded.

A line has the codes, and a checksum of messages, places, severities, related places, consequences, and what each fix makes of the text.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import pytest
from harness import analysis_of
from record import WHOLE, checksum, compare, is_sampled
from sample_texts import damaged, sample_texts

from rubric_core.text import LineIndex, apply_edits

RECORDS = Path(__file__).with_name("findings")
TEXTS = sample_texts()
SOURCES = sorted({name.partition(":")[0].partition(" ")[0] for name in TEXTS})
#: Each text is damaged in so many ways.
DAMAGES = 3
#: Before a commit, one text in so many is compared.
STEP = 4
#: Each text is read in one dialect that is not its own, too.
DIALECTS = ("agentv-0.1", "agentv-0.5", "agentv-1", "agentv-2.7", "agentv-3", "agentv-5")


def described(text: str, dialect: str | None = None) -> Iterator[str]:
    """Every finding of a text in full, with the text after each fix."""
    index = LineIndex(text)
    for found in analysis_of(text, dialect).diagnostics:
        place = f"{index.position(found.span.start)}-{index.position(found.span.end)}"
        yield f"{found.code} {found.severity} {place} {found.in_full} {found.tags} {found.hides} {found.untried}"
        yield from (f"  related {each.span} {each.message}" for each in found.related)
        yield from (f"  fix {each.title} {each.safe}\n{apply_edits(text, each.edits)}" for each in found.fixes)


def line(name: str, found: list[str]) -> str:
    codes = Counter(each.partition(" ")[0] for each in found if not each.startswith(" "))
    listed = " ".join(f"{code}×{number}" if number > 1 else code for code, number in sorted(codes.items()))
    return f"{name} | {listed} {checksum(chr(10).join(found))}" if found else f"{name} |"


@pytest.mark.parametrize("source", SOURCES)
def test_findings(source: str) -> None:
    lines: list[str] = []
    for name, text in TEXTS.items():
        if name.startswith(f"{source} ") and is_sampled(name, STEP):
            other = DIALECTS[crc32(name.encode()) % len(DIALECTS)]
            parts = [line("", list(described(text, other)))]
            parts += [line("", list(described(each))) for each in damaged(name, text, DAMAGES)]
            lines.append(line(name.removeprefix(f"{source} "), list(described(text))) + "".join(parts))
    compare(RECORDS / f"{source}.txt", lines, is_sample=not WHOLE)
