"""The size of batches: as many cases as keep a worker busy for half a second, fewer towards the end of a run."""

import math

__all__ = ["BatchSize"]

#: The intended duration of a batch in seconds.
_SECONDS = 0.5
#: The weight of the last measurement in the moving average.
_LATEST = 0.3


class BatchSize:
    """Guided self-scheduling: the size follows the measured duration of cases."""

    def __init__(self) -> None:
        #: Seconds for each case; None before the first is done.
        self.mean: float | None = None

    def took(self, seconds: float, cases: int) -> None:
        """Record that a batch of `cases` took that many seconds."""
        each = seconds / cases
        self.mean = each if self.mean is None else self.mean + _LATEST * (each - self.mean)

    def most(self) -> int:
        """The number of cases that take about half a second."""
        return max(1, int(_SECONDS / max(self.mean, 1e-5))) if self.mean is not None else 1

    def size(self, ready: int, slots: int) -> int:
        """The size of the next batch, given the number of cases that are ready and of slots."""
        return max(1, min(self.most(), math.ceil(ready / (2 * max(1, slots)))))
