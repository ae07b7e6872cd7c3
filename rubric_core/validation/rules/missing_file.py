"""missing-file: a file or directory that does not exist."""

from collections.abc import Iterator

from rubric_core.loading.directory_search import URL
from rubric_core.loading.reference_issues import MissingFile
from rubric_core.syntax.edit import replace_value
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.wording import closest

__all__ = ["MISSING_FILE"]


@rule("missing-file", "error", "A file or directory that does not exist")
def MISSING_FILE(issue: MissingFile, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Name the file and, where there is one like it, the file that was probably meant."""
    if issue.is_directory:
        words = f"`{issue.name or '.'}` is a directory; {context.engine} reads a file here"
        yield Finding(issue.span, words, consequence=issue.consequence, severity=issue.severity)
        return
    if issue.name in issue.known:
        what = (
            "a file that can be read, but a directory, a pipe or a broken link"
            if issue.what == "file"
            else "a directory"
        )
        words = f"`{issue.name}` is not {what}; {context.engine} reads a {issue.what} here"
        yield Finding(issue.span, words, consequence=issue.consequence, severity=issue.severity)
        return
    folder = issue.name.rpartition("/")[0]
    meant = issue.elsewhere or closest(issue.name, [n for n in issue.known if n != issue.name])
    if meant is not None and (meant == folder or issue.name.endswith("/")):
        meant = None
    place = f"in `{issue.directory}`" if issue.directory else "beside this file"
    if issue.elsewhere:
        message = f"`{issue.name}` is found as `{meant}`, but {context.engine} looks only {place}"
    else:
        where = (
            f" {place}"
            if issue.beside
            else " here or in a directory above"
            if context.dialect.properties.searches_upward
            else ""
        )
        message = f"there is no {issue.what} `{issue.name}`{where}" + (f"; did you mean `{meant}`?" if meant else "")
    fixes = _fixes(issue, meant, context) if meant and not issue.borrowed else ()
    yield Finding(issue.span, message, fixes=fixes, consequence=issue.consequence, severity=issue.severity)


def _fixes(issue: MissingFile, meant: str, context: Context) -> tuple[Fix, ...]:
    node = issue.node
    if not isinstance(node, Scalar):
        return ()
    title = f"change it to `{meant}`"
    if node.text in (issue.name, URL + issue.name):
        return (Fix(title, (replace_value(node, node.text[: -len(issue.name)] + meant),)),)
    # A word in a command line.
    written, plain = context.written(node.span), meant.replace("'", "").replace('"', "").replace("\\", "") == meant
    if written.count(issue.name) != 1 or not plain:
        return ()
    at = node.span.start + written.index(issue.name)
    return (Fix(title, (Edit(Span(at, at + len(issue.name)), meant),)),)
