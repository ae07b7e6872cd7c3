"""Carry every suite of the corpus to every newer dialect and run it before and after: do its scores mean the same?

    python tests/bench/bench_migrated.py [--corpus DIR] [--from DIALECT] [--to DIALECT] [--details]

Judges and programs are stood in for; see tests/migration/meaning.py. Prints a table: suites that mean the same, those whose
difference was announced in the list of what could not be carried over, and those that changed without a word.
"""

import argparse
import asyncio
import csv
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "migration"))
from meaning import compared

from rubric_core.analysis import Language
from rubric_core.language.dialects import DIALECTS

NAMES = [dialect.name for dialect in DIALECTS]


def main() -> int:
    """Migrate, run, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, default=Path(__file__).resolve().parents[3] / "shared" / "corpus")
    parser.add_argument("--from", dest="source", choices=NAMES)
    parser.add_argument("--to", dest="target", choices=NAMES)
    parser.add_argument("--details", action="store_true", help="print what differs")
    options = parser.parse_args()
    if not options.corpus.is_dir():
        print(f"no corpus at {options.corpus}: nothing to migrate")
        return 0
    with (options.corpus / "INDEX.tsv").open(encoding="utf-8") as table:
        rows = [r for r in csv.DictReader(table, delimiter="\t") if r["kind"] == "suite" and r["copy"] == "first"]
    language, counts = Language(), Counter[tuple[str, str, str]]()
    with tempfile.TemporaryDirectory() as folder:
        for row in rows:
            source = row["dialect"] if row["dialect"] in NAMES else "agentv-0.5"
            path = options.corpus / row["tag"] / row["path"]
            for target in NAMES[NAMES.index(source) + 1 :]:
                if options.source in (None, source) and options.target in (None, target):
                    found, notes = asyncio.run(compared(path, source, target, language, Path(folder)))
                    kind = "same" if not found else "announced" if notes else "silent"
                    counts[source, target, kind] += 1
                    if options.details and found:
                        print(f"{path.relative_to(options.corpus)} {source} → {target} {kind}")
                        print("".join(f"    {each[:600]}\n" for each in found[:3]), end="")
                        print("".join(f"    note: {each[:200]}\n" for each in notes[:5]), end="")
    print(f"{'':30}    same  announced   silent")
    for source, target in dict.fromkeys((s, t) for s, t, _ in counts):
        row = [counts[source, target, kind] for kind in ("same", "announced", "silent")]
        print(f"{source:>14} → {target:14}{row[0]:8}{row[1]:11}{row[2]:9}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
