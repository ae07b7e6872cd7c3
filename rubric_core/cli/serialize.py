"""Serializes the findings of one file, for other processes and for the cache."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rubric_core.analysis.file_uses import FileUse, OutgoingReferences
from rubric_core.cli.cache_files import digest
from rubric_core.cli.check_result import CheckedFile
from rubric_core.language.file_kinds import kind_named
from rubric_core.loading.defined_names import DefinedNames, ReferableNames
from rubric_core.loading.program_uses import ProgramUse
from rubric_core.syntax.blocks import Document
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Diagnostic, Fix, Related

__all__ = ["digest_of", "dumps", "loads", "needs_text", "packed_use", "unpacked_use"]

_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


def needs_text(checked: CheckedFile) -> bool:
    """Whether the text of the file is needed to show or write its result."""
    return bool(checked.diagnostics or checked.ignored or checked.changed)


def dumps(checked: CheckedFile) -> str:
    """Everything except the original text and the dependencies of the findings."""
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
            _packed_references(checked.references),
            checked.hidden,
        )
    )


def digest_of(references: OutgoingReferences | None) -> str:
    """A digest of what a file refers to."""
    return digest(_encode(_packed_references(references)).encode())


def _packed_references(references: OutgoingReferences | None) -> list[Any] | None:
    if references is None:
        return None
    files, dialect, certain, ids, use = references
    return [
        [(str(path), kind.name) for path, kind in files.items()],
        dialect,
        certain,
        _sorted(ids),
        _packed_names(use),
    ]


def _unpacked_references(packed: list[Any] | None) -> OutgoingReferences | None:
    if packed is None:
        return None
    files, dialect, certain, ids, use = packed
    kinds = {Path(path): kind_named(kind) for path, kind in files}
    return OutgoingReferences(kinds, dialect, certain, _frozen(ids), _unpacked_names(use))


def packed_use(use: FileUse | None) -> list[Any] | None:
    """How others use a file, as plain data."""
    if use is None:
        return None
    return [use.kind.name, use.dialect, _sorted(use.siblings), _packed_names(use.defined_names)]


def unpacked_use(packed: list[Any] | None) -> FileUse | None:
    """The inverse of `packed_use`."""
    if packed is None:
        return None
    kind, dialect, siblings, names = packed
    return FileUse(kind_named(kind), dialect, _frozen(siblings), _unpacked_names(names))


def _packed_names(use: DefinedNames | None) -> list[Any] | None:
    """What a file may use, as plain data."""
    if use is None:
        return None
    several = (
        use.variables, use.filters, use.asked, use.needed, use.mappings, use.members, use.lacked, use.unused, use.shared, use.asserted,
        use.environment, use.shown,
    )  # fmt: skip
    references = None if use.references is None else list(map(_sorted, use.references))
    programs = sorted((str(each.path), each.role, each.function, each.settings) for each in use.programs)
    flags = [use.is_open, use.is_judged_by_value, use.has_one_output]
    return [*map(_sorted, several), references, *flags, programs]


def _sorted(names: frozenset[str] | None) -> list[str] | None:
    return None if names is None else sorted(names)


def _unpacked_names(packed: list[Any] | None) -> DefinedNames | None:
    if packed is None:
        return None
    *several, references, is_open, is_judged_by_value, has_one_output, programs = packed
    variables, filters, asked, needed, mappings, members, lacked, unused, shared, asserted, environment, shown = map(
        _frozen, several
    )
    referable = None
    if references is not None:
        prompts, providers, labels = map(_frozen, references)
        referable = ReferableNames(prompts, providers, labels or frozenset())
    return DefinedNames(
        variables,
        filters,
        asked,
        needed or frozenset(),
        referable,
        mappings or frozenset(),
        is_open=bool(is_open),
        programs=frozenset(
            ProgramUse(Path(path), role, function, tuple(settings)) for path, role, function, settings in programs
        ),
        members=members or frozenset(),
        lacked=lacked or frozenset(),
        unused=unused or frozenset(),
        shared=shared,
        asserted=asserted or frozenset(),
        is_judged_by_value=bool(is_judged_by_value),
        environment=environment,
        shown=shown or frozenset(),
        has_one_output=bool(has_one_output),
    )


def _frozen(names: list[str] | None) -> frozenset[str] | None:
    return None if names is None else frozenset(names)


def loads(row: str, text: str) -> CheckedFile:
    """The inverse of `dumps`. Raises ValueError, TypeError or LookupError for a row that `dumps` did not write.

    Args:
        row: The result of `dumps`.
        text: The original text of the file; any text if the file does not `needs_text`.
    """
    path, is_suite, passed_over, fixing, fixed, after, diagnostics, ignored, references, hidden = json.loads(row)
    return CheckedFile(
        path,
        Document.of(text if after is None else after),
        _diagnostics(diagnostics),
        _diagnostics(ignored),
        text if fixing else None,
        fixed,
        is_suite,
        passed_over,
        _unpacked_references(references),
        hidden=None if hidden is None else tuple(Span(*each) for each in hidden),
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
        (found.untried, found.more, found.more_fixable),
        found.group,
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
            untried=counts[0],
            more=counts[1],
            more_fixable=counts[2],
            group=group,
        )
        for code, severity, span, message, related, fixes, consequence, tags, hides, counts, group in rows
    )
