"""script-value: code that gives no result, and the name of a file that is run as code."""

from collections.abc import Iterator

from rubric_core.language.promptfoo.assertion import Assertion
from rubric_core.language.promptfoo.case import CaseOptions
from rubric_core.language.promptfoo.configuration import ConfiguredProvider
from rubric_core.language.promptfoo.graded_assertions import JavaScriptCode, PythonCode, RubyCode
from rubric_core.validation.promptfoo.scripts import scripts, transforms
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["SCRIPT_VALUE"]


@rule("script-value", "warning", "A script of promptfoo that gives no result")
def SCRIPT_VALUE(shape: Assertion | CaseOptions | ConfiguredProvider, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """The name of a file without `file://`, code of several lines without `return`, and code that cannot be parsed."""
    if isinstance(shape, JavaScriptCode | PythonCode | RubyCode):
        yield from scripts(shape, context.text)
    yield from transforms(shape, context.text)
