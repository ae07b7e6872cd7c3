"""The formats of exports: by name, and by the ending of the file that is to be written."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from rubric_core.evaluation.exporting.run_cases import ExportedRun

__all__ = ["FORMATS", "ExportFormat", "UnknownFormatError", "exported", "format_of"]

ExportFormat: TypeAlias = Literal["csv", "html", "json", "jsonl", "junit", "markdown", "promptfoo"]
FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)
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


def _promptfoo(run: ExportedRun) -> Iterator[str]:
    from rubric_core.evaluation.exporting.promptfoo_results import promptfoo_results  # noqa: PLC0415

    return promptfoo_results(run)


_WRITERS: Mapping[ExportFormat, Callable[[ExportedRun], Iterator[str]]] = {
    "csv": _csv,
    "html": _html,
    "json": _json,
    "jsonl": _jsonl,
    "junit": _junit,
    "markdown": _markdown,
    "promptfoo": _promptfoo,
}
#: Before the ending of JSON: the document is promptfoo's.
_PROMPTFOO = ".promptfoo"


class UnknownFormatError(ValueError):
    """No format has the extension of a file; the message lists those that exist."""


def format_of(path: Path) -> ExportFormat:
    """The format of a file's extension. Raises UnknownFormatError."""
    found = _ENDINGS.get(path.suffix.lower())
    if found == "json" and path.stem.lower().endswith(_PROMPTFOO):
        return "promptfoo"
    if found is None:
        raise UnknownFormatError(f"{path}: no format ends with {path.suffix!r}; use {', '.join(_ENDINGS)}")
    return found


def exported(run: ExportedRun, form: ExportFormat) -> Iterator[str]:
    """The run in a format, piece by piece, as text."""
    return _WRITERS[form](run)
