"""Completion in tables of promptfoo cases: the names of columns, short checks, and metrics."""

from collections.abc import Iterable, Iterator

from rubric_core.analysis import LocalText
from rubric_core.families.promptfoo.language.assertion import LIMITS, SET_TYPE, TABLE_CODE, TABLE_RUBRICS
from rubric_core.families.promptfoo.language.dialect import PROMPTFOO
from rubric_core.families.promptfoo.loading.table import SPECIAL_COLUMNS, is_expected
from rubric_core.syntax.csv_cells import Cell, rows_of
from rubric_core.text import Span
from rubric_lsp.features.completion.context import Completion, NameSource

__all__ = ["table_completions"]

_COLUMNS = ("__metadata:", "__config:__expected:threshold")


def table_completions(local: LocalText, source: NameSource | None) -> list[Completion]:
    """The completions in a cell, which replace its text up to the cursor."""
    columns: list[str] = []
    for number, row in enumerate(rows_of(local.text, with_empty=True)):
        if number == 0:
            columns = [cell.text.strip() for cell in row]
        for at, cell in enumerate(row):
            if cell.span.start <= local.offset <= cell.span.end:
                column = columns[at] if number and at < len(columns) else ""
                return list(_in_cell(local, cell, _offers(column, columns, source, is_header=number == 0)))
    return list(_in_cell(local, None, _offers("", columns, source, is_header=not columns)))


def _offers(
    column: str, columns: list[str], source: NameSource | None, *, is_header: bool
) -> Iterator[tuple[str, str]]:
    """What may stand in a cell, with what it is."""
    if is_header:
        yield from ((name, "a variable") for name in (source("variable") if source is not None else ()))
        special = (name for name in SPECIAL_COLUMNS if name != "__metadata")
        yield from ((name, "a column of promptfoo") for name in (*special, *_COLUMNS) if name not in columns)
    elif is_expected(column):
        for name, known in PROMPTFOO.types.items():
            kind = name.removeprefix("not-")
            if name not in TABLE_RUBRICS.values() and kind not in (SET_TYPE, *TABLE_CODE.values()):
                value = known.shape.keys.get("value")
                needs_value = value is not None and value.required and kind not in LIMITS
                yield (f"{name}()" if kind in LIMITS else f"{name}:" if needs_value else name), "a check"
        yield from ((name, "code") for name in TABLE_CODE)
        yield from ((name, "a rubric") for name in TABLE_RUBRICS)
    elif column == "__metric" and source is not None:
        yield from ((name, "a metric") for name in source("metric"))


def _in_cell(local: LocalText, cell: Cell | None, offers: Iterable[tuple[str, str]]) -> Iterator[Completion]:
    start = cell.content.start if cell is not None else local.offset
    start += len(local.text[start : local.offset]) - len(local.text[start : local.offset].lstrip())
    span = local.outer(Span(min(start, local.offset), local.offset))
    for order, (name, detail) in enumerate(dict(offers).items()):
        yield Completion(name, "value", span, name, detail=detail, sort=f"{order:03}")
