"""A sample of the corpus means the same after its migration as before; `tests/bench/bench_migrated.py` looks at all of it."""

import asyncio
import csv
import random
from pathlib import Path

import pytest
from meaning import compared

from rubric_core.analysis import Language
from rubric_core.language.dialects import DIALECTS

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
NAMES = [dialect.name for dialect in DIALECTS]
SEED, SAMPLE = 3, 30


@pytest.mark.corpus
@pytest.mark.skipif(not (CORPUS / "INDEX.tsv").exists(), reason="the corpus of real suites is not beside the checkout")
def test_scores_are_the_same_or_the_difference_is_listed(tmp_path: Path) -> None:
    with (CORPUS / "INDEX.tsv").open(encoding="utf-8", newline="") as table:
        rows = [r for r in csv.DictReader(table, delimiter="\t") if r["kind"] == "suite" and r["copy"] == "first"]
    pairs = [
        (CORPUS / row["tag"] / row["path"], source, target)
        for row in rows
        for source in [row["dialect"] if row["dialect"] in NAMES else "agentv-0.5"]
        for target in NAMES[NAMES.index(source) + 1 :]
    ]
    language, same = Language(), 0
    for path, source, target in random.Random(SEED).sample(pairs, SAMPLE):
        found, notes = asyncio.run(compared(path, source, target, language, tmp_path))
        assert not found or notes, f"{path.relative_to(CORPUS)} to {target}: {found[:2]}"
        same += not found
    assert same > SAMPLE / 2
