"""wrong-type: a value of another type than the key takes."""

from collections.abc import Iterator

from rubric_core.loading.issues import WrongType
from rubric_core.syntax.edit import quoted
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit
from rubric_core.validation.fixes import remove_key_fix
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.type_fixes import convert_value
from rubric_core.validation.wording import subject

__all__ = ["WRONG_TYPE"]


@rule("wrong-type", "error", "A value of the wrong type")
def WRONG_TYPE(issue: WrongType, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Say what is expected and what was found; rewrite the value where the meaning is plain."""
    if context.defaults.inlines and isinstance(issue.node, Scalar) and issue.node.text.startswith("file://"):
        return
    fixes = () if issue.borrowed else tuple(convert_value(issue, context))
    if context.written(issue.span).startswith("{{"):
        # A template that stands bare: YAML reads its braces as a mapping in a mapping.
        line = context.written(context.underlined(issue.span))
        mend = (
            ()
            if issue.borrowed or "\n" in context.written(issue.span)
            else (Fix("put it in quotes", (Edit(issue.span, quoted(line)),)),)
        )
        yield Finding(
            issue.span,
            f"{subject(issue.name)} is a mapping, since YAML reads `{{{{` as one; put the template in quotes",
            fixes=mend,
        )
        return
    if issue.idle:
        words = f"{subject(issue.name)} has no value, which is the same as leaving it out"
        owner, declared = issue.owner, issue.key
        gone = (
            remove_key_fix(owner.node, issue.name, context)
            if owner is not None and declared and not issue.borrowed
            else ()
        )
        yield Finding(issue.span, words, fixes=gone, severity="hint", tags=("unnecessary",))
        return
    is_null = isinstance(issue.node, Scalar) and issue.node.value is None and issue.node.style != "hole"
    # Of `vars` the lines below are meant.
    effect = issue.owner.null_effect if issue.owner is not None and issue.key is not None else ""
    if effect and is_null and issue.name != "vars":
        gone = () if issue.borrowed or issue.owner is None else remove_key_fix(issue.owner.node, issue.name, context)
        yield Finding(
            issue.span, f"{subject(issue.name)} has no value", fixes=gone, severity="warning", consequence=effect,
        )  # fmt: skip
        return
    if issue.name == "vars" and isinstance(issue.node, Scalar) and issue.node.text.startswith("file://"):
        # No release says what it makes of it.
        words = "values from a file are not read here; write `vars` as a mapping"
        yield Finding(issue.span, words, severity="warning")
        return
    yield Finding(issue.span, f"{subject(issue.name)} is {issue.found}; it should be {issue.kind.words()}", fixes=fixes)
