"""composite-member: a member that agentv drops from its composite."""

from collections.abc import Iterator

from rubric_core.language.dialect import SpellingStatus
from rubric_core.language.evaluators import Composite, Evaluator, Include
from rubric_core.syntax.edit import add_entry
from rubric_core.syntax.tree import Mapping
from rubric_core.text import Edit
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["COMPOSITE_MEMBER"]


@rule("composite-member", "warning", "A member that agentv drops from its composite")
def COMPOSITE_MEMBER(composite: Composite, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Inside a composite, types are not translated and names are not made up, unlike everywhere else."""
    if not context.dialect.properties.literal_members:
        return
    for member in composite.assertions or []:
        if not isinstance(member, Evaluator) or member.borrowed or not member.type_name:
            continue
        if isinstance(member, Include):
            words = "a composite does not support `include`; write the evaluators of the template here"
            yield Finding(member.span, words, consequence="agentv silently drops this member")
            continue
        known = context.dialect.type_of(member.type_name)
        if known is not None and known.fate is SpellingStatus.ALIAS:  # of a name that is given up, `renamed-type` tells
            current = context.dialect.type_name(known.shape)
            yield Finding(
                member.at("type"),
                f"inside a composite only `{current}` is recognized",
                fixes=(Fix(f"change it to `{current}`", (Edit(member.places["type"].node.span, f"{current}"),)),),
                consequence="agentv silently drops this member",
            )
        if not member.has("name") and "name" not in member.unread:
            yield Finding(
                member.at("type"),
                "a member of a composite needs a name",
                fixes=tuple(_name_after_type(member, composite, context)),
                consequence="agentv silently drops this member",
            )


def _name_after_type(member: Evaluator, composite: Composite, context: Context) -> Iterator[Fix]:
    """The name of its type, as long as no other member has it."""
    name = member.type_name.replace("_", "-")
    names = {m.name for m in composite.assertions or [] if isinstance(m, Evaluator)}
    edit = add_entry(context.text, member.node, "name", name) if isinstance(member.node, Mapping) else None
    if edit is not None and name not in names:
        yield Fix(f"add `name: {name}`", (edit,), safe=False)
