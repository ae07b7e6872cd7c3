"""What a part is given, and what it counts and finds."""

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Part", "Setting", "Tally"]


@dataclass(frozen=True)
class Setting:
    """How much a part does, and where."""

    seed: int
    #: An empty folder.
    folder: Path
    #: The short form is one of the tests.
    short: bool = False
    #: Random edits, where another number is wanted.
    edits: int | None = None
    #: After which random edits end, however many there were.
    seconds: float = 240.0

    def random(self, about: str) -> random.Random:
        """The same random numbers for the same seed, whatever else was asked before."""
        return random.Random(f"{self.seed} {about}")

    def of(self, short: int, long: int) -> int:
        """How many of something: in the tests, and in `make chaos`."""
        return short if self.short else long

    def some(self, every: dict[str, Any], short: int) -> dict[str, Any]:
        """All of a table, and in the tests a few that the seed chooses."""
        names = list(every)
        chosen = self.random("some").sample(names, min(short, len(names))) if self.short else names
        return {name: every[name] for name in names if name in chosen}


@dataclass
class Tally:
    """Counts the actions and the errors."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    #: What shows each fault again.
    evidence: list[dict[str, Any]] = field(default_factory=list)

    def count(self, what: str, number: int = 1) -> None:
        """So many more of something."""
        self.counts[what] += number

    def most(self, what: str, number: float) -> None:
        """The largest of several numbers."""
        self.counts[what] = max(self.counts[what], round(number))

    def fault(self, what: str, **evidence: Any) -> None:
        """Something is wrong."""
        self.faults.append(what)
        self.evidence.append({"fault": what, **evidence})

    def expect(self, holds: object, what: str, **evidence: Any) -> bool:
        """One more thing that was looked at; a fault where it does not hold."""
        self.count("looked at")
        if not holds:
            self.fault(what, **evidence)
        return bool(holds)

    @contextmanager
    def no_exception(self, what: str, **evidence: Any) -> Iterator[None]:
        """Whatever is raised is a fault."""
        try:
            yield
        except Exception as error:  # noqa: BLE001  # that there is none is what is looked at
            self.fault(f"{what}: {type(error).__name__}: {str(error)[:600]}", **evidence)

    def to_json(self) -> str:
        """For the process that asked."""
        return json.dumps({"counts": self.counts, "faults": self.faults, "evidence": self.evidence})

    @classmethod
    def from_json(cls, text: str) -> "Tally":
        read = json.loads(text)
        return cls(Counter(read["counts"]), read["faults"], read["evidence"])


@dataclass(frozen=True)
class Part:
    """One way to break rubric."""

    name: str
    about: str
    run: Callable[[Setting, Tally], None]
