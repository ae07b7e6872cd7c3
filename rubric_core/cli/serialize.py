"""Serializes the findings of one file, for other processes and for the cache."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rubric_core.cli.check_result import CheckedFile
from rubric_core.cli.sources import ReferencedFile
from rubric_core.language.file_kinds import FileKind
from rubric_core.loading.defined_names import DefinedNames
from rubric_core.syntax.blocks import Document
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Diagnostic, Fix, Related

__all__ = ["dumps", "loads", "needs_text", "packed_names"]

_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


def needs_text(checked: CheckedFile) -> bool:
    """Whether the text of the file is needed to show or write its result."""
    return bool(checked.diagnostics or checked.ignored or checked.changed)


def dumps(checked: CheckedFile) -> str:
    """Everything except the original text and the dependencies of the findings."""
    refers_to = checked.refers_to
    _, _, dialect, ids, use = refers_to[0] if refers_to else (None, None, None, None, None)
    return _encode(
        (
            checked.path,
            checked.is_suite,
            checked.passed_over,
            checked.before is not None,
            checked.fixed,
            checked.document.text if checked.changed else None,
            [*map(_row, checked.diagnostics)],
            [*map(_row, checked.ignored)],
            [(str(each.path), each.kind.name) for each in refers_to],
            dialect,
            None if ids is None else sorted(ids),
            packed_names(use),
        )
    )


def packed_names(use: DefinedNames | None) -> list[list[str] | None] | None:
    """What a file may use, as plain data."""
    if use is None:
        return None
    several = (use.variables, use.filters, use.asked, use.needed, use.mappings)
    return [None if names is None else sorted(names) for names in several]


def _unpacked_names(packed: list[list[str] | None] | None) -> DefinedNames | None:
    if packed is None:
        return None
    variables, filters, asked, needed, maps = (None if names is None else frozenset(names) for names in packed)
    return DefinedNames(variables, filters, asked, needed or frozenset(), mappings=maps or frozenset())


def loads(row: str, text: str) -> CheckedFile:
    """The inverse of `dumps`. Raises ValueError, TypeError or LookupError for a row that `dumps` did not write.

    Args:
        row: The result of `dumps`.
        text: The original text of the file; any text if the file does not `needs_text`.
    """
    path, is_suite, passed_over, fixing, fixed, after, diagnostics, ignored, files, dialect, ids, packed = json.loads(
        row
    )
    known, use = None if ids is None else frozenset(ids), _unpacked_names(packed)
    return CheckedFile(
        path,
        Document.of(text if after is None else after),
        _diagnostics(diagnostics),
        _diagnostics(ignored),
        text if fixing else None,
        fixed,
        is_suite,
        passed_over,
        tuple(ReferencedFile(Path(file), FileKind[kind], dialect, known, use) for file, kind in files),
    )


def _row(found: Diagnostic) -> tuple[object, ...]:
    return (
        found.code,
        found.severity,
        found.span,
        found.message,
        [(r.span, r.message) for r in found.related],
        [(fix.title, fix.edits, fix.safe) for fix in found.fixes],
        found.consequence,
        found.tags,
        found.hides,
        found.untried,
    )


def _diagnostics(rows: Iterable[Any]) -> tuple[Diagnostic, ...]:
    return tuple(
        Diagnostic(
            code,
            severity,
            Span(*span),
            message,
            tuple(Related(Span(*at), words) for at, words in related),
            tuple(Fix(title, tuple(Edit(Span(*at), new) for at, new in edits), safe) for title, edits, safe in fixes),
            consequence,
            tuple(tags),
            None if hides is None else Span(*hides),
            untried,
        )
        for code, severity, span, message, related, fixes, consequence, tags, hides, untried in rows
    )
