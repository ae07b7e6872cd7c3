"""too-large: the file is larger than rubric reads."""

from collections.abc import Iterator

from rubric_core.loading.issues import NotYaml
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["TOO_LARGE"]


@rule("too-large", "error", "A file that is larger than rubric reads")
def TOO_LARGE(issue: NotYaml, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """Say so once instead of being slow at every keystroke."""
    if issue.problem.kind == "size":
        yield Finding(issue.span, f"{issue.problem.message}; move cases into separate files")
    elif issue.problem.kind == "unread":
        said = f"{issue.problem.message}; `rubric check` and `rubric run` read all of it"
        yield Finding(issue.span, said, severity="information")
