"""Reads tables of promptfoo for a run: the records of a CSV text."""

from collections.abc import Iterator

from rubric_core.families.promptfoo.cases.configuration import ConfigurationError
from rubric_core.families.promptfoo.cases.table_format import TableFormat
from rubric_core.syntax.csv_cells import Cell, rows_of
from rubric_core.text import Span

__all__ = ["table_records"]

#: How promptfoo reads tables that are no tables of tests.
USUAL = TableFormat()


def table_records(text: str, name: str, form: TableFormat = USUAL) -> Iterator[tuple[Span, dict[str, str]]]:
    """The rows of a CSV text by their columns, each with its place.

    Raises ConfigurationError at a row at which promptfoo stops.
    """
    if len(form.delimiter) != 1 or form.delimiter in '"\r\n':
        words = f"rubric does not read tables of promptfoo whose cells {form.delimiter!r:.20} separates ($PROMPTFOO_CSV_DELIMITER)"
        raise ConfigurationError(words)
    rows = rows_of(text, form.delimiter, with_empty=True)
    header = next(rows, [])
    columns = [cell.text for cell in header]
    for row in (header, *rows):
        fault = _fault(row, len(columns), is_strict=form.is_strict)
        if fault:
            raise ConfigurationError(f"{name}, line {_line(text, row)}: {fault}")
        if row is not header:
            yield Span(row[0].span.start, row[-1].span.end), dict(zip(columns, (c.text for c in row), strict=True))


def _fault(row: list[Cell], columns: int, *, is_strict: bool) -> str:
    """Why promptfoo stops at a row; empty if it does not."""
    if any(cell.quotes == "open" for cell in row):
        return "a quote is never closed"
    if is_strict and any(_is_loose(cell) for cell in row):
        return "a quote stands inside of a cell"
    return "" if len(row) == columns else f"{columns} columns, and {len(row)} cells"


def _is_loose(cell: Cell) -> bool:
    """Whether a cell has a quote that promptfoo only allows if it is not strict."""
    is_quoted = cell.span.end - cell.span.start > len(cell.text)
    return cell.quotes == "loose" or ('"' in cell.text and not is_quoted)


def _line(text: str, row: list[Cell]) -> int:
    return text.count("\n", 0, row[0].span.start) + 1
