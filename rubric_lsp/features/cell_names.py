"""Names that are cells of a table: how they are found and written, and the ids of cases."""

import csv
import io
from collections.abc import Iterator

from rubric_core.syntax.csv_cells import Cell, rows_of
from rubric_core.text import Span
from rubric_lsp.features.name_occurrence import NameKind, NameOccurrence

__all__ = ["case_ids", "cell_name", "cell_text"]


def case_ids(text: str) -> Iterator[NameOccurrence]:
    """The ids of the cases in a table of AgentV."""
    rows = rows_of(text)
    columns = [cell.text.strip() for cell in next(rows, [])]
    at = columns.index("id") if "id" in columns else None
    for row in rows if at is not None else ():
        yield from (cell_name(row[at], "case") if at is not None and at < len(row) else ())


def cell_text(text: str) -> str:
    """A text as a cell, with quotes where these are needed."""
    made = io.StringIO()
    csv.writer(made, lineterminator="").writerow([text])
    return made.getvalue()


def cell_name(cell: Cell, kind: NameKind) -> Iterator[NameOccurrence]:
    """The name that a cell is, as its definition; none for an empty cell, or with quotes inside it."""
    name, within = cell.text.strip(), cell.content
    if name and not cell.quotes:
        is_quoted = within != cell.span
        blanks = len(cell.text) - len(cell.text.lstrip())
        # Doubled quotes make the written text longer than the name.
        end = within.end - (len(cell.text) - len(cell.text.rstrip()))
        yield NameOccurrence(kind, name, Span(within.start + blanks, end), True, "quoted-cell" if is_quoted else "cell")
