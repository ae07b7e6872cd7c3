"""Mistakes in tables of cases: columns that become variables, and cells that promptfoo reads as something else."""

import math
import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from rubric_core.families.promptfoo.checks.assertion_settings import gives_any_score
from rubric_core.families.promptfoo.checks.table_checks import is_check, is_number, mistakes_of_check
from rubric_core.families.promptfoo.checks.templates import names_in
from rubric_core.families.promptfoo.checks.variable_names import GIVEN
from rubric_core.families.promptfoo.language.assertion import TABLE_CODE
from rubric_core.families.promptfoo.language.consequences import STOPS
from rubric_core.families.promptfoo.loading.names_in_code import read_by_code
from rubric_core.families.promptfoo.loading.table import (
    SPECIAL_COLUMNS,
    CaseTable,
    assertion_of_cell,
    is_expected,
    is_special,
)
from rubric_core.language.closest_name import closest, is_typo
from rubric_core.language.dialect import Dialect
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.defined_names import DefinedNames
from rubric_core.syntax.csv_cells import Cell, other_delimiter, rows_of
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix, Related, checks

#: Quotes of typography, and those of languages, around a cell.
_QUOTED = pattern(
    r"[\u2018\u201a][^\u2018\u2019\n]{0,2000}[\u2018\u2019]|[\u201c\u201d\u201e][^\u201c\u201d\n]{0,2000}[\u201c\u201d]|'[^'\n]{0,2000}'"
)
#: In so many rows quotes are no chance; no more than the first ones are looked at.
_FEW_ROWS, _FIRST_ROWS = 2, 20
_SCRIPTS = frozenset({*TABLE_CODE.values(), "ruby"})
_UNMARKED = frozenset({"expected", "expect", "assert", "assertion", "assertions", "check"})
#: Columns whose names without the mark are hardly those of variables that nothing uses.
_MARKED = frozenset({"__expected", "__metric", "__threshold"})
_FOLDED = pattern(r"[_\-\s]")
_NUMBERED = pattern(r"expected(?P<number>[0-9]{1,3})\Z")
#: A column with the thresholds of another, which is itself a column of checks.
_THRESHOLD = pattern(r"__expected(?P<number>\d{0,9})[:_. -]{0,2}(?:config:)?threshold\Z", re.IGNORECASE)
#: The threshold of the assertion with a number.
_CHECKED = pattern(r"__config:__expected(\d{1,3}):threshold\Z")
#: `__config:` with a slip in its other parts.
_CONFIG = pattern(r"__config:_{0,2}expect(?:ed)?(?P<number>\d{0,9})(?::(?P<setting>\w{0,20}))?\Z", re.IGNORECASE)


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


def column_mistakes(header: Sequence[Cell]) -> Iterator[Finding]:
    """Findings about the names of columns."""
    seen: dict[str, Cell] = {}
    checks = [cell for cell in header if is_expected(cell.text.strip())]
    for cell in header:
        name = cell.text.strip()
        first = seen.setdefault(name, cell)
        if first is not cell:
            yield Finding(
                cell.span, f"there are two columns `{name}`", related=(Related(first.span, "this one is lost"),),
                consequence="promptfoo reads the last one only",
            )  # fmt: skip
        elif name == "__metadata":
            words = "metadata need a key, as in `__metadata:team`"
            yield Finding(cell.span, words, consequence="promptfoo warns, and reads nothing of this column")
        elif (found := _CHECKED.match(name)) is not None and int(found[1]) > len(checks):
            words = f"there is no column of checks with the number {int(found[1])}"
            yield Finding(cell.span, words, consequence="promptfoo sets no threshold")
        elif (found := _THRESHOLD.match(name)) is not None:
            meant = f"__config:__expected{found['number']}:threshold"
            words = f"`{name}` is a column of checks; thresholds stand in `{meant}`"
            consequence = "promptfoo compares the output with the cells"
            yield Finding(cell.span, words, fixes=_renamed(cell, meant), consequence=consequence)
        elif (name.startswith("_") or name.endswith("__")) and not is_special(name):
            yield from _unknown(name, cell)


def misspelt_columns(header: Sequence[Cell], text: str, names: DefinedNames | None) -> Iterator[Finding]:
    """Columns that no prompt uses, and that are a slip of a variable which prompts use and other cases have.

    `text` is that of the whole table, and `names` are what configurations that name it define.
    """
    columns = [cell.text.strip() for cell in header]
    if names is None or names.asked is None:
        return
    yield from _without_mark(
        header, names.unused.difference(read_by_code(text), (each.name for each in names_in(text)))
    )
    if names.needed.issubset(columns):
        return
    lacking, used = sorted(names.needed.difference(columns)), {each.name for each in names_in(text)}
    for cell, name in zip(header, columns, strict=True):
        meant = closest(name, lacking) if name not in names.asked and name not in used and name[:1] != "_" else None
        if meant is not None:
            words = f"no prompt uses `{name}`; did you mean `{meant}`, which this table lacks?"
            yield Finding(cell.span, words, fixes=_renamed(cell, meant), consequence="promptfoo fills in nothing")


def _without_mark(header: Sequence[Cell], unused: frozenset[str]) -> Iterator[Finding]:
    """Variables that nothing uses, and that have the name of a column without its `__`."""
    columns = {cell.text.strip() for cell in header}
    # `unmarked_checks` looks at its cells.
    told = frozenset[str]() if any(map(is_expected, columns)) else {"__expected"}
    for cell in header:
        meant = f"__{cell.text.strip()}"
        if cell.text.strip() in unused and meant in _MARKED - columns - told:
            words = f"`{cell.text.strip()}` is a variable, which nothing uses; did you mean `{meant}`?"
            consequence = "promptfoo makes a variable of it"
            yield Finding(cell.span, words, fixes=_renamed(cell, meant, safe=False), consequence=consequence)


def unmarked_checks(header: Sequence[Cell]) -> Cell | None:
    """A column `expected` in a table that has no `__expected`."""
    if any(is_expected(cell.text.strip()) for cell in header):
        return None
    return next((cell for cell in header if cell.text.strip().lower() in _UNMARKED), None)


def unmarked(cell: Cell) -> Finding:
    """Such a column, if its cells are assertions."""
    words = f"`{cell.text.strip()}` is a variable, and its cells are no assertions; these stand under `__expected`"
    consequence = "promptfoo runs the cases without these assertions"
    fixes = (Fix("change it to `__expected`", (Edit(cell.content, "__expected"),), safe=False),)
    return Finding(cell.span, words, fixes=fixes, consequence=consequence)


def _unknown(name: str, cell: Cell) -> Iterator[Finding]:
    if name.startswith("__config:"):
        words = "only `__config:__expected:threshold` can be set in a table"
        meant = _intended_setting(name)
        yield Finding(cell.span, words, fixes=_renamed(cell, meant), severity="error", consequence=STOPS)
        return
    meant = _intended_column(name)
    if meant is None and not name.startswith("__"):
        return
    advice = f"; did you mean `{meant}`?" if meant else ""
    yield Finding(
        cell.span, f"promptfoo has no column `{name}`{advice}", fixes=_renamed(cell, meant),
        consequence="promptfoo makes a variable of it",
    )  # fmt: skip


def _intended_column(name: str) -> str | None:
    numbered = _NUMBERED.match(_FOLDED.sub("", name).lower())
    if numbered is not None:
        return f"__expected{numbered['number']}"
    folded = {_FOLDED.sub("", each).lower(): each for each in SPECIAL_COLUMNS}
    meant = folded.get(_FOLDED.sub("", name).lower()) or closest(f"__{name.lstrip('_')}", SPECIAL_COLUMNS)
    head, colon, rest = name.partition(":")
    if meant is not None or not colon or not rest:
        return meant
    if is_typo(head.strip("_"), "metadata"):
        return f"__metadata:{rest}"
    return _intended_setting(f"__config:{rest}") if is_typo(head.strip("_"), "config") else None


def _intended_setting(name: str) -> str | None:
    """`__config:__expected:threshold` for a slip of it."""
    found = _CONFIG.match(name)
    if found is None or (found["setting"] and not is_typo(found["setting"], "threshold")):
        return None
    return f"__config:__expected{found['number']}:threshold"


def _renamed(cell: Cell, meant: str | None, *, safe: bool = True) -> tuple[Fix, ...]:
    return (Fix(f"change it to `{meant}`", (Edit(cell.content, meant),), safe=safe),) if meant else ()
