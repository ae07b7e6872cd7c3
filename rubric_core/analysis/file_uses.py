"""Which files refer to which, and what that makes of a file: its kind, its dialect, the cases beside its own.

The command line and the server ask here what kind of file a text is, so that a file has the same findings whether it is found in
a folder, named, open or closed.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from rubric_core.analysis.family_texts import texts_of
from rubric_core.analysis.result import Analysis
from rubric_core.language.detect_dialect import modeline
from rubric_core.language.file_kinds import FileKind
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.defined_names import DefinedNames
from rubric_core.loading.detect_file_kind import kind_by_name
from rubric_core.loading.family_recognition import has_own_name

__all__ = ["FileUse", "FileUses", "OutgoingReferences", "decides", "is_list", "references_of"]

#: Files whose cases a suite runs, in the dialect of the suite.
_OF_SUITES = frozenset({FileKind.CASES, FileKind.CASE, FileKind.DATASET})
_IN_DIALECT_OF_SUITE = _OF_SUITES | {FileKind.PROMPT}
#: A YAML or JSON text that is a list.
_LIST = pattern(r"\A\ufeff?(?:[ \t]*(?:#[^\r\n]*)?\r?\n|---[^\r\n]*\r?\n)*[ \t]*(?:-(?=[ \t\r\n]|\Z)|\[)")
_NO_IDS: frozenset[str] = frozenset()


class OutgoingReferences(NamedTuple):
    """What one file refers to, and what it says about these files."""

    #: The existing checkable files, with their kinds.
    files: Mapping[Path, FileKind]
    #: Its dialect, and whether that is certain.
    dialect: str
    certain: bool
    #: The ids of all cases of a suite that includes files; None if there may be more.
    ids: frozenset[str] | None
    #: What it defines for these files.
    defined_names: DefinedNames | None


class FileUse(NamedTuple):
    """How other files use a file."""

    kind: FileKind
    #: The dialect of the file that uses it, if that is certain.
    dialect: str | None = None
    #: For a case file, the ids of the cases of the suites that include it; None if unknown.
    siblings: frozenset[str] | None = None
    #: What the files that use it define for it.
    defined_names: DefinedNames | None = None


def references_of(analysis: Analysis) -> OutgoingReferences:
    """What an analyzed file refers to."""
    ids = analysis.ids if analysis.external else _NO_IDS
    choice = analysis.choice
    names = texts_of(analysis.kind).names_for_files(analysis, analysis.defined_names)
    return OutgoingReferences(analysis.refers_to, choice.name, choice.certain, ids, names)


class FileUses:
    """How every file is used by the files that are known to refer to it."""

    def __init__(self) -> None:
        self._outgoing: dict[Path, OutgoingReferences] = {}
        self._incoming: dict[Path, dict[Path, OutgoingReferences]] = {}
        #: The answers, until a file that refers to it changes.
        self._uses: dict[Path, FileUse | None] = {}

    def set(self, source: Path, references: OutgoingReferences | None) -> bool:
        """Set what a file refers to; None for a file that is gone. Returns whether anything is new."""
        before = self._outgoing.get(source)
        now = references if references is not None and references.files else None
        if before == now:
            return False
        for path in before.files if before is not None else ():
            self._incoming[path].pop(source)
            self._uses.pop(path, None)
        for path in now.files if now is not None else ():
            if now is not None and path != source:
                self._incoming.setdefault(path, {})[source] = now
                self._uses.pop(path, None)
        if now is None:
            del self._outgoing[source]
        else:
            self._outgoing[source] = now
        return True

    @property
    def sources(self) -> frozenset[Path]:
        """The files that refer to others."""
        return frozenset(self._outgoing)

    @property
    def used(self) -> list[Path]:
        """The files that others refer to, in the order in which that was found out."""
        return [path for path, incoming in self._incoming.items() if incoming]

    def of(self, path: Path, head: Callable[[], str]) -> FileUse | None:
        """How a file is used; None if nothing uses it, or if it is what its name or its text says nevertheless.

        `head` gives the beginning of its text.
        """
        if path not in self._uses:
            self._uses[path] = self._joined(path)
        use = self._uses[path]
        return use if use is not None and decides(use.kind, path, head) else None

    def _joined(self, path: Path) -> FileUse | None:
        incoming = self._incoming.get(path)
        if not incoming:
            return None
        several = [incoming[source] for source in sorted(incoming)]
        first = several[0]
        kind = first.files[path]
        is_given = first.certain or kind in _IN_DIALECT_OF_SUITE
        ids = [each.ids for each in several]
        siblings = _NO_IDS.union(*(each for each in ids if each is not None)) if None not in ids else None
        names = DefinedNames.joined(each.defined_names for each in several) if kind.takes_names else None
        return FileUse(
            kind,
            first.dialect if is_given and not kind.dialect else None,
            siblings if kind in _OF_SUITES else None,
            names.seen_by(kind) if names is not None else None,
        )


def decides(kind: FileKind, path: Path, head: Callable[[], str]) -> bool:
    """Whether a use as that kind decides what a file is. A suite stays a suite when another one includes it, but a list of cases is none.

    A configuration in which a suite finds its targets stays a configuration.
    """
    named = kind_by_name(path)
    if named is FileKind.CONFIG or has_own_name(path.name) or (kind.by_reference and modeline(head())):
        return False
    return named is not FileKind.SUITE or is_list(head())


def is_list(text: str) -> bool:
    """Whether a YAML or JSON text is a list, by its beginning."""
    return _LIST.match(text) is not None
