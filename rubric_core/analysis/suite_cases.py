"""The cases of a suite, or of a file of cases, under the names of their results."""

from collections.abc import Callable, Iterable

from rubric_core.analysis.analyzed_text import AnalyzedText
from rubric_core.language.model import Case
from rubric_core.language.shape import Shape
from rubric_core.validation.entry_lists import CaseEntry, distinct_names, name_by_line

__all__ = ["case_entries", "suite_cases"]


def suite_cases(text: AnalyzedText) -> tuple[CaseEntry, ...]:
    """The cases in text order; those of a list that is not cut into blocks first."""
    listed = text.suite.cases if text.suite is not None else None
    return case_entries(text, listed if isinstance(listed, list) else (), _own_case)


def _own_case(shape: object, _: int) -> Case | None:
    return shape if isinstance(shape, Case) else None


def case_entries(
    text: AnalyzedText, listed: Iterable[object], case_of: Callable[[Shape, int], Case | None]
) -> tuple[CaseEntry, ...]:
    """The cases of a text in its order; those `listed` around the blocks first.

    `case_of` makes the case of a shape, which is in the block of that number (-1: around the blocks); the same object for a
    shape that it saw before, and None for a shape that is no case.
    """
    outside = (case_of(shape, -1) for shape in listed if isinstance(shape, Shape))
    found = [_entry(text, case, -1, 0) for case in outside if case is not None]
    for number, block in enumerate(text.document.blocks):
        if block.key:
            start = text.document.start(number)
            made = (case_of(shape, number) for shape in text.states[block].shapes)
            found += [_entry(text, case, number, start) for case in made if case is not None]
    names = [entry.name for entry in found]
    if len(set(names)) == len(names):  # nearly always
        return tuple(found)
    return tuple(entry._replace(name=name) for entry, name in zip(found, distinct_names(names), strict=True))


def _entry(text: AnalyzedText, case: Case, block: int, offset: int) -> CaseEntry:
    if case.id:
        return CaseEntry(case, case.id, block, offset)
    at = case.at("id")
    line = text.document.line_of((text.frame.outer(at) if block < 0 else at.moved(offset)).start) + 1
    return CaseEntry(case, name_by_line(text.case_file, line), block, offset)
