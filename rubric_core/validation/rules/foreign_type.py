"""foreign-type: an evaluator type that another dialect has."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Evaluator
from rubric_core.language.misnomers import types_called
from rubric_core.loading.issues import ForeignType
from rubric_core.text import Edit
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.translate_type import translate_type
from rubric_core.validation.wording import names

__all__ = ["FOREIGN_TYPE"]


@rule("foreign-type", "warning", "An evaluator type that only another dialect has", about_name=True)
def FOREIGN_TYPE(issue: ForeignType, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Say which dialect has the type and what this one calls it."""
    where = issue.dialects[0] if len(issue.dialects) == 1 else f"{issue.dialects[0]} to {issue.dialects[-1]}"
    near = [] if issue.current else list(types_called(context.dialect, issue.name))
    advice = (
        f"use `{issue.current}`: " if issue.current else f"use {names(near, 'or')}, the closest match: " if near else ""
    )
    fixes: tuple[Fix, ...] = ()
    if issue.current and not issue.borrowed:
        fixes = (Fix(f"change it to `{issue.current}`", (Edit(issue.span, issue.current),)),)
    elif not issue.borrowed:
        fixes = tuple(translate_type(issue.shape, issue.node, issue.mapping, context))
    graded = issubclass(issue.shape, Evaluator)
    noun = "type" if graded else "kind of provider"
    # The newest dialect folds no names: it asks for the dashes that it knows.
    refused = context.dialect.properties.strict_keys and issue.current == issue.name.replace("_", "-")
    yield Finding(
        issue.span,
        f"{advice}`{issue.name}` is a {noun} of {where}, not of {context.dialect.name}",
        fixes=fixes,
        consequence="agentv rejects the case"
        if refused
        else f"agentv looks for a program `.agentv/assertions/{issue.name}`"
        if graded and context.dialect.properties.custom_types
        else "agentv skips this evaluator"
        if graded
        else "",
        severity="error" if refused else None,
    )
