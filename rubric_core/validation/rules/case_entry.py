"""case-entry: an entry of the case list that is neither a case nor a path to cases."""

from collections.abc import Iterator

from rubric_core.loading.issues import StrayEntry
from rubric_core.text import Edit
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["CASE_ENTRY"]


@rule("case-entry", "error", "A string in the case list that is not a path to cases")
def CASE_ENTRY(issue: StrayEntry, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Paths in the list begin with `file://`; a single path in its place names a YAML or JSONL file or a folder."""
    path = issue.node.text
    if issue.in_list and not path.startswith("file://") and path.strip():
        yield Finding(
            issue.span,
            "an entry of the case list is a case or a path that begins with file://",
            fixes=tuple(_fixes(issue, context)),
            consequence="agentv rejects the file"
            if context.dialect.properties.strict_keys
            else "agentv runs the other cases without it; only `agentv validate` rejects the file",
        )
    elif (
        not issue.in_list
        and context.dialect.properties.strict_keys
        and path.lower().endswith((".eval.yaml", ".eval.yml"))
    ):
        yield Finding(
            issue.span,
            "this is a suite, not a list of cases; name a file with the cases themselves",
            consequence="agentv rejects the file",
        )


def _fixes(issue: StrayEntry, context: Context) -> Iterator[Fix]:
    if not issue.borrowed and (
        "/" in issue.node.text or issue.node.text.endswith(context.dialect.properties.case_files)
    ):
        at = issue.span.start + issue.node.is_quoted
        yield Fix("write it as file://", (Edit(issue.span._replace(start=at, end=at), "file://"),))
