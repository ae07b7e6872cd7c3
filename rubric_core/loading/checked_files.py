"""Which files are checked by themselves, so that their mistakes are not reported where they are named as well."""

from collections.abc import Callable
from pathlib import Path

from rubric_core.language.file_kinds import FileKind

__all__ = ["CheckedFiles"]


class CheckedFiles:
    """Asks whoever checks files, and keeps the answers, to find those that change. Without anybody, no file is checked."""

    def __init__(self) -> None:
        #: Whether a file that others refer to as this kind is checked by itself; and whether they are files of promptfoo
        #: that a configuration names, and no configuration.
        self.decide: Callable[[Path, FileKind, bool], bool] | None = None
        self._told: dict[tuple[Path, FileKind, bool], bool] = {}

    def ask(self, path: Path, kind: FileKind, *, nested: bool) -> bool:
        """Whether a file is checked by itself, as that kind."""
        answer = self._told[path, kind, nested] = self.decide is not None and self.decide(path, kind, nested)
        return answer

    def review(self) -> set[Path]:
        """The files with another answer than before."""
        before = self._told.copy()
        return {path for (path, kind, nested), known in before.items() if self.ask(path, kind, nested=nested) != known}
