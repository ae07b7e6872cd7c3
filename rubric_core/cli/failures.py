"""The failures of a run: each case with its line, and failed graders with each reason once."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from rubric_core.cli.annotated_suite import ROLES
from rubric_core.cli.terminal_style import TerminalStyle
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.reporting.failure_lines import failure_lines
from rubric_core.evaluation.reporting.inline_marks import ERROR, shortened
from rubric_core.validation.wording import count

__all__ = ["count_graders", "failures", "grader_failures"]

_LONGEST_ID = 100
_MOST_CASES = 3
_WAY_OUT = "A case passes only when each of its graders ran; --allow-grader-errors lets the others decide."
_ALLOWED = "Allowed by --allow-grader-errors: the other graders decided."


def failures(path: Path, results: Sequence[CaseResult], style: TerminalStyle) -> Iterator[str]:
    """Each case of a suite that did not pass, with the reasons; consecutive cases share a common reason."""
    several = len({result.target for result in results}) > 1
    failing = [result for result in results if result.verdict is not Verdict.PASSED]
    details = [failure_lines(result) for result in failing]
    for number, result in enumerate(failing):
        needs = f", {result.needs}" if result.needs and not result.reason else ""
        score = f" {result.score:.2f}{needs}" if result.score is not None else ""
        where = style.paint(f"{_file_of(path, result)}:{result.line}", "bold")
        verdict = style.paint(result.verdict.value, ROLES[result.verdict])
        if number == 0 or details[number - 1] != details[number]:
            yield ""
        yield f"{where} {shortened(result.id, _LONGEST_ID)}{f' ({result.target})' if several else ''} {verdict}{score}"
        if details[number + 1 : number + 2] != [details[number]]:
            yield from details[number]


def grader_failures(suites: Sequence[tuple[Path, Sequence[CaseResult]]], *, allowed: bool) -> Iterator[str]:
    """The graders that could not run or crashed: each reason once, with its cases and what to do."""
    found: dict[str, tuple[list[str], list[str]]] = {}
    for path, results in suites:
        for result in results:
            for error in result.grader_errors:
                names, cases = found.setdefault(error.reason, ([], []))
                names.append(error.name)
                cases.append(f"{_file_of(path, result)}:{result.line} {shortened(result.id, _LONGEST_ID)}")
    if not found:
        return
    yield ""
    yield count_graders([result for _, results in suites for result in results])
    for reason, (names, cases) in found.items():
        yield f"    {', '.join(dict.fromkeys(names))}: {shortened(reason, 400)}"
        distinct = list(dict.fromkeys(cases))
        more = f" and {len(distinct) - _MOST_CASES} more" if len(distinct) > _MOST_CASES else ""
        yield f"        {', '.join(distinct[:_MOST_CASES])}{more}"
    yield f"    {_ALLOWED if allowed else _WAY_OUT}"


def count_graders(results: Sequence[CaseResult]) -> str:
    """The number of failed graders, as in `⚠ 3 graders failed in 2 cases`; empty without any."""
    hit = [errors for result in results if (errors := len(result.grader_errors))]
    where = f" in {len(hit)} cases" if len(hit) > 1 else ""
    return f"{ERROR} {count(sum(hit), 'grader')} failed{where}" if hit else ""


def _file_of(path: Path, result: CaseResult) -> str:
    return os.path.normpath(path.parent / result.file) if result.file else str(path)
