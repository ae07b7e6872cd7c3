"""wrong-root: a file around a suite that holds something else than its kind has."""

from collections.abc import Iterator

from rubric_core.language.file_kinds import FileKind, root_of
from rubric_core.language.targets import TargetFile
from rubric_core.language.value_kinds import NodeUnion
from rubric_core.loading.issues import WrongRoot
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["WRONG_ROOT", "wrong_root"]


@rule("wrong-root", "error", "A file whose content does not match its kind")
def WRONG_ROOT(issue: WrongRoot, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Say what stands in a file of that kind."""
    root = root_of(issue.kind)
    has_list = isinstance(root, NodeUnion) and root.sequence is not None
    yield wrong_root(issue, context, f"{context.engine} rejects the file", has_list=has_list)


def wrong_root(issue: WrongRoot, context: Context, consequence: str, *, has_list: bool) -> Finding:
    """The finding about a root, in a file of a kind that has a list or is a mapping."""
    what = f"this file is {'empty' if issue.found == 'nothing' else issue.found}"
    fixes: tuple[Fix, ...] = ()
    if issue.kind is FileKind.TARGETS and issue.found == "a list":
        key = context.dialect.spelled(TargetFile, "providers") or "targets"
        fixes = (Fix(f"write `{key}:` above it", (Edit(Span(0, 0), f"{key}:\n"),), safe=False),)
    return Finding(
        issue.span, f"{what}; {_expected_root(issue.kind, context, has_list)}", fixes=fixes, consequence=consequence
    )


def _expected_root(kind: FileKind, context: Context, has_list: bool) -> str:  # the answer for all kinds but one
    if kind is FileKind.TARGETS:
        newest = context.dialect.spelled(TargetFile, "providers")
        return f"a targets file has its entries in a list under `{newest or 'targets'}:`"
    return f"{kind.value} has a list" if has_list else f"{kind.value} is a mapping"
