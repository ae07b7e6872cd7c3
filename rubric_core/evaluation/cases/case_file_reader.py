"""The files with cases that a suite refers to: lists in YAML and JSON, data sets, and tables."""

import json
from collections.abc import Callable
from pathlib import Path

from rubric_core.analysis import Analysis, Language, analyze
from rubric_core.language.file_extensions import DATASETS, TABLES, YAML
from rubric_core.language.file_kinds import FileKind
from rubric_core.loading.case_table import TableError, cases_in_table
from rubric_core.loading.files import UnreadableError
from rubric_core.loading.project import Project
from rubric_core.syntax.blocks import Document
from rubric_core.syntax.case_items import ROOT_LIST
from rubric_core.syntax.line_document import LineDocument
from rubric_core.text import LineIndex, Span

__all__ = ["CaseFileReader"]


class CaseFileReader:
    """The files with cases of one suite, each analysed once.

    Args:
        language: The dialects and rules.
        project: The files around the suite.
        read: Gives the text of a file. Raises UnreadableError.
    """

    def __init__(self, language: Language, project: Project, read: Callable[[Path], str]) -> None:
        self._language, self._project, self._read = language, project, read
        self.known: dict[Path, Analysis] = {}
        #: The text of each table, with the spans of its rows by their first lines, from 1. Its analysis is of other text.
        self.tables: dict[Path, tuple[LineIndex, dict[int, Span]]] = {}

    def analysis(self, file: Path, dialect: str) -> Analysis | None:
        """The analysis of a file with cases; None for a file that is not a list of cases. Raises UnreadableError."""
        known = self.known.get(file)
        if known is not None:
            return known
        suffix = file.suffix.lower()
        if suffix not in (*DATASETS, *TABLES, *YAML, ".json"):
            return None
        text = self._read(file)
        if suffix in TABLES:
            text = self._lines_of(file, text, dialect)
        kind = FileKind.CASE if file.stem.lower() == "case" else FileKind.CASES
        document = Document.of(text, self._language.item_keys | {ROOT_LIST})
        if suffix in (*DATASETS, *TABLES):
            kind, document = FileKind.DATASET, LineDocument.of(text)
        found = analyze(document, self._language, dialect=dialect, path=file, kind=kind, project=self._project)
        self.known[file] = found
        return found

    def _lines_of(self, file: Path, table: str, dialect: str) -> str:
        """A table as a data set, with each case on the first line of its row. Raises UnreadableError."""
        found = next((d for d in self._language.dialects if d.name == dialect), None)
        try:
            rows = cases_in_table(table, found.types if found is not None else ())
        except TableError as error:
            line, _, reason = str(error).partition(": ")
            raise UnreadableError(file.name, reason, int(line)) from None
        index = LineIndex(table)
        spans = {row.line: Span(index.line_span(row.line - 1).start, index.line_span(row.last - 1).end) for row in rows}
        self.tables[file] = index, spans
        lines = [""] * (rows[-1].line if rows else 0)
        for row in rows:
            lines[row.line - 1] = json.dumps(row.case, ensure_ascii=False)
        return "\n".join(lines)
