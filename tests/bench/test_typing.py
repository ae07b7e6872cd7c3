"""Correct text produces no findings while it is typed; `bench_typing.py` types more texts, in more detail."""

import random

import pytest
from bench_typing import GOAL, noise_of
from thorough import only_thorough, seeds
from typed import WAYS, texts

from rubric_core.analysis import Language

TEXTS = len(seeds(8, few=3))


@pytest.mark.parametrize("way", WAYS)
def test_hardly_anything_flashes(way: str) -> None:
    possible = [text for text in texts() if WAYS[way](text.text, random.Random(way)).strokes]
    chosen = random.Random(way).sample(possible, TEXTS)
    noise = noise_of(way, chosen, Language())
    told = [f"{f.severity} {f.code} at {f.text!r}: {f.message}" for f in noise.flashes]
    assert noise.strokes
    assert noise.share <= GOAL / 4, told
    assert not [f for f in noise.flashes if f.on_line and f.severity == "error"], told


@only_thorough
def test_without_waiting_there_would_be_many() -> None:
    chosen = random.Random(1).sample(list(texts()), 4)
    assert noise_of("top to bottom", chosen, Language(), quiet=False).share > 5 * GOAL
