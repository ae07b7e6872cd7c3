"""The errors in a suite that keep its cases from being run, each with its place."""

from pathlib import Path

from rubric_core.analysis import Analysis
from rubric_core.text import Span
from rubric_core.validation.entry_lists import CaseEntry

__all__ = ["place_words", "problems_by_case", "stray_items"]


def place_words(file: Path | None, line: int) -> str:
    """A line number for the end of a sentence, with the file name if that is not the suite."""
    return f"line {line}" if file is None else f"{file.name}:{line}"


def problems_by_case(analysis: Analysis, file: Path | None = None) -> dict[CaseEntry | None, list[tuple[str, str]]]:
    """The errors by case, and under None those of the suite itself; without errors about cases in other files.

    `file` is the analysed file, if that is not the suite.
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
    """Items of the case list that are not cases, with their errors; the other cases can be run."""
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
