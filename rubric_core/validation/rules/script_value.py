"""script-value: code that gives no result, and the name of a file that is run as code."""

from collections.abc import Iterator

from rubric_core.language.promptfoo.assertion import Assertion
from rubric_core.language.promptfoo.case import CaseOptions
from rubric_core.language.promptfoo.consequences import NO_FILTER
from rubric_core.language.promptfoo.graded_assertions import JavaScriptCode, PythonCode, RubyCode
from rubric_core.language.promptfoo.provider import ConfiguredProvider
from rubric_core.loading.reference_issues import BrokenProgram, ProgramText
from rubric_core.text import Edit, Span
from rubric_core.validation.promptfoo.assertion_settings import missing_settings
from rubric_core.validation.promptfoo.functions_as_code import functions_as_code
from rubric_core.validation.promptfoo.program_files import faults_of_program
from rubric_core.validation.promptfoo.scripts import scripts
from rubric_core.validation.promptfoo.transforms import transforms
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["SCRIPT_VALUE"]


@rule("script-value", "warning", "A script of promptfoo that gives no result")
def SCRIPT_VALUE(  # noqa: N802  # a rule is a constant
    shape: Assertion | CaseOptions | ConfiguredProvider | BrokenProgram | ProgramText, context: Context
) -> Iterator[Finding]:
    """The name of a file without `file://`, code of several lines without `return`, and code that cannot be parsed."""
    if isinstance(shape, BrokenProgram):
        yield _program(shape, context)
        return
    if isinstance(shape, ProgramText):
        yield from faults_of_program(shape)
        return
    if isinstance(shape, JavaScriptCode | PythonCode | RubyCode):
        yield from scripts(shape, context.text)
    if isinstance(shape, JavaScriptCode):
        yield from functions_as_code(shape)
        yield from missing_settings(shape, context)
    yield from transforms(shape, context.text)


def _program(issue: BrokenProgram, context: Context) -> Finding:
    """A file in which promptfoo cannot call what it is to call."""
    fixes: tuple[Fix, ...] = ()
    end = issue.node.span.end - issue.node.is_quoted
    if issue.meant and issue.function and context.text.endswith(issue.function, issue.node.span.start, end):
        at = Span(end - len(issue.function), end)
        fixes = (Fix(f"change it to `{issue.meant}`", (Edit(at, issue.meant),)),)
    words = f"`{issue.name}` {issue.trouble}"
    if issue.consequence == NO_FILTER:
        return Finding(
            issue.span, words, fixes=fixes, consequence="the filter fails, or gives nothing, where it is used"
        )
    return Finding(issue.span, words, fixes=fixes, severity="error", consequence=issue.consequence)
