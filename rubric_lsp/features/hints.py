"""Inlay hints: the result of a part at the end of its line."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rubric_core.analysis import Analysis
from rubric_core.lazy_compilation import dataclass
from rubric_core.text import Span
from rubric_core.validation.entry_lists import CaseEntry
from rubric_lsp.features.results import (
    Results,
    ShownCase,
    all_marks,
    brief,
    id_span,
    line_end,
    marks,
    tally_of,
    tally_words,
    whole_span,
)
from rubric_lsp.features.suite_marks import shared_tooltip, span_of

if TYPE_CHECKING:
    from rubric_core.evaluation.cases.runnable import Runnable
    from rubric_core.evaluation.reporting.inline_marks import Mark
    from rubric_core.evaluation.reporting.summary import Summary

__all__ = ["Hint", "HintSettings", "hints"]


@dataclass(frozen=True, slots=True)
class Hint:
    """A short text at the end of a line."""

    offset: int
    label: str
    tooltip: str = ""
    #: Whether it follows the preceding character without a space.
    close: bool = False
    #: The state of a result: a verdict, "stale" or "running". Empty for other hints.
    state: str = ""


@dataclass(frozen=True, slots=True)
class HintSettings:
    """Which derived hints are enabled."""

    weights: bool = True
    bands: bool = True
    inherited: bool = True
    required: bool = True


def hints(
    analysis: Analysis,
    results: Results,
    within: Span,
    directory: Path | None = None,
    shared: "Sequence[Summary]" = (),
    included: "Sequence[Runnable]" = (),
) -> list[Hint]:
    """The hints of the lines in `within`.

    Args:
        analysis: The suite.
        results: The results of its cases.
        within: The visible lines.
        directory: The directory of the suite.
        shared: The summaries of the suite's evaluators over the cases.
        included: The cases of this file that its suite names.
    """
    if not results:
        return []
    seen: set[str] = set()
    found: dict[int, Hint] = {}
    for each in shared:
        at = line_end(analysis, analysis.span_of(None, span_of(each)).start)
        if within.start <= at <= within.end:
            found.setdefault(at, Hint(at, each.words, shared_tooltip(each), state=_state_of(each.words)))
    document = analysis.document
    first, last = document.block_at(within.start), document.block_at(within.end)
    for entry in analysis.cases:
        name = entry.name
        if name in seen or name not in results:
            continue
        seen.add(name)
        if not (entry.block < 0 or first <= entry.block <= last):
            continue
        for hint in _case(analysis, entry, results[name]):
            # One hint per line: for an evaluator and its only criterion on one line, the criterion says more.
            if within.start <= hint.offset <= within.end:
                found.setdefault(hint.offset, hint)
    for hint in _included(analysis, [case for case in included if case.id in results], results, within):
        found.setdefault(hint.offset, hint)
    for behind in analysis.included if directory is not None else ():
        at = line_end(analysis, behind.span.end)
        files = {Path(os.path.relpath(file, directory)).as_posix() for file in behind.found.files}
        told = tally_of(results, files) if within.start <= at <= within.end else ""
        if told:
            found.setdefault(at, Hint(at, told, state=_state_of(told)))
    return list(found.values())


def _case(analysis: Analysis, entry: CaseEntry, shown: ShownCase) -> Iterator[Hint]:
    at = id_span(analysis, entry).end
    return _at(analysis, at, shown, marks(analysis, entry, shown, outdated=True), brief(shown))


def _included(analysis: Analysis, cases: "Iterable[Runnable]", results: Results, within: Span) -> Iterator[Hint]:
    """The results of cases that their suite names. Several are written in one place where rows of scenarios make them of one test."""
    places: dict[Span, list[Runnable]] = {}
    for case in cases:
        places.setdefault(whole_span(case), []).append(case)
    for whole, several in places.items():
        if within.start <= whole.end and whole.start <= within.end:
            # The parts are those of one of them: of the worst.
            case = min(several, key=lambda each: _goodness(results[each.id]))
            shown = results[case.id]
            label = brief(shown) if len(several) == 1 or shown.running else tally_words(results[c.id] for c in several)
            there = (mark for mark in all_marks(case, shown) if whole.covers(mark.span.start))
            yield from _at(analysis, whole.start, shown, there, label)


def _goodness(shown: ShownCase) -> tuple[bool, bool, bool]:
    """Orders cases: those that run, then those that failed, then others, last those whose result is stale."""
    passed = shown.summary is None or shown.summary.is_sound_pass
    return (not shown.running, shown.stale, passed)


def _at(analysis: Analysis, at: int, shown: ShownCase, found: "Iterable[Mark]", label: str) -> Iterator[Hint]:
    """The result of a case on the line of an offset, and those of its parts."""
    if label:
        why = shown.result.reason if shown.result is not None else ""
        yield Hint(line_end(analysis, at), label, why, state=_state_of(label))
    # The parts of a stale result keep their places, and are marked as stale.
    outdated = shown.stale and not shown.running
    for mark in found:
        label = _label(mark, outdated=outdated and mark.result not in shown.newer.values())
        yield Hint(line_end(analysis, mark.span.start), label, mark.note, state=_state_of(label, mark.verdict.value))


def _label(mark: "Mark", *, outdated: bool) -> str:
    from rubric_core.evaluation.reporting.inline_marks import STALE, shortened  # noqa: PLC0415  # loaded when something was run

    told = mark.what == "band" or mark.verdict == "passed" or not mark.note or mark.note in mark.text
    text = mark.text if told else f"{mark.text}  {mark.note}"
    return shortened(f"{STALE} {text}" if outdated else text)


def _state_of(label: str, verdict: str = "") -> str:
    """The state that the mark at the start of a label shows; `verdict` without a mark, as at a band."""
    from rubric_core.evaluation.reporting.inline_marks import ERROR, RUNNING, SIGNS, STALE  # noqa: PLC0415  # loaded when something was run

    others = {STALE: "stale", RUNNING: "running", ERROR: "failed"}
    return {**{sign: each.value for each, sign in SIGNS.items()}, **others}.get(label[:1], verdict)
