"""Names in tables of cases: the variables of promptfoo's columns, metrics and checks in its cells, and ids of AgentV's cases."""

import csv
import io
from collections.abc import Iterator

from rubric_core.loading.directory_search import URL
from rubric_core.loading.names_in_code import names_read
from rubric_core.loading.promptfoo_table import Cell, assertion_of_cell, is_expected, is_special, rows_of
from rubric_core.text import Span
from rubric_core.validation.promptfoo.templates import names_in
from rubric_lsp.features.name_occurrence import NameKind, NameOccurrence

__all__ = ["case_ids", "cell_text", "promptfoo_table_names"]

_METRIC, _DESCRIPTION = "__metric", "__description"


def promptfoo_table_names(text: str) -> Iterator[NameOccurrence]:
    """The names in a table of promptfoo cases."""
    rows = rows_of(text)
    header = next(rows, [])
    columns = [cell.text.strip() for cell in header]
    for cell, name in zip(header, columns, strict=True):
        if not is_special(name) and not name.startswith("__"):
            yield from _whole(cell, "variable", defines=True)
    if (
        not {_METRIC, _DESCRIPTION}.intersection(columns)
        and not any(map(is_expected, columns))
        and "{{" not in text
        and "vars" not in text
    ):
        return
    for row in rows:
        for cell, column in zip(row, columns, strict=False):
            if column == _METRIC and "{{" not in cell.text:
                yield from _whole(cell, "metric", defines=True)
                continue
            if column == _DESCRIPTION:
                yield from _whole(cell, "description", defines=True)
            if is_expected(column):
                yield from _file(cell)
            yield from _in_cell(cell, text)


def case_ids(text: str) -> Iterator[NameOccurrence]:
    """The ids of the cases in a table of AgentV."""
    rows = rows_of(text)
    columns = [cell.text.strip() for cell in next(rows, [])]
    at = columns.index("id") if "id" in columns else None
    for row in rows if at is not None else ():
        yield from (_whole(row[at], "case", defines=True) if at is not None and at < len(row) else ())


def cell_text(text: str) -> str:
    """A text as a cell, with quotes where these are needed."""
    made = io.StringIO()
    csv.writer(made, lineterminator="").writerow([text])
    return made.getvalue()


def _whole(cell: Cell, kind: NameKind, *, defines: bool) -> Iterator[NameOccurrence]:
    """A cell that is a name."""
    name, within = cell.text.strip(), cell.content
    if name and not cell.quotes:
        is_quoted = within != cell.span
        blanks = len(cell.text) - len(cell.text.lstrip())
        # Doubled quotes make the written text longer than the name.
        end = within.end - (len(cell.text) - len(cell.text.rstrip()))
        yield NameOccurrence(
            kind, name, Span(within.start + blanks, end), defines, "quoted-cell" if is_quoted else "cell"
        )


def _file(cell: Cell) -> Iterator[NameOccurrence]:
    """The file of an assertion."""
    found = assertion_of_cell(cell.text.strip())
    path = found.value or ""
    begin = cell.text.find(path) if path else -1
    is_path = path.startswith(URL) or cell.text.lstrip().startswith(URL)
    if is_path and begin >= 0 and "{{" not in path and cell.content.end - cell.content.start == len(cell.text):
        start = cell.content.start + begin
        yield NameOccurrence("file", path, Span(start, start + len(path)), False, "raw")


def _in_cell(cell: Cell, text: str) -> Iterator[NameOccurrence]:
    """The variables that a template or code in a cell uses."""
    within = cell.content
    if "{{" in cell.text or "{%" in cell.text:
        for used in names_in(text[slice(*within)]):
            yield NameOccurrence("variable", used.name, used.span.moved(within.start), False, "raw")
    for read in names_read(text, *within) if "vars" in cell.text else ():
        if not read.is_called(text):
            yield NameOccurrence("variable", read.name, read.span, False, "taken" if read.is_taken else "raw")
