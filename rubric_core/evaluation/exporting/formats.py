"""The formats of exports: by name, and by the ending of the file that is to be written."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import TypeAlias

from rubric_core.evaluation.exporting.run_cases import ExportedRun
from rubric_core.family import FAMILIES, part_of

__all__ = ["FORMATS", "ExportFormat", "UnknownFormatError", "exported", "format_of"]

#: One of `FORMATS`.
ExportFormat: TypeAlias = str
_ENDINGS: Mapping[str, ExportFormat] = {
    ".csv": "csv",
    ".html": "html",
    ".htm": "html",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".xml": "junit",
    ".md": "markdown",
    ".markdown": "markdown",
}


# Each format imports its modules lazily.


def _csv(run: ExportedRun) -> Iterator[str]:
    from rubric_core.evaluation.exporting.csv_table import csv_table  # noqa: PLC0415

    return csv_table(run)


def _html(run: ExportedRun) -> Iterator[str]:
    """The page of `rubric report`, without the runs before this one. It always has the prompts that were sent."""
    from rubric_core.evaluation.report_page.write_report import report_pieces  # noqa: PLC0415

    return report_pieces(run.record, run.cases, now=datetime.now(tz=timezone.utc))


def _json(run: ExportedRun) -> Iterator[str]:
    from rubric_core.evaluation.exporting.json_documents import json_document  # noqa: PLC0415

    return json_document(run)


def _jsonl(run: ExportedRun) -> Iterator[str]:
    from rubric_core.evaluation.exporting.json_documents import json_rows  # noqa: PLC0415

    return json_rows(run)


def _junit(run: ExportedRun) -> Iterator[str]:
    from rubric_core.evaluation.exporting.junit import junit_xml  # noqa: PLC0415

    return junit_xml(run)


def _markdown(run: ExportedRun) -> Iterator[str]:
    from rubric_core.evaluation.exporting.markdown_summary import markdown_summary  # noqa: PLC0415

    return markdown_summary(run)


_WRITERS: Mapping[ExportFormat, Callable[[ExportedRun], Iterator[str]]] = {
    "csv": _csv,
    "html": _html,
    "json": _json,
    "jsonl": _jsonl,
    "junit": _junit,
    "markdown": _markdown,
}
#: The formats that a family's own program writes its results in, as JSON: they are named as the family is.
_OF_FAMILIES = tuple(family.name for family in FAMILIES if "export" in family.parts)
FORMATS: tuple[ExportFormat, ...] = (*_WRITERS, *_OF_FAMILIES)


class UnknownFormatError(ValueError):
    """No format has the extension of a file; the message lists those that exist."""


def format_of(path: Path) -> ExportFormat:
    """The format of a file's extension. Raises UnknownFormatError."""
    found = _ENDINGS.get(path.suffix.lower())
    if found is None:
        raise UnknownFormatError(f"{path}: no format ends with {path.suffix!r}; use {', '.join(_ENDINGS)}")
    stem = path.stem.lower()
    return next((name for name in _OF_FAMILIES if found == "json" and stem.endswith(f".{name}")), found)


def exported(run: ExportedRun, form: ExportFormat) -> Iterator[str]:
    """The run in a format, piece by piece, as text."""
    family = part_of(form, "export") if form in _OF_FAMILIES else None
    pieces: Iterator[str] = _WRITERS[form](run) if family is None else family.exported_results(run)
    return pieces
