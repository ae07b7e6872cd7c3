"""The order of the cases of a run: each comes after those that it depends on."""

from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush

from rubric_core.evaluation.cases.runnable import Runnable

__all__ = ["CaseOrder", "with_dependencies"]


def with_dependencies(chosen: Sequence[Runnable], every: Sequence[Runnable]) -> list[Runnable]:
    """`chosen` and all the cases that they depend on, in the order of `every`.

    A variation among `chosen` takes the place of its case.
    """
    by_id: dict[str, list[Runnable]] = {}
    for each in every:
        by_id.setdefault(each.base_id, []).append(each)
    wanted: set[int] = set()
    waiting = list(chosen)
    while waiting:
        case = waiting.pop()
        if id(case) not in wanted:  # not by the id in the text, which two cases may have
            wanted.add(id(case))
            waiting += (each for name in _dependencies(case) for each in by_id.get(name, ()))
    rows: dict[str, list[Runnable]] = {}
    for each in chosen:
        if each.variant is not None:
            rows.setdefault(each.base_id, []).append(each)
    return [each for case in every for each in ([case] if id(case) in wanted else rows.get(case.base_id, ()))]


def _dependencies(case: Runnable) -> list[str]:
    return [name for name in case.case.depends_on or () if isinstance(name, str)]


def _circular(cases: Sequence[Runnable]) -> frozenset[str]:
    """The ids of cases that depend on themselves, directly or indirectly, or on such a case."""
    needs: dict[str, set[str]] = {}
    for case in cases:  # a dependency means all variations, and all cases that share an id by mistake
        needs.setdefault(case.base_id, set()).update(_dependencies(case))
    behind: dict[str, list[str]] = {}
    left: dict[str, int] = {}
    for name, others in needs.items():
        known = others & needs.keys()
        left[name] = len(known)
        for other in known:
            behind.setdefault(other, []).append(name)
    ready = [name for name, count in left.items() if not count]
    for name in ready:  # grows during the loop
        for each in behind.get(name, ()):
            left[each] -= 1
            if not left[each]:
                ready.append(each)
    return frozenset(needs.keys() - set(ready))


class CaseOrder:
    """Gives the next case to run. A case comes after those on which it depends."""

    def __init__(self, cases: Sequence[Runnable]) -> None:
        self.circular = _circular(cases)
        position: dict[str, list[int]] = {}
        for number, case in enumerate(cases):
            position.setdefault(case.base_id, []).append(number)
        #: The dependencies of each case: every variation of them that the same target answers, all of a serial suite.
        self.before = [() if c.base_id in self.circular else tuple(_before(c, cases, position)) for c in cases]
        self._behind: dict[int, list[int]] = {}
        for number, others in enumerate(self.before):
            for other in others:
                self._behind.setdefault(other, []).append(number)
        self._left = {number: len(others) for number, others in enumerate(self.before) if others}
        self._ready = [number for number, others in enumerate(self.before) if not others]  # a heap, being sorted

    def next_ready(self) -> int | None:
        """The number of the first case with no open dependencies."""
        return heappop(self._ready) if self._ready else None

    def done(self, number: int) -> None:
        """Release the cases that depend on this one."""
        for each in self._behind.get(number, ()):
            self._left[each] -= 1
            if not self._left[each]:
                heappush(self._ready, each)


def _before(case: Runnable, cases: Sequence[Runnable], position: Mapping[str, Sequence[int]]) -> Iterator[int]:
    for name in _dependencies(case):
        numbers = position.get(name, ())
        # What is stored by the rows of one target is read by those of all.
        same = [n for n in numbers if cases[n].options.target == case.options.target and not case.is_serial]
        yield from same or numbers
