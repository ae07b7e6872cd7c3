"""The corpus of real suites beside the checkout, when it is there."""

import csv
from dataclasses import dataclass
from pathlib import Path

import pytest

__all__ = ["CORPUS", "Suite", "needs_corpus", "suites"]

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
needs_corpus = pytest.mark.skipif(
    not (CORPUS / "INDEX.tsv").exists(), reason="the corpus of real suites is not beside the checkout"
)

#: The index tells two stages of one dialect apart.
_DIALECTS = {"agentv-0.2": "agentv-0.5"}


@dataclass(frozen=True)
class Suite:
    """A suite of the corpus: where it is, and which dialect it was written in."""

    tag: str
    path: str
    dialect: str

    @property
    def name(self) -> str:
        """The way to it from the corpus."""
        return f"{self.tag}/{self.path}"

    @property
    def text(self) -> str:
        """The suite, line breaks as they are."""
        return (CORPUS / self.name).read_bytes().decode("utf-8")


def suites() -> list[Suite]:
    """Every suite, the copies of earlier releases left out."""
    if not (CORPUS / "INDEX.tsv").exists():
        return []
    with (CORPUS / "INDEX.tsv").open(encoding="utf-8", newline="") as index:
        rows = list(csv.DictReader(index, delimiter="\t"))
    return [
        Suite(row["tag"], row["path"], _DIALECTS.get(row["dialect"], row["dialect"]))
        for row in rows
        if row["kind"] == "suite" and row["copy"] == "first"
    ]
