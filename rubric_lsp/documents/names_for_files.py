"""What promptfoo configurations, open and closed, define for the prompts, programs and cases that they refer to."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from rubric_core.analysis import Analysis
from rubric_core.language.file_kinds import WITH_NAMES, FileKind
from rubric_core.loading.defined_names import DefinedNames

__all__ = ["NamesForFiles"]


class NamesForFiles:
    """The configurations that refer to each of these files. Nothing here analyzes one."""

    def __init__(self) -> None:
        #: Called when an open configuration refers to other files, or defines something else for its prompts.
        self.changed: Callable[[], None] | None = None
        #: For each file, what the configurations define that the last check of the workspace found, by URI.
        self._surveyed: Mapping[Path, Mapping[str, DefinedNames | None]] = {}
        #: What each open configuration refers to and defines.
        self._opened: dict[str, tuple[Mapping[Path, FileKind], DefinedNames | None]] = {}

    def survey(self, found: Iterable[tuple[str, Mapping[Path, FileKind], DefinedNames | None]]) -> bool:
        """All configurations of the workspace are known. Returns whether anything is new."""
        surveyed: dict[Path, dict[str, DefinedNames | None]] = {}
        for uri, refers_to, use in found:
            for path, kind in refers_to.items():
                if kind in WITH_NAMES:
                    surveyed.setdefault(path, {})[uri] = use
        before, self._surveyed = self._surveyed, surveyed
        return before != surveyed

    def analyzed(self, uri: str, analysis: Analysis) -> None:
        """An open document was analyzed."""
        if analysis.kind is FileKind.PROMPTFOO:
            self._set(uri, (analysis.refers_to, analysis.defined_names))
        elif uri in self._opened:
            self._set(uri, ({}, None))

    def _set(self, uri: str, now: tuple[Mapping[Path, FileKind], DefinedNames | None]) -> None:
        if self._opened.get(uri) != now:
            self._opened[uri] = now
            if self.changed is not None:
                self.changed()

    def closed(self, uri: str) -> None:
        """A document was closed."""
        self._opened.pop(uri, None)

    def of(self, path: Path) -> DefinedNames | None:
        """What the configurations that refer to a file define for it; None if that is unknown."""
        opened = [use for files, use in self._opened.values() if files.get(path) in WITH_NAMES]
        surveyed = self._surveyed.get(path, {})
        return DefinedNames.joined((*opened, *(use for uri, use in surveyed.items() if uri not in self._opened)))
