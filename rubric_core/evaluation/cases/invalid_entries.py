"""Invalid entries of the case list, reported one by one so that the valid ones still run."""

from collections.abc import Callable, Iterator
from pathlib import Path

from rubric_core.analysis import Analysis
from rubric_core.evaluation.cases.errors import place_words, stray_items
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.language.model import Case, CaseInclude
from rubric_core.lazy_compilation import replace
from rubric_core.loading.directory_search import URL
from rubric_core.text import Span
from rubric_core.validation.entry_lists import ExternalCases

__all__ = ["empty_path_entry", "invalid_entries", "lines_of", "trouble_with_path"]

_EMPTY = "no cases were loaded from here: "


def empty_path_entry(each: ExternalCases, frame: Runnable, trouble: str) -> Runnable:
    """The placeholder for a path without cases."""
    line_at = frame.suite_line_at or frame.line_at
    problem = (place_words(None, line_at(each.span.start)), f"{_EMPTY}{trouble}")
    name = each.text.removeprefix(URL)
    return replace(frame, case=Case(each.span), named=name, problems=(problem,), line_at=line_at)


def trouble_with_path(entry: Runnable) -> str:
    """Why the path that an entry stands for gave no cases; empty for an entry that is a case."""
    return next((words.removeprefix(_EMPTY) for _, words in entry.problems if words.startswith(_EMPTY)), "")


def invalid_entries(analysis: Analysis, frame: Runnable, file: Path | None) -> Iterator[Runnable]:
    """Items of a case list that are not cases, as entries of their own, so that each is reported and the others can run."""
    line_at = lines_of(analysis)
    wrong = stray_items(analysis)
    # An invalid include is reported as such.
    included = (each for each in _includes(analysis) if not any(each[0].covers(span.start) for span, _ in wrong))
    for span, message in (*wrong, *included):
        problem = (place_words(file, line_at(span.start)), message)
        yield replace(frame, case=Case(span), problems=(problem,), line_at=line_at, file=file)


def _includes(analysis: Analysis) -> Iterator[tuple[Span, str]]:
    """Entries that include cases in the older form, which a run does not support."""
    listed = analysis.suite.cases if analysis.suite is not None else None
    items = listed if isinstance(listed, list) else []
    found = [analysis.span_of(None, s.span) for s in items if isinstance(s, CaseInclude)]
    for number, block in enumerate(analysis.document.blocks):
        if block.key:
            at = [s.span for s in analysis.states[block].shapes if isinstance(s, CaseInclude)]
            found += (span.moved(analysis.document.start(number)) for span in at)
    for span in found:
        yield span, "rubric run does not include cases by `include`: write `file://…` instead"


def lines_of(analysis: Analysis) -> Callable[[int], int]:
    """Gives the line (from 1) of an offset in the analysed text."""
    return lambda offset: analysis.document.position(offset).line + 1
