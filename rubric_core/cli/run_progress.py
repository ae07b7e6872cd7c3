"""How far a run is, in a line: what is done, how it ended, what it cost, how fast it is, and how long the rest takes."""

from collections.abc import Mapping
from typing import NamedTuple

from rubric_core.cli.terminal_style import width
from rubric_core.evaluation.model.result import Verdict
from rubric_core.evaluation.reporting.inline_marks import ERROR, SIGNS, seconds_words
from rubric_core.validation.wording import count

__all__ = ["RunProgress"]

_MINUTE = 60


class RunProgress(NamedTuple):
    """A run on its way."""

    #: How many cases came to each verdict.
    verdicts: Mapping[Verdict, int]
    #: How many cases there are.
    total: int
    #: How many graders failed.
    grader_errors: int
    cost_usd: float
    #: Since it began.
    seconds: float
    #: How many answers were those of an earlier run.
    cached: int = 0
    #: How many workers of a cluster run cases; 0 without one.
    workers: int = 0

    @property
    def done(self) -> int:
        """How many cases are done."""
        return sum(self.verdicts.values())

    @property
    def rate(self) -> str:
        """Cases a minute, or a second where these are many; empty before the first."""
        if not self.done or not self.seconds:
            return ""
        each_second = self.done / self.seconds
        return f"{each_second:.0f}/s" if each_second >= 10 else f"{each_second * _MINUTE:.0f}/min"

    @property
    def left(self) -> str:
        """How long the rest will take, at this rate; empty before the first case is done."""
        return seconds_words(self.seconds / self.done * (self.total - self.done) * 1000) if self.done else ""

    def line(self, columns: int) -> str:
        """`3/12  2 passed, 1 failed  4.2s  43/min  $0.01  ~13s left`; in signs, and with less of it, where that is too wide."""
        counts = [(verdict, self.verdicts[verdict]) for verdict in Verdict if self.verdicts.get(verdict)]
        errors = [f"{ERROR}{self.grader_errors}"] if self.grader_errors else []
        words = ", ".join([f"{number} {verdict.value}" for verdict, number in counts] + errors)
        signs = " ".join([f"{SIGNS[verdict]}{number}" for verdict, number in counts] + errors)
        how_far, taken = f"{self.done}/{self.total}", seconds_words(self.seconds * 1000)
        cost = f"${self.cost_usd:.4f}" if self.cost_usd else ""
        cached = f"{self.cached} cached" if self.cached else ""
        machines = count(self.workers, "worker") if self.workers else ""
        wide = (how_far, words, taken, self.rate, machines, cost, cached, f"~{self.left} left" if self.left else "")
        left = f"~{self.left}" if self.left else ""
        lines = ["  ".join(filter(None, wide))]
        lines += [
            " ".join(filter(None, (how_far, signs, *more)))
            for more in ((taken, self.rate, cost, left), (taken, cost, left), (taken,), ())
        ]
        return next((line for line in lines if width(line) < columns), lines[-1])
