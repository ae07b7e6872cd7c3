"""Mistakes in tables of promptfoo cases: promptfoo turns unknown columns into variables."""

import math
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from rubric_core.families.promptfoo.checks.assertion_settings import gives_any_score
from rubric_core.families.promptfoo.checks.table_checks import is_check, is_number, mistakes_of_check
from rubric_core.families.promptfoo.checks.table_columns import (
    column_mistakes,
    misspelt_columns,
    unmarked,
    unmarked_checks,
)
from rubric_core.families.promptfoo.checks.templates import names_in
from rubric_core.families.promptfoo.checks.variable_names import GIVEN
from rubric_core.families.promptfoo.language.assertion import TABLE_CODE
from rubric_core.families.promptfoo.language.consequences import STOPS
from rubric_core.families.promptfoo.loading.table import CaseTable, assertion_of_cell, is_expected, is_special
from rubric_core.language.closest_name import is_typo
from rubric_core.language.dialect import Dialect
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.defined_names import DefinedNames
from rubric_core.syntax.csv_cells import Cell, other_delimiter, rows_of
from rubric_core.text import Span
from rubric_core.validation.rule import Context, Finding, checks

#: Quotes of typography, and those of languages, around a cell.
_QUOTED = pattern(
    r"[\u2018\u201a][^\u2018\u2019\n]{0,2000}[\u2018\u2019]|[\u201c\u201d\u201e][^\u201c\u201d\n]{0,2000}[\u201c\u201d]|'[^'\n]{0,2000}'"
)
#: In so many rows quotes are no chance; no more than the first ones are looked at.
_FEW_ROWS, _FIRST_ROWS = 2, 20
_SCRIPTS = frozenset({*TABLE_CODE.values(), "ruby"})


@checks("promptfoo/table", "table-column", "warning")
def table_mistakes(table: CaseTable, context: Context) -> Iterator[Finding]:
    """A misspelt column, an assertion that promptfoo cannot read, or a row with too many or too few cells."""
    rows = rows_of(table.text, with_empty=True)
    header = next(rows, None)
    if header is None or not table.text.strip():
        return
    if _is_empty(header):
        words = "line 1 is empty, and the first line of a table names its columns: remove it"
        yield Finding(header[0].span, words, severity="error", consequence=STOPS)
        return
    delimiter = other_delimiter(header)
    if delimiter:  # of the cells nothing is known
        found = "tabs" if delimiter == "\t" else f"`{delimiter}`"
        words = f"the columns of this table are separated by {found}, and promptfoo separates them by commas"
        consequence = "promptfoo reads one column, unless it runs with $PROMPTFOO_CSV_DELIMITER"
        yield Finding(header[0].span, words, consequence=consequence)
        return
    yield from column_mistakes(header)
    yield from misspelt_columns(header, table.text, context.defaults.names)
    bare = unmarked_checks(header)
    first = list(islice(rows, _FIRST_ROWS))
    yield from _other_quotes([row for row in first if not _is_empty(row)])
    stops = False
    for row in chain(first, rows):
        if bare is not None and len(row) == len(header) and is_check(row[header.index(bare)], context.dialect):
            yield unmarked(bare)
            bare = None
        yield from _open_quotes(row)
        if row[-1].quotes == "open":
            return
        if _is_empty(row):
            if len(header) > 1 and not stops:  # one tells of all of them
                stops, line = True, table.text.count("\n", 0, row[0].span.start) + 1
                words = f"line {line} is empty, and there are {len(header)} columns: remove it"
                yield Finding(row[0].span, words, severity="error", consequence=STOPS)
            continue
        if len(row) != len(header):
            yield Finding(
                row[0].span, f"this row has {len(row)} cells, and there are {len(header)} columns", severity="error",
                consequence=STOPS,
            )  # fmt: skip
            continue
        if _says_nothing(row):
            words = "this row has no cell with a text, or only a comment"
            yield Finding(Span(row[0].span.start, row[-1].span.end), words, consequence="promptfoo runs it as a case")
            continue
        yield from _high_threshold(header, row)
        yield from _misspelt_variables(header, row)
        yield from _unknown_variables(header, row, context.defaults.names)
        for column, cell in zip(header, row, strict=True):
            yield from _cell(column.text.strip(), cell, context.dialect, Span(row[0].span.start, row[-1].span.end))


def _is_empty(row: Sequence[Cell]) -> bool:
    """Whether a row is an empty line."""
    return len(row) == 1 and not row[0].text.strip() and not row[0].quotes


def _says_nothing(row: Sequence[Cell]) -> bool:
    """Whether a row is empty but for its commas, or has nothing but a comment in its first cell."""
    first = row[0].text.strip()
    return len(row) > 1 and (not first or first.startswith("# ")) and not any(cell.text.strip() for cell in row[1:])


def _high_threshold(header: Sequence[Cell], row: Sequence[Cell]) -> Iterator[Finding]:
    """A threshold below 0, or above 1 where no script gives scores above 1."""
    columns = [column.text.strip() for column in header]
    checks = (assertion_of_cell(c.text.strip()) for column, c in zip(columns, row, strict=True) if is_expected(column))
    most = math.inf if any(each.type in _SCRIPTS and gives_any_score(each.value or "") for each in checks) else 1
    for column, cell in zip(columns, row, strict=True):
        text = cell.text.strip()
        if column == "__threshold" and is_number(text) and not 0 <= float(text) <= most:
            effect = "the case can never pass" if float(text) > 1 else "every score reaches it"
            yield Finding(cell.span, f"`__threshold` is {text}, but scores are 0..1: {effect}")


def _misspelt_variables(header: Sequence[Cell], row: Sequence[Cell]) -> Iterator[Finding]:
    """Names in templates that are a slip of a column; other names may be variables of `defaultTest`."""
    names = [column.text.strip() for column in header]
    for cell in row:
        used = [each.name for each in names_in(cell.text) if not each.optional] if "{{" in cell.text else []
        for name in dict.fromkeys(used):
            missed = [each for each in names if each not in used and not each.startswith("_")]
            # The singular or plural is often another variable.
            alike = [each for each in missed if is_typo(name, each) and name.lower() not in (f"{each}s", each[:-1])]
            meant = alike[0] if alike and name not in names else None
            if meant is not None:
                words = f"this table has no column `{name}`; did you mean `{meant}`?"
                yield Finding(cell.span, words, consequence="promptfoo fills in nothing")


def _unknown_variables(header: Sequence[Cell], row: Sequence[Cell], defined: DefinedNames | None) -> Iterator[Finding]:
    """Names in assertions that no column and no configuration which names the table defines."""
    if defined is None or defined.variables is None or defined.is_open:
        return
    columns = {column.text.strip() for column in header}
    known = columns | defined.variables | GIVEN
    for column, cell in zip(header, row, strict=True):
        if "{{" not in cell.text or not is_expected(column.text.strip()):
            continue
        for used in names_in(cell.text):
            if used.name not in known and not used.optional and not any(is_typo(used.name, each) for each in columns):
                yield Finding(
                    cell.span, f"no case has a value for `{used.name}`", consequence="promptfoo fills in nothing"
                )


def _cell(column: str, cell: Cell, dialect: Dialect, row: Span) -> Iterator[Finding]:
    text = cell.text.strip()
    if column.startswith("__config:") and is_special(column):
        if not is_number(text):
            words = f"`{text}` is not a number" if text else f"a cell of `{column}` cannot be empty"
            yield Finding(cell.span if text else row, words, severity="error", consequence=STOPS)
    elif not text:
        return
    elif column == "__threshold":
        if not is_number(text):
            yield Finding(cell.span, f"`{text}` is not a number", consequence="promptfoo ignores it")
    elif is_expected(column):
        yield from mistakes_of_check(text, cell, dialect)


def _other_quotes(rows: Sequence[Sequence[Cell]]) -> Iterator[Finding]:
    """Quotes that are none for tables, around every cell of several columns."""
    cells = [cell for row in rows for cell in row if cell.text.strip()]
    several = len(rows) >= _FEW_ROWS and len(rows[0]) > 1 and len(cells) >= _FEW_ROWS * 2
    if several and all(
        _QUOTED.fullmatch(cell.text.strip()) and cell.span.end - cell.span.start == len(cell.text) for cell in cells
    ):
        words = 'the quotes around each cell are a part of its text: tables have `"` for that'
        yield Finding(cells[0].span, words, severity="hint")


def _open_quotes(row: Sequence[Cell]) -> Iterator[Finding]:
    """Quotes that open a cell and are not closed at its end; a text with lines of its own was closed too late."""
    for cell in row:
        begin = Span(cell.span.start, cell.span.start + 1)
        if cell.quotes == "open":
            yield Finding(begin, "this quote is never closed", severity="error", consequence=STOPS)
        elif cell.quotes == "loose":
            words = "this quote is not closed at the end of its cell; quotes inside of it are written twice"
            yield Finding(begin, words, consequence="promptfoo takes the quotes for a part of the text")
