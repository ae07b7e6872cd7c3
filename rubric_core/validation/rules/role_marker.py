"""role-marker: text that looks like the turns of a conversation."""

from collections.abc import Iterator

from rubric_core.language.model import Case, ContentBlock, Message
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.edit import quoted
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["ROLE_MARKER"]


_MARKER = pattern(r"@\[(?:System|User|Assistant|Tool)\]:")


@rule("role-marker", "warning", "Text that contains a marker such as @[User]:", signs=frozenset({"@["}))
def ROLE_MARKER(shape: Case | ContentBlock | Message, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """The engine marks turns with these words itself, so a text that has them reads as several turns."""
    field = (
        "input"
        if isinstance(shape, Case)
        else "content"
        if isinstance(shape, Message)
        else "value"
        if isinstance(shape, ContentBlock)
        else ""
    )
    place = shape.places.get(field) if field else None
    if place is None or place.borrowed or not isinstance(place.node, Scalar):
        return
    for found in _MARKER.finditer(context.text, *place.node.span):
        yield Finding(
            Span(*found.span()),
            f"write a separate message instead of `{found[0]}`: the engine uses it to mark turns",
            fixes=_as_messages(place.node) if isinstance(shape, Case) else (),
        )


def _as_messages(node: Scalar) -> tuple[Fix, ...]:
    """A marked text as the messages that it stands for; what is not marked is the user's."""
    texts = [part.strip() for part in _MARKER.split(node.text)]
    roles = [found[0][2:-2].lower() for found in _MARKER.finditer(node.text)]
    if texts[0]:
        roles = ["user", *roles]
    else:
        texts = texts[1:]
    if not all(texts) or node.is_block or node.anchor:
        return ()
    messages = (f"{{role: {role}, content: {quoted(text)}}}" for role, text in zip(roles, texts, strict=True))
    return (Fix("write it as messages", (Edit(node.span, f"[{', '.join(messages)}]"),), safe=False),)
