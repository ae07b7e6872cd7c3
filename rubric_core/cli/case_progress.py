"""The cases of a suite in the order of its file, and the progress of each."""

import time
from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar

from rubric_core.lazy_compilation import dataclass

__all__ = ["CaseProgress", "InFileOrder", "Slot"]

T = TypeVar("T")


@dataclass(slots=True)
class Slot:
    """A case: waiting, running, or done."""

    id: str
    #: Its target; empty if the suite has one target for every case.
    target: str
    #: The start by `time.monotonic`; 0 before.
    began: float = 0.0
    #: Its current activity.
    words: str = ""
    #: The line with its result; empty until it is done.
    line: str = ""
    #: Its position in the order of completion, from 1; 0 until it is done.
    ended: int = 0


class CaseProgress:
    """The slots of a suite, by their positions in its file."""

    def __init__(self, cases: Sequence[tuple[str, str]]) -> None:
        """`cases` are pairs of an id and of a target."""
        self.slots = [Slot(name, target) for name, target in cases]
        self.ended = 0
        self._by_id: dict[str, list[int]] = {}
        for place, slot in enumerate(self.slots):
            self._by_id.setdefault(slot.id, []).append(place)

    @property
    def several_targets(self) -> bool:
        """Whether cases share an id because there are several targets."""
        return len(self._by_id) < len(self.slots)

    def begin(self, case_id: str) -> None:
        """A case begins; of several with its id, the first that has not begun."""
        slot = next((s for s in self._of(case_id) if not s.began), None)
        if slot is not None:
            slot.began, slot.words = time.monotonic(), "asking"

    def at(self, case_id: str, words: str) -> None:
        """The current activity of a case; of several with its id, the last that has begun."""
        for slot in reversed(self._of(case_id)):
            if slot.began and not slot.ended:
                slot.words = words
                return

    def end(self, case_id: str, target: str) -> int:
        """Mark a case as done. Returns its position in the file; -1 if it has no slot."""
        open_ = [place for place in self._by_id.get(case_id, ()) if not self.slots[place].ended]
        if not open_:
            return -1
        place = next((p for p in open_ if self.slots[p].target == target), open_[0])
        slot = self.slots[place]
        if not slot.began:
            # The event does not say which target has begun: the slot that was assumed takes this position.
            other = next((self.slots[p] for p in open_ if self.slots[p].began), None)
            if other is not None:
                slot.began, other.began = other.began, 0.0
        self.ended += 1
        slot.ended = self.ended
        return place

    def _of(self, case_id: str) -> list[Slot]:
        return [self.slots[place] for place in self._by_id.get(case_id, ())]


class InFileOrder(Generic[T]):
    """Reorders values that arrive in any order by their positions."""

    def __init__(self) -> None:
        #: The first position whose value has not arrived.
        self.next = 0
        self._held: dict[int, T] = {}

    def take(self, place: int, value: T) -> Iterator[T]:
        """The next values in order, now that `value` has arrived."""
        self._held[place] = value
        while self.next in self._held:
            yield self._held.pop(self.next)
            self.next += 1

    def rest(self) -> list[T]:
        """The values that still wait for an earlier position, which never arrived."""
        values = [value for _, value in sorted(self._held.items(), key=lambda held: held[0])]
        self._held.clear()
        return values
