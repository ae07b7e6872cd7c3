"""Every fix offered for planted mistakes keeps what fixes promise; `bench_planted.py` tries more of each kind."""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from bench_planted import Count, count_kind
from planted import KINDS, suites
from planted.suite import Suite, suite_at
from thorough import only_thorough

from rubric_core.analysis import Language
from rubric_core.disk import DiskFiles
from rubric_core.loading.project import Project

ROOT = Path(__file__).parents[2]
CORPUS = ROOT.parent / "shared" / "corpus"
OWN = sorted(ROOT.glob("examples/**/*.eval.yaml")) + sorted(ROOT.glob("tests/core/documents/*.yaml"))
#: One of so many kinds is tried in the corpus, each once; all kinds take a minute.
EVERY = 7


def own_suites(language: Language) -> list[Suite]:
    project = Project(DiskFiles())
    made = (suite_at(path, path.name, project, language) for path in OWN)
    return [suite for suite in made if suite is not None]


def planted(every: Sequence[Suite], kinds: Sequence[str], language: Language) -> Count:
    """What became of one mistake of each kind."""
    total = Count()
    for name in kinds:
        count = count_kind(KINDS[name], every, language, random.Random(f"7 {name}"), 1)
        total.add(count)
        total.broken += (f"{name}: {each}" for each in count.broken)
    return total


def assert_kept(count: Count, *, right: float) -> None:
    """Each finding that has a fix is gone with it, nothing new comes, and most first fixes give back what was meant."""
    assert not count.broken
    assert count.fixes > count.planted / 2
    assert count.first_right >= right * count.known
    assert count.safe_right >= right * count.safe_known


@only_thorough
def test_fixes_in_our_own_suites():
    language = Language()
    every = own_suites(language)
    assert len(every) >= 5
    assert_kept(planted(every, list(KINDS)[::2], language), right=0.9)


@pytest.mark.corpus
@pytest.mark.skipif(not (CORPUS / "INDEX.tsv").exists(), reason="the corpus of real suites is not beside the checkout")
@only_thorough
def test_fixes_in_real_suites():
    language = Language()
    every = list(suites(CORPUS, language))
    assert_kept(planted(every, list(KINDS)[::EVERY], language), right=0.9)
