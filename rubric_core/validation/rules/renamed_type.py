"""renamed-type: an evaluator type under a name that the dialect has given up."""

from collections.abc import Iterator

from rubric_core.language.dialect import SpellingStatus
from rubric_core.language.evaluators import Evaluator
from rubric_core.loading.issues import RenamedType
from rubric_core.text import Edit
from rubric_core.validation.rule import Context, Finding, Fix, Severity, rule
from rubric_core.validation.translate_type import translate_type

__all__ = ["RENAMED_TYPE"]


@rule("renamed-type", "warning", "An evaluator type whose name the dialect no longer uses", about_name=True)
def RENAMED_TYPE(issue: RenamedType, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Name the type to use."""
    known, current = issue.type_name, issue.current
    noun = "type" if issubclass(known.shape, Evaluator) else "kind of provider"
    verb = (
        "is deprecated in"
        if known.fate in (SpellingStatus.DEPRECATED, SpellingStatus.LEAVING)
        else f"is not a {noun} of"
    )
    message = f"`{known.name}` {verb} {context.dialect.name}" + (f": use `{current}`" if current else "")
    fixes: tuple[Fix, ...] = ()
    if current and not issue.borrowed:
        fixes = (Fix(f"change it to `{current}`", (Edit(issue.span, current),)),)
    elif not issue.borrowed:
        fixes = tuple(translate_type(known.shape, issue.node, issue.mapping, context))
    severity: Severity | None = (
        "error"
        if known.fate is SpellingStatus.REJECTED
        else "information"
        if known.fate is SpellingStatus.LEAVING
        else None
    )
    yield Finding(issue.span, message, fixes=fixes, consequence=known.note, severity=severity, tags=("deprecated",))
