"""Inlay hints: the result at the end of each line that it belongs to."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rubric_core.analysis import Analysis
from rubric_core.lazy import dataclass
from rubric_core.text import Span
from rubric_core.validation.rule import CaseEntry
from rubric_lsp.features.results import Results, Shown, brief, id_span, line_end, marks, tally_of
from rubric_lsp.features.suite_marks import shared_tooltip, span_of

if TYPE_CHECKING:
    from rubric_core.evaluation.marks import Mark
    from rubric_core.evaluation.summary import Summary

__all__ = ["Hint", "hints"]


@dataclass(frozen=True, slots=True)
class Hint:
    """A few words at the end of a line."""

    offset: int
    label: str
    tooltip: str = ""
    #: Whether it belongs to the character in front of it, without a space.
    close: bool = False


def hints(
    analysis: Analysis,
    results: Results,
    within: Span,
    directory: Path | None = None,
    shared: "Sequence[Summary]" = (),
) -> list[Hint]:
    """The hints of the lines that touch `within`.

    Args:
        analysis: The suite.
        results: What is known of its cases.
        within: The lines that are seen.
        directory: That of the suite.
        shared: What the cases made of the evaluators of the suite.
    """
    if not results:
        return []
    seen: set[str] = set()
    found: dict[int, Hint] = {}
    for each in shared:
        at = line_end(analysis, analysis.span_of(None, span_of(each)).start)
        if within.start <= at <= within.end:
            found.setdefault(at, Hint(at, each.words, shared_tooltip(each)))
    document = analysis.document
    first, last = document.block_at(within.start), document.block_at(within.end)
    for entry in analysis.cases:
        name = entry.case.id
        if not isinstance(name, str) or name in seen or name not in results:
            continue
        seen.add(name)
        if not (entry.block < 0 or first <= entry.block <= last):
            continue
        for hint in _case(analysis, entry, results[name]):
            # One hint a line: of an evaluator and its only criterion on one line, the criterion says more.
            if within.start <= hint.offset <= within.end:
                found.setdefault(hint.offset, hint)
    for behind in analysis.external if directory is not None else ():
        at = line_end(analysis, behind.span.end)
        files = {Path(os.path.relpath(file, directory)).as_posix() for file in behind.found.files}
        told = tally_of(results, files) if within.start <= at <= within.end else ""
        if told:
            found.setdefault(at, Hint(at, told))
    return list(found.values())


def _case(analysis: Analysis, entry: CaseEntry, shown: Shown) -> Iterator[Hint]:
    label = brief(shown)
    if label:
        why = shown.result.reason if shown.result is not None else ""
        yield Hint(line_end(analysis, id_span(analysis, entry).end), label, why)
    for mark in marks(analysis, entry, shown):
        yield Hint(line_end(analysis, mark.span.start), _label(mark), mark.note)


def _label(mark: "Mark") -> str:
    from rubric_core.evaluation.marks import shortened  # noqa: PLC0415  # loaded when something was run

    told = mark.what == "band" or mark.verdict == "passed" or not mark.note or mark.note in mark.text
    return mark.text if told else shortened(f"{mark.text}  {mark.note}")
