"""Limits that end a run early: failures, US dollars, seconds."""

import argparse
import time

from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.validation.wording import count

__all__ = ["RunLimits"]


class RunLimits:
    """The limits `--maxfail`, `--max-cost` and `--max-seconds`, over all suites of a run."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._most_failures: int | None = 1 if options.exitfirst else options.maxfail
        self._most_cost: float | None = options.max_cost
        self._most_seconds: float | None = options.max_seconds
        self._allows_errors = bool(options.allow_grader_errors)
        self._failures = 0
        self._cost = 0.0
        self._began = time.monotonic()
        #: Why no further case starts; empty while cases may start.
        self.reason = ""
        #: Whether it is a limit of cost or time, rather than of failures.
        self.is_budget = False
        #: The number of cases with unknown cost.
        self.unpriced = 0

    @property
    def seconds_left(self) -> float | None:
        """The remaining seconds; None without a limit."""
        if self._most_seconds is None:
            return None
        return max(0.0, self._most_seconds - (time.monotonic() - self._began))

    def take(self, result: CaseResult) -> None:
        """Count a finished case."""
        errors = bool(result.grader_errors) and not self._allows_errors
        self._failures += result.verdict is not Verdict.PASSED or errors
        self._cost += result.cost_usd or 0.0
        self.unpriced += result.cost_usd is None
        if self._most_failures is not None and self._failures >= self._most_failures:
            self._stop(f"{count(self._failures, 'case')} did not pass")
        elif self._most_cost is not None and self._cost >= self._most_cost:
            self._stop(f"${self._cost:.4f} of --max-cost {self._most_cost:g} are spent", is_budget=True)

    def end_time(self) -> None:
        """The time is up."""
        self._stop(f"--max-seconds {self._most_seconds:g} are over", is_budget=True)

    def end(self, reason: str) -> None:
        """Another reason ends the run."""
        self._stop(reason)

    def _stop(self, reason: str, *, is_budget: bool = False) -> None:
        if not self.reason:
            self.reason, self.is_budget = reason, is_budget

    @property
    def note(self) -> str:
        """A note for users of `--max-cost`; empty without one."""
        if self._most_cost is None or not self.unpriced:
            return ""
        return f"--max-cost does not count {count(self.unpriced, 'case')} of which nobody told the cost; `prices` of a target let it be worked out"
