"""The cases of a suite, or of a file of cases, under the names of their results."""

from rubric_core.analysis.analyzed_text import AnalyzedText
from rubric_core.language.model import Case
from rubric_core.validation.entry_lists import CaseEntry, distinct_names, name_by_line

__all__ = ["suite_cases"]


def suite_cases(text: AnalyzedText) -> tuple[CaseEntry, ...]:
    """The cases in text order; those of a list that is not cut into blocks first."""
    listed = text.suite.cases if text.suite is not None else None
    found = [_entry(text, c, -1, 0) for c in (listed if isinstance(listed, list) else ()) if isinstance(c, Case)]
    for number, block in enumerate(text.document.blocks):
        if block.key:
            start = text.document.start(number)
            found += [_entry(text, c, number, start) for c in text.states[block].shapes if isinstance(c, Case)]
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
