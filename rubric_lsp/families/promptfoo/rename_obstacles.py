"""Why a name of promptfoo cannot be renamed: code and templates that no edit follows."""

import re
from collections.abc import Iterator
from pathlib import Path

from rubric_core.families.promptfoo.checks.templates import has_raw_part, names_in
from rubric_core.families.promptfoo.loading.names_in_code import hidden_reads
from rubric_core.language.file_extensions import CASE_PROGRAMS
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.directory_search import URL
from rubric_core.loading.files import UnreadableError, absolute, read_text
from rubric_core.syntax.tree import Scalar, walk
from rubric_core.text import Span
from rubric_lsp.documents.name_scope import NameScope, ScopedFile
from rubric_lsp.documents.project_index import ProjectIndex
from rubric_lsp.features.block_memo import blocks_of
from rubric_lsp.features.name_occurrence import NameOccurrence

__all__ = ["promptfoo_obstacles"]

#: What a program calls the metrics that it gives.
_NAMED_SCORES = pattern(r"named_?[Ss]cores")
_RAW_PART = pattern(r"\{%-?\s*(?:end)?(?:raw|verbatim)\s*-?%\}")
_IDENTIFIER = pattern(r"[A-Za-z_]\w*\Z")


def promptfoo_obstacles(around: ProjectIndex, scope: NameScope, name: NameOccurrence, new: str) -> Iterator[str]:
    """The places that make a rename wrong, as sentences."""
    if name.kind == "variable":
        for file in scope.files:
            yield from _hidden_variables(around, file, name.name)
    if name.kind == "metric":
        yield from _metrics(scope, name, new)


def _hidden_variables(around: ProjectIndex, file: ScopedFile, name: str) -> Iterator[str]:
    """Code and templates that may use a variable in a way that no edit follows."""
    text = file.snapshot.text
    if name not in text and "vars" not in text:
        return
    for at in _in_code(file, text, name):
        words = f"{file.place(at)} reads variables by a name that is computed, or passes them on (`{_line(text, at)}`)."
        yield f"{words} It may mean `{name}`. Rename that place by hand first."
    for span, template in _templates(file, text):
        if has_raw_part(template) and any(each.name == name for each in names_in(_without_raw(template))):
            words = f"{file.place(span)} has a `raw` part, so that its variables are not followed."
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
            words = f"{path.name} uses `{name}`, and rubric does not know it as a template of {file.title}."
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
                yield f"a formula ({file.place(each.span)}) uses `{name.name}`. `{new}` is not a name there. Use letters, digits and underscores."
        if file.kind.is_program and _NAMED_SCORES.search(text):
            word = re.compile(rf"(?<![\w$]){re.escape(name.name)}(?![\w$])").search(text)
            if word is not None:
                words = f"{file.place(Span(*word.span()))} has `{name.name}` among the scores that a program names."
                yield f"{words} It would keep the old name. Rename there by hand first."
        elif not file.kind.is_template and _NAMED_SCORES.search(text):
            for local in blocks_of(file.analysis):
                for node in walk(local.tree.root):
                    if isinstance(node, Scalar) and _NAMED_SCORES.search(node.text) and name.name in node.text:
                        words = f"code ({file.place(local.outer(node.span))}) has `{name.name}` among the scores that it names."
                        yield f"{words} It would keep the old name. Rename there by hand first."


def _read(path: Path) -> str | None:
    try:
        return read_text(path)
    except (OSError, UnreadableError):
        return None


def _line(text: str, at: Span) -> str:
    start = text.rfind("\n", 0, at.start) + 1
    end = text.find("\n", at.start)
    return text[start : end if end >= 0 else len(text)].strip()[:80]
