"""wrong-root: a file around a suite that holds something else than its kind has."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from rubric_core.language.file_kinds import OF_PROMPTFOO, FileKind
from rubric_core.language.promptfoo.consequences import ROW_ERRORS, STOPS
from rubric_core.language.targets import TargetFile
from rubric_core.loading.issues import WrongRoot
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["WRONG_ROOT"]

#: What promptfoo does with a root of another type, unless it stops.
_OF_PROMPTFOO: Mapping[FileKind, str] = MappingProxyType({
    FileKind.PROMPTFOO_DEFAULTS: "promptfoo takes over nothing of it",
    FileKind.PROMPTFOO_VARS: "the variables that the prompts use stay empty",
    FileKind.PROMPTFOO_PROVIDER: ROW_ERRORS,
    FileKind.PROMPTFOO_SCHEMA: ROW_ERRORS,
    FileKind.PROMPTFOO_TOOLS: ROW_ERRORS,
})  # fmt: skip


@rule("wrong-root", "error", "A file whose content does not match its kind")
def WRONG_ROOT(issue: WrongRoot, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Say what stands in a file of that kind."""
    what = f"this file is {'empty' if issue.found == 'nothing' else issue.found}"
    fixes: tuple[Fix, ...] = ()
    if issue.kind is FileKind.TARGETS and issue.found == "a list":
        key = context.dialect.spelled(TargetFile, "providers") or "targets"
        fixes = (Fix(f"write `{key}:` above it", (Edit(Span(0, 0), f"{key}:\n"),), safe=False),)
    consequence = _OF_PROMPTFOO.get(issue.kind, STOPS if issue.kind in OF_PROMPTFOO else "agentv rejects the file")
    yield Finding(issue.span, f"{what}; {_expected_root(issue.kind, context)}", fixes=fixes, consequence=consequence)


def _expected_root(kind: FileKind, context: Context) -> str:
    if kind is FileKind.TARGETS:
        newest = context.dialect.spelled(TargetFile, "providers")
        return f"a targets file has its entries in a list under `{newest or 'targets'}:`"
    if kind in (
        FileKind.CASES,
        FileKind.TEMPLATE,
        FileKind.SCENARIOS,
        FileKind.PROMPTFOO_ASSERTIONS,
        FileKind.PROMPTFOO_TOOLS,
    ):
        return f"{kind.value} has a list"
    return f"{kind.value} is a mapping"
