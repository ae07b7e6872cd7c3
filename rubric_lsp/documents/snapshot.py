"""One version of a document, with its analysis and caches."""

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Protocol

from rubric_core.analysis import Analysis, Language
from rubric_core.configuration import Configuration
from rubric_core.fixing import Gate
from rubric_core.language.file_kinds import RUNNABLE, FileKind
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
    """The information about all documents that one version needs."""

    encoding: Encoding
    language: Language
    project: Project
    #: Another number when all documents have to be understood again.
    basis: int

    def analyze(self, snapshot: "Snapshot") -> Analysis:
        """Understand a document, by what its project and this editor say."""

    def suite_dialect(self, snapshot: "Snapshot") -> str | None:
        """The dialect of the suite that names a document as its prompt; None for one that no suite names."""

    def named_as(self, snapshot: "Snapshot") -> FileKind | None:
        """What a configuration of promptfoo names a document as; None for one that none names."""

    def belongs_to_a_suite(self, snapshot: "Snapshot") -> bool:
        """Whether a document is checked because a suite names it."""

    def is_checked_on_its_own(self, snapshot: "Snapshot") -> bool:
        """Whether a document is checked: by its name, its language, what its project says, or else what is in it."""


class Snapshot:
    """One version of one document. Its analysis is made when it is first asked for, once."""

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
        #: The version of the files around it, when it was analyzed.
        self._looked_at = 0
        self._basis = 0
        #: The project's configuration at the time of this version.
        self.configuration: Configuration | None = None
        #: For a prompt, the dialect of the suite that names it, as it was then.
        self.prompt_of: str | None = None
        #: What a configuration of promptfoo named it as then.
        self.named_as: FileKind | None = None
        self._is_ours = False
        #: What is kept from version to version, block by block.
        self._kept: BlockCache | None = None
        #: For a file that is not open: the cache that holds its analysis for a while, and what remains after that.
        self.cache: AnalysisCache | None = None
        self._indexed: IndexedFile | None = None
        #: Edits that take long to work out, by the title of their action.
        self.worked_out: dict[str, tuple[Edit, ...]] = {}
        self._gate: Gate | None = None
        #: The last analysis of an earlier version: what did not change since is not looked at again.
        self.earlier: Analysis | None = None
        #: The edits that made it of the version before, and where a person writes; None: nowhere yet.
        self.edits: tuple[Edit, ...] = ()
        self.writing: EditPlace | None = None
        #: For a YAML document after the first one of a file: the line at which it starts, and the file.
        self.first_line = 0
        self.part_of: Snapshot | None = None
        #: The YAML documents after the first one, once they were asked for. Nearly always there are none, and this must not
        #: hold itself then: it would be collected with everything it knows only by a full collection, or never once frozen.
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
        return self._analysis

    @property
    def document(self) -> Document:
        """The text, cut into blocks."""
        if self._document is None:
            assert self._indexed is not None  # a document is put away when that is there
            self._document = self._workspace.language.document(self._indexed.text, self.path)
            if self.cache is not None:
                self.cache.made(self)
        return self._document

    @property
    def text(self) -> str:
        """The text, without cutting it."""
        if self._document is None and self._indexed is not None:
            return self._indexed.text
        return self.document.text

    @property
    def kept(self) -> BlockCache:
        """What is kept from version to version, block by block."""
        if self._kept is None:
            self._kept = BlockCache(self.encoding)
        return self._kept

    @kept.setter
    def kept(self, kept: BlockCache) -> None:
        self._kept = kept

    def condense(self) -> None:
        """Let go of the analysis and of the text as it is cut; both come back when they are asked for.

        A file of several YAML documents stays as it is: it is rare.
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
        """Another version has come. The YAML documents after the first one hold this, so that it lets go of them."""
        self._further = None

    @property
    def gate(self) -> Gate:
        """What fixes of this version have to get through."""
        if self._gate is None:
            self._gate = Gate(self.analysis)
        return self._gate

    @property
    def outdated(self) -> bool:
        """Whether a file has changed since on which the analysis depends, or the settings of the workspace have."""
        known, workspace = self._analysis or self._indexed, self._workspace
        if known is None:
            return False
        if self._basis != workspace.basis or workspace.project.changed_since(self._looked_at, known.depends_on):
            return True
        if self.prompt_of != workspace.suite_dialect(self) or self.named_as is not workspace.named_as(self):
            return True
        self._looked_at = workspace.project.version  # what changed until now need not be looked through again
        return False

    def expire(self) -> None:
        """What its project says has changed: the analysis does not hold any longer."""
        self._basis = -1

    def without_analysis(self) -> "Snapshot":
        """The same version, to be analyzed again: what it depends on has changed."""
        fresh = Snapshot(self._workspace, self.uri, self.version, self.kind, self.document)
        fresh.earlier, fresh._kept = self.known, self._kept
        fresh.writing, fresh.cache = self.writing, self.cache
        return fresh

    @property
    def known(self) -> Analysis | None:
        """The newest analysis that is there already, of this version or an earlier one."""
        return self._analysis or self.earlier

    @property
    def analyzed(self) -> bool:
        """Whether asking for the analysis costs nothing any more."""
        return self._analysis is not None

    @property
    def was_analyzed(self) -> bool:
        """Whether it has been analyzed, even if the analysis was released since."""
        return self._analysis is not None or self._indexed is not None

    # What follows needs no analysis again.

    @property
    def _known_of(self) -> Analysis | IndexedFile:
        if self._analysis is None and self._indexed is not None:
            return self._indexed
        return self.analysis

    @property
    def file_kind(self) -> FileKind:
        """What the file is."""
        return self._known_of.kind

    @property
    def refers_to(self) -> Mapping[Path, FileKind]:
        """The files that it refers to and that can be checked, and what they are."""
        return self._known_of.refers_to

    @property
    def case_files(self) -> tuple[Path, ...]:
        """The files with cases that the suite takes over."""
        return self._known_of.case_files

    @property
    def has_cases(self) -> bool:
        """Whether it has cases, of its own or of other files."""
        known = self._known_of
        return known.has_cases if isinstance(known, IndexedFile) else bool(known.cases or known.external)

    @property
    def title(self) -> str:
        """The name that the suite gives itself; empty where it has none."""
        known = self._known_of
        return known.title if isinstance(known, IndexedFile) else suite_title(known)

    def names(self, kinds: Collection[NameKind] | None = None) -> list[BlockNames]:
        """The names in every block; of a closed file perhaps only those of some `kinds`, where others are not wanted."""
        known = self._known_of
        if isinstance(known, IndexedFile):
            return list(known.names(kinds))
        return [*self.kept.names.of(known)]

    @property
    def parts(self) -> "tuple[Snapshot, ...]":
        """The YAML documents of the file in their order, each as if it stood alone; nearly always one, this."""
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
        """The YAML document that a line of the file belongs to."""
        return next(part for part in reversed(self.parts) if part.first_line <= line or part is self)

    def by_block(
        self, write: Write, keys: Sequence[object] | None = None, framed: object = None, about: object = None
    ) -> AnswerParts:
        """An answer about this document in the parts that `write` gives of each block. See `BlockAnswer.of`."""
        answer = self.kept.answers.get(write)
        if answer is None:
            answer = self.kept.answers[write] = BlockAnswer(write, self.encoding)
        return answer.of(self.analysis, self.first_line, keys, framed, about)

    @cached_property
    def path(self) -> Path | None:
        """The file, None for a document that is not on disk."""
        return path_of(self.uri)

    def range(self, span: Span) -> TextRange:
        """`span` as the client counts."""
        return TextRange(self.position(span.start), self.position(span.end))

    def position(self, offset: int) -> Position:
        """`offset` as the client counts."""
        line, character = self.document.position(offset, self.encoding)
        return Position(line + self.first_line, character)

    def offset(self, position: Position) -> int:
        """The offset of a position of the client's."""
        if position.line < self.first_line:
            return 0
        return self.document.offset(Position(position.line - self.first_line, position.character), self.encoding)

    def span(self, wanted: TextRange) -> Span:
        """The offsets of a range of the client's; one that is the wrong way round counts as empty."""
        start, end = self.offset(wanted.start), self.offset(wanted.end)
        return Span(start, max(start, end))

    @property
    def is_ours(self) -> bool:
        """Whether this is a suite or a file that belongs to suites. Editors may send any YAML at all."""
        # What belongs to a suite does so as long as that one names it.
        if self._is_ours or self._workspace.belongs_to_a_suite(self):
            return True
        if self._analysis is None and self._indexed is not None:
            return self._indexed.is_ours
        self._is_ours = self._workspace.is_checked_on_its_own(self)
        return self._is_ours

    @property
    def can_run(self) -> bool:
        """Whether this is a suite, whose cases can be run."""
        return self.part_of is None and self.is_ours and self.file_kind in RUNNABLE
