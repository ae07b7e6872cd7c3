"""Files of promptfoo in which there is no prompt or no case."""

from pathlib import Path

from rubric_core.families.promptfoo.loading.table import PROMPT_COLUMN
from rubric_core.loading.plain_cases import plain_cases
from rubric_core.syntax.csv_cells import other_delimiter, rows_of

__all__ = ["has_no_case", "has_no_prompt", "unread_columns"]

#: Files of prompts of which at least one text has to be left.
_NEEDS_TEXT = frozenset({".txt", ".yaml", ".yml", ".csv"})


def has_no_prompt(path: Path, text: str) -> bool:
    """Whether nothing of a file of prompts is left once it is split."""
    return path.suffix in _NEEDS_TEXT and not text.replace("---", "").strip()


def unread_columns(path: Path, text: str) -> str:
    """Why a table has no prompt; empty if it may have one."""
    # promptfoo reads a table without commas, and one that is no table, as one prompt per line.
    if path.suffix.lower() != ".csv" or "," not in text:
        return ""
    rows = list(rows_of(text))
    if (
        not rows
        or other_delimiter(rows[0])
        or any(len(row) != len(rows[0]) or any(cell.quotes for cell in row) for row in rows)
    ):
        return ""
    columns = [cell.text.strip() for cell in rows[0]]
    if PROMPT_COLUMN not in columns:
        return f"none of its columns is `{PROMPT_COLUMN}`"
    cells = (row[len(columns) - 1 - columns[::-1].index(PROMPT_COLUMN)] for row in rows[1:])
    return "" if any(cell.text.strip() for cell in cells) else f"its column `{PROMPT_COLUMN}` is empty"


def has_no_case(path: Path, text: str) -> bool:
    """Whether a table has no row below its header, or a list of cases no item."""
    if path.suffix.lower() == ".csv":
        rows = rows_of(text)
        next(rows, None)
        return next(rows, None) is None
    return path.suffix.lower() == ".json" and plain_cases(path, text) == []
