"""Texts that a prompt in JSON fills in without quotes, so that what is sent is no JSON."""

from collections.abc import Collection, Iterator, Mapping

from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Node, Scalar
from rubric_core.text import Edit, Span
from rubric_core.validation.promptfoo.json_templates import tokens
from rubric_core.validation.rule import Finding, Fix

__all__ = ["bare_texts", "unquoted_values"]

#: A prompt that is a list of messages.
_CHAT = pattern(r"\s{0,99}\[\s{0,99}\{\s{0,99}\"(?:role|content)\"")
#: A variable alone.
_SHOWN = pattern(r"\{\{-?\s{0,9}([A-Za-z_]\w{0,60})\s{0,9}-?\}\}")
_STATEMENTS = ("{%", "{#")
#: The words that are JSON without quotes.
_LITERALS = ("true", "false", "null")


def bare_texts(variables: Mapping[str, Node]) -> frozenset[str]:
    """The variables whose text begins like no JSON, whatever follows."""
    return frozenset(
        name for name, node in variables.items()
        if isinstance(node, Scalar) and isinstance(node.value, str) and node.text[:1].isalpha()
        and not node.text.startswith((*_LITERALS, "file://", "package:")) and "{{" not in node.text
    )  # fmt: skip


def unquoted_values(template: str, bare: Collection[str]) -> Iterator[Finding]:
    """The variables among `bare` that a list of messages fills in outside of quotes."""
    if not bare or "{{" not in template or any(sign in template for sign in _STATEMENTS) or not _CHAT.match(template):
        return
    for token in tokens(template):
        if token.lastgroup == "other":
            return  # a string without an end
        found = _SHOWN.fullmatch(token["shown"] or "")
        if found is not None and found[1] in bare:
            at = Span(*token.span("shown"))
            words = f"`{found[1]}` is filled in without quotes, and what is sent is no JSON"
            fixes = (Fix("write quotes around it", (Edit(at, f'"{found[0]}"'),)),)
            effect = "promptfoo sends it as text; to a chat model each row is an error"
            yield Finding(at, words, fixes=fixes, consequence=effect)
