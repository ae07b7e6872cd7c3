"""Names in tables of promptfoo cases: the variables of columns, and metrics, variables and files in cells."""

from collections.abc import Iterator

from rubric_core.families.promptfoo.checks.templates import names_in
from rubric_core.families.promptfoo.loading.names_in_code import names_read
from rubric_core.families.promptfoo.loading.table import assertion_of_cell, is_expected, is_special
from rubric_core.loading.directory_search import URL
from rubric_core.syntax.csv_cells import Cell, rows_of
from rubric_core.text import Span
from rubric_lsp.features.cell_names import cell_name
from rubric_lsp.features.name_occurrence import NameOccurrence

__all__ = ["promptfoo_table_names"]

_METRIC, _DESCRIPTION = "__metric", "__description"


def promptfoo_table_names(text: str) -> Iterator[NameOccurrence]:
    """The names in a table of promptfoo cases."""
    rows = rows_of(text)
    header = next(rows, [])
    columns = [cell.text.strip() for cell in header]
    for cell, name in zip(header, columns, strict=True):
        if not is_special(name) and not name.startswith("__"):
            yield from cell_name(cell, "variable")
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
                yield from cell_name(cell, "metric")
                continue
            if column == _DESCRIPTION:
                yield from cell_name(cell, "description")
            if is_expected(column):
                yield from _file(cell)
            yield from _in_cell(cell, text)


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
