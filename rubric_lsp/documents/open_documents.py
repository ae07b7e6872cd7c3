"""The open documents, version by version."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from rubric_core.analysis import Analysis, Language, analyze
from rubric_core.analysis.file_uses import FileUse, references_of
from rubric_core.configuration import DEFAULT, Configuration, Configurations
from rubric_core.disk import DiskFiles, OpenFiles
from rubric_core.language.file_extensions import DATASETS
from rubric_core.language.file_kinds import FileKind
from rubric_core.language.usage_counts import Counts
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.detect_eval_yaml import HEAD, text_is_eval_yaml
from rubric_core.loading.detect_file_kind import kind_by_name
from rubric_core.loading.family_recognition import may_have_own_name
from rubric_core.loading.files import absolute
from rubric_core.loading.landmarks import HOMES
from rubric_core.loading.project import Project
from rubric_core.syntax.blocks import Document
from rubric_core.syntax.parse import WHILE_EDITED
from rubric_core.text import Edit, Encoding
from rubric_lsp.documents.closed_files import AnalysisCache
from rubric_lsp.documents.content_changes import ContentChange, edit_of, in_steps
from rubric_lsp.documents.gc_control import GcControl
from rubric_lsp.documents.settings import Settings
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.documents.workspace_uses import WorkspaceUses
from rubric_lsp.features.edit_place import continue_edit
from rubric_lsp.protocol.uris import path_of

__all__ = ["ClientWorkspace", "folders_after"]

#: Language ids that editors use for suites only.
_OWN_LANGUAGES = frozenset({"eval-yaml", "yaml.eval"})
_MODELINE = pattern(r"\A\ufeff?#[ \t]*rubric:")


class ClientWorkspace:
    """The documents and folders that the client has open."""

    def __init__(self, language: Language, gc: GcControl) -> None:
        self.language = language
        self.settings = Settings()
        self.encoding: Encoding = "utf-16"
        #: Name by URI.
        self.folders: dict[str, str] = {}
        self.gc = gc
        self.configurations = Configurations(language)
        #: The files around suites; those that are open, with the editor's text.
        self.project = Project(OpenFiles(DiskFiles(), self.text_at), longest=WHILE_EDITED, by_answer=True)
        self.project.register_checks(self._is_checked)
        self.uses = WorkspaceUses()
        #: How often suites use keys and values, as far as they are indexed.
        self.usage = Counts()
        #: Replaced when settings or configurations change, which invalidates every earlier analysis.
        self.basis = 0
        self._open: dict[str, Snapshot] = {}
        #: The analyses of closed files.
        self.closed_files = AnalysisCache()
        self._uris: dict[Path, str] = {}
        #: The beginnings of long open texts whose names say nothing, and whether these are of rubric.
        self._heads: dict[str, tuple[str, bool | None]] = {}

    def at(self, path: Path) -> Snapshot | None:
        """The newest version of the document at `path`, if it is open."""
        uri = self._uris.get(path)
        return self._open.get(uri) if uri is not None else None

    def text_at(self, path: Path) -> str | None:
        """The text of the document at `path`, if it is open."""
        snapshot = self.at(path)
        return snapshot.document.text if snapshot is not None else None

    def all(self) -> list[Snapshot]:
        """The newest version of every open document."""
        return list(self._open.values())

    def settings_now(self) -> Settings:
        """The current settings."""
        return self.settings

    def get(self, uri: str) -> Snapshot | None:
        """The newest version of an open document."""
        return self._open.get(uri)

    def is_newest(self, snapshot: Snapshot) -> bool:
        """Whether this is the newest version of a document that is still open."""
        return self._open.get(snapshot.uri) is (snapshot.part_of or snapshot)

    def open(self, uri: str, kind: str, version: int | None, text: str, *, as_on_disk: bool = False) -> Snapshot:
        """A document was opened, or sent again as a whole; `as_on_disk`: its text equals the file."""
        snapshot = self._read(uri, version, kind, text)
        if (known := self._open.get(uri)) is not None:
            known.release_further_documents()
        self._open[uri] = snapshot
        if snapshot.path is not None:
            self._uris[absolute(snapshot.path)] = uri
            self.project.review_checks()
        if not as_on_disk:
            self._text_changed(snapshot)
        return snapshot

    def change(self, uri: str, version: int | None, changes: Iterable[ContentChange]) -> Snapshot | None:
        """Apply changes, each relative to the text after the one before. None if the document is not open."""
        old = self._open.get(uri)
        if old is None:
            return None
        document, writing = old.document, old.writing
        edits: list[Edit] = []
        for several in in_steps(changes):
            edit = edit_of(document, several, self.encoding)
            edits.append(edit)
            writing = continue_edit(writing, document, edit, whole=len(several) > 1 or several[0].range is None)
            document = document.edited(edit)
        snapshot = self._snapshot(uri, version, old.kind, document)
        snapshot.earlier, snapshot.kept, snapshot.cut_as = old.known, old.kept, old.cut_as
        snapshot.edits, snapshot.writing = tuple(edits), writing
        self._replace(old, snapshot)
        self._text_changed(snapshot)
        return snapshot

    def _replace(self, old: Snapshot, new: Snapshot) -> None:
        """Replace the current version of an open document."""
        old.release_further_documents()
        self._open[new.uri] = new

    def _text_changed(self, snapshot: Snapshot) -> None:
        """Invalidate what depends on the text of a document."""
        path = absolute(snapshot.path) if snapshot.path is not None else None
        if path is not None and self.project.has_dependents(path):
            self.project.changed([path])

    def close(self, uri: str, *, as_on_disk: bool = False) -> Snapshot | None:
        """A document was closed; `as_on_disk`: the file equals its text."""
        snapshot = self._open.pop(uri, None)
        self._heads.pop(uri, None)
        if snapshot is not None:
            self.gc.released(len(snapshot.document))
            snapshot.release_further_documents()
        if snapshot is not None and snapshot.path is not None:
            self._uris.pop(absolute(snapshot.path), None)
            self.uses.closed(absolute(snapshot.path))
            self.project.review_checks()
            if not as_on_disk:
                self._text_changed(snapshot)
        return snapshot

    def invalidate_all(self) -> None:
        """Discard every analysis, closed files included: something that all depend on has changed."""
        self.basis += 1
        self.project.review_checks()
        for snapshot in list(self._open.values()):
            self._replace(snapshot, snapshot.without_analysis())

    def refresh_outdated(self) -> list[str]:
        """Discard each analysis that depends on a changed file; returns the documents."""
        found = [uri for uri, snapshot in self._open.items() if snapshot.outdated]
        for uri in found:
            self._replace(self._open[uri], self._open[uri].without_analysis())
        return found

    def from_disk(self, uri: str, text: str) -> Snapshot:
        """A document that is not open."""
        snapshot = self._read(uri, None, "", text)
        snapshot.cache = self.closed_files
        return snapshot

    def _read(self, uri: str, version: int | None, kind: str, text: str) -> Snapshot:
        """A text, cut into blocks as the kind of its file requires."""
        path = path_of(uri)
        use = self.uses.of(absolute(path), lambda: text) if path is not None else None
        known_as = use.kind if use is not None else None
        snapshot = self._snapshot(uri, version, kind, self.language.document(text, path, known_as))
        snapshot.cut_as = known_as
        return snapshot

    def is_checked_on_its_own(self, snapshot: Snapshot) -> bool:
        """Whether a document is checked by its name, its language, its configuration or its content."""
        path = snapshot.path
        kind = kind_by_name(path) if path is not None else None
        if kind is FileKind.PROMPT:
            return snapshot.kind in _OWN_LANGUAGES
        if kind is None and path is not None and path.parent.name in HOMES:
            return False
        if snapshot.kind in _OWN_LANGUAGES or path is None:
            return True
        if _MODELINE.match(snapshot.document.head) or self.configuration(path).includes(path):
            return True
        # Editors send any data, perhaps megabytes of it: what no suite uses is not even analyzed.
        is_data = path.suffix.lower() in (*DATASETS, ".json") and not may_have_own_name(path.name)
        if is_data and snapshot.kind not in ("", "yaml"):
            return False
        if kind is None and len(snapshot.document) > HEAD and self._head_is_eval_yaml(snapshot, path) is False:
            return False
        if snapshot.analysis.kind.is_recognised:
            return True
        if snapshot.analysis.is_eval_yaml(path) is False:
            return False
        return kind is not None or (snapshot.document.column >= 0 and snapshot.analysis.choice.certain)

    def _head_is_eval_yaml(self, snapshot: Snapshot, path: Path) -> bool | None:
        """See `text_is_eval_yaml`. The beginning of a long text seldom changes."""
        head = snapshot.document.slice(0, HEAD)
        known = self._heads.get(snapshot.uri)
        if known is None or known[0] != head:
            known = head, text_is_eval_yaml(path, head)
            if snapshot.uri in self._open:
                self._heads[snapshot.uri] = known
        return known[1]

    def use_of(self, snapshot: Snapshot) -> FileUse | None:
        """How other files of the workspace use a document."""
        path = snapshot.path
        return self.uses.of(absolute(path), lambda: snapshot.head) if path is not None else None

    def analyzed(self, snapshot: Snapshot) -> None:
        """A version of a document was analyzed: it may use other files."""
        if self.is_newest(snapshot) and snapshot.path is not None:
            of_rubric = snapshot.analysis.refers_to and snapshot.is_ours
            self.uses.analyzed(absolute(snapshot.path), references_of(snapshot.analysis) if of_rubric else None)

    def _is_checked(self, path: Path, kind: FileKind, nested: bool) -> bool:  # a callback
        """Whether a file that a configuration refers to is checked by itself: closed ones are with the whole workspace.

        A file that only files of cases refer to is not.
        """
        seen = (kind.by_reference or kind is FileKind.PROMPT) and (
            self.settings.check_workspace or self.at(path) is not None
        )
        use = self.uses.of(path, str) if nested and seen else None
        return seen and (not nested or (use is not None and use.kind is kind))

    def _snapshot(self, uri: str, version: int | None, kind: str, document: Document) -> Snapshot:
        return Snapshot(self, uri, version, kind, document)

    def configuration(self, path: Path | None) -> Configuration:
        """The project's configuration for a file."""
        return self.configurations.for_file(path) if path is not None else DEFAULT

    def analyze(self, snapshot: Snapshot) -> Analysis:
        """Analyze a document with the project's configuration and the editor's settings."""
        project = snapshot.configuration = self.configuration(snapshot.path)
        with self.gc.busy(len(snapshot.document) if snapshot.earlier is None else 0):
            use = snapshot.used_as = self.use_of(snapshot)
            kind = use.kind if use is not None else None
            snapshot.cut(kind)
            # The project's configuration takes precedence, so that everybody sees the same findings.
            return analyze(
                snapshot.document,
                self.language,
                previous=snapshot.earlier,
                dialect=(use and use.dialect) or project.dialect or self.settings.dialect or None,
                selection=project.selection(snapshot.path),
                path=snapshot.path,
                kind=kind,
                siblings=use.siblings if use is not None else None,
                defined_names=use.defined_names if use is not None else None,
                project=self.project,
            )


def folders_after(folders: Mapping[str, str], added: Mapping[str, str], removed: Iterable[str]) -> dict[str, str]:
    """The open folders after a change."""
    gone = set(removed)
    return {**{u: n for u, n in folders.items() if u not in gone}, **added}
