"""A file of another family as a suite of AgentV's model, whose cases `translated_case` makes."""

from pathlib import Path

from rubric_core.analysis import Analysis
from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.cases.errors import problems_by_case
from rubric_core.evaluation.cases.invalid_entries import invalid_entries, lines_of
from rubric_core.evaluation.cases.loaded_suite import LoadedSuite
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.cases.runnable import Runnable, runnables
from rubric_core.language.model import Case, Suite
from rubric_core.loading.translated_case import TRANSLATION_DIALECT
from rubric_core.ports import Files
from rubric_core.text import Span

__all__ = ["translated_suite"]


def translated_suite(path: Path, analysis: Analysis, suite: Suite, options: Options, files: Files) -> LoadedSuite:
    """The cases of an analysed file, and an entry for each item of its list that is none, in the order of the text.

    `suite` has what its cases have in common.
    """
    made = runnables(path, analysis, options, translated=suite)
    cases = [replace_fields(each, files=files) for each in made]
    placed = [(case.case_span(case.case.span).start, case) for case in cases]
    frame = Runnable(
        path=path, suite=suite, case=Case(Span(0, 0)), dialect=TRANSLATION_DIALECT, dialects=analysis.language.dialects,
        suite_anchors=analysis.anchors(-1), suite_text=analysis.frame.block.text,
        suite_span=lambda span: analysis.span_of(None, span), suite_line_at=lines_of(analysis),
        problems=tuple(problems_by_case(analysis)[None]), options=options, files=files,
    )  # fmt: skip
    placed += [(each.case.span.start, each) for each in invalid_entries(analysis, frame, None)]
    return LoadedSuite(path, analysis, tuple(case for _, case in sorted(placed, key=lambda p: p[0])), {})
