"""unknown-tag: `!include` and the like, which means nothing here."""

from collections.abc import Iterator

from rubric_core.loading.issues import UnknownTag
from rubric_core.loading.read_values import EMPTIED
from rubric_core.syntax.edit import quoted
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["UNKNOWN_TAG"]

_FILE = "file://"
#: Tags with which other programs take in a file.
_OF_FILES = frozenset({"!include", "!inc", "!file", "!import", "!load", "!path"})


@rule("unknown-tag", "warning", "A YAML tag that the engine does not know", about_name=True)
def UNKNOWN_TAG(issue: UnknownTag, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """No dialect has tags of its own: what is tagged is read as if the tag were not there."""
    whole, inner = issue.node.whole, issue.node.span
    ignored = f"{context.engine} ignores it; a file is named by a path beginning with {_FILE}"
    properties = Span(whole.start, inner.start)
    written = context.written(properties)
    at = written.find("!")
    end = next((n for n, char in enumerate(written[at:]) if char.isspace()), len(written) - at) + at
    span = Span(whole.start + at, whole.start + end)
    if issue.borrowed or at < 0:
        yield Finding(issue.span, f"the tag `{issue.tag}` has no meaning here", consequence=ignored)
        return
    behind = len(written) - len(written[end:].lstrip(" "))
    new = _FILE if issue.path and not context.written(inner).startswith(("file:", '"', "'")) else ""
    gone = Edit(Span(span.start, whole.start + behind), new)
    fixes = [Fix(f"write `{new}` in its place" if new else "remove the tag", (gone,), safe=False)]
    text = context.written(whole)
    if isinstance(issue.node, Scalar) and issue.node.style == "plain" and "\n" not in text and not issue.node.anchor:
        fixes.append(Fix("put it in quotes: text, not a tag", (Edit(whole, quoted(text)),), safe=False))
    if issue.tag in EMPTIED:
        yield Finding(
            span,
            f"the tag `{context.written(span)}` makes a value that {context.engine} does not read",
            fixes=tuple(reversed(fixes)),
            consequence=f"{context.engine} reads its bytes or nothing; rubric reads it as written",
        )
        return
    yield Finding(
        span,
        f"the tag `{context.written(span)}` has no meaning here: its value is read as written",
        fixes=tuple(fixes if issue.tag in _OF_FILES else reversed(fixes)),
        consequence=ignored,
    )
