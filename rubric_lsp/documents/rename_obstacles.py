"""Why a name cannot be renamed: a place that has it, or may have it, and cannot be edited."""

import re
from collections.abc import Iterator
from pathlib import Path

from rubric_core.disk import read_file
from rubric_core.language.file_extensions import CASE_PROGRAMS
from rubric_core.language.file_kinds import FileKind
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.directory_search import URL
from rubric_core.loading.files import UnreadableError, absolute, read_text
from rubric_core.loading.names_in_code import hidden_reads
from rubric_core.loading.workbook_text import workbook_text
from rubric_core.syntax.tree import Scalar, walk
from rubric_core.text import Span
from rubric_core.validation.promptfoo.templates import has_raw_part, names_in
from rubric_lsp.documents.name_scope import NameScope, ScopedFile
from rubric_lsp.documents.project_index import ProjectIndex
from rubric_lsp.documents.promptfoo_shared_names import BY_BEGINNING
from rubric_lsp.features.block_memo import blocks_of
from rubric_lsp.features.name_occurrence import NameOccurrence
from rubric_lsp.features.promptfoo_names import is_name_of

__all__ = ["obstacle"]

_WORKBOOKS = (".xlsx", ".xls")
#: Bytes.
_LARGEST_WORKBOOK = 50_000_000
#: What a program calls the metrics that it gives.
_NAMED_SCORES = pattern(r"named_?[Ss]cores")
#: Words with a meaning of their own in templates.
_WORDS_OF_TEMPLATES = frozenset({
    "and", "or", "not", "if", "else", "elif", "for", "in", "is", "set", "true", "false", "none", "null", "loop", "env", "range", "context",
    "vars", "undefined",
})  # fmt: skip
_RAW_PART = pattern(r"\{%-?\s*(?:end)?(?:raw|verbatim)\s*-?%\}")
_IDENTIFIER = pattern(r"[A-Za-z_]\w*\Z")


def obstacle(around: ProjectIndex, scope: NameScope, name: NameOccurrence, new: str) -> str:
    """The first place that makes a rename wrong, as a sentence; empty if there is none."""
    return next(_obstacles(around, scope, name, new), "")


def _obstacles(around: ProjectIndex, scope: NameScope, name: NameOccurrence, new: str) -> Iterator[str]:
    yield from _taken(scope, name, new)
    yield from _outside(around, scope, name)
    for path, file in scope.unread.items():
        where = f"{path.name}, which {_name(file)} refers to,"
        yield f"{where} cannot be read. It may use `{name.name}`. Make it readable, then rename."
    for file in scope.files:
        if not file.snapshot.document.is_whole:
            yield f"{_name(file)} is too long to be read whole here. It may use `{name.name}` again. Move cases into files, then rename."
    if name.kind in BY_BEGINNING:
        yield from _by_beginning(scope, name, new)
    if name.kind in ("variable", "case"):
        for file in scope.files:
            yield from _cases_elsewhere(scope, file, name)
    if name.kind == "variable" and scope.is_of_promptfoo:
        for file in scope.files:
            yield from _hidden_variables(around, file, name.name)
    if name.kind == "metric":
        yield from _metrics(scope, name, new)


def _taken(scope: NameScope, name: NameOccurrence, new: str) -> Iterator[str]:
    """The new name has a meaning already."""
    if new == name.name:
        return
    # In AgentV, cases have variables of their own.
    if name.kind in ("case", "metric") or (name.kind == "variable" and scope.is_of_promptfoo):
        for file, each in scope.names(name.kind):
            if each.name == new and (each.defines or name.kind == "variable"):
                yield f"there is already a {name.kind} {new} ({_place(file, each.span)}). Both would become one. Choose another name."
    if name.kind == "variable" and scope.is_of_promptfoo and (new in _WORDS_OF_TEMPLATES or new.startswith("__")):
        yield f"`{new}` has a meaning of its own in promptfoo. Choose another name."


def _outside(around: ProjectIndex, scope: NameScope, name: NameOccurrence) -> Iterator[str]:
    """An occurrence is in a file that is in no open folder."""
    for file, each in scope.names(name.kind):
        path = file.snapshot.path
        if each.name == name.name and path is not None and around.is_outside(path):
            words = f"{_place(file, each.span)} has `{name.name}`, and {path} is in no open folder."
            yield f"{words} rubric edits no file there. Open its folder, then rename."


def _by_beginning(scope: NameScope, name: NameOccurrence, new: str) -> Iterator[str]:
    """References that match the beginning of a name."""
    for file, each in scope.names(name.kind):
        if each.defines or each.name in (name.name, new):
            continue
        if is_name_of(each.name, name.name) != is_name_of(each.name, new):
            words = f"`{each.name}` ({_place(file, each.span)}) refers to names by their beginning."
            yield f"{words} It would mean other {name.kind}s after the rename. Change it first."


def _hidden_variables(around: ProjectIndex, file: ScopedFile, name: str) -> Iterator[str]:
    """Code and templates that may use a variable in a way that no edit follows."""
    text = file.snapshot.text
    if name not in text and "vars" not in text:
        return
    for at in _in_code(file, text, name):
        words = (
            f"{_place(file, at)} reads variables by a name that is computed, or passes them on (`{_line(text, at)}`)."
        )
        yield f"{words} It may mean `{name}`. Rename that place by hand first."
    for span, template in _templates(file, text):
        if has_raw_part(template) and any(each.name == name for each in names_in(_without_raw(template))):
            words = f"{_place(file, span)} has a `raw` part, so that its variables are not followed."
            yield f"{words} It uses `{name}`. Rename there by hand first."
    for each in file.names("file"):
        path = around.file_of(file.snapshot.path, each) if file.snapshot.path is not None else None
        if path is None or absolute(path) in file.refers_to or not each.name.startswith(URL):
            continue
        other = _read(path)
        if (
            other is not None
            and path.suffix not in CASE_PROGRAMS
            and any(used.name == name for used in names_in(other))
        ):
            words = f"{path.name} uses `{name}`, and rubric does not know it as a template of {_name(file)}."
            yield f"{words} It would keep the old name. Rename there by hand first."


def _in_code(file: ScopedFile, text: str, name: str) -> Iterator[Span]:
    """Places of code in a program, a table or the texts of a configuration."""
    if file.kind.is_program or file.kind.is_table:
        yield from hidden_reads(text, name)
        return
    if file.kind.is_template:
        return
    for local in blocks_of(file.analysis):
        for node in walk(local.tree.root):
            if isinstance(node, Scalar) and "vars" in node.text:
                for at in hidden_reads(local.text, name, *node.span):
                    yield local.outer(at)


def _templates(file: ScopedFile, text: str) -> Iterator[tuple[Span, str]]:
    if file.kind.is_template:
        yield Span(0, 0), text
    elif "raw" in text or "verbatim" in text:
        for local in blocks_of(file.analysis):
            for node in walk(local.tree.root):
                if isinstance(node, Scalar):
                    yield local.outer(node.span), node.text


def _without_raw(template: str) -> str:
    return _RAW_PART.sub("", template)


def _metrics(scope: NameScope, name: NameOccurrence, new: str) -> Iterator[str]:
    """Programs that give or read metrics by name, and formulas that cannot hold the new one."""
    for file in scope.files:
        text = file.snapshot.text
        for each in file.names("metric"):
            is_formula = each.style == "raw" and not each.defines
            if is_formula and each.name == name.name and not _IDENTIFIER.match(new):
                yield f"a formula ({_place(file, each.span)}) uses `{name.name}`. `{new}` is not a name there. Use letters, digits and underscores."
        if file.kind.is_program and _NAMED_SCORES.search(text):
            word = re.compile(rf"(?<![\w$]){re.escape(name.name)}(?![\w$])").search(text)
            if word is not None:
                words = f"{_place(file, Span(*word.span()))} has `{name.name}` among the scores that a program names."
                yield f"{words} It would keep the old name. Rename there by hand first."
        elif file.kind.family == "promptfoo" and not file.kind.is_template and _NAMED_SCORES.search(text):
            for local in blocks_of(file.analysis):
                for node in walk(local.tree.root):
                    if isinstance(node, Scalar) and _NAMED_SCORES.search(node.text) and name.name in node.text:
                        words = f"code ({_place(file, local.outer(node.span))}) has `{name.name}` among the scores that it names."
                        yield f"{words} It would keep the old name. Rename there by hand first."


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
                yield from _in_unedited(path, _place(file, each.span), name)
        if not each.found.files and not each.found.missing:
            words = f"cases come from `{each.text}` ({_place(file, each.span)}), which rubric does not read."
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


def _read(path: Path) -> str | None:
    try:
        return read_text(path)
    except (OSError, UnreadableError):
        return None


def _name(file: ScopedFile) -> str:
    return file.snapshot.path.name if file.snapshot.path is not None else "this file"


def _place(file: ScopedFile, span: Span) -> str:
    return f"{_name(file)}, line {file.snapshot.position(span.start).line + 1}"


def _line(text: str, at: Span) -> str:
    start = text.rfind("\n", 0, at.start) + 1
    end = text.find("\n", at.start)
    return text[start : end if end >= 0 else len(text)].strip()[:80]
