"""Every fix of every kind of planted mistake keeps what fixes promise; `bench_planted.py` tries more of each kind."""

import random
from pathlib import Path

import pytest
from bench_planted import count_kind
from planted import KINDS, suites

from rubric_core.analysis import Language

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
SEED, EACH = 7, 1


@pytest.mark.corpus
@pytest.mark.skipif(not (CORPUS / "INDEX.tsv").exists(), reason="the corpus of real suites is not beside the checkout")
def test_fixes_take_their_finding_away_bring_no_other_and_are_done_at_once():
    language = Language()
    every = list(suites(CORPUS, language))
    broken: list[str] = []
    tried = 0
    for name, plant in KINDS.items():
        count = count_kind(plant, every, language, random.Random(f"{SEED} {name}"), EACH)
        broken += (f"{name}: {each}" for each in count.broken)
        tried += count.fixes
    assert not broken
    assert tried > len(KINDS) / 2
