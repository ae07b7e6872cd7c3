"""Mistakes of many kinds, planted into real suites."""

from planted import bands, cases, evaluators, missing, misspelt, references, texts, twice, values
from planted.suite import Plant, Planted, Suite, suites

__all__ = ["KINDS", "Plant", "Planted", "Suite", "suites"]

#: Every kind: from a sound suite to the same suite with one mistake, and the line where it stands.
KINDS: dict[str, Plant] = {
    **bands.KINDS,
    **cases.KINDS,
    **evaluators.KINDS,
    **missing.KINDS,
    **misspelt.KINDS,
    **references.KINDS,
    **texts.KINDS,
    **twice.KINDS,
    **values.KINDS,
}
