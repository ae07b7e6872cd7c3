"""Holds back results that are compared with one another, until the whole group has run."""

from collections.abc import Awaitable, Callable, Hashable, Iterator, Sequence
from typing import TypeAlias

from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.model.result import CaseResult

__all__ = ["Comparisons"]

Compare: TypeAlias = Callable[[Sequence[tuple[Runnable, CaseResult]]], Awaitable[list[CaseResult]]]


class Comparisons:
    """The groups of cases of one run whose results are compared, by the numbers of the cases."""

    def __init__(self, cases: Sequence[Runnable], compare: Compare) -> None:
        self._cases, self._compare = cases, compare
        self._groups: dict[Hashable, list[int]] = {}
        #: The group of each case that is compared.
        self._group_of: dict[int, Hashable] = {}
        for number, case in enumerate(cases):
            if case.compared_in is not None:
                self._group_of[number] = case.compared_in
                self._groups.setdefault(case.compared_in, []).append(number)
        self._ids = {cases[number].id for number in self._group_of}
        #: The results of cases that ran, compared once the last of their group has run.
        self._ran: dict[int, CaseResult] = {}
        #: The final result of each case; None for a cancelled one.
        self._ended: dict[int, CaseResult | None] = {}

    def holds_back(self, case_id: str) -> bool:
        """Whether the result of a case is reported only after its whole group has run."""
        return case_id in self._ids

    async def ran(self, number: int, result: CaseResult) -> CaseResult:
        """The result of a case that has run; compared with the others if it is the last of its group."""
        group = self._groups.get(self._group_of.get(number))
        if group is None:
            return result
        self._ran[number] = result
        if all(each in self._ran or each in self._ended for each in group):
            await self._compared(group)
        return self._ran[number]

    async def _compared(self, group: Sequence[int]) -> None:
        """Compare the results of a group. Nothing is compared while one of them is missing."""
        known = [(n, self._ran.get(n) or self._ended.get(n)) for n in group]
        rows = [(n, result) for n, result in known if result is not None]
        if len(rows) == len(group):
            made = await self._compare([(self._cases[n], result) for n, result in rows])
            self._ran.update((n, each) for (n, _), each in zip(rows, made, strict=True) if n in self._ran)

    def ended(self, number: int, result: CaseResult | None) -> Iterator[tuple[int, CaseResult | None, bool]]:
        """The cases that are finished once this one has ended: each with its result, and whether to report it.

        Args:
            number: The case that has ended.
            result: Its result; None where it was cancelled.
        """
        group = self._groups.get(self._group_of.get(number))
        if group is None:
            yield number, result, False
            return
        self._ended[number] = result
        if all(each in self._ended for each in group):
            for each in group:
                known = self._ended[each]
                yield each, known and self._ran.get(each, known), each in self._ran and known is not None
