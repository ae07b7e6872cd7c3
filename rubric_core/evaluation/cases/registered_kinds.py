"""Kinds of evaluators that a caller registered, which no dialect knows."""

from collections.abc import Collection, Iterator

from rubric_core.analysis import Analysis
from rubric_core.analysis.finding_list import FindingList
from rubric_core.language.model import Case
from rubric_core.text import Span

__all__ = ["allow_registered_kinds"]


def allow_registered_kinds(analysis: Analysis, kinds: Collection[str]) -> None:
    """Remove the findings that one of `kinds` is not a type, or not a value of `evaluator`."""
    if not kinds:
        return
    about = {"unknown-type", "invalid-value"}
    text, scalars = analysis.document.text, {*_scalars(analysis)}
    left = tuple(
        each
        for each in analysis.every
        if each.group not in about
        or text[each.span.start : each.span.end].strip("\"'") not in kinds
        or (each.group == "invalid-value" and each.span not in scalars)
    )
    if len(left) < len(analysis.every):
        analysis.take(FindingList(loose=left))


def _scalars(analysis: Analysis) -> Iterator[Span]:
    """Where the text names the one evaluator of a case or of the suite."""
    if analysis.suite is not None:
        yield analysis.span_of(None, analysis.suite.at("evaluator"))
    for entry in analysis.cases:
        yield analysis.span_of(entry, entry.case.at("evaluator"))
    for shape in analysis.local(0).shapes:
        if isinstance(shape, Case):
            yield analysis.span_of(None, shape.at("evaluator"))
