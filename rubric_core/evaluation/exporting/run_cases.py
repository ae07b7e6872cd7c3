"""The cases of a stored run for an export: in the order of their files, read from the store as often as a format needs."""

from collections.abc import Callable, Iterator
from itertools import groupby

from rubric_core.evaluation.model.result import CaseResult
from rubric_core.evaluation.results.records import RunCase, RunRecord, are_own
from rubric_core.evaluation.results.signatures import FOREIGN

__all__ = ["ExportedRun"]


class ExportedRun:
    """A run with its cases. Results are read one at a time, so that memory use is bounded.

    Args:
        record: The run.
        read: Gives its cases, each time from the start.
        prompts: Whether to include the requests to targets, judges and programs.
    """

    def __init__(self, record: RunRecord, read: Callable[[], Iterator[RunCase]], *, prompts: bool = False) -> None:
        self.record = record
        self.prompts = prompts
        # Cases end in any order; workers decide it. Only the way back to a result is kept of each.
        placed = sorted((_place(case), number, case) for number, case in enumerate(read()))
        self._cases = [case for _, _, case in placed]

    def __iter__(self) -> Iterator[tuple[RunCase, CaseResult]]:
        return ((case, case.result) for case in self._cases)

    def by_suite(self) -> Iterator[tuple[str, list[RunCase]]]:
        """The cases of each suite, by its path relative to the root."""
        for suite, cases in groupby(self._cases, key=lambda case: case.suite):
            yield suite, list(cases)

    @property
    def cases(self) -> list[RunCase]:
        """All of them, without their results."""
        return self._cases

    @property
    def foreign(self) -> str:
        """What is said of a run that decides nothing, as it came with a repository or was changed; empty for one of this user."""
        return "" if are_own(self.record, self._cases) else f"{FOREIGN}: it decides nothing"

    def name(self, case: RunCase) -> str:
        """The name of a case: its id, with the target if the run used several."""
        return f"{case.id} [{case.target}]" if len(self.record.targets) > 1 and case.target else case.id


def _place(case: RunCase) -> tuple[str, str, int, str]:
    result = case.result
    return case.suite, result.file, result.line, case.target
