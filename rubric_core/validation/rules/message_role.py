"""message-role: messages without the one that a case needs, or of a role that is refused."""

from collections.abc import Iterator

from rubric_core.language.model import Case, Message
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["MESSAGE_ROLE"]


@rule("message-role", "warning", "Messages without the user or the assistant, or of a role that is refused")
def MESSAGE_ROLE(shape: Case | Message, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """In the oldest releases the answer to compare with is among the messages; later ones refuse what tools say."""
    properties = context.dialect.properties
    if isinstance(shape, Message):
        if shape.role == "tool" and properties.refuses_tool_role:
            yield Finding(
                shape.at("role"),
                f"{context.dialect.name} knows no messages of tools: `agentv validate` refuses the case",
                consequence="releases after 5.3 take them",
            )
        return
    if properties.reference != "in-input" or not isinstance(shape.input, list):
        return
    roles = {each.role for each in shape.input if isinstance(each, Message)}
    place = shape.places["input"]
    for role, purpose in (
        ("user", "that is what is asked"),
        ("assistant", "the first one is the answer to compare with"),
    ):
        if role not in roles and (None not in roles or not roles):
            words = f"`{place.name}` has no message of the {role}: {purpose}"
            yield Finding(shape.key_at("input"), words, consequence="agentv skips the case and runs the others")
            return
