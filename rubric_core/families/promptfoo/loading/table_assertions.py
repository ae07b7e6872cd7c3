"""The assertions in the cells of a table of promptfoo cases, as shapes whose places are in these cells.

So a mistake in `__expected` is found by the rule that finds it in YAML.
"""

from collections.abc import Iterator

from rubric_core.families.promptfoo.language.assertion import ANY_TEXT, LIMITS, TABLE_THRESHOLDS, Assertion
from rubric_core.families.promptfoo.loading.table import PATH_AS_CODE, assertion_of_cell, is_expected
from rubric_core.language.shape import Shape
from rubric_core.language.shape_kinds import Tagged
from rubric_core.loading.lower import Lowering
from rubric_core.syntax.csv_cells import Cell, rows_of
from rubric_core.syntax.tree import Entry, Mapping, Scalar, Style
from rubric_core.text import Span

__all__ = ["table_assertions"]

_ASSERTION = Tagged(Assertion)


def table_assertions(text: str, lowering: Lowering) -> Iterator[Shape]:
    """The assertions of a CSV text with which something could be wrong; what is wrong with a cell itself has rules of its own."""
    rows = rows_of(text)
    header = next(rows, None)
    columns = [cell.text.strip() for cell in header or ()]
    expected = [number for number, name in enumerate(columns) if is_expected(name)]
    for row in rows if expected else ():
        for cell in (row[number] for number in expected if len(row) == len(columns)):
            node = _node(cell) if cell.text.strip() and not cell.quotes else None
            made = lowering.value(_ASSERTION, node, "") if node is not None else None
            if isinstance(made, Shape):
                yield made


def _node(cell: Cell) -> Mapping | None:
    """A cell as the mapping that it would be in YAML; the keys, which it has not, stand where it begins."""
    text = cell.text.strip()
    found = assertion_of_cell(text)
    kind = found.type.removeprefix("not-")
    is_plain = kind in ANY_TEXT and found.value and found.threshold is None and "{" not in text
    if is_plain or (kind in LIMITS and found.threshold is None) or PATH_AS_CODE.match(text):
        return None
    whole = cell.content
    is_exact = whole.end - whole.start == len(cell.text)  # no doubled quotes
    start = whole.start + len(cell.text) - len(cell.text.lstrip())

    def at(begin: int, length: int) -> Span:
        return Span(start + begin, start + begin + length) if is_exact else whole

    written: list[tuple[str, str, Span, Style]] = [
        ("type", found.type, at(0, found.type_length) if found.type_length else whole, "cell")
    ]
    if found.value is not None:
        written.append(("value", found.value, at(found.value_at, len(found.value)), "cell"))
    if found.threshold is not None and kind in TABLE_THRESHOLDS:
        written.append(("threshold", found.threshold, at(found.type_length + 1, len(found.threshold)), "plain"))
    first = at(0, 0)
    made = Mapping(whole, whole, None, None, flow=True)
    made.entries = [
        Entry(Scalar(first, first, None, None, name, "plain"), Scalar(span, span, None, None, value, style))
        for name, value, span, style in written
    ]
    return made
