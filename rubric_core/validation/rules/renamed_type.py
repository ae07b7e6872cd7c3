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
    if known.fate is SpellingStatus.LEAVING:
        return  # only later releases refuse it
    noun = "type" if issubclass(known.shape, Evaluator) else "kind of provider"
    verb = "is deprecated in" if known.fate is SpellingStatus.DEPRECATED else f"is not a {noun} of"
    where = f"agentv {known.refused_from} and later" if known.fate is SpellingStatus.REFUSED else context.dialect.name
    message = f"`{known.name}` {verb} {where}" + (f": use `{current}`" if current else "")
    fixes: tuple[Fix, ...] = ()
    if current and not issue.borrowed:
        fixes = (Fix(f"change it to `{current}`", (Edit(issue.span, current),)),)
    elif not issue.borrowed:
        fixes = tuple(translate_type(known.shape, issue.node, issue.mapping, context))
    refused = known.fate in (SpellingStatus.REJECTED, SpellingStatus.REFUSED)
    severity: Severity | None = "error" if refused else None
    yield Finding(issue.span, message, fixes=fixes, consequence=known.note, severity=severity, tags=("deprecated",))
