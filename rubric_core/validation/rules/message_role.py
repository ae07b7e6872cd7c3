"""message-role: a message of a role that is refused."""

from collections.abc import Iterator

from rubric_core.language.model import Message
from rubric_core.language.releases import NEXT
from rubric_core.text import Edit
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["MESSAGE_ROLE"]


@rule("message-role", "warning", "A message with a role that the dialect's validator rejects")
def MESSAGE_ROLE(message: Message, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Runs take what tools say; before the newest releases `agentv validate` does not."""
    if message.role == "tool" and context.dialect.properties.refuses_tool_role and context.dialect.release < NEXT:
        place = message.places["role"]
        said = Fix("change the role to `user`", (Edit(place.value, "user"),), safe=False)
        yield Finding(
            message.at("role"),
            f"{context.dialect.name} does not support tool messages: `agentv validate` rejects the case",
            fixes=() if place.borrowed else (said,),
            consequence="releases after 5.3 accept them",
        )
