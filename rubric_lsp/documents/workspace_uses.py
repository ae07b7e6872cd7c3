"""How files are used by the others of the workspace, open and closed: text that is open takes precedence."""

from collections.abc import Callable, Mapping
from pathlib import Path

from rubric_core.analysis.file_uses import FileUse, FileUses, OutgoingReferences

__all__ = ["WorkspaceUses"]


class WorkspaceUses:
    """What the analyzed files refer to. Nothing here analyzes one."""

    def __init__(self) -> None:
        #: Called when an open document refers to other files, or says something else about them.
        self.changed: Callable[[], None] | None = None
        self._uses = FileUses()
        #: What the last check of the workspace found.
        self._surveyed: Mapping[Path, OutgoingReferences] = {}
        #: The same of open documents; None for one that is not of rubric.
        self._opened: dict[Path, OutgoingReferences | None] = {}

    def survey(self, found: Mapping[Path, OutgoingReferences]) -> bool:
        """All files of the workspace that refer to others are known. Returns whether anything is new."""
        self._surveyed = found
        news = False
        for source in (*found, *(self._uses.sources - found.keys())):
            if source not in self._opened:
                news |= self._uses.set(source, found.get(source))
        return news

    def analyzed(self, path: Path, references: OutgoingReferences | None) -> None:
        """An open document was analyzed."""
        self._opened[path] = references
        if self._uses.set(path, references) and self.changed is not None:
            self.changed()

    def closed(self, path: Path) -> None:
        """A document was closed."""
        if path in self._opened:
            del self._opened[path]
            self._uses.set(path, self._surveyed.get(path))

    def of(self, path: Path, head: Callable[[], str]) -> FileUse | None:
        """See `FileUses.of`."""
        return self._uses.of(path, head)
