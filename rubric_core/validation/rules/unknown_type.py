"""unknown-type: an evaluator type that nobody has."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Evaluator
from rubric_core.loading.issues import UnknownType
from rubric_core.text import Edit
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.words import closest

__all__ = ["UNKNOWN_TYPE"]


@rule("unknown-type", "warning", "An evaluator type that the dialect does not have")
def UNKNOWN_TYPE(issue: UnknownType, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Offer the type that was probably meant; a program of that name may also stand for it."""
    meant = closest(issue.name, issue.known)
    graded = issubclass(issue.base, Evaluator)
    noun, folder = ("evaluator type", "assertions") if graded else ("kind of provider", "providers")
    message = f"{context.dialect.name} has no {noun} `{issue.name}`" + (f"; did you mean `{meant}`?" if meant else "")
    fixes: tuple[Fix, ...] = ()
    if meant and not issue.borrowed:
        fixes = (Fix(f"change it to `{meant}`", (Edit(issue.span, meant),)),)
    consequence = (
        f"agentv looks for a program `.agentv/{folder}/{issue.name}`"
        if issue.custom
        else "agentv skips this evaluator with a log line"
        if graded
        else ""
    )
    yield Finding(issue.span, message, fixes=fixes, consequence=consequence)
