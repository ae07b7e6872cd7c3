"""The project index: definitions, names and references in all files."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rubric_core.configuration.discovery import Discovery
from rubric_core.language.file_kinds import FileKind
from rubric_core.language.shape import children
from rubric_core.language.targets import Entry
from rubric_core.loading.directory_search import URL, find_file, is_pattern, without_function
from rubric_core.loading.file_kind import kind_by_name
from rubric_core.loading.files import UnreadableError, absolute, read_text
from rubric_core.loading.known_names import known_targets, template_of
from rubric_core.loading.path_matches import path_matches
from rubric_core.text import Span
from rubric_lsp.documents.open_documents import ClientWorkspace
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.features.name_occurrence import NameOccurrence
from rubric_lsp.features.names import FILES
from rubric_lsp.protocol.uris import path_of

if TYPE_CHECKING:
    pass

__all__ = ["ProjectIndex", "YieldPoints"]

#: A longer pattern is none, and so many files are enough to choose from.
_LONGEST_PATTERN = 1_000
_MOST_MATCHES = 100
#: Bytes; a larger file is opened rather than shown in part.
_LARGEST_SHOWN = 500_000
#: Files whose settings may be keys.
_SECRET = frozenset({FileKind.TARGETS, FileKind.CONFIG, FileKind.DEFAULTS})
#: Seconds of work after which other requests are answered.
_TURN = 0.005


class YieldPoints:
    """Lets other requests be answered during work on many files."""

    def __init__(self) -> None:
        self._since = time.monotonic()

    async def due(self) -> None:
        """Let others go first, if this has gone on for a while."""
        if time.monotonic() - self._since > _TURN:
            await asyncio.sleep(0)
            self._since = time.monotonic()


_Stamp = tuple[int, int, int]
#: That of a file which does not exist.
_GONE: _Stamp = (0, 0, 0)


def _stamp(path: Path) -> _Stamp:
    """A stamp that changes with the content of a file. Raises OSError."""
    status = os.stat(path)  # noqa: PTH116  # every suite, after each pause
    return (status.st_mtime_ns, status.st_size, status.st_ino)


class _FileOnDisk(NamedTuple):
    """A file as it was read."""

    stamp: _Stamp
    #: The version of the files around it when it was read.
    version: int
    snapshot: Snapshot


class ProjectIndex:
    """Files of the open folders, read when they are asked for and kept until they change."""

    def __init__(self, workspace: ClientWorkspace) -> None:
        self._workspace = workspace
        self.project = workspace.project
        self._read: dict[Path, _FileOnDisk] = {}
        #: Those of files that others depend on, and that are not analyzed.
        self._stamps: dict[Path, _Stamp] = {}
        #: How often a file was found to be another one, of which the client had said nothing.
        self.discoveries = 0
        self._discovery = Discovery(workspace.configurations)
        self._paths_by_name: dict[str, Path] = {}

    # -- files ------------------------------------------------------------------------------------------------------

    def at(self, path: Path) -> Snapshot | None:
        """A file as it stands in the editor, else on disk; None for one that cannot be read."""
        opened = self._workspace.at(path)
        if opened is not None:
            return opened
        known = self._read.get(path)
        try:
            stamp = _stamp(path)
            if known is None or known.stamp != stamp:
                self._noticed(path, known)
                snapshot = self._workspace.from_disk(absolute(path).as_uri(), read_text(path))
                known = self._read[path] = _FileOnDisk(stamp, self.project.version, snapshot)
            elif known.snapshot.outdated:
                known = self._read[path] = known._replace(snapshot=known.snapshot.without_analysis())
        except (OSError, UnreadableError):
            self._noticed(path, self._read.pop(path, None))
            self._workspace.closed_files.forget(absolute(path).as_uri())
            return None
        return known.snapshot

    def is_on_disk(self, uri: str, text: str) -> bool:
        """Whether a text is what whoever looked at a file until now has seen there, and what is there still."""
        path = path_of(uri)
        path = absolute(path) if path is not None else None
        known = self._read.get(path) if path is not None else None
        if path is None or known is None or self.project.changed_since(known.version, {path}):
            return False
        try:
            return known.stamp == _stamp(path) and known.snapshot.text == text
        except OSError:
            return False

    def _noticed(self, path: Path, known: _FileOnDisk | None) -> None:
        """A file is not what was read. Not every client says so: then what depends on it is told here."""
        if known is not None and self.project.sees(path) and not self.project.changed_since(known.version, {path}):
            self.project.changed([path])
            self.discoveries += 1

    def look_at_read_files(self) -> None:
        """Notice which files have changed that others depend on, and that are not checked by themselves: prompts and data.

        For clients that tell of no changes on disk.
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

    def read_already(self) -> list[Snapshot]:
        """The files on disk that were looked into before, as they were then."""
        return [known.snapshot for known in self._read.values() if known.snapshot.was_analyzed]

    def known(self) -> Iterator[Snapshot]:
        """Every document that is open or was looked into before, without looking for others."""
        opened = [s for s in self._workspace.all() if s.is_ours]
        seen = {s.path for s in opened}
        for snapshot in (*opened, *(s for s in self.read_already() if s.path not in seen)):
            yield from snapshot.parts

    async def suites(self, *, everywhere: bool = True) -> AsyncIterator[Snapshot]:
        """The open suites, and everywhere those of the open folders; other requests are answered between two of them."""
        seen: set[Path] = set()
        breaks = YieldPoints()
        for snapshot in self._workspace.all():
            if snapshot.is_ours:
                seen.update([snapshot.path] if snapshot.path is not None else [])
                yield snapshot
        for path in self._paths() if everywhere else ():
            if path not in seen and (found := self.at(path)) is not None:
                yield found
            await breaks.due()

    def _paths(self) -> Iterator[Path]:
        seen: set[str] = set()  # folders may lie in one another
        for uri in list(self._workspace.folders):
            folder = path_of(uri)
            for name in self._discovery.suites(str(absolute(folder))) if folder is not None else ():
                if name not in seen:
                    seen.add(name)
                    yield self._path(name)

    def _path(self, name: str) -> Path:
        """One object for a path, however often the folders are walked."""
        path = self._paths_by_name.get(name)
        if path is None:
            path = self._paths_by_name[name] = Path(name)
        return path

    def reader(self, suite: Path | None) -> Callable[[str], str | None]:
        """Gives the text of a file by the path as a suite writes it, or None."""

        def read(name: str) -> str | None:
            look = self.project.look()
            path = find_file(name.removeprefix(URL), suite.parent, look) if suite is not None else None
            return look.text(path) if path is not None else None

        return read

    # -- names ------------------------------------------------------------------------------------------------------

    def file_of(self, suite: Path, name: NameOccurrence) -> Path | None:
        """The file that a name leads to, if it is there."""
        if name.kind not in FILES or len(name.name) > 1_000:
            return None
        look = self.project.look()
        if name.kind == "template":
            return template_of(look, name.name, suite.parent)
        return find_file(without_function(name.name.removeprefix(URL)), suite.parent, look)

    def files_of(self, suite: Path, name: NameOccurrence) -> list[Path]:
        """The files that a name leads to: one, or those that match a pattern."""
        found = self.file_of(suite, name)
        path = name.name.removeprefix(URL)
        if found is None and name.kind == "file" and is_pattern(path) and len(path) <= _LONGEST_PATTERN:
            matches = path_matches(path, (suite.parent,), self.project.look())
            return [] if matches.given_up else list(matches.paths)[:_MOST_MATCHES]
        return [] if found is None else [found]

    def text_of(self, suite: Path, name: NameOccurrence) -> str | None:
        """The text of the file that a name leads to, for people to read; None for one that is not for them.

        A path or link that leads out of the open folders is not followed, and a file of targets may hold keys.
        """
        path = self.file_of(suite, name)
        if path is None or not self.is_open(path.resolve()) or kind_by_name(path) in _SECRET or path.name[:4] == ".env":
            return None
        try:
            text = self.project.files.read(path, _LARGEST_SHOWN).decode("utf-8")
        except (OSError, UnicodeDecodeError):
            return None
        return None if "\0" in text else text

    def target_of(self, suite: Path, name: str) -> tuple[Snapshot, Span] | None:
        """The file and place where a target is named, even in a YAML document that no engine reads."""
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
        """The entry that a target's name means, the text that it stands in, and the name of its file."""
        found = self.target_of(snapshot.path, name) if snapshot.path is not None else None
        where = found[0] if found is not None else snapshot
        local = where.analysis.local(found[1].start if found is not None else 0)
        for entry in (s for root in local.shapes for s in children(root) if isinstance(s, Entry)):
            if vars(entry).get("name") == name:
                return entry, local.text, where.path.name if where.path is not None else "this file"
        return None

    def is_open(self, folder: Path) -> bool:
        """Whether it is one of the open folders, or in one."""
        opened = (path_of(uri) for uri in self._workspace.folders)
        return any(folder.is_relative_to(absolute(each)) for each in opened if each is not None)
