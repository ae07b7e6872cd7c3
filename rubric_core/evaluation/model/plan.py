"""The plan of a run: the programs that it starts, the requests that it sends, the files and variables that it reads.

`engine/rehearse.py` derives it from the objects that run. It is shown before a run, compared with what was allowed
before, and the ports of the run refuse what is not in it.
"""

import hashlib
import hmac
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from rubric_core.control_characters import reveal
from rubric_core.evaluation.model.holes import FOLDER, hole_names, shown
from rubric_core.evaluation.model.plan_entries import (
    PlanEntry,
    Read,
    Send,
    Start,
    Variable,
    moved_path,
    without_secrets,
)
from rubric_core.evaluation.model.plan_refusals import send_refusal, start_refusal
from rubric_core.lazy_compilation import dataclass, field

__all__ = ["Plan", "entry_hash"]

T = TypeVar("T")
_TITLES: tuple[tuple[str, str], ...] = (
    ("start", "execute"),
    ("send", "send requests to"),
    ("variable", "read of the environment"),
    ("read", "read outside of the open folder"),
)


@dataclass(frozen=True, slots=True)
class Plan:
    """All that a run does to the outside world."""

    starts: tuple[Start, ...] = ()
    sends: tuple[Send, ...] = ()
    reads: tuple[Read, ...] = ()
    variables: tuple[Variable, ...] = ()
    #: What is not done, and why, in one sentence each: "target x is not called: KEY is not set".
    notes: tuple[str, ...] = field(default=(), compare=False)
    #: Why the plan is not known; such a run is refused. Empty for a plan that is known.
    unknown: str = ""
    #: The open folders, and every examined file with the target of its links.
    roots: tuple[Path, ...] = field(default=(), compare=False)
    files: Mapping[Path, Path] = field(default_factory=dict, compare=False)

    def joined(self, other: "Plan") -> "Plan":
        """Both plans as one, each entry once."""
        return Plan(
            _once(self.starts, other.starts), _once(self.sends, other.sends), _once(self.reads, other.reads),
            _once(self.variables, other.variables), _once(self.notes, other.notes),
            self.unknown or other.unknown, _once(self.roots, other.roots), {**self.files, **other.files},
        )  # fmt: skip

    def all(self) -> Iterator[PlanEntry]:
        """Every entry, in the order in which people read them."""
        yield from self.starts
        yield from self.sends
        yield from self.variables
        yield from self.reads

    def parts(self, folder: Path | None = None) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The headings in use, each with its lines; paths below `folder` are relative."""
        found: dict[str, list[str]] = {}
        titles = dict(_TITLES)
        for entry in self.all():
            found.setdefault(titles[str(entry.key()[0])], []).append(reveal(entry.words(folder)))
        return tuple((title, tuple(dict.fromkeys(lines))) for title, lines in found.items())

    def found_programs(self, folder: Path | None = None) -> dict[str, str]:
        """The lines of `parts` that leave out the file of their program, each with that file."""
        found = ((each.words(folder), each.found_words(folder)) for each in self.starts)
        return {reveal(words): reveal(file) for words, file in found if file}

    def words(self, folder: Path | None = None) -> tuple[str, ...]:
        """One line for each entry, as in "execute: echo ok"; then what is not done."""
        lines = (f"{title}: {line}" for title, several in self.parts(folder) for line in several)
        return (*lines, *map(reveal, self.notes))

    @property
    def outside(self) -> tuple[Read, ...]:
        """The files that are read outside of the open folders."""
        return self.reads

    def entries(self, key: bytes, folder: Path) -> dict[str, str]:
        """The words of each entry by a hash that identifies it, and reveals nothing to those without the key.

        Paths below `folder` are relative.
        """
        return {entry_hash(entry, key, folder): reveal(entry.words(folder)) for entry in self.all()}

    def variable_names(self) -> frozenset[str]:
        """The environment variables that the run reads, as far as its entries name them."""
        names = {each.name for each in self.variables}
        names.update(name for each in self.sends for name in each.variables)
        for each in self.starts:
            texts = (*each.argv, each.says, *(value for _, value in each.environment))
            names.update(name.removeprefix("$") for text in texts for name in hole_names(text) if name.startswith("$"))
        return frozenset([*names, *(name for _, name in self._secrets())])

    def _secrets(self) -> Iterator[tuple[str, str]]:
        """The values of secrets in entries, each with the name of its variable."""
        yield from (pair for each in self.starts for pair in each.secrets)
        yield from (pair for each in self.sends for pair in each.secrets)

    def refusal(self, wanted: PlanEntry) -> str:
        """Why something is not in the plan: "its variable PATH was not in the question"; empty for what is in it."""
        if self.unknown:
            return self.unknown
        if isinstance(wanted, Start | Send):
            why = start_refusal(self.starts, wanted) if isinstance(wanted, Start) else send_refusal(self.sends, wanted)
            return shown(without_secrets(why, self._secrets()))
        return "" if wanted in set(self.all()) else f"{wanted.words()} was not in the question"


def entry_hash(entry: PlanEntry, key: bytes, folder: Path) -> str:
    """The hash that identifies an entry: 64 hexadecimal digits."""
    text = json.dumps(_relative(entry.key(), str(folder)), ensure_ascii=True)
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def _relative(value: object, folder: str) -> object:
    """A value with the paths below a folder as from that folder."""
    if isinstance(value, str):
        return moved_path(value, folder, FOLDER)
    return [_relative(each, folder) for each in value] if isinstance(value, list | tuple) else value


def _once(first: tuple[T, ...], second: tuple[T, ...]) -> tuple[T, ...]:
    return tuple(dict.fromkeys((*first, *second)))
