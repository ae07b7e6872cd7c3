"""Cases × targets in a terminal: a line per case, a column per target, and below it the total of the target."""

from collections.abc import Iterator, Sequence

from rubric_core.cli.annotated_suite import ROLES
from rubric_core.cli.terminal_style import TerminalStyle, width
from rubric_core.evaluation.model.result import Verdict
from rubric_core.evaluation.reporting.inline_marks import SIGNS, seconds_words, shortened
from rubric_core.evaluation.reporting.target_matrix import MatrixCell, TargetMatrix

__all__ = ["matrix_lines"]

_LONGEST_ID, _LONGEST_TARGET = 40, 24
#: The most cases that are all shown; of more, only those on which the targets differ.
_MOST_CASES = 40
_BETWEEN = "  "


def matrix_lines(matrix: TargetMatrix, style: TerminalStyle) -> Iterator[str]:
    """The lines of a matrix."""
    shown = _shown(matrix)
    names = [shortened(name, _LONGEST_ID) for name in shown]
    left = max([width(name) for name in names], default=0)
    heads = [shortened(target, _LONGEST_TARGET) for target in matrix.targets]
    feet = [_foot(matrix, target) for target in matrix.targets]
    wide = [max(width(head), *map(width, foot), len("✔ 0.00")) for head, foot in zip(heads, feet, strict=True)]
    yield ""
    yield style.paint(_line("", left, heads, wide), "bold")
    for name, row in zip(names, (matrix.rows[name] for name in shown), strict=True):
        cells = [_painted(row.get(target), room, style) for target, room in zip(matrix.targets, wide, strict=True)]
        yield _line(name, left, cells, wide)
    alike = len(matrix.rows) - len(shown)
    if alike:
        yield style.paint(f"… and {alike} more, about which the targets agree", "dim")
    for line in zip(*feet, strict=True):
        if any(line):
            yield style.paint(_line("", left, line, wide), "dim")


def _shown(matrix: TargetMatrix) -> Sequence[str]:
    if len(matrix.rows) <= _MOST_CASES:
        return list(matrix.rows)
    return [name for name, row in matrix.rows.items() if len({cell.verdict for cell in row.values()}) > 1]


def _painted(cell: MatrixCell | None, room: int, style: TerminalStyle) -> str:
    if cell is None:
        return " " * room
    words = f"{SIGNS[cell.verdict]} {'–' if cell.score is None else f'{cell.score:.2f}'}"
    return f"{style.paint(words, ROLES[cell.verdict])}{' ' * (room - width(words))}"


def _line(head: str, left: int, cells: Sequence[str], wide: Sequence[int]) -> str:
    padded = (f"{cell}{' ' * (room - width(cell))}" for cell, room in zip(cells, wide, strict=True))
    return _BETWEEN.join((f"{head}{' ' * (left - width(head))}", *padded)).rstrip()


def _foot(matrix: TargetMatrix, target: str) -> tuple[str, str, str, str]:
    """The foot of a column: passes, mean score, cost and duration, as far as known."""
    totals = matrix.totals(target)
    score, cost, time = totals["mean_score"], totals["cost_usd"], totals["mean_duration_ms"]
    return (
        f"{totals['passed']}/{sum(totals[verdict.value] for verdict in Verdict)} passed",
        "" if score is None else f"mean {score:.2f}",
        "" if cost is None else f"${cost:.4f}",
        "" if time is None or not seconds_words(time) else f"{seconds_words(time)} each",
    )
