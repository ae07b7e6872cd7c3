"""The inputs of a check: files, folders, patterns and standard input."""

# Names as given: one that is too long is not a folder, and not an error either.
# ruff: noqa: PTH112

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rubric_core.configuration.discovery import Discovery
from rubric_core.containment import bounds_of, is_inside
from rubric_core.language.closest_name import closest
from rubric_core.language.file_kinds import OF_PROMPTFOO, WITH_NAMES, FileKind
from rubric_core.lazy_compilation import dataclass
from rubric_core.loading.defined_names import DefinedNames
from rubric_core.loading.detect_promptfoo import is_promptfoo_configuration
from rubric_core.loading.files import (
    SUITE_NAMES,
    absolute,
    is_promptfoo_name,
    may_be_promptfoo_name,
    read_standard_input,
    read_text,
)

__all__ = ["STANDARD_INPUT", "ReferencedFile", "Source", "SourceCollector"]

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
    #: Its kind and dialect, as determined by a file that refers to it.
    kind: FileKind | None = None
    dialect: str | None = None
    #: The ids of the cases of the suites that include it, if known.
    siblings: frozenset[str] | None = None
    #: For a prompt of promptfoo, what the configurations that name it define, if known.
    defined_names: DefinedNames | None = None
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


class ReferencedFile(NamedTuple):
    """A file that another file refers to."""

    path: Path
    kind: FileKind
    #: The dialect of the referring file, if that is certain.
    dialect: str | None
    #: The ids of all its cases, if known.
    ids: frozenset[str] | None
    #: What the referring file defines for prompts.
    defined_names: DefinedNames | None = None


class SourceCollector:
    """Finds the files for the given names, each once."""

    def __init__(
        self,
        names: Iterable[str],
        discovery: Discovery,
        standard_input: str | None,
        *,
        around: bool = True,
        promptfoo: bool = True,
    ) -> None:
        """`standard_input` is the name assumed for `-`; `around`: whether related files are found in folders, too.

        `promptfoo`: whether promptfoo configurations are found in folders; a migration leaves them alone.
        """
        #: As given.
        self.names = tuple(names)
        self._discovery = discovery
        self._standard_input = standard_input
        self._around = around
        self._promptfoo = promptfoo
        #: A message for each name without a match.
        self.failures: list[str] = []
        #: What is said about links that lead out of the named folders, once the files are found.
        self.left_alone: list[str] = []
        self._seen: set[Path] = set()
        #: The folders of configurations of promptfoo that were named themselves, as they were spelt.
        self._configured: dict[Path, Path] = {}
        #: The files to check, with whether each was named.
        self._first: dict[Path, bool] = {}

    def found(self) -> Iterator[Source]:
        """All files to check."""
        self._seen.clear()
        self._first.clear()
        for name in self.names:
            for source in self._sources_named(name):
                if source.path not in self._seen:
                    self._seen.add(source.path)
                    self._first[source.path] = source.named
                    yield source
        self.failures += self._discovery.unreadable
        self.left_alone = list(self._discovery.outside.values())

    def referenced(self, refers_to: Iterable[ReferencedFile]) -> Iterator[Source]:
        """The referenced files inside of one of the folders that are not among the files to check.

        A configuration of promptfoo that was named includes the files below its folder that it refers to.
        """
        several = list(refers_to)
        ids: dict[Path, frozenset[str] | None] = {}
        uses: dict[Path, DefinedNames | None] = {}
        for each in several:
            if each.kind in WITH_NAMES:
                use = each.defined_names
                uses[each.path] = DefinedNames.joined((uses[each.path], use)) if each.path in uses else use
            known = ids.get(each.path, frozenset())
            ids[each.path] = None if known is None or each.ids is None else known | each.ids
        for each in several:
            shown = self._spelling(each.path, each.kind) if each.path not in self._seen else None
            if shown is not None:
                self._seen.add(each.path)
                known_names = uses.get(each.path)
                use = known_names.seen_by(each.kind) if known_names is not None else None
                yield Source(
                    shown, each.path, kind=each.kind, dialect=each.dialect, siblings=ids[each.path], defined_names=use
                )

    def checks(self, path: Path, kind: FileKind, nested: bool) -> bool:  # a callback
        """Whether a file that another one refers to is checked by itself as that kind, once all files are found.

        See `CheckedFiles`.
        """
        named = self._first.get(path)
        if kind in OF_PROMPTFOO and named is not None:
            # A file in a folder is checked as what its name says; for a named one, configurations above it are read.
            if nested:
                return False
            candidates = (each for each in self._first if may_be_promptfoo_name(each.name) and each != path)
            return named and any(each.parent in path.parents for each in candidates)
        return named is not None or self._spelling(path, kind) is not None

    def _spelling(self, path: Path, kind: FileKind) -> str | None:
        """How a file is spelt that is checked because others refer to it; None for one that is not."""
        shown = self._discovery.passed(path)
        if shown is not None or kind not in OF_PROMPTFOO:
            return shown
        folder = next((each for each in self._configured if each in path.parents), None)
        if folder is None or not is_inside(path, bounds_of(folder)):
            return None
        return str(self._configured[folder] / path.relative_to(folder))

    @property
    def listed_folders(self) -> Mapping[str, Sequence[os.DirEntry[str]]]:
        """See `Discovery`."""
        return self._discovery.listed_folders

    @property
    def looked_at(self) -> Mapping[str, bool]:
        """See `Discovery`."""
        return self._discovery.looked_at

    def forget(self, behind: Iterable[Source]) -> None:
        """Allow referenced files to be given again."""
        self._seen.difference_update(source.path for source in behind)

    @property
    def folders(self) -> list[str]:
        """The folders among the names."""
        return [name for name in self.names if name and os.path.isdir(name)]

    def _sources_named(self, name: str) -> Iterator[Source]:
        if name == STANDARD_INPUT:
            shown = self._standard_input or name
            yield Source(shown, absolute(shown), is_file=False)
        elif not name:
            # An unset variable of a shell script: never the current folder, which `migrate` would rewrite.
            self.failures.append("an empty name is not a path; write . for the current folder")
        elif os.path.isdir(name):
            walked = self._discovery.files(name) if self._around else self._discovery.suites(name)
            if not self._promptfoo:
                walked = (each for each in walked if not is_promptfoo_configuration(Path(each)))
            more = ", and for configurations of promptfoo" if self._promptfoo else ""
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
            if self._promptfoo and is_promptfoo_name(path.name):
                self._configured[path.parent] = Path(name).parent
            yield Source(name, path, named=True)

    def _several(self, paths: Iterator[str], otherwise: str, *, named: bool = False) -> Iterator[Source]:
        number = 0
        for path in paths:
            number += 1
            yield Source(path, absolute(path), named=named)
        if not number and not self._discovery.unreadable:
            self.failures.append(otherwise)


def _advice(path: Path) -> str:
    """Suggest the file that was probably meant."""
    try:
        meant = closest(path.name, os.listdir(path.parent))  # noqa: PTH208  # names only
    except OSError:
        return ""
    return f"; did you mean {path.parent / meant}?" if meant else ""
