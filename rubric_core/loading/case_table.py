"""Cases in a table (CSV), one per row. A column is a variable, or a property of the case.

`id` and `__description` are the id and description, `vars.NAME` and every other name a variable. `__expected` and
`__expected2` are short checks, such as `icontains: hello` and `not-contains: sorry`; any other text has to equal the
answer. `__metric` names the checks, `__threshold` is the lowest passing score, `__metadata:NAME` is metadata.
"""

import io
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

from rubric_core.lazy_compilation import pattern

__all__ = ["TableCase", "TableError", "UnactedColumnError", "cases_in_table"]

_EXPECTED = pattern(r"__expected\d*\Z")
_SHORT = pattern(
    r"(?P<not>not-)?(?P<type>[a-z][a-z0-9:-]*?)(?:\((?P<bound>[0-9.]+)\))?(?:\s*:\s*(?P<value>.*))?\Z", re.DOTALL
)
#: Short names of types.
_OTHER = {"fn": "javascript", "eval": "javascript", "grade": "llm-rubric"}
#: The meaning of the number in brackets.
_BOUNDS = {"cost": "budget"}
_LISTS = frozenset({"contains-any", "contains-all", "icontains-any", "icontains-all"})
#: Types that need no value.
_BARE = frozenset({"is-json", "latency", "cost"})


class TableError(Exception):
    """An invalid table; the message names the line."""


class UnactedColumnError(TableError):
    """A column that AgentV reads and rubric does not support, which is not the author's mistake."""


class TableCase(NamedTuple):
    """A row."""

    #: Its first and its last line, from 1.
    line: int
    last: int
    #: The case as agentv-5 would write it.
    case: dict[str, Any]


def cases_in_table(text: str, types: Collection[str]) -> list[TableCase]:
    """The cases of a table.

    Args:
        text: The table, with the names of its columns in the first row.
        types: The types of evaluators that are valid in short checks.

    Raises TableError.
    """
    return list(_cases(text.removeprefix("\ufeff"), types))


def _cases(text: str, types: Collection[str]) -> Iterator[TableCase]:
    import csv  # noqa: PLC0415  # few suites have tables

    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    columns: list[str] = []
    line = 1
    try:
        for row in rows:
            begins, line = line, rows.line_num + 1
            if not any(cell.strip() for cell in row):
                continue
            if not columns:
                columns = _columns(row, begins)
            elif len(row) != len(columns):
                raise TableError(f"{begins}: the row has {len(row)} cells, the first one has {len(columns)}")
            else:
                yield TableCase(begins, rows.line_num, _case(columns, row, types, begins))
    except csv.Error as error:
        raise TableError(f"{line}: {error}") from None


def _columns(row: Sequence[str], line: int) -> list[str]:
    names = [cell.strip() for cell in row]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise TableError(f"{line}: there are two columns {twice or 'without a name'}")
    for name in names:
        known = name in ("__metric", "__threshold", "__description") or name.startswith("__metadata:")
        if name.startswith("__") and not known and not _EXPECTED.match(name):
            raise UnactedColumnError(f"{line}: the column {name} is not supported by rubric")
    return names


def _case(columns: Sequence[str], row: Sequence[str], types: Collection[str], line: int) -> dict[str, Any]:
    made: dict[str, Any] = {}
    values: dict[str, str] = {}
    checks: list[dict[str, Any]] = []
    metadata: dict[str, str] = {}
    cells = dict(zip(columns, row, strict=True))
    for name, cell in cells.items():
        text = cell.strip()
        if name in ("id", "__description"):
            made |= {name.strip("_"): text} if text else {}
        elif _EXPECTED.match(name):
            checks += [_check(text, types, line)] if text else []
        elif name == "__threshold":
            made |= {"run": {"threshold": _number(text, line)}} if text else {}
        elif name.startswith("__metadata:"):
            metadata[name.partition(":")[2]] = cell
        elif name != "__metric":
            values[name.removeprefix("vars.")] = cell
    metric = cells.get("__metric", "").strip()
    made["vars"] = values
    if checks:
        made["assert"] = [{"metric": metric, **check} for check in checks] if metric else checks
    return {**made, "metadata": metadata} if metadata else made


def _check(text: str, types: Collection[str], line: int) -> dict[str, Any]:
    """A check in short form, as a mapping; any other text has to equal the answer."""
    if text.startswith("file://"):
        return {"type": "python" if ".py" in text else "javascript", "value": text}
    found = _SHORT.match(text)
    kind = _OTHER.get(found["type"], found["type"]) if found else ""
    value = found["value"] if found else None
    if found is None or kind not in types or (value is None and kind not in _BARE):
        return {"type": "equals", "value": text}
    inverse = f"not-{kind}" if found["not"] else ""
    made: dict[str, Any] = {"type": inverse if inverse in types else kind}
    if inverse and inverse not in types:
        made["negate"] = True
    bound = found["bound"] or (value if kind in ("latency", "cost") else None)
    if bound:
        made[_BOUNDS.get(kind, "threshold")] = _number(bound, line)
    if kind in _LISTS:
        made["value"] = [part.strip() for part in (value or "").split(",") if part.strip()]
    elif value is not None and kind not in _BARE:
        made["value"] = value
    return made


def _number(text: str, line: int) -> float:
    try:
        return float(text)
    except ValueError:
        raise TableError(f"{line}: {text!r} is not a number") from None
