"""author-note: a key for notes that the engine ignores."""

from collections.abc import Iterator

from rubric_core.loading.issues import RenamedKey, UnknownKey
from rubric_core.syntax.edit import remove_entry
from rubric_core.syntax.tree import Mapping
from rubric_core.validation.author_notes import is_author_note
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["AUTHOR_NOTE"]


@rule("author-note", "information", "A key for notes that the engine ignores")
def AUTHOR_NOTE(issue: UnknownKey | RenamedKey, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Reports `tags` and `description` where nothing reads them."""
    if not is_author_note(issue, context):
        return
    name = issue.name if isinstance(issue, UnknownKey) else issue.spelling.name
    node = issue.node if isinstance(issue, UnknownKey) else issue.owner.node
    gone = remove_entry(context.text, node, issue.entry) if isinstance(node, Mapping) and not issue.borrowed else None
    fixes = (Fix(f"remove `{name}`", (gone,), safe=False),) if gone is not None else ()
    yield Finding(issue.span, f"{context.engine} ignores `{name}` here", fixes=fixes)
