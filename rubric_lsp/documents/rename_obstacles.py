"""Why a name cannot be renamed: a place that has it, or may have it, and cannot be edited."""

import re
from collections.abc import Iterator
from pathlib import Path

from rubric_core.disk import read_file
from rubric_core.language.file_kinds import FileKind
from rubric_core.loading.files import UnreadableError, absolute, read_text
from rubric_core.loading.workbook_text import workbook_text
from rubric_lsp.documents.family_names import names_of
from rubric_lsp.documents.name_scope import NameScope, ScopedFile
from rubric_lsp.documents.project_index import ProjectIndex
from rubric_lsp.features.name_occurrence import NameOccurrence

__all__ = ["obstacle"]

_WORKBOOKS = (".xlsx", ".xls")
#: Bytes.
_LARGEST_WORKBOOK = 50_000_000


def obstacle(around: ProjectIndex, scope: NameScope, name: NameOccurrence, new: str) -> str:
    """The first place that makes a rename wrong, as a sentence; empty if there is none."""
    return next(_obstacles(around, scope, name, new), "")


def _obstacles(around: ProjectIndex, scope: NameScope, name: NameOccurrence, new: str) -> Iterator[str]:
    yield from _taken(scope, name, new)
    yield from _outside(around, scope, name)
    for path, file in scope.unread.items():
        where = f"{path.name}, which {file.title} refers to,"
        yield f"{where} cannot be read. It may use `{name.name}`. Make it readable, then rename."
    for file in scope.files:
        if not file.snapshot.document.is_whole:
            yield f"{file.title} is too long to be read whole here. It may use `{name.name}` again. Move cases into files, then rename."
    yield from _by_beginning(scope, name, new)
    if name.kind in ("variable", "case"):
        for file in scope.files:
            yield from _cases_elsewhere(scope, file, name)
    yield from names_of(scope.family).obstacles(around, scope, name, new)


def _taken(scope: NameScope, name: NameOccurrence, new: str) -> Iterator[str]:
    """The new name has a meaning already."""
    if new == name.name:
        return
    names = names_of(scope.family)
    if name.kind in names.unique_names:
        for file, each in scope.names(name.kind):
            if each.name == new and (each.defines or name.kind == "variable"):
                yield f"there is already a {name.kind} {new} ({file.place(each.span)}). Both would become one. Choose another name."
    if names.is_reserved(name.kind, new):
        yield f"`{new}` has a meaning of its own in {scope.family}. Choose another name."


def _outside(around: ProjectIndex, scope: NameScope, name: NameOccurrence) -> Iterator[str]:
    """An occurrence is in a file that is in no open folder."""
    for file, each in scope.names(name.kind):
        path = file.snapshot.path
        if each.name == name.name and path is not None and around.is_outside(path):
            words = f"{file.place(each.span)} has `{name.name}`, and {path} is in no open folder."
            yield f"{words} rubric edits no file there. Open its folder, then rename."


def _by_beginning(scope: NameScope, name: NameOccurrence, new: str) -> Iterator[str]:
    """References that match the beginning of a name."""
    refers_to = names_of(scope.family).refers_to
    for file, each in scope.names(name.kind):
        if each.defines or each.name in (name.name, new):
            continue
        if refers_to(name.kind, each.name, name.name) != refers_to(name.kind, each.name, new):
            words = f"`{each.name}` ({file.place(each.span)}) refers to names by their beginning."
            yield f"{words} It would mean other {name.kind}s after the rename. Change it first."


def _cases_elsewhere(scope: NameScope, file: ScopedFile, name: NameOccurrence) -> Iterator[str]:
    """Cases in tables of other formats, from programs and from the network."""
    if not file.kind.is_root and file.kind not in (FileKind.CASES, FileKind.SIDECAR):
        return
    read = {absolute(each.snapshot.path): each for each in scope.files if each.snapshot.path is not None}
    for each in file.analysis.included:
        for path in each.found.files:
            known = read.get(absolute(path))
            in_table = known is not None and name.kind == "variable" and known.kind is FileKind.TABLE
            if known is None or known.kind.is_program or in_table:
                yield from _in_unedited(path, file.place(each.span), name)
        if not each.found.files and not each.found.missing:
            words = f"cases come from `{each.text}` ({file.place(each.span)}), which rubric does not read."
            yield f"{words} They may have `{name.name}`. Rename them by hand first."
    if name.kind == "case" and file.kind is FileKind.SUITE:
        named = {known.name for each in scope.files for known in each.names("case") if known.defines}
        for each in file.analysis.included:
            for case in each.found.cases:
                if case.id == name.name and name.name not in named:
                    words = f"the case {name.name} is called after its folder ({case.path.parent})."
                    yield f"{words} A rename would not reach that. Give it an `id` in {case.path.name} first."


def _in_unedited(path: Path, where: str, name: NameOccurrence) -> Iterator[str]:
    suffix = path.suffix.lower()
    try:
        text = workbook_text(read_file(path, _LARGEST_WORKBOOK)) if suffix in _WORKBOOKS else read_text(path)
    except (OSError, UnreadableError):
        yield f"{path.name} ({where}) cannot be read. It may have `{name.name}`. Make it readable, then rename."
        return
    if suffix in _WORKBOOKS and not text:
        yield f"{path.name} ({where}) cannot be read. It may have `{name.name}`. Save it as a .csv file, then rename."
        return
    found = re.compile(rf"(?<![\w-]){re.escape(name.name)}(?![\w-])").search(text)
    if found is not None:
        line = "" if suffix in _WORKBOOKS else f", line {text.count(chr(10), 0, found.start()) + 1},"
        words = f"{path.name}{line} has `{name.name}`, and rubric does not edit such files ({where})."
        yield f"{words} It would keep the old name. Rename there by hand first."
