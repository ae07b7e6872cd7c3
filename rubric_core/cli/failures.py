"""What did not pass in a run, each case with the line to jump to."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from rubric_core.cli.inline import ROLES
from rubric_core.cli.style import Style
from rubric_core.evaluation.marks import shortened
from rubric_core.evaluation.result import CaseResult, EvaluatorResult, Verdict

__all__ = ["failures"]

_LONGEST_ID = 100


def failures(path: Path, results: Sequence[CaseResult], style: Style) -> Iterator[str]:
    """Each case of a suite that did not pass, with what did not hold; what several in a row have in common is told once, behind the last of them."""
    several = len({result.target for result in results}) > 1
    failing = [result for result in results if result.verdict is not Verdict.PASSED]
    details = [_details(result) for result in failing]
    for number, result in enumerate(failing):
        needs = "" if result.reason else f", needs {result.threshold:.2f}"
        score = f" {result.score:.2f}{needs}" if result.score is not None else ""
        where = style.paint(f"{_file_of(path, result)}:{result.line}", "bold")
        verdict = style.paint(result.verdict.value, ROLES[result.verdict])
        if number == 0 or details[number - 1] != details[number]:
            yield ""
        yield f"{where} {shortened(result.id, _LONGEST_ID)}{f' ({result.target})' if several else ''} {verdict}{score}"
        if details[number + 1 : number + 2] != [details[number]]:
            yield from details[number]


def _details(result: CaseResult) -> list[str]:
    lines = [f"    {result.reason}"] if result.reason else []
    return lines + [line for e in result.evaluators for line in _evaluator_lines(e, result.reason)]


def _file_of(path: Path, result: CaseResult) -> str:
    return os.path.normpath(path.parent / result.file) if result.file else str(path)


def _evaluator_lines(result: EvaluatorResult, known: str) -> Iterator[str]:
    """What did not hold; the reason that is told already is not told again."""
    if result.verdict is Verdict.PASSED or (result.score is None and result.reason in known):
        return
    for member in result.members:
        yield from _evaluator_lines(member, known)
    judged = result.score is not None
    failed = [c for c in result.criteria if c.verdict is not Verdict.PASSED and judged]
    for criterion in failed:
        raw = f" {criterion.raw}/10" if criterion.raw is not None else ""
        minimum = f" (needs {criterion.minimum * 10:g})" if criterion.raw is not None and criterion.minimum else ""
        words = criterion.reason or criterion.reasoning or criterion.outcome
        yield f"    {result.name} / {criterion.id}{raw}{minimum}: {shortened(words, 160)}"
    if not failed and not result.members:
        words = result.reason or "; ".join(result.misses) or result.reasoning
        yield f"    {result.name}: {shortened(words, 240)}"
