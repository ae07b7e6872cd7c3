"""Files that are no YAML: prompts, tables of cases and programs, which rules visit as whole texts."""

from collections.abc import Iterator

from rubric_core.analysis.result import Analysis
from rubric_core.language.file_kinds import FileKind
from rubric_core.language.promptfoo.consequences import NOT_LOADED
from rubric_core.language.promptfoo.file_kinds import PromptfooFile
from rubric_core.loading.issues import Issue
from rubric_core.loading.promptfoo_table import CaseTable
from rubric_core.loading.reference_issues import ProgramText, PromptFileText, PromptText
from rubric_core.text import Span

__all__ = ["issues_of_text"]


def issues_of_text(analysis: Analysis, name: str, text: str) -> Iterator[Issue]:
    """What rules visit in a file that is no YAML, whose `name` may be empty."""
    kind, start = analysis.kind, Span(0, 0)
    use = analysis.defined_names if kind.takes_names else None
    if kind is FileKind.PROMPT:
        yield PromptText(span=start, text=text)
    elif kind is PromptfooFile.TABLE:
        yield CaseTable(span=start, text=text)
    elif kind.is_template:
        is_of_judges = kind is PromptfooFile.JUDGE_PROMPT
        yield PromptFileText(span=start, name=name, text=text, is_of_judges=is_of_judges, is_own=True, use=use)
    elif kind.is_program:
        path = analysis.around[1] if analysis.around is not None else None
        called = tuple(sorted(each for each in use.programs if each.path == path)) if use is not None else ()
        yield ProgramText(span=start, name=name, text=text, consequence=NOT_LOADED, is_own=True, use=use, called=called)
