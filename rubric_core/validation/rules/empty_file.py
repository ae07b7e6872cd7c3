"""empty-file: a file of the question that has nothing in it."""

from collections.abc import Iterator

from rubric_core.loading.reference_issues import EmptyFile
from rubric_core.validation.rule import Context, Finding, Severity, rule

__all__ = ["EMPTY_FILE"]


@rule("empty-file", "warning", "An empty file in the question")
def EMPTY_FILE(issue: EmptyFile, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """The target is shown its name and nothing below it; an engine that needs something of the file may stop."""
    if issue.consequence:
        words = f"there is no {issue.what} in `{issue.name}`" + (f": {issue.reason}" if issue.reason else "")
        severity: Severity = "error" if issue.what == "prompt" else "warning"
        yield Finding(issue.span, words, severity=severity, consequence=issue.consequence)
        return
    yield Finding(issue.span, f"`{issue.name}` is empty, so it adds nothing to the question")
