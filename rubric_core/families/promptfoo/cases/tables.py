"""Reads tables of promptfoo for a run: the records of a CSV text, and each row as a test.

See "CSV columns" in the facts of promptfoo.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from rubric_core.families.promptfoo.cases.configuration import ConfigurationError
from rubric_core.families.promptfoo.cases.run_environment import TableFormat
from rubric_core.families.promptfoo.language.assertion import TABLE_THRESHOLDS
from rubric_core.families.promptfoo.loading.table import assertion_of_cell
from rubric_core.families.promptfoo.model.comma_values import comma_values
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.csv_cells import Cell, rows_of
from rubric_core.text import Span

__all__ = ["assertion_in_short", "table_records", "test_of_row"]

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


_NUMBER = pattern(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\Z")
_LISTS = frozenset({"contains-all", "contains-any", "icontains-all", "icontains-any"})
#: Types whose value keeps the blanks around it.
_UNTRIMMED = frozenset({"contains-json", "is-json", "not-contains-json", "not-is-json", "llm-rubric"})
_EXPECTED, _METADATA, _CONFIG = "__expected", "__metadata:", "__config:"
_PLACE = pattern(r"__expected(?P<number>\d+)\Z")
#: A comma with no backslash before it.
_COMMA = pattern(r"(?<!\\),")


def test_of_row(row: Mapping[Any, Any]) -> dict[str, Any]:
    """The test of one row. Raises ConfigurationError for mistakes at which promptfoo stops."""
    variables, options, metadata = dict[str, Any](), dict[str, Any](), dict[str, Any]()
    checks = list[dict[str, Any]]()
    thresholds = dict[int, float]()
    found: dict[str, Any] = {"vars": variables, "assert": checks, "options": options}
    metric: Any = None
    for key, value in ((str(name).strip(), value) for name, value in row.items()):
        if key.startswith(_EXPECTED):
            text = _text(key, value)
            checks += [assertion_in_short(text)] if text else []
        elif key in ("__prefix", "__suffix"):
            options[key[2:]] = value
        elif key in ("__description", "__providerOutput"):
            found |= {key[2:]: value} if value else {}
        elif key == "__metric":
            metric = value
        elif key == "__threshold":
            number = _finite(_text(key, value)) if value is not None else None
            found |= {"threshold": number} if number is not None else {}
        elif key.startswith(_METADATA):
            metadata |= _metadata(key.removeprefix(_METADATA), _text(key, value), value)
        elif key.startswith(_CONFIG):
            thresholds |= _threshold(key, value)
        elif key != "__metadata":
            variables[key] = value
    for number, check in enumerate(checks):
        if metric is not None:
            check["metric"] = metric
        if number in thresholds:
            check["threshold"] = metadata["threshold"] = thresholds[number]
    return {**found, "metadata": metadata} if metadata else found


def _text(key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ConfigurationError(f"the column {key} has a value that is no text: {value!r:.60}")
    return value.strip()


def _finite(value: Any) -> float | None:
    text = value.strip() if isinstance(value, str) else ""
    number = float(text) if _NUMBER.match(text) else math.inf
    return number if math.isfinite(number) else None


def _metadata(name: str, text: str, value: str) -> dict[str, Any]:
    if not text:
        return {}
    if not name.endswith("[]"):
        return {name: value}
    return {name[:-2]: [part.strip().replace("\\,", ",") for part in _COMMA.split(value)]}


def _threshold(key: str, value: Any) -> dict[int, float]:
    """The threshold of the assertion with a number, from a `__config` column. Raises ConfigurationError."""
    parts = key.removeprefix(_CONFIG).split(":")
    if len(parts) != 2:  # a column and a setting; promptfoo warns and ignores it
        return {}
    place = _PLACE.match(parts[0])
    number = 0 if parts[0] == _EXPECTED else int(place["number"]) - 1 if place else -1
    threshold = _finite(value)
    if number < 0 or parts[1] != "threshold" or threshold is None:
        raise ConfigurationError(f"the column {key} sets no threshold of an assertion: {value!r:.60}")
    return {number: threshold}


def assertion_in_short(text: str) -> dict[str, Any]:
    """The assertion of a cell: `[not-]type[(threshold)][:value]`, or code; any other text must equal the output.

    Raises ConfigurationError for a list that cannot be split.
    """
    found = assertion_of_cell(text)
    made: dict[str, Any] = {"type": found.type}
    kind = found.type.removeprefix("not-")
    if found.value is not None:
        listed = kind in _LISTS and found.value
        made["value"] = (
            _listed(found.value) if listed else found.value if found.type in _UNTRIMMED else found.value.strip()
        )
    if kind in TABLE_THRESHOLDS:
        made["threshold"] = float(found.threshold) if found.threshold else TABLE_THRESHOLDS[kind]
    return made


def _listed(value: str) -> list[str]:
    try:
        return comma_values(value)
    except ValueError as error:
        raise ConfigurationError(f"a check in short has {error}: {value:.60}") from None
