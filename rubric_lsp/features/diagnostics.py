"""What is listed among the problems: findings in the text, and results of runs that are no pass."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rubric_core.analysis import Analysis
from rubric_core.text import Span
from rubric_core.validation.rule import CaseEntry, Diagnostic, Severity, Tag
from rubric_lsp.features.results import MARKS, Results, Shown, id_span, parts, score_words

if TYPE_CHECKING:
    from rubric_core.evaluation.result import CaseResult, CriterionResult, EvaluatorResult

__all__ = ["Note", "Problem", "findings", "outcomes"]

CHECKED, RAN = "rubric", "rubric run"


@dataclass(frozen=True, slots=True)
class Note:
    """Another place that has to do with a problem."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Problem:
    """One entry of the list."""

    span: Span
    severity: Severity
    code: str
    message: str
    source: str = CHECKED
    #: Where the code is explained.
    url: str = ""
    related: tuple[Note, ...] = ()
    tags: tuple[Tag, ...] = ()
    #: The titles of the fixes.
    fixes: tuple[str, ...] = ()


def findings(analysis: Analysis) -> list[Problem]:
    """What is wrong in the text."""
    urls: dict[str, str] = {}
    for code in {d.code for d in analysis.diagnostics}:
        rule = analysis.language.rule(code)
        urls[code] = rule.url if rule is not None else ""
    return [_problem(d, urls[d.code]) for d in analysis.diagnostics]


def _problem(found: Diagnostic, url: str) -> Problem:
    message = f"{found.message}\n{found.consequence}" if found.consequence else found.message
    notes = tuple(Note(r.span, r.message) for r in found.related)
    return Problem(
        found.span,
        found.severity,
        found.code,
        message,
        CHECKED,
        url,
        notes,
        found.tags,
        tuple(f.title for f in found.fixes),
    )


def outcomes(analysis: Analysis, results: Results, *, passed: bool = False) -> list[Problem]:
    """What runs have found; cases that passed only when `passed` says so."""
    if not results:
        return []
    seen: set[str] = set()
    problems: list[Problem] = []
    for entry in analysis.cases:
        name = entry.case.id
        shown = results.get(name) if name else None
        if shown is not None and shown.result is not None and name not in seen:
            seen.add(name or "")
            problems += _outcome(analysis, entry, shown, shown.result, passed=passed)
    return problems


def _outcome(
    analysis: Analysis, entry: CaseEntry, shown: Shown, result: "CaseResult", *, passed: bool
) -> Iterator[Problem]:
    span = id_span(analysis, entry)
    if shown.stale:
        yield Problem(
            span, "hint", "case-stale", f"stale: was {MARKS[result.verdict]} {score_words(result.score)}".rstrip(), RAN
        )
        return
    if result.verdict == "unscored":
        yield Problem(span, "warning", "case-unscored", f"unscored: {result.reason}", RAN)
    elif result.verdict == "failed":
        yield Problem(span, "error", "case-failed", _case_words(result), RAN)
    elif result.verdict == "borderline":
        yield Problem(span, "warning", "case-borderline", _case_words(result), RAN)
    elif passed:
        yield Problem(span, "information", "case-passed", f"passed with {score_words(result.score)}", RAN)
    if result.verdict != "passed":
        yield from _parts(analysis, entry, result)


def _case_words(result: "CaseResult") -> str:
    words = f"{result.verdict.value} with {score_words(result.score)}, needs {score_words(result.threshold)}"
    return f"{words}: {result.reason}" if result.reason else words


def _parts(analysis: Analysis, entry: CaseEntry, result: "CaseResult") -> Iterator[Problem]:
    case = id_span(analysis, entry)
    note = (
        (Note(case, f"{result.id}: {result.verdict.value} with {score_words(result.score)}"),)
        if result.score is not None
        else ()
    )
    for part in parts(analysis, entry, result):
        found = part.result
        if found.verdict == "failed" and not getattr(found, "criteria", ()):
            yield Problem(part.span, "error", "criterion-failed", _part_words(found), RAN, related=note)
        elif found.verdict == "borderline" and not getattr(found, "criteria", ()):
            yield Problem(part.span, "warning", "criterion-borderline", _part_words(found), RAN, related=note)
        elif found.verdict == "unscored" and found.reason and found.reason != result.reason:
            yield Problem(part.span, "warning", "criterion-unscored", f"unscored: {found.reason}", RAN)


def _part_words(found: "CriterionResult | EvaluatorResult") -> str:
    """What a judge or an assertion says about a part that did not pass."""
    misses = getattr(found, "misses", ())
    said = found.reasoning or found.reason or "; ".join(misses) or getattr(found, "outcome", "")
    minimum = f", needs {score_words(found.minimum)}" if found.minimum is not None else ""
    raw = getattr(found, "raw", None)
    score = f"{raw}/10 → {score_words(found.score)}" if raw is not None else score_words(found.score)
    head = f"{found.verdict.value} with {score}{minimum}" if found.score is not None else found.verdict.value
    return f"{head}: {said}" if said else head
