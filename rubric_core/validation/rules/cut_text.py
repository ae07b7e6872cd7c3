"""cut-text: a text that YAML ends before its author did."""

from collections.abc import Iterator

from rubric_core.loading.issues import CutText
from rubric_core.syntax.edit import quoted
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.wording import subject

__all__ = ["CUT_TEXT"]


@rule("cut-text", "warning", "A text that ends at a `#`")
def CUT_TEXT(issue: CutText, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """A blank and `#` begin a comment, and a comment that begins with a number is rare."""
    if issue.name:
        yield _swallowed(issue)
        return
    whole = Span(issue.node.span.start, issue.span.end)
    keep = Fix("put it all in quotes", (Edit(whole, quoted(context.text[slice(*whole)])),), safe=False)
    apart = Fix("keep it a comment", (Edit(Span(issue.span.start + 1, issue.span.start + 1), " "),), safe=False)
    number = issue.rest.split()[0]
    yield Finding(
        issue.span,
        f"put the text in quotes if `{number}` belongs to it: `#` begins a comment, so the text ends there",
        fixes=(keep, apart),
        consequence=f"{context.engine} never sees the text after the `#`",
    )


def _swallowed(issue: CutText) -> Finding:
    """`input: #1 thing` has no value at all."""
    number = issue.rest.split()[0]
    return Finding(
        issue.span,
        f"`{number}` begins a comment, so {subject(issue.name)} has no value; put the text in quotes",
        fixes=(Fix("put it in quotes", (Edit(issue.span, quoted(issue.rest)),), safe=False),),
        severity=None if issue.idle else "error",
    )
