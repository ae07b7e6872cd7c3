"""table-column: a column or cell of a table of promptfoo cases that is read as something else."""

from collections.abc import Iterator

from rubric_core.loading.promptfoo_table import CaseTable
from rubric_core.validation.promptfoo.tables import table_mistakes
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["TABLE_COLUMN"]


@rule("table-column", "warning", "A column or cell of a table that promptfoo reads as something else")
def TABLE_COLUMN(table: CaseTable, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Unknown columns are variables, unknown checks are texts to compare with."""
    yield from table_mistakes(table, context)
