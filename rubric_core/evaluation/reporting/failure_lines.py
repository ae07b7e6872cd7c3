"""Why a case did not pass, line by line: the failed criteria and evaluators, with their judges' reasons."""

from collections.abc import Iterator

from rubric_core.evaluation.model.result import CaseResult, EvaluatorResult, Verdict
from rubric_core.evaluation.reporting.inline_marks import grader_words, of_row, shortened

__all__ = ["failure_lines"]


def failure_lines(result: CaseResult) -> list[str]:
    """The failed parts, indented, one line each.

    Of failed graders only names: their reasons are often the same in all cases.
    """
    errors = grader_words(result)
    lines = [f"    {errors}"] if errors else []
    if result.reason and not (errors and result.verdict is Verdict.UNSCORED):
        lines.append(f"    {result.reason}")
    return lines + [line for e in result.evaluators for line in _evaluator_lines(e, result.reason)]


def _evaluator_lines(result: EvaluatorResult, known: str) -> Iterator[str]:
    """The failed parts. A reason that the case already gives is not repeated."""
    told = result.failure or (result.score is None and result.reason in known)
    if result.verdict is Verdict.PASSED or (told and not result.members):
        return
    for member in result.members:
        yield from _evaluator_lines(member, known)
    judged = result.score is not None
    failed = [c for c in result.criteria if c.verdict is not Verdict.PASSED and judged]
    for criterion in failed:
        raw = f" {criterion.raw}/10" if criterion.raw is not None else ""
        minimum = f" (needs {criterion.minimum * 10:g})" if criterion.raw is not None and criterion.minimum else ""
        words = (
            criterion.reason or of_row(criterion, criterion.reasoning) or (criterion.outcome if criterion.named else "")
        )
        said = f": {shortened(words, 160)}" if words else ""
        yield f"    {result.name} / {criterion.label}{raw}{minimum}{said}"
    if not failed and not result.members and not told:
        words = result.reason or of_row(result, "; ".join(result.shown_misses) or result.reasoning)
        passes = f" {result.tally.words}" if result.tally is not None and result.tally.words else ""
        yield f"    {result.name}{passes}: {shortened(words, 240)}"
