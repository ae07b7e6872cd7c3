"""How promptfoo reads tables of tests, which is no key of a configuration: it asks its own environment."""

from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["TableFormat", "table_format"]

#: The values of a variable that promptfoo takes for true.
_TRUE = frozenset({"1", "true", "yes", "yup", "yeppers"})


class TableFormat(NamedTuple):
    """How promptfoo reads a table: what separates its cells, and whether a misplaced quote stops it."""

    delimiter: str = ","
    is_strict: bool = True


def table_format(environment: Mapping[str, str]) -> TableFormat:
    """The format of tables of tests."""
    strict = environment.get("PROMPTFOO_CSV_STRICT", "").lower()
    return TableFormat(environment.get("PROMPTFOO_CSV_DELIMITER") or ",", strict in _TRUE)
