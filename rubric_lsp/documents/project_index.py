"""The project index: definitions, names and references in all files."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rubric_core.configuration.discovery import Discovery
from rubric_core.language.file_kinds import FileKind
from rubric_core.language.shape import children
from rubric_core.language.targets import Entry
from rubric_core.loading.detect_file_kind import kind_by_name
from rubric_core.loading.directory_search import URL, find_file, is_pattern, without_function
from rubric_core.loading.files import UnreadableError, absolute, read_text
from rubric_core.loading.known_names import known_targets, template_of
from rubric_core.loading.path_matches import path_matches
from rubric_core.text import Span
from rubric_lsp.documents.open_documents import ClientWorkspace
from rubric_lsp.documents.shown_files import is_shown
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.documents.unreadable_files import UnreadableFiles
from rubric_lsp.features.name_occurrence import NameOccurrence
from rubric_lsp.features.names import FILES
from rubric_lsp.protocol.uris import path_of

if TYPE_CHECKING:
    pass

__all__ = ["ProjectIndex", "YieldPoints"]

#: The longest pattern that is followed, and the most files that it may match.
_LONGEST_PATTERN = 1_000
_MOST_MATCHES = 100
#: Bytes; a larger file is not shown in part.
_LARGEST_SHOWN = 500_000
#: Files whose settings may be API keys.
_SECRET = frozenset({FileKind.TARGETS, FileKind.CONFIG, FileKind.DEFAULTS})
#: Seconds of work after which other requests are answered.
_TURN = 0.005


class YieldPoints:
    """Yields to other requests during work on many files."""

    def __init__(self) -> None:
        self._since = time.monotonic()

    async def due(self) -> None:
        """Yield if the work has gone on for a while."""
        if time.monotonic() - self._since > _TURN:
            await asyncio.sleep(0)
            self._since = time.monotonic()


_Stamp = tuple[int, int, int]
#: The stamp of a missing file.
_GONE: _Stamp = (0, 0, 0)


def _stamp(path: Path) -> _Stamp:
    """A value that changes with the content of a file. Raises OSError."""
    status = os.stat(path)  # noqa: PTH116  # every suite, after each pause
    return (status.st_mtime_ns, status.st_size, status.st_ino)


class _FileOnDisk(NamedTuple):
    """A file as it was read."""

    stamp: _Stamp
    #: The project's version when it was read.
    version: int
    snapshot: Snapshot


class ProjectIndex:
    """The files of the open folders, read on demand and cached until they change."""

    def __init__(self, workspace: ClientWorkspace) -> None:
        self._workspace = workspace
        self.project = workspace.project
        self.language = workspace.language
        self._read: dict[Path, _FileOnDisk] = {}
        #: The stamps of files that others depend on and that are not analyzed.
        self._stamps: dict[Path, _Stamp] = {}
        self.unreadable = UnreadableFiles(_stamp)
        #: The closed suites that cannot be read, as the last look at all of them found it.
        self.unread: dict[Path, UnreadableError] = {}
        #: How often a change was found that the client had not reported.
        self.discoveries = 0
        self._discovery = Discovery(workspace.configurations)
        self._paths_by_name: dict[str, Path] = {}

    # -- files ------------------------------------------------------------------------------------------------------

    def at(self, path: Path) -> Snapshot | None:
        """The document at a path, from the editor or else from disk; None if it cannot be read."""
        opened = self._workspace.at(path)
        if opened is not None:
            return opened
        known = self._read.get(path)
        try:
            stamp = _stamp(path)
            if known is None or known.stamp != stamp:
                self._file_changed(path, known)
                snapshot = self._workspace.from_disk(absolute(path).as_uri(), read_text(path))
                known = self._read[path] = _FileOnDisk(stamp, self.project.version, snapshot)
            elif known.snapshot.outdated:
                known = self._read[path] = known._replace(snapshot=known.snapshot.without_analysis())
        except (OSError, UnreadableError):
            self._file_changed(path, self._read.pop(path, None))
            self._workspace.closed_files.forget(absolute(path).as_uri())
            return None
        return known.snapshot

    def is_on_disk(self, uri: str, text: str) -> bool:
        """Whether a text equals the file on disk, and what its readers have seen so far."""
        path = path_of(uri)
        path = absolute(path) if path is not None else None
        known = self._read.get(path) if path is not None else None
        if path is None or known is None or self.project.changed_since(known.version, {path}):
            return False
        try:
            return known.stamp == _stamp(path) and known.snapshot.text == text
        except OSError:
            return False

    def _file_changed(self, path: Path, known: _FileOnDisk | None) -> None:
        """A file has changed. Not every client reports that, so dependents are invalidated here."""
        if (
            known is not None
            and self.project.has_dependents(path)
            and not self.project.changed_since(known.version, {path})
        ):
            self.project.changed([path])
            self.discoveries += 1

    def detect_changed_files(self) -> None:
        """Notice changes of files that others depend on but that are not checked themselves: prompts and data.

        For clients that do not report changes on disk.
        """
        for path in self.project.read_files():
            if path in self._read or self._workspace.at(path) is not None:
                continue
            try:
                stamp = _stamp(path)
            except OSError:
                stamp = _GONE
            if self._stamps.setdefault(path, stamp) != stamp:
                self._stamps[path] = stamp
                self.project.changed([path])
                self.discoveries += 1

    def files_changed(self, paths: Collection[Path]) -> None:
        """The client reports that files on disk have changed."""
        self.project.changed(paths)
        self._discovery.changed(map(absolute, paths))

    def read_already(self) -> list[Snapshot]:
        """The files on disk that were read before, as they were then."""
        return [known.snapshot for known in self._read.values() if known.snapshot.was_analyzed]

    def known(self) -> Iterator[Snapshot]:
        """Every document that is open or was read before, without searching for others."""
        opened = [s for s in self._workspace.all() if s.is_ours]
        seen = {s.path for s in opened}
        for snapshot in (*opened, *(s for s in self.read_already() if s.path not in seen)):
            yield from snapshot.parts

    async def suites(self, *, everywhere: bool = True) -> AsyncIterator[Snapshot]:
        """The open suites and all suites of the open folders; yields to other requests in between."""
        seen: set[Path] = set()
        unread: dict[Path, UnreadableError] = {}
        breaks = YieldPoints()
        for snapshot in self._workspace.all():
            if snapshot.is_ours:
                seen.update([snapshot.path] if snapshot.path is not None else [])
                yield snapshot
        for path in self._paths(self._discovery.suites) if everywhere else ():
            if path not in seen and (found := self.at(path)) is not None:
                yield found
            elif path not in seen and (error := self.unreadable.of(path)) is not None:
                unread[path] = error
            await breaks.due()
        self.unread = unread

    def related(self) -> Iterator[Path]:
        """The files of the open folders that are known by their names and are no suites; after `suites`."""
        return self._paths(self._discovery.related)

    def is_checked_where_used(self, path: Path) -> bool:
        """Whether a closed file is checked because others refer to it; see `Discovery.refer`."""
        return self._discovery.refer(path)

    def _paths(self, find: Callable[[str], Iterator[str]]) -> Iterator[Path]:
        seen: set[str] = set()  # folders may be nested
        for uri in list(self._workspace.folders):
            folder = path_of(uri)
            for name in find(str(absolute(folder))) if folder is not None else ():
                if name not in seen:
                    seen.add(name)
                    yield self._path(name)

    def _path(self, name: str) -> Path:
        """A single object for equal paths, however often the folders are walked."""
        path = self._paths_by_name.get(name)
        if path is None:
            path = self._paths_by_name[name] = Path(name)
        return path

    def reader(self, suite: Path | None) -> Callable[[str], str | None]:
        """A function that gives the text of a file by its path in a suite, or None."""

        def read(name: str) -> str | None:
            look = self.project.look()
            path = find_file(name.removeprefix(URL), suite.parent, look) if suite is not None else None
            return look.text(path) if path is not None else None

        return read

    # -- names ------------------------------------------------------------------------------------------------------

    def file_of(self, suite: Path, name: NameOccurrence) -> Path | None:
        """The file that a name refers to, if it exists."""
        if name.kind not in FILES or len(name.name) > 1_000:
            return None
        look = self.project.look()
        if name.kind == "template":
            return template_of(look, name.name, suite.parent)
        return find_file(without_function(name.name.removeprefix(URL)), suite.parent, look, beside=name.beside)

    def files_of(self, suite: Path, name: NameOccurrence) -> list[Path]:
        """The files that a name refers to: one, or those that match a pattern."""
        found = self.file_of(suite, name)
        path = name.name.removeprefix(URL)
        if found is None and name.kind == "file" and is_pattern(path) and len(path) <= _LONGEST_PATTERN:
            matches = path_matches(path, (suite.parent,), self.project.look())
            return [] if matches.given_up else list(matches.paths)[:_MOST_MATCHES]
        return [] if found is None else [found]

    def text_of(self, suite: Path, name: NameOccurrence) -> str | None:
        """The text of the file that a name refers to, for display; None if it must not be shown.

        A targets file may hold API keys.
        """
        path = self.file_of(suite, name)
        if path is None or not self.is_shown(path, suite) or kind_by_name(path) in _SECRET:
            return None
        try:
            text = self.project.files.read(path, _LARGEST_SHOWN).decode("utf-8")
        except (OSError, UnicodeDecodeError):
            return None
        return None if "\0" in text else text

    def target_of(self, suite: Path, name: str) -> tuple[Snapshot, Span] | None:
        """The file and place of a target's definition, even in a YAML document that no engine reads."""
        known = known_targets(self.project.look(), suite.parent)
        path = known.names.get(name)
        where = path or known.path
        snapshot = self.at(where) if where is not None else None
        for part in snapshot.parts if snapshot is not None else ():
            for local, names in part.names({"target"}):
                made = next((n for n in names if n.kind == "target" and n.defines and n.name == name), None)
                if made is not None:
                    return part, local.outer(made.span)
        return (snapshot, Span(0, 0)) if snapshot is not None and path is not None else None

    def entry_of(self, snapshot: Snapshot, name: str) -> tuple[Entry, str, str] | None:
        """The target entry of a name, its text, and the name of its file."""
        found = self.target_of(snapshot.path, name) if snapshot.path is not None else None
        where = found[0] if found is not None else snapshot
        if snapshot.path is not None and where.path is not None and not self.is_shown(where.path, snapshot.path):
            return None
        local = where.analysis.local(found[1].start if found is not None else 0)
        for entry in (s for root in local.shapes for s in children(root) if isinstance(s, Entry)):
            if vars(entry).get("name") == name:
                return entry, local.text, where.path.name if where.path is not None else "this file"
        return None

    def is_outside(self, path: Path) -> bool:
        """Whether a file is in no open folder, by its own path or as a link; False if no folder is open."""
        opened = [at for uri in self._workspace.folders if (at := path_of(uri)) is not None]
        return bool(opened) and not any(path.resolve().is_relative_to(each.resolve()) for each in opened)

    def is_shown(self, path: Path, suite: Path) -> bool:
        """Whether the text of a file that a suite leads to may be displayed; see `shown_files`."""
        return is_shown(path, suite, (at for uri in self._workspace.folders if (at := path_of(uri)) is not None))

    def is_open(self, folder: Path) -> bool:
        """Whether a path is an open folder, or inside one."""
        opened = (path_of(uri) for uri in self._workspace.folders)
        return any(folder.is_relative_to(absolute(each)) for each in opened if each is not None)
