"""What became of one row, in either program."""

from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["Row", "Scored"]


class Scored(NamedTuple):
    """One assertion."""

    type: str
    passed: bool
    score: float


class Row(NamedTuple):
    """One row: a test with its values, a provider and a prompt."""

    description: str
    #: passed, failed or unscored, which is what promptfoo calls an error.
    verdict: str
    score: float | None
    assertions: tuple[Scored, ...]
    prompt: str
    output: str
    named_scores: Mapping[str, float]
    #: Why there is no score.
    reason: str
