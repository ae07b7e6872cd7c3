"""merge-key: a merge key in a dialect whose releases do not know it."""

from collections.abc import Iterator

from rubric_core.lazy_compilation import pattern
from rubric_core.loading.issues import MergeKey
from rubric_core.syntax.edit import column_of, newline_of
from rubric_core.syntax.render import written_entry
from rubric_core.text import Edit
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["MERGE_KEY"]

#: More keys than that nobody wants to have written out.
_MOST = 100
_COMMENT = pattern(r"[ \t]+#")


@rule("merge-key", "warning", "A merge key that releases of the dialect do not support")
def MERGE_KEY(issue: MergeKey, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Rubric reads what is merged; the engine does not."""
    fixes = () if issue.borrowed else tuple(_written_out(issue, context))
    yield Finding(
        issue.span,
        f"{context.dialect.name} does not support merge keys: write out the content of `<<`",
        fixes=fixes,
        consequence="agentv supports merge keys from 4.23; earlier releases ignore `<<`",
    )


def _written_out(issue: MergeKey, context: Context) -> Iterator[Fix]:
    """What is merged, as keys of its own in the place of `<<`."""
    start, node, text = issue.entry.span.start, issue.node, context.text
    column = column_of(text, start)
    listed = issue.merged if len(issue.merged) <= _MOST else ()
    written = [written_entry(e, column, newline_of(text), flow=node.flow) for e in listed]
    comment = _COMMENT.match(text, issue.entry.span.end)
    if not written or None in written or (comment and "\n" in (written[-1] or "")):
        return
    between = ", " if node.flow else newline_of(text) + " " * column
    yield Fix("write out the merged keys", (Edit(issue.entry.span, between.join(filter(None, written))),), safe=False)
