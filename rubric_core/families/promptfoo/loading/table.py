"""Tables of promptfoo cases and prompts: the meaning of columns, and the assertions in their cells.

These are shapes whose places are in the cells, so a mistake in `__expected` is found by the rule that finds it in YAML.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import ClassVar, NamedTuple

from rubric_core.families.promptfoo.language.assertion import (
    ANY_TEXT,
    LIMITS,
    TABLE_CODE,
    TABLE_RUBRICS,
    TABLE_THRESHOLDS,
    Assertion,
)
from rubric_core.language.shape import Shape
from rubric_core.language.shape_kinds import Tagged
from rubric_core.lazy_compilation import dataclass, pattern
from rubric_core.loading.directory_search import URL
from rubric_core.loading.issues import Issue
from rubric_core.loading.lower import Lowering
from rubric_core.syntax.csv_cells import Cell, rows_of
from rubric_core.syntax.tree import Entry, Mapping, Scalar, Style
from rubric_core.text import Span

__all__ = [
    "CALLED_FOR_TEXT",
    "PATH_AS_CODE",
    "PROMPT_COLUMN",
    "SPECIAL_COLUMNS",
    "CaseTable",
    "ShortAssertion",
    "assertion_of_cell",
    "is_expected",
    "is_special",
    "short_check",
    "table_assertions",
]

#: The column of a table of prompts that has their texts.
PROMPT_COLUMN = "prompt"
#: Columns that are not variables, besides `__expected1` and so on, `__metadata:NAME` and `__config:COLUMN:threshold`.
SPECIAL_COLUMNS = (
    "__expected", "__prefix", "__suffix", "__description", "__providerOutput", "__threshold", "__metric", "__metadata",
)  # fmt: skip
_CONFIG = pattern(r"__config:__expected\d*:threshold\Z")
#: A short check: `[not-]type[(threshold)][:value]`.
_CHECK = pattern(
    r"(?P<not>not-)?(?P<type>[A-Za-z][A-Za-z0-9_-]*(?::[a-z-]+(?=\())?)(?:\((?P<threshold>[^)]*)\))?(?P<colon>:)?(?P<value>.*)",
    re.DOTALL,
)
_JAVASCRIPT_FILE = pattern(r".*\.[cm]?[jt]s\Z", re.DOTALL)
#: What promptfoo compares the output with, instead of calling it as an assertion.
CALLED_FOR_TEXT = pattern(r"file://.*\.[cm]?[jt]s:[^:/\\]+\Z", re.DOTALL)
#: What promptfoo takes for code, because it cuts `file://` off as if it were `python:`.
PATH_AS_CODE = pattern(r"file://.*\.py(?::.*)?\Z", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseTable(Issue):
    """A case table that is checked on its own."""

    fixes_table: ClassVar[bool] = True

    text: str


def is_expected(column: str) -> bool:
    """Whether the cells of a column are checks."""
    return column.startswith("__expected")


def is_special(column: str) -> bool:
    """Whether a column is not a variable."""
    named = column in SPECIAL_COLUMNS or is_expected(column) or column.startswith("__metadata:")
    return named or _CONFIG.match(column) is not None


class ShortAssertion(NamedTuple):
    """The assertion that a cell is: `[not-]type[(threshold)][:value]`, code, or a text that the output has to equal."""

    type: str
    #: None if the cell has no colon.
    value: str | None
    #: Where the value begins in the cell.
    value_at: int = 0
    #: A number, as it is written.
    threshold: str | None = None
    #: How long the written type is: none for a text.
    type_length: int = 0


def assertion_of_cell(text: str) -> ShortAssertion:
    """The assertion of a cell, whose text has no blanks around it."""
    for prefix, kind in TABLE_CODE.items():
        if text.startswith(prefix):
            return _after(text, len(prefix), kind, len(prefix) - 1)
    if text.startswith(URL) and _JAVASCRIPT_FILE.match(text):
        return ShortAssertion(TABLE_CODE["javascript:"], text)
    for prefix, kind in TABLE_RUBRICS.items():
        if text.startswith(prefix):
            return ShortAssertion(kind, text.removeprefix(prefix), len(prefix), None, len(prefix) - 1)
    if PATH_AS_CODE.match(text):
        return _after(text, len(URL), TABLE_CODE["python:"], len(URL))
    found = _short().match(text)
    if found is None:
        return ShortAssertion("equals", text)
    kind, value = f"{found['not'] or ''}{found['type']}", found["value"]
    at = found.start("value") if value is not None else 0
    return ShortAssertion(kind, value, at, found["threshold"], len(kind))


def _after(text: str, start: int, kind: str, length: int) -> ShortAssertion:
    value = text[start:].lstrip()
    return ShortAssertion(kind, value, len(text) - len(value), None, length)


@lru_cache(maxsize=1)
def _short() -> "re.Pattern[str]":
    """An assertion in its short form; the types are those that `not-` may precede."""
    # Most files are no tables of promptfoo, and are checked without its dialect.
    from rubric_core.families.promptfoo.language.dialect import PROMPTFOO  # noqa: PLC0415

    types = [name.removeprefix("not-") for name in PROMPTFOO.types if name.startswith("not-")]
    alternatives = "|".join(map(re.escape, types))
    return re.compile(
        rf"(?P<not>not-)?(?P<type>{alternatives})(?:\((?P<threshold>\d+(?:\.\d+)?)\))?(?::(?P<value>.*))?\Z", re.DOTALL
    )


def short_check(text: str) -> tuple[str, bool] | None:
    """The type of a short check, and whether a colon or threshold follows it; None for a text without a type."""
    found = _CHECK.match(text.strip())
    if found is None:
        return None
    told = bool(found["colon"] or found["threshold"] is not None)
    return f"{found['not'] or ''}{found['type']}", told


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
