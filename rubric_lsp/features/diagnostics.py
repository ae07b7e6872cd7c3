"""Diagnostics: findings in the text, and results that did not pass."""

import heapq
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from rubric_core.analysis import Analysis, Language
from rubric_core.control_characters import mask
from rubric_core.lazy_compilation import dataclass, replace
from rubric_core.loading.files import UnreadableError
from rubric_core.text import Span
from rubric_core.validation.rule import Diagnostic, Severity, Tag
from rubric_lsp.features.results import Results, ShownCase, all_marks, id_span, marks, stale_words, whole_span
from rubric_lsp.features.suite_marks import span_of

if TYPE_CHECKING:
    from rubric_core.evaluation.cases.runnable import Runnable
    from rubric_core.evaluation.model.result import CaseResult
    from rubric_core.evaluation.reporting.inline_marks import Mark
    from rubric_core.evaluation.reporting.summary import CaseMark, Summary

__all__ = ["CHECKED", "UNREADABLE", "DiagnosticEntry", "RelatedNote", "listing", "outcomes", "unreadable_entry"]

CHECKED, RAN = "rubric", "rubric run"
#: The code of a file that is no text in UTF-8.
UNREADABLE = "unreadable-file"
_SEVERITIES: dict[str, Severity] = {
    "failed": "error",
    "borderline": "warning",
    "unscored": "warning",
    "passed": "information",
}
#: How many cases the diagnostic of a suite's evaluator names.
_MOST = 5


@dataclass(frozen=True, slots=True)
class RelatedNote:
    """A related place of a diagnostic."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class DiagnosticEntry:
    """A diagnostic."""

    span: Span
    severity: Severity
    code: str
    message: str
    source: str = CHECKED
    #: The page of the code.
    url: str = ""
    related: tuple[RelatedNote, ...] = ()
    tags: tuple[Tag, ...] = ()
    #: The titles of the fixes.
    fixes: tuple[str, ...] = ()


def unreadable_entry(error: UnreadableError, text: str) -> DiagnosticEntry:
    """What is wrong with a file on disk, on that line of the text that an editor shows of it."""
    lines = text.splitlines(keepends=True)
    number = min(error.line or 1, len(lines) or 1) - 1
    start = sum(map(len, lines[:number]))
    end = start + len("".join(lines[number : number + 1]).rstrip("\r\n"))
    return DiagnosticEntry(Span(start, end), "error", UNREADABLE, mask(error.reason))


def listing(diagnostics: Sequence[Diagnostic], language: Language) -> list[DiagnosticEntry]:
    """Findings with links to the pages of their codes."""
    urls: dict[str, str] = {}
    for code in {d.code for d in diagnostics}:
        rule = language.rule(code)
        urls[code] = rule.url if rule is not None else ""
    return [_problem(d, urls[d.code]) for d in diagnostics]


def _problem(found: Diagnostic, url: str) -> DiagnosticEntry:
    notes = tuple(RelatedNote(r.span, r.message) for r in found.related)
    return DiagnosticEntry(
        found.span,
        found.severity,
        found.code,
        found.in_full,
        CHECKED,
        url,
        notes,
        found.tags,
        tuple(f.title for f in found.fixes),
    )


def outcomes(
    analysis: Analysis,
    results: Results,
    shared: "Sequence[Summary]" = (),
    included: "Sequence[Runnable]" = (),
    *,
    passed: bool = False,
) -> list[DiagnosticEntry]:
    """Outcomes of runs as diagnostics; passes only if `passed` is set.

    Args:
        analysis: The suite.
        results: The results of its cases.
        shared: The summaries of the suite's evaluators over the cases.
        included: The cases of this file that its suite names.
        passed: Whether passes are listed, too.
    """
    if not results:
        return []
    seen: set[str] = set()
    problems = [problem for each in shared for problem in _shared(analysis, each, passed=passed)]
    for entry in analysis.cases:
        shown = results.get(entry.name)
        if shown is not None and entry.name not in seen:
            seen.add(entry.name)
            problems += _outcome(id_span(analysis, entry), shown, partial(marks, analysis, entry, shown), passed=passed)
    for case in included:
        shown = results.get(case.id)
        if shown is not None:
            problems += _outcome(whole_span(case), shown, partial(_marks_within, case, shown), passed=passed)
    return [replace(each, span=_first_line(analysis, each.span)) for each in problems]


def _first_line(analysis: Analysis, span: Span) -> Span:
    """The part of a span in its first line: `type: contains` of an evaluator, not all that it consists of."""
    line = analysis.document.slice(span.start, span.end).partition("\n")[0].rstrip()
    return Span(span.start, span.start + len(line))


def _marks_within(case: "Runnable", shown: ShownCase) -> "list[Mark]":
    """The marks inside a case that its suite names."""
    whole = whole_span(case)
    return [mark for mark in all_marks(case, shown) if whole.covers(mark.span.start)]


def _outcome(
    span: Span, shown: ShownCase, parts: "Callable[[], Sequence[Mark]]", *, passed: bool
) -> Iterator[DiagnosticEntry]:
    """The diagnostics of a result, `parts` gives the marks inside its case."""
    if shown.summary is None:
        return
    if shown.stale:
        words = f"{'not run by you' if shown.is_foreign else 'stale'}: was {stale_words(shown.summary)}"
        yield DiagnosticEntry(span, "hint", "case-stale", words, RAN)
        return
    result = shown.result if passed or not shown.summary.is_sound_pass else None
    if result is None:
        return
    if result.verdict == "unscored":
        yield DiagnosticEntry(span, "warning", "case-unscored", f"unscored: {_why(result)}", RAN)
    elif result.verdict != "passed" or passed:
        yield DiagnosticEntry(
            span, _SEVERITIES[result.verdict.value], f"case-{result.verdict.value}", _case_words(result), RAN
        )
    if not result.is_sound_pass or passed:
        note = RelatedNote(span, f"{result.id}: {_case_words(result)}")
        yield from (_part(mark, note) for mark in parts() if _matters(mark, result, passed=passed))


def _why(result: "CaseResult") -> str:
    """The reason why a case has no verdict."""
    from rubric_core.evaluation.reporting.inline_marks import grader_words  # noqa: PLC0415  # loaded when something was run

    return grader_words(result, why=True) or result.reason


def _shared(analysis: Analysis, summary: "Summary", *, passed: bool) -> Iterator[DiagnosticEntry]:
    """One diagnostic for an evaluator of the suite, for all cases. A missing judge is reported at the cases."""
    from rubric_core.evaluation.model.result import Verdict  # noqa: PLC0415  # loaded when something was run

    at = analysis.span_of(None, span_of(summary))
    if summary.errors:
        broken = list(islice(summary.broken, _MOST))
        message = _lines(f"the grader failed in {summary.errors} of {summary.amount} cases", broken, summary.errors)
        yield DiagnosticEntry(at, "error", "grader-failed", message, RAN, related=_cases(analysis, broken))
        return
    told = (Verdict.FAILED, Verdict.BORDERLINE, *([Verdict.PASSED] if passed else []))
    verdict = next((verdict for verdict in told if summary.count(verdict)), None)
    if verdict is None:
        return
    count = summary.count(verdict)
    worst = heapq.nsmallest(_MOST, summary.with_verdict(verdict), key=lambda each: each.rank)
    words = ", ".join(w for w in (f"{verdict.value} in {count} of {summary.amount} cases", summary.average) if w)
    message = _lines(words, worst, count)
    code = f"criterion-{verdict.value}"
    yield DiagnosticEntry(at, _SEVERITIES[verdict.value], code, message, RAN, related=_cases(analysis, worst))


def _lines(words: str, listed: "Sequence[CaseMark]", count: int) -> str:
    """The result over all cases, then one line for each listed case."""
    marks = [(each.case, each.mark) for each in listed if each.mark is not None]
    said = [f"{case}: {'' if m.error else m.text[1:].strip()}  {m.note}".strip(" :") for case, m in marks]
    return "\n".join([words, *said, *(["…"] if count > len(said) else [])])


def _cases(analysis: Analysis, listed: "Sequence[CaseMark]") -> tuple[RelatedNote, ...]:
    """The places of the cases."""
    named = ((each.case, analysis.case_named(each.case)) for each in listed)
    return tuple(RelatedNote(id_span(analysis, entry), name) for name, entry in named if entry is not None)


def _case_words(result: "CaseResult") -> str:
    score = result.score or 0
    if result.reason and score >= result.threshold:
        # If a gate failed, naming the threshold, which the score reaches, would be misleading.
        return f"{result.verdict.value} with {score:.2f}: {result.reason}"
    words = f"{result.verdict.value} with {score:.2f}{f', {result.needs}' if result.needs else ''}"
    return f"{words}: {result.reason}" if result.reason else words


def _matters(mark: "Mark", result: "CaseResult", *, passed: bool) -> bool:
    """Whether a part adds to what the case says. Bands repeat their criterion."""
    if mark.error:
        return True
    if mark.what == "band" or (mark.verdict == "passed" and not passed):
        return False
    return mark.verdict != "unscored" or mark.note != result.reason


def _part(mark: "Mark", note: RelatedNote) -> DiagnosticEntry:
    told = mark.text[1:].strip()
    if mark.error:
        return DiagnosticEntry(
            mark.span, "error", "grader-failed", f"the grader failed: {mark.note}", RAN, related=(note,)
        )
    if mark.verdict == "unscored":
        return DiagnosticEntry(mark.span, "warning", "criterion-unscored", f"unscored: {mark.note}", RAN)
    words = f"{mark.verdict.value} {told}".strip()
    message = f"{words}: {mark.note}" if mark.note else words
    code = f"criterion-{mark.verdict.value}"
    hit = (RelatedNote(mark.band[0], f"the band of this score: {mark.band[1]}"),) if mark.band is not None else ()
    return DiagnosticEntry(mark.span, _SEVERITIES[mark.verdict.value], code, message, RAN, related=(*hit, note))
