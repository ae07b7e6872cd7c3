"""The inputs of a check: files, folders, patterns and standard input."""

# Names as given: one that is too long is not a folder, and not an error either.
# ruff: noqa: PTH112

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from rubric_core.analysis.file_uses import FileUse, FileUses, is_list
from rubric_core.cli.files_around import FilesAround
from rubric_core.configuration import CONFIGURATION_FILES
from rubric_core.configuration.discovery import Discovery
from rubric_core.containment import bounds_of, is_inside
from rubric_core.language.closest_name import closest
from rubric_core.language.file_kinds import FileKind
from rubric_core.lazy_compilation import dataclass, replace
from rubric_core.loading.detect_file_kind import kind_by_name
from rubric_core.loading.family_recognition import has_own_name, recognised_family, sought_files
from rubric_core.loading.files import (
    SUITE_NAMES,
    UnreadableError,
    absolute,
    read_standard_input,
    read_text,
)

__all__ = ["STANDARD_INPUT", "Source", "SourceCollector"]

STANDARD_INPUT = "-"
_MAGIC = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class Source:
    """One text to check."""

    #: As given or found.
    shown: str
    #: Its path, real or assumed, which determines configuration and neighbours.
    path: Path
    is_file: bool = True
    #: How other files use it, if any is known to.
    use: FileUse | None = None
    #: Whether it was asked for: others are checked if such a file uses them, or only read.
    is_found: bool = True
    #: Whether --fix may change it: not a file outside of what was asked for.
    may_be_fixed: bool = True
    #: Whether it was named, also by a pattern, rather than found in a folder.
    named: bool = False
    #: Its text, if it is neither that of the file nor of standard input.
    text: str | None = None

    @property
    def place(self) -> Path | None:
        """Its path, as far as known; None for standard input without a name."""
        return None if self.shown == STANDARD_INPUT else self.path

    def read(self) -> str:
        """The text. Raises UnreadableError."""
        if self.text is not None:
            return self.text
        return read_text(Path(self.shown)) if self.is_file else read_standard_input(self.shown)


class SourceCollector:
    """Finds the files for the given names, each once."""

    def __init__(
        self,
        names: Iterable[str],
        discovery: Discovery,
        standard_input: str | None,
        *,
        around: bool = True,
        recognised: bool = True,
        texts: Mapping[str, str] | None = None,
    ) -> None:
        """`texts` are those of files that are not written yet, by their names.

        `standard_input` is the name assumed for `-`; `around`: whether related files are found in folders, too.

        `recognised`: whether files that another family recognises are found in folders, too; a migration leaves them alone.
        """
        #: As given.
        self.names = tuple(names)
        self._discovery = discovery
        self._standard_input = standard_input
        self._with_related = around
        self._with_recognised = recognised
        self._texts = texts or {}
        #: A message for each name without a match.
        self.failures: list[str] = []
        #: What is said about links that lead out of the named folders, once the files are found.
        self.left_alone: list[str] = []
        #: The files that were given, each as it was given last.
        self._given: dict[Path, Source] = {}
        #: The folders of files with the names of another family that were named themselves, as they were spelt.
        self._configured: dict[Path, Path] = {}
        #: The files to check.
        self._first: set[Path] = set()
        #: What may use files that were named.
        self.around = FilesAround(discovery.another())

    def found(self) -> Iterator[Source]:
        """All files to check."""
        self._given.clear()
        self._first.clear()
        for name in self.names:
            for source in self._sources_named(name):
                if source.path not in self._given:
                    self._given[source.path] = source
                    self._first.add(source.path)
                    yield source
        self.failures += self._discovery.unreadable
        self.left_alone = list(self._discovery.outside.values())

    def beside(self, path: Path) -> set[str]:
        """The files to check in the folder of a path that the named folders lead to, as `found` spells them."""
        return {
            name
            for folder in self.folders
            if path.is_relative_to(absolute(folder))
            for name in self._discovery.files_beside(folder, path)
        }

    def left_out(self, checked: Collection[str]) -> Iterator[str]:
        """See `Discovery.left_out`."""
        return self._discovery.left_out(checked)

    def users(self) -> Iterator[Source]:
        """The files that are not checked, but may use named ones: what these are depends on them."""
        named = {s.path: s for s in self._given.values() if s.named and s.place is not None}
        for path in self.around.users({path for path, source in named.items() if _may_be_used(source)}):
            if path not in self._given:
                source = self._given[path] = Source(str(path), path, is_found=False)
                yield source

    def used(self, uses: FileUses) -> Iterator[Source]:
        """The files that are checked because others use them, and those to check again because they are used otherwise."""
        for path in uses.used:
            known = self._given.get(path)
            use = uses.of(path, lambda at=path: _head(at))  # type: ignore[misc]  # the path of this round
            if known is None and use is not None and use.kind is FileKind.TABLE:
                continue  # its mistakes are reported in the suite
            if known is None:
                kind = use.kind if use is not None else FileKind.SUITE
                shown = self._spelling(path, kind)
                inside = self._discovery.passed(path) is not None or kind.by_reference
                known = Source(shown, path, is_found=False, may_be_fixed=inside) if shown is not None else None
            elif known.use == use:
                continue
            if known is not None:
                source = self._given[path] = replace(known, use=use)
                yield source

    def checks(self, path: Path, kind: FileKind, nested: bool) -> bool:  # a callback
        """Whether a file that another one refers to is checked by itself as that kind, once all files are found.

        See `CheckedFiles`.
        """
        found = path in self._first
        if found and kind.by_reference:
            return not nested and kind_by_name(path) is not FileKind.SUITE
        return found or self._spelling(path, kind) is not None

    def _spelling(self, path: Path, kind: FileKind) -> str | None:
        """How a file is spelt that is checked because others refer to it; None for one that is not."""
        shown = self._discovery.passed(path)
        if shown is not None:
            return shown
        folder = next((each for each in self._configured if each in path.parents), None) if kind.by_reference else None
        if folder is not None and is_inside(path, bounds_of(folder)):
            return str(self._configured[folder] / path.relative_to(folder))
        if kind.by_reference or not self._discovery.refer(path, named=kind is FileKind.PROMPT):
            return None  # mistakes in texts outside of the folders are reported at their references
        here = absolute(".")
        return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)

    @property
    def listed_folders(self) -> Mapping[str, Sequence[os.DirEntry[str]]]:
        """See `Discovery`."""
        return self._discovery.listed_folders

    @property
    def looked_at(self) -> Mapping[str, bool]:
        """See `Discovery`."""
        return self._discovery.looked_at

    def start_again(self, found: Iterable[Source]) -> None:
        """Allow the files that others use to be given again."""
        self._given = {source.path: source for source in found}

    @property
    def folders(self) -> list[str]:
        """The folders among the names."""
        return [name for name in self.names if name and os.path.isdir(name)]

    def _sources_named(self, name: str) -> Iterator[Source]:
        if name in self._texts:
            yield Source(name, absolute(name), named=True, text=self._texts[name])
        elif name == STANDARD_INPUT:
            shown = self._standard_input or name
            yield Source(shown, absolute(shown), is_file=False, named=True)
        elif not name:
            # An unset variable of a shell script: never the current folder, which `migrate` would rewrite.
            self.failures.append("an empty name is not a path; write . for the current folder")
        elif os.path.isdir(name):
            walked = self._discovery.files(name) if self._with_related else self._discovery.suites(name)
            if not self._with_recognised:
                walked = (each for each in walked if recognised_family(Path(each)) is None)
            more = f", and for {sought_files()}" if self._with_recognised else ""
            yield from self._several(walked, f"{name}: no suites in this folder; rubric looks for {SUITE_NAMES}{more}")
        elif not os.path.lexists(name) and _MAGIC & set(name):
            try:
                matching = self._discovery.matching(name)
            except ValueError as error:
                self.failures.append(f"{name}: this is not a pattern: {error}")
                return
            yield from self._several(matching, f"{name}: no file matches this pattern", named=True)
        elif not os.path.lexists(name):
            self.failures.append(f"{name}: there is no such file{_advice(Path(name))}")
        else:
            path = absolute(name)
            if self._with_recognised and has_own_name(path.name):
                self._configured[path.parent] = Path(name).parent
            self._discovery.name(path)
            yield Source(name, path, named=True)

    def _several(self, paths: Iterator[str], otherwise: str, *, named: bool = False) -> Iterator[Source]:
        number = 0
        for path in paths:
            number += 1
            yield Source(path, absolute(path), named=named)
        if not number and not self._discovery.unreadable:
            self.failures.append(otherwise)


def _may_be_used(source: Source) -> bool:
    """Whether it depends on other files what a file is. A targets file is checked for names that no suite uses."""
    name = source.path.name
    if has_own_name(name) or name in CONFIGURATION_FILES or (source.is_file and not source.path.is_file()):
        return False  # reading a stream would empty it
    # A text of standard input is read once.
    text = source.text if source.text is not None or not source.is_file else _head(source.path)
    return kind_by_name(source.path) is not FileKind.SUITE or (text is not None and is_list(text))


def _head(path: Path) -> str:
    try:
        return read_text(path)
    except UnreadableError:
        return ""


def _advice(path: Path) -> str:
    """Suggest the file that was probably meant."""
    try:
        meant = closest(path.name, os.listdir(path.parent))  # noqa: PTH208  # names only
    except OSError:
        return ""
    return f"; did you mean {path.parent / meant}?" if meant else ""
