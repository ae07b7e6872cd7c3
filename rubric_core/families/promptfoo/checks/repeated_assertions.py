"""Assertions of one case that are equal."""

from collections.abc import Iterator

from rubric_core.families.promptfoo.language.assertion import Assertion, AssertionSet
from rubric_core.families.promptfoo.language.case import PromptfooCase
from rubric_core.syntax.tree import Alias, Mapping, Node, Scalar, Sequence
from rubric_core.validation.rule import Finding, Related, checks

__all__ = ["content_of"]

#: Of more assertions in a list, each is not compared.
_MOST = 500
_TWICE = "promptfoo checks it twice, and counts it twice in the score"


@checks("promptfoo/repeated-assertion", "no-effect", "hint")
def repeated_assertions(shape: PromptfooCase | AssertionSet) -> Iterator[Finding]:
    """The second of two equal assertions."""
    listed = shape.assertions if isinstance(shape.assertions, list) else []
    checks = [each for each in listed if isinstance(each, Assertion) and not isinstance(each, AssertionSet)]
    seen: dict[object, Assertion] = {}
    for check in checks if 1 < len(checks) <= _MOST else ():
        whole = content_of(check.node)
        if whole is None or check.borrowed:
            continue
        first = seen.setdefault(whole, check)
        if first is not check:
            related = (Related(first.span, "the same assertion"),)
            words = "this assertion is here already"
            yield Finding(check.at("type"), words, related=related, severity="hint", consequence=_TWICE)


def content_of(node: Node | None) -> object:
    """What a node says, whatever it looks like; None if it refers to something, or is no plain data."""
    if isinstance(node, Scalar):
        return node.text if node.style != "plain" else (node.text, node.value.__class__)
    if isinstance(node, Sequence):
        items = [content_of(item) for item in node.items]
        return None if None in items else tuple(items)
    if isinstance(node, Mapping):
        entries = [(entry.name, content_of(entry.value)) for entry in node.entries]
        return (
            None
            if any(name is None or value is None or name in ("<<", "$ref") for name, value in entries)
            else frozenset(entries)
        )
    assert node is None or isinstance(node, Alias)
    return None
