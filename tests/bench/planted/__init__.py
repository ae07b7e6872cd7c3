"""Mistakes of many kinds, planted into real suites."""

from planted import (
    bands,
    cases,
    evaluators,
    foreign,
    missing,
    misspelt,
    numbers,
    places,
    references,
    shapes,
    signs,
    texts,
    twice,
    values,
    words,
)
from planted.suite import Plant, Planted, Suite, suites

__all__ = ["FAMILIES", "KINDS", "Plant", "Planted", "Suite", "suites"]

_MODULES = (
    bands, cases, evaluators, foreign, missing, misspelt, numbers, places, references, shapes, signs, texts, twice, values, words,
)  # fmt: skip
#: The kinds by what they are about.
FAMILIES: dict[str, dict[str, Plant]] = {module.__name__.rpartition(".")[2]: module.KINDS for module in _MODULES}
#: Every kind: from a sound suite to the same suite with one mistake, and the line where it stands.
KINDS: dict[str, Plant] = {name: plant for kinds in FAMILIES.values() for name, plant in kinds.items()}
