"""The files that share names: a suite with all files that it refers to, and every suite that shares one of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from rubric_core.analysis import Analysis, analyze
from rubric_core.cached_properties import cached_property
from rubric_core.language.file_extensions import CASE_PROGRAMS
from rubric_core.language.file_kinds import FileKind
from rubric_core.lazy_compilation import dataclass, field
from rubric_core.loading.files import absolute
from rubric_core.text import Span
from rubric_lsp.documents.project_index import ProjectIndex
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.features.block_memo import blocks_of
from rubric_lsp.features.family_editor import editor_named
from rubric_lsp.features.name_occurrence import NameKind, NameOccurrence
from rubric_lsp.features.names import BlockNames, names_in

__all__ = ["NameScope", "ScopedFile", "name_scope"]


class ScopedFile:
    """A file, read as what a suite refers to it as.

    Args:
        snapshot: The file.
        kind: The kind of file.
        analysis: Its analysis as that kind, if the snapshot has one as another.
    """

    def __init__(self, snapshot: Snapshot, kind: FileKind, analysis: Analysis | None = None) -> None:
        self.snapshot = snapshot
        self.kind = kind
        self._analysis = analysis

    @property
    def analysis(self) -> Analysis:
        """Its analysis as that kind."""
        return self._analysis or self.snapshot.analysis

    @cached_property
    def _blocks(self) -> Sequence[BlockNames]:
        if self._analysis is None:
            return self.snapshot.names()
        return [(each, names_in(each)) for each in blocks_of(self._analysis)]

    @cached_property
    def refers_to(self) -> Mapping[Path, FileKind]:
        """The files with names that it refers to."""
        found = self.snapshot.refers_to if self._analysis is None else self._analysis.refers_to
        if editor_named(self.kind.family).shared_names != {"case"}:
            return {path: kind for path, kind in found.items() if kind.family == self.kind.family}
        # Only files with cases have names of cases.
        texts = (
            path for path in self.snapshot.case_files if path in found and path.suffix.lower() not in CASE_PROGRAMS
        )
        return {path: found[path] for path in texts}

    @property
    def title(self) -> str:
        """What it is called in a sentence."""
        return self.snapshot.path.name if self.snapshot.path is not None else "this file"

    def place(self, span: Span) -> str:
        """What a place in it is called in a sentence: the file and the line."""
        return f"{self.title}, line {self.snapshot.position(span.start).line + 1}"

    def is_like(self, other: "ScopedFile") -> bool:
        """Whether both are of one family."""
        return self.kind.family == other.kind.family

    def names(self, kind: NameKind) -> Iterator[NameOccurrence]:
        """Its names of a kind, at offsets of the whole text."""
        for local, names in self._blocks:
            yield from (each.moved(local.outer(each.span)) for each in names if each.kind == kind)


@dataclass
class NameScope:
    """The files in which a name has the same meaning."""

    #: The family of eval files that all of them are of.
    family: str
    files: list[ScopedFile] = field(default_factory=list)
    #: Files that cannot be read, each with one that refers to it.
    unread: dict[Path, ScopedFile] = field(default_factory=dict)

    def places(self, name: NameOccurrence) -> list[tuple[Snapshot, NameOccurrence]]:
        """Every occurrence of a name."""
        return [(file.snapshot, each) for file, each in self.names(name.kind) if each.name == name.name]

    def names(self, kind: NameKind) -> Iterator[tuple[ScopedFile, NameOccurrence]]:
        """Every name of a kind, with its file."""
        for file in self.files:
            for name in file.names(kind):
                yield file, name


async def name_scope(
    around: ProjectIndex, snapshot: Snapshot, kind: NameKind, means: Callable[[str], bool]
) -> NameScope:
    """The document, what it refers to, and the suites that share a file in which a name of that kind is meant."""
    reader = _Reader(around)
    suites = [
        ScopedFile(part, suite.file_kind)
        async for suite in around.suites()
        if suite.file_kind.is_root
        for part in suite.parts
    ]
    start = reader.as_named(snapshot, suites)
    scope = NameScope(start.kind.family)
    found: dict[object, ScopedFile] = {}
    waiting = [start]
    while waiting:
        here = waiting.pop(0)
        if _key(here.snapshot) in found:
            continue
        found[_key(here.snapshot)] = here
        for path, as_kind in here.refers_to.items():
            file = reader.at(path, as_kind)
            if file is not None:
                waiting.append(file)
            else:
                scope.unread.setdefault(path, here)
        at = absolute(here.snapshot.path) if here.snapshot.path is not None else None
        if at is not None and (here is start or any(means(each.name) for each in here.names(kind))):
            waiting += (each for each in suites if each.is_like(start) and at in reader.reach(each))
    scope.files = list(found.values())
    return scope


class _Reader:
    """Reads each file once, as the kind as which another refers to it."""

    def __init__(self, around: ProjectIndex) -> None:
        self._around = around
        self._known: dict[tuple[Path, FileKind], ScopedFile | None] = {}
        self._reach: dict[object, Mapping[Path, FileKind]] = {}

    def at(self, path: Path, kind: FileKind) -> ScopedFile | None:
        """A file as what another refers to it as; None if it cannot be read."""
        key = (path, kind)
        if key not in self._known:
            snapshot = self._around.at(path)
            self._known[key] = self._as(snapshot, kind) if snapshot is not None else None
        return self._known[key]

    def _as(self, snapshot: Snapshot, kind: FileKind) -> ScopedFile:
        if not kind.by_reference or snapshot.file_kind is kind:
            return ScopedFile(snapshot, kind)
        # No check of the workspace has found the configuration yet.
        language, path = self._around.language, snapshot.path
        document = language.document(snapshot.text, path, kind)
        return ScopedFile(
            snapshot, kind, analyze(document, language, path=path, kind=kind, project=self._around.project)
        )

    def as_named(self, snapshot: Snapshot, suites: Sequence[ScopedFile]) -> ScopedFile:
        """A document as the first suite that reaches it refers to it."""
        path = absolute(snapshot.path) if snapshot.path is not None else None
        for suite in suites if path is not None and not snapshot.file_kind.is_recognised else ():
            kind = self.reach(suite).get(path) if path is not None else None
            if kind is not None:
                return self._as(snapshot, kind)
        return ScopedFile(snapshot, snapshot.file_kind)

    def reach(self, suite: ScopedFile) -> Mapping[Path, FileKind]:
        """The files that a suite refers to, and those that these refer to in turn."""
        key = _key(suite.snapshot)
        if key not in self._reach:
            found: dict[Path, FileKind] = {}
            waiting = [suite]
            while waiting:
                new = {path: kind for path, kind in waiting.pop().refers_to.items() if path not in found}
                found |= new
                inner = (self.at(path, kind) for path, kind in new.items() if kind.refers)
                waiting += (each for each in inner if each is not None)
            self._reach[key] = found
        return self._reach[key]


def _key(snapshot: Snapshot) -> object:
    """Equal for all versions of the same YAML document."""
    return (absolute(snapshot.path) if snapshot.path is not None else snapshot.uri, snapshot.first_line)
