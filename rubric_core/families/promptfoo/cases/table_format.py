"""How promptfoo reads tables of tests, which is no key of a configuration: it asks its own environment."""

from collections.abc import Mapping
from typing import NamedTuple

from rubric_core.families.promptfoo.language.run_options import is_on

__all__ = ["TableFormat", "table_format"]


class TableFormat(NamedTuple):
    """How promptfoo reads a table: what separates its cells, and whether a misplaced quote stops it."""

    delimiter: str = ","
    is_strict: bool = True


def table_format(environment: Mapping[str, str]) -> TableFormat:
    """The format of tables of tests."""
    is_strict = is_on(environment, "PROMPTFOO_CSV_STRICT")
    return TableFormat(environment.get("PROMPTFOO_CSV_DELIMITER") or ",", is_strict)
