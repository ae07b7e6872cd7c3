"""script-value: code that gives no result, and the name of a file that is run as code."""

from collections.abc import Iterator

from rubric_core.language.promptfoo.graded_assertions import JavaScriptCode, PythonCode, RubyCode
from rubric_core.validation.promptfoo.assertions import scripts
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["SCRIPT_VALUE"]


@rule("script-value", "warning", "A script of promptfoo that gives no result")
def SCRIPT_VALUE(shape: JavaScriptCode | PythonCode | RubyCode, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """The name of a file without `file://`, and code of several lines without `return`."""
    yield from scripts(shape)
