"""The errors in the text of a suite that keep its cases from being run, each with where it is."""

from pathlib import Path

from rubric_core.analysis import Analysis
from rubric_core.text import Span
from rubric_core.validation.rule import CaseEntry

__all__ = ["place_words", "problems_by_case", "stray_items"]


def place_words(file: Path | None, line: int) -> str:
    """A line for the end of a sentence; with the name of the file where that is not the suite."""
    return f"line {line}" if file is None else f"{file.name}:{line}"


def problems_by_case(analysis: Analysis, file: Path | None = None) -> dict[CaseEntry | None, list[tuple[str, str]]]:
    """The errors of each case, and under None those of the suite around them, apart from those about cases in other files.

    `file` is the file that was analysed, where that is not the suite.
    """
    found: dict[CaseEntry | None, list[tuple[str, str]]] = {None: []}
    elsewhere = {each.span.start for each in analysis.external} | {span.start for span, _ in stray_items(analysis)}
    for diagnostic in analysis.diagnostics:
        if diagnostic.severity == "error" and diagnostic.span.start not in elsewhere:
            line = analysis.document.position(diagnostic.span.start).line + 1
            found.setdefault(analysis.case_at(diagnostic.span.start), []).append(
                (place_words(file, line), f"{diagnostic.code}: {diagnostic.message}")
            )
    return found


def stray_items(analysis: Analysis) -> list[tuple[Span, str]]:
    """Items of the case list that are no case at all, with what is wrong: the cases beside them can be run."""
    document = analysis.document
    external = {each.span.start for each in analysis.external}
    return [
        (diagnostic.span, f"{diagnostic.code}: {diagnostic.message}")
        for diagnostic in analysis.diagnostics
        if diagnostic.severity == "error"
        and diagnostic.span.start not in external
        and document.blocks[document.block_at(diagnostic.span.start)].key
        and analysis.case_at(diagnostic.span.start) is None
    ]
