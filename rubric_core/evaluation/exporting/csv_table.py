"""A run as CSV: one row per case, and a column for the score of each evaluator. Opens in spreadsheets, and executes nothing there."""

import csv
import io
import re
from collections.abc import Iterator

from rubric_core.control_characters import mask
from rubric_core.evaluation.exporting.run_cases import ExportedRun
from rubric_core.evaluation.model.result import CaseResult
from rubric_core.evaluation.results.records import RunCase

__all__ = ["csv_table"]

_HEAD = (
    "run", "suite", "case", "target", "verdict", "score", "threshold", "duration_ms", "cost_usd", "input_tokens", "output_tokens",
    "tags", "reason", "input", "answer", "file", "line", "at",
)  # fmt: skip
#: Spreadsheets take a cell that begins with one of these for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
#: Where semicolons separate cells, as in most of Europe, Excel reads a row of ours as other cells, and quotes inside of it as text: a
#: semicolon, a tab or a line break in a text then begins a cell. In Markdown, many lines begin with a dash; those without a call and
#: without another program or file are no formula that does anything.
_INNER_FORMULA = re.compile(
    r"""(?<=[;\t])(?="*[=+\-@＝＋－＠])|(?<=[\r\n])(?="*(?:[=@＝＠]|[+\-＋－][^;\t\r\n]*[(|!]))"""
)
#: Characters; Excel splits longer cells.
_LONGEST_CELL = 32_000
#: Without it, Excel reads the file in the encoding of the system.
_MARK = "\ufeff"


def csv_table(run: ExportedRun) -> Iterator[str]:
    """The rows (RFC 4180), the header first; scores are 0..1, and empty if missing."""
    evaluators = list(dict.fromkeys(s.path for case in run.cases for s in case.scores if s.kind == "evaluator"))
    # Only results of others need a column that says so.
    name, own = (["own"], ["no"]) if run.foreign else ([], [])
    yield _MARK + _line([*_HEAD, *name, *(f"score: {each}" for each in evaluators)])
    for case, result in run:
        scores = {s.path: s.score for s in case.scores if s.kind == "evaluator"}
        yield _line([*_columns(run, case, result), *own, *(scores.get(name) for name in evaluators)])


def _columns(run: ExportedRun, case: RunCase, result: CaseResult) -> list[str | float | None]:
    tokens = case.tokens
    return [
        run.record.id, case.suite, case.id, case.target, result.verdict.value, result.score,
        result.threshold if result.has_threshold else None, result.duration_ms,
        case.cost_usd, tokens.input if tokens else None, tokens.output if tokens else None, ", ".join(case.tags), result.reason,
        case.input, result.answer, result.file, result.line or None, result.at,
    ]  # fmt: skip


def _line(values: list[str | float | None]) -> str:
    written = io.StringIO()
    csv.writer(written).writerow([_cell(value) for value in values])
    return written.getvalue()


def _cell(value: str | float | None) -> str | float | None:
    """A value as a spreadsheet may have it: text that begins like a formula gets an apostrophe, as OWASP advises, and so does one inside."""
    if not isinstance(value, str):
        return value
    text = mask(value)
    if len(text) > _LONGEST_CELL:
        text = f"{text[:_LONGEST_CELL]}… ({len(text) - _LONGEST_CELL:,} more characters)"
    text = _INNER_FORMULA.sub("'", text)
    return f"'{text}" if text.startswith(_FORMULA) else text
