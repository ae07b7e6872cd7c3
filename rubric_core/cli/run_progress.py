"""The progress of a run in one line: counts, verdicts, cost, rate and remaining time."""

from collections.abc import Mapping
from typing import NamedTuple

from rubric_core.cli.terminal_style import width
from rubric_core.evaluation.model.result import Verdict
from rubric_core.evaluation.reporting.inline_marks import ERROR, SIGNS, seconds_words
from rubric_core.validation.wording import count

__all__ = ["RunProgress"]

_MINUTE = 60


class RunProgress(NamedTuple):
    """The progress of a run."""

    #: The number of cases by verdict.
    verdicts: Mapping[Verdict, int]
    #: The total number of cases.
    total: int
    #: The number of failed graders.
    grader_errors: int
    cost_usd: float
    #: Since the start.
    seconds: float
    #: The number of cached answers.
    cached: int = 0
    #: The number of workers of a cluster; 0 without one.
    workers: int = 0

    @property
    def done(self) -> int:
        """The number of finished cases."""
        return sum(self.verdicts.values())

    @property
    def rate(self) -> str:
        """Cases per minute, or per second if these are many; empty before the first."""
        if not self.done or not self.seconds:
            return ""
        each_second = self.done / self.seconds
        return f"{each_second:.0f}/s" if each_second >= 10 else f"{each_second * _MINUTE:.0f}/min"

    @property
    def left(self) -> str:
        """The remaining time at this rate; empty before the first case is done."""
        return seconds_words(self.seconds / self.done * (self.total - self.done) * 1000) if self.done else ""

    def line(self, columns: int) -> str:
        """`3/12 2 passed, 1 failed 4.2s 43/min $0.01 ~13s left`; shortened to signs if that is too wide."""
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
