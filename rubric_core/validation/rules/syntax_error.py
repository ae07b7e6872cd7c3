"""syntax-error: the text is no YAML here."""

from collections.abc import Iterator

from rubric_core.loading.issues import NotYaml
from rubric_core.syntax.edit import quoted
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["SYNTAX_ERROR"]


@rule("syntax-error", "error", "The text is no valid YAML here")
def SYNTAX_ERROR(issue: NotYaml, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Say what the parser stumbled on; what stands around it is read all the same."""
    problem = issue.problem
    if problem.kind in ("documents", "size"):
        return
    consequence = "agentv refuses the whole file" if problem.kind == "syntax" else ""
    yield Finding(issue.span, problem.message, fixes=tuple(_fixes(issue, context.text)), consequence=consequence)


def _fixes(issue: NotYaml, text: str) -> Iterator[Fix]:
    at, end = issue.span
    message = issue.problem.message
    if message.startswith("this key has no colon"):
        yield Fix("add the colon", (Edit(Span(end, end), ":"),), safe=False)
    elif message.startswith("a tab cannot"):
        yield Fix("indent with spaces", (Edit(issue.span, text[at:end].replace("\t", "  ")),))
    elif message.startswith("this quote is never closed"):
        stop = at + len(text[at:].splitlines()[0].rstrip()) if text[at:] else at
        yield Fix("close the quote", (Edit(Span(stop, stop), text[at]),), safe=False)
    elif "second `: `" in message:
        yield from _quote_value(text, at)


def _quote_value(text: str, colon: int) -> Iterator[Fix]:
    line = max(text.rfind("\n", 0, colon), text.rfind("\r", 0, colon)) + 1
    first = text.find(": ", line, colon)
    if first < 0:
        return
    start = first + 2 + len(text[first + 2 : colon]) - len(text[first + 2 : colon].lstrip())
    stop = start + len(text[start:].splitlines()[0].split(" #")[0].rstrip())
    yield Fix("put the value in quotes", (Edit(Span(start, stop), quoted(text[start:stop])),))
