"""several-documents: a second YAML document in a suite."""

from collections.abc import Iterator

from rubric_core.loading.issues import NotYaml
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["SEVERAL_DOCUMENTS"]


@rule("several-documents", "error", "The file holds a second YAML document")
def SEVERAL_DOCUMENTS(issue: NotYaml, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Point at the `---` behind which nothing is read."""
    if issue.problem.kind == "documents":
        yield Finding(
            issue.span,
            "a suite is one document, and a second one starts here",
            fixes=(Fix("remove everything below", (Edit(Span(issue.span.start, len(context.text)), ""),), safe=False),),
            consequence=f"{context.engine} rejects the whole file",
        )
