"""One version of a document, with its analysis and caches."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from rubric_core.analysis import Analysis, Language
from rubric_core.analysis.file_uses import FileUse
from rubric_core.cached_properties import cached_property
from rubric_core.configuration import Configuration
from rubric_core.fixing import Gate
from rubric_core.language.file_kinds import FileKind
from rubric_core.loading.project import Project
from rubric_core.syntax.blocks import Document
from rubric_core.text import Edit, Encoding, Position, Span, TextRange
from rubric_lsp.documents.block_answers import AnswerParts, BlockAnswer, Write
from rubric_lsp.documents.block_cache import BlockCache
from rubric_lsp.documents.closed_files import AnalysisCache, IndexedFile, suite_title
from rubric_lsp.features.edit_place import EditPlace
from rubric_lsp.features.name_occurrence import NameKind
from rubric_lsp.features.names import BlockNames
from rubric_lsp.protocol.uris import path_of

__all__ = ["DocumentContext", "Snapshot"]


class DocumentContext(Protocol):
    """The facts about all documents that one version needs."""

    encoding: Encoding
    language: Language
    project: Project
    #: Changes when all documents have to be analyzed again.
    basis: int

    def analyze(self, snapshot: "Snapshot") -> Analysis:
        """Analyze a document with the project's configuration and the editor's settings."""

    def analyzed(self, snapshot: "Snapshot") -> None:
        """A document was analyzed."""

    def use_of(self, snapshot: "Snapshot") -> FileUse | None:
        """How other files use a document; None if none does."""

    def is_checked_on_its_own(self, snapshot: "Snapshot") -> bool:
        """Whether a document is checked by its name, its language, its configuration or its content."""


class Snapshot:
    """One version of one document, analyzed on first access."""

    def __init__(
        self, workspace: DocumentContext, uri: str, version: int | None, kind: str, document: Document
    ) -> None:
        self.uri = uri
        self.version = version
        #: The language id that the editor gave.
        self.kind = kind
        self._document: Document | None = document
        self.encoding = workspace.encoding
        self._workspace = workspace
        self._analysis: Analysis | None = None
        #: The project's version when it was analyzed.
        self._looked_at = 0
        self._basis = 0
        #: The project's configuration at the time of this version.
        self.configuration: Configuration | None = None
        #: How other files used it then.
        self.used_as: FileUse | None = None
        #: The kind of file as which its text was cut into blocks.
        self.cut_as: FileKind | None = None
        self._is_ours = False
        #: Results per block, kept from version to version.
        self._kept: BlockCache | None = None
        #: For a closed file: the cache that holds its analysis for a while, and the index that remains afterwards.
        self.cache: AnalysisCache | None = None
        self._indexed: IndexedFile | None = None
        #: Edits that are expensive to compute, by the title of their action.
        self.worked_out: dict[str, tuple[Edit, ...]] = {}
        self._gate: Gate | None = None
        #: The last analysis of an earlier version, whose unchanged parts are reused.
        self.earlier: Analysis | None = None
        #: The edits since the version before, and the place of the last edit; None: no edit yet.
        self.edits: tuple[Edit, ...] = ()
        self.writing: EditPlace | None = None
        #: For a YAML document after the first one of a file: its first line, and the file.
        self.first_line = 0
        self.part_of: Snapshot | None = None
        #: The YAML documents after the first one, once requested. Without any, this must not contain the snapshot
        #: itself: the reference cycle would be freed only by a full collection, or never once frozen.
        self._further: tuple[Snapshot, ...] | None = None

    @property
    def analysis(self) -> Analysis:
        """The analysis of this version, with its findings."""
        if self._analysis is None:
            self._looked_at, self._basis = self._workspace.project.version, self._workspace.basis
            self._analysis = self._workspace.analyze(self)
            self.earlier = None
            if self.cache is not None:
                self.cache.made(self)
            self._workspace.analyzed(self)
        return self._analysis

    @property
    def document(self) -> Document:
        """The text, cut into blocks."""
        if self._document is None:
            assert self._indexed is not None  # a released document leaves its index
            self._document = self._workspace.language.document(self._indexed.text, self.path, self.cut_as)
            if self.cache is not None:
                self.cache.made(self)
        return self._document

    @property
    def text(self) -> str:
        """The text, without cutting it into blocks."""
        if self._document is None and self._indexed is not None:
            return self._indexed.text
        return self.document.text

    @property
    def head(self) -> str:
        """The beginning of the text."""
        return self.text if self._document is None else self._document.head

    @property
    def kept(self) -> BlockCache:
        """Results per block, kept from version to version."""
        if self._kept is None:
            self._kept = BlockCache(self.encoding)
        return self._kept

    @kept.setter
    def kept(self, kept: BlockCache) -> None:
        self._kept = kept

    def condense(self) -> None:
        """Release the analysis and the blocks of the text; both are computed again on request.

        A file of several YAML documents is rare and kept as it is.
        """
        analysis = self._analysis
        if analysis is not None:
            if analysis.further:
                return
            ours = self._workspace.is_checked_on_its_own(self)
            self._indexed = IndexedFile(self.document.text, analysis, self.kept.names.of(analysis), is_ours=ours)
        if self._indexed is not None:
            self._analysis = self.earlier = self._document = self._kept = self._gate = None
            self._further = None
            self.worked_out.clear()

    def release_further_documents(self) -> None:
        """Drop the YAML documents after the first one, which refer to this version, when a new version comes."""
        self._further = None

    @property
    def gate(self) -> Gate:
        """The verification of fixes for this version."""
        if self._gate is None:
            self._gate = Gate(self.analysis)
        return self._gate

    @property
    def outdated(self) -> bool:
        """Whether the settings, or a file that the analysis depends on, have changed since."""
        known, workspace = self._analysis or self._indexed, self._workspace
        if known is None:
            return False
        if self._basis != workspace.basis or workspace.project.changed_since(self._looked_at, known.depends_on):
            return True
        if self.used_as != workspace.use_of(self):
            return True
        self._looked_at = workspace.project.version  # earlier changes need not be checked again
        return False

    def expire(self) -> None:
        """Invalidate the analysis: the project's configuration has changed."""
        self._basis = -1

    def without_analysis(self) -> "Snapshot":
        """The same version without analysis: its dependencies have changed."""
        fresh = Snapshot(self._workspace, self.uri, self.version, self.kind, self.document)
        fresh.earlier, fresh._kept = self.known, self._kept
        fresh.writing, fresh.cache, fresh.cut_as = self.writing, self.cache, self.cut_as
        return fresh

    def cut(self, kind: FileKind | None) -> None:
        """Cut the text into blocks again if a file of that kind is cut in another way."""
        if _way_to_cut(kind) != _way_to_cut(self.cut_as):
            self._document = self._workspace.language.document(self.text, self.path, kind)
            self.earlier = self._kept = None
        self.cut_as = kind

    @property
    def known(self) -> Analysis | None:
        """The newest existing analysis, of this version or an earlier one."""
        return self._analysis or self.earlier

    @property
    def analyzed(self) -> bool:
        """Whether the analysis exists already."""
        return self._analysis is not None

    @property
    def was_analyzed(self) -> bool:
        """Whether it has been analyzed, even if the analysis was released since."""
        return self._analysis is not None or self._indexed is not None

    # The properties below need no new analysis.

    @property
    def _known_of(self) -> Analysis | IndexedFile:
        if self._analysis is None and self._indexed is not None:
            return self._indexed
        return self.analysis

    @property
    def file_kind(self) -> FileKind:
        """The kind of the file."""
        return self._known_of.kind

    @property
    def refers_to(self) -> Mapping[Path, FileKind]:
        """The checkable files that it refers to, with their kinds."""
        return self._known_of.refers_to

    @property
    def case_files(self) -> tuple[Path, ...]:
        """The case files that the suite includes."""
        return self._known_of.case_files

    @property
    def has_cases(self) -> bool:
        """Whether it has cases: its own, included ones, or those of scenarios."""
        return self._known_of.has_cases

    @property
    def title(self) -> str:
        """The suite's own name; empty if it has none."""
        known = self._known_of
        return known.title if isinstance(known, IndexedFile) else suite_title(known)

    def names(self, kinds: Collection[NameKind] | None = None) -> list[BlockNames]:
        """The names in every block; of a closed file perhaps only those of some `kinds`."""
        known = self._known_of
        if isinstance(known, IndexedFile):
            return list(known.names(kinds))
        return [*self.kept.names.of(known)]

    @property
    def parts(self) -> "tuple[Snapshot, ...]":
        """The YAML documents of the file in order, each as a document of its own; nearly always one, this."""
        if self._analysis is None and self._indexed is not None:
            return (self,)
        if self._further is None:
            further = self.analysis.further if self.part_of is None else ()
            known = self.kept.parts
            while len(known) < len(further):
                known.append(BlockCache(self.encoding))
            made = (self._part(at, found, kept) for (at, found), kept in zip(further, known, strict=False))
            self._further = tuple(made)
        return (self, *self._further)

    def _part(self, offset: int, found: Analysis, kept: BlockCache) -> "Snapshot":
        part = Snapshot(self._workspace, self.uri, self.version, self.kind, found.document)
        part._analysis, part.kept, part.part_of = found, kept, self
        part.first_line = self.document.position(offset).line
        return part

    def part_at(self, line: int) -> "Snapshot":
        """The YAML document at a line of the file."""
        return next(part for part in reversed(self.parts) if part.first_line <= line or part is self)

    def by_block(
        self, write: Write, keys: Sequence[object] | None = None, framed: object = None, about: object = None
    ) -> AnswerParts:
        """An answer about this document, with the parts that `write` gives for each block. See `BlockAnswer.of`."""
        answer = self.kept.answers.get(write)
        if answer is None:
            answer = self.kept.answers[write] = BlockAnswer(write, self.encoding)
        return answer.of(self.analysis, self.first_line, keys, framed, about)

    @cached_property
    def path(self) -> Path | None:
        """The file; None for a document that is not on disk."""
        return path_of(self.uri)

    def range(self, span: Span) -> TextRange:
        """`span` in the client's encoding."""
        return TextRange(self.position(span.start), self.position(span.end))

    def position(self, offset: int) -> Position:
        """`offset` in the client's encoding."""
        line, character = self.document.position(offset, self.encoding)
        return Position(line + self.first_line, character)

    def offset(self, position: Position) -> int:
        """The offset of a client position."""
        if position.line < self.first_line:
            return 0
        return self.document.offset(Position(position.line - self.first_line, position.character), self.encoding)

    def span(self, wanted: TextRange) -> Span:
        """The offsets of a client range; a reversed range counts as empty."""
        start, end = self.offset(wanted.start), self.offset(wanted.end)
        return Span(start, max(start, end))

    @property
    def is_ours(self) -> bool:
        """Whether this is a suite or a file that belongs to one. Editors may send any YAML."""
        if self.part_of is not None:
            return self.part_of.is_ours
        # A file of a suite is checked as long as that suite refers to it; a targets file is found by its name alone.
        use = self._workspace.use_of(self)
        if self._is_ours or (use is not None and use.kind is not FileKind.TARGETS):
            return True
        if self._analysis is None and self._indexed is not None:
            return self._indexed.is_ours
        self._is_ours = self._workspace.is_checked_on_its_own(self)
        return self._is_ours

    @property
    def can_run(self) -> bool:
        """Whether this is a suite with cases that can be run."""
        return self.part_of is None and self.is_ours and self.file_kind.is_root


def _way_to_cut(kind: FileKind | None) -> tuple[bool, bool]:
    """What of a kind, if it is known, decides how a text is cut into blocks."""
    return kind is None, kind is not None and kind.is_text
