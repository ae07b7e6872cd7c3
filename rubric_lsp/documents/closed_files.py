"""The cache of closed files: whole analyses of some, an index of all others.

A workspace may have thousands of suites, and the tree and shapes of a suite take fifty times as much memory as its
text. The most recent analyses are kept, so that dependents of a change are found quickly; of the other files, only
names, dependencies and text are kept. Their analysis is repeated on request.
"""

import json
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

from rubric_core.analysis import Analysis
from rubric_core.language.file_kinds import FileKind
from rubric_core.syntax.blocks import Document
from rubric_core.text import Span
from rubric_lsp.features.name_occurrence import NameKind, NameOccurrence
from rubric_lsp.features.names import BlockNames

__all__ = ["AnalysisCache", "IndexedFile", "suite_title"]

#: The number of characters whose analyses are kept; these take about 50 bytes per character.
_MOST_ANALYZED = 2_400_000
#: Small parts of the text are read often: speed counts more than the last percent of size.
_COMPRESSION = 1


class _PlacedBlock(NamedTuple):
    """A block whose names already have offsets of the whole text."""

    number: int

    @property
    def in_frame(self) -> bool:
        """See `BlockPlace.in_frame`."""
        return self.number < 0

    @staticmethod
    def outer(span: Span) -> Span:
        """See `BlockPlace.outer`."""
        return span


class IndexedFile:
    """The index of a file without its analysis: enough to find names, and to know when it has to be read again.

    Args:
        text: The whole text.
        analysis: Its analysis.
        names: Its names, block by block.
        is_ours: Whether it is checked even if no suite refers to it.
    """

    __slots__ = ("_names", "_text", "case_files", "depends_on", "has_cases", "is_ours", "kind", "refers_to", "title")

    def __init__(self, text: str, analysis: Analysis, names: Iterable[BlockNames], *, is_ours: bool) -> None:
        self._text = zlib.compress(text.encode("utf-8", "surrogatepass"), _COMPRESSION)
        self._names = json.dumps(list(_packed(names)), separators=(",", ":"))
        self.kind = analysis.kind
        self.depends_on = analysis.depends_on
        self.refers_to: Mapping[Path, FileKind] = analysis.refers_to
        self.case_files = analysis.case_files
        self.has_cases = analysis.has_cases
        #: The suite's own name.
        self.title = suite_title(analysis)
        self.is_ours = is_ours

    @property
    def text(self) -> str:
        """The whole text."""
        return zlib.decompress(self._text).decode("utf-8", "surrogatepass")

    def names(self, kinds: Collection[NameKind] | None = None) -> Iterator[BlockNames]:
        """The names of some kinds, or all of them, block by block."""
        for number, packed in json.loads(self._names):
            found = (
                NameOccurrence(k, n, Span(a, b), bool(d), s)
                for k, n, a, b, d, s in packed
                if kinds is None or k in kinds
            )
            yield _PlacedBlock(number), tuple(found)


def _packed(names: Iterable[BlockNames]) -> Iterator[tuple[int, list[tuple[object, ...]]]]:
    for block, found in names:
        placed = ((each, block.outer(each.span)) for each in found)
        yield block.number, [(n.kind, n.name, at.start, at.end, int(n.defines), n.style) for n, at in placed]


def suite_title(analysis: Analysis) -> str:
    """The suite's own name; empty if it has none."""
    suite = analysis.suite
    return suite.name if suite is not None and isinstance(suite.name, str) else ""


class ClosedFile(Protocol):
    """A version of a file that is not open."""

    uri: str

    @property
    def document(self) -> Document:
        """Its text."""

    def condense(self) -> None:
        """Keep in little space what answers about every file need."""


class AnalysisCache:
    """The most recent analyses of closed files.

    Args:
        most: The maximum number of characters of their texts. One file is always kept.
    """

    def __init__(self, most: int = _MOST_ANALYZED) -> None:
        self._most = most
        #: The newest at the end, with the length of its text.
        self._kept: dict[str, tuple[ClosedFile, int]] = {}
        self._characters = 0

    def __len__(self) -> int:
        return len(self._kept)

    def made(self, snapshot: ClosedFile) -> None:
        """A closed file was analyzed, or its text read back: evict others if needed."""
        self.forget(snapshot.uri)
        length = len(snapshot.document)
        self._kept[snapshot.uri] = snapshot, length
        self._characters += length
        while self._characters > self._most and len(self._kept) > 1:
            oldest = next(iter(self._kept.values()))[0]
            self.forget(oldest.uri)
            oldest.condense()

    def forget(self, uri: str) -> None:
        """A file was deleted, or has a new version."""
        known = self._kept.pop(uri, None)
        if known is not None:
            self._characters -= known[1]
