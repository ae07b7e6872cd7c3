"""All cases of a suite, and all targets of a file, for rules that check across them."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

from rubric_core.language.model import Case, Suite
from rubric_core.language.targets import Entry
from rubric_core.lazy_compilation import dataclass
from rubric_core.loading.case_files import CaseFileContents
from rubric_core.text import Span

__all__ = ["CaseEntry", "CaseList", "ExternalCases", "TargetList", "TargetListEntry", "distinct_names", "name_by_line"]


def name_by_line(file: str, line: int) -> str:
    """The name in results of a case without an id; `file` is the name of its file, empty for the suite."""
    return f"{file or 'line'}-{line}"


def distinct_names(names: Iterable[str]) -> Iterator[str]:
    """The names made unique: the second `a` is `a~2`."""
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        yield f"{name}~{seen[name]}" if name and seen[name] > 1 else name


class CaseEntry(NamedTuple):
    """A case and where its block starts: add `offset` to the spans of the case."""

    case: Case
    #: Its name in results: its id, else its line; that of a case whose id is taken has a number.
    name: str
    #: The number of its block in the document, or -1 for a case inside the frame.
    block: int
    offset: int


class ExternalCases(NamedTuple):
    """A path in the case list, and the cases in its file."""

    span: Span
    found: CaseFileContents
    #: The path as written.
    text: str = ""


@dataclass(frozen=True, slots=True)
class CaseList:
    """Every case of a suite, for rules across cases. Their findings have offsets of the whole text."""

    suite: Suite | None
    cases: tuple[CaseEntry, ...]
    #: Maps a span of a case (None: of the suite) to a span of the whole text.
    outer: Callable[[CaseEntry | None, Span], Span]
    #: Cases of other files, if those files could be read.
    external: tuple[ExternalCases, ...] = ()
    #: Ids of other cases of the same suite; None if unknown.
    siblings: Collection[str] | None = ()
    #: The text to which the spans of a case (None: of the suite) refer.
    text_of: Callable[[CaseEntry | None], str] = lambda _: ""

    @property
    def complete(self) -> bool:
        """Whether all cases are known, including those in other files."""
        if self.siblings is None:
            return False
        written = self.suite.cases if self.suite is not None else None
        paths = isinstance(written, str) or (isinstance(written, list) and any(isinstance(c, str) for c in written))
        known = {e.found.complete for e in self.external}
        return False not in known if known else not paths


class TargetListEntry(NamedTuple):
    """An entry of a targets file."""

    entry: Entry
    #: Maps its spans to spans of the whole text.
    outer: Callable[[Span], Span]


@dataclass(frozen=True, slots=True)
class TargetList:
    """Every entry of a targets file. Findings about it have offsets of the whole text."""

    entries: tuple[TargetListEntry, ...]
