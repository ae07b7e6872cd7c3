"""One parsed configuration."""

from collections.abc import Mapping
from pathlib import Path

from rubric_core.language.releases import Releases
from rubric_core.lazy_compilation import dataclass, field
from rubric_core.loading.path_patterns import Patterns
from rubric_core.syntax.blocks import Document
from rubric_core.validation.rule import Diagnostic
from rubric_core.validation.selection import OPINIONS, Level, Selection

__all__ = ["DEFAULT", "Configuration"]


@dataclass(frozen=True, slots=True)
class Configuration:
    """The settings of one file, and its mistakes. Immutable; invalid settings have their default."""

    #: The file; None if there is none.
    path: Path | None = None
    #: The dialect of suites that do not name one themselves.
    dialect: str | None = None
    #: The releases of agentv for which the suites are meant.
    releases: Releases | None = None
    #: Only these codes; None: all of them.
    select: frozenset[str] | None = None
    ignore: frozenset[str] = frozenset()
    severity: Mapping[str, Level] = field(default_factory=dict)
    per_file_ignores: tuple[tuple[Patterns, frozenset[str]], ...] = ()
    #: Files that are suites, whatever their names.
    include: Patterns | None = None
    #: Files and folders that are not searched for suites.
    exclude: Patterns | None = None
    document: Document = field(default_factory=lambda: Document.of(""), compare=False, repr=False)
    #: Mistakes in the file, at offsets of `document`.
    diagnostics: tuple[Diagnostic, ...] = ()

    def selection(self, path: Path | str | None = None) -> Selection:
        """The selected findings of the file at `path`, with their severities."""
        here = [codes for patterns, codes in self.per_file_ignores if path is not None and patterns.decide(path)]
        unasked: dict[str, Level] = dict.fromkeys(OPINIONS, "off") if self.select is None else {}
        return Selection(self.select, self.ignore.union(*here), {**unasked, **self.severity}, self.releases)

    def includes(self, path: Path | str) -> bool:
        """Whether the file is a suite because the configuration says so."""
        return self.include is not None and self.include.decide(path) is True

    def excludes(self, path: Path | str, *, is_folder: bool = False) -> bool:
        """Whether the file or folder is excluded."""
        return self.exclude is not None and self.exclude.decide(path, is_folder=is_folder) is True


#: The configuration without a file.
DEFAULT = Configuration()
