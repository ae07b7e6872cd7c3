"""Assertions of one case that are equal, or of which one fails whenever the other passes."""

from collections.abc import Iterator

from rubric_core.language.promptfoo import text_assertions as texts
from rubric_core.language.promptfoo.assertion import Assertion, AssertionSet
from rubric_core.language.promptfoo.case import PromptfooCase
from rubric_core.syntax.tree import Alias, Mapping, Node, Scalar, Sequence
from rubric_core.validation.rule import Finding, Related

__all__ = ["content_of", "repeated_assertions"]

_NOT = "not-"
#: Types whose opposite is exact: one of two passes, and the other fails.
_EXACT = (
    texts.Equals, texts.Contains, texts.IContains, texts.StartsWith, texts.ContainsAny, texts.ContainsAll, texts.IContainsAny,
    texts.IContainsAll, texts.Regex, texts.IsJson, texts.IsXml, texts.IsHtml, texts.IsSql,
)  # fmt: skip
#: Of more assertions in a list, each is not compared.
_MOST = 500
_TWICE = "promptfoo checks it twice, and counts it twice in the score"


def repeated_assertions(shape: PromptfooCase | AssertionSet) -> Iterator[Finding]:
    """The second of two equal assertions, and of two that cannot both pass."""
    listed = shape.assertions if isinstance(shape.assertions, list) else []
    checks = [each for each in listed if isinstance(each, Assertion) and not isinstance(each, AssertionSet)]
    seen: dict[object, Assertion] = {}
    told = dict[object, Assertion]()
    for check in checks if 1 < len(checks) <= _MOST else ():
        whole = content_of(check.node)
        if whole is None or check.borrowed:
            continue
        first = seen.setdefault(whole, check)
        if first is not check:
            related = (Related(first.span, "the same assertion"),)
            words = "this assertion is here already"
            yield Finding(check.at("type"), words, related=related, severity="hint", consequence=_TWICE)
            continue
        if not isinstance(check, _EXACT) or check.weight == 0 or (shape.has("threshold") and shape.threshold != 1):
            continue
        yield from _excluded(check, told, "case" if isinstance(shape, PromptfooCase) else "set")


def _excluded(check: Assertion, told: dict[object, Assertion], what: str) -> Iterator[Finding]:
    """An assertion that cannot pass beside one of those before it, which are `told` by their types and values."""
    place = check.places.get("value")
    value = content_of(place.node) if place is not None else ""
    bare = check.type_name.removeprefix(_NOT)
    opposite = bare if check.type_name != bare else f"{_NOT}{bare}"
    other = told.get((opposite, value))
    words = f"`{check.type_name}` and `{opposite}` with one value: the {what} can never pass"
    told.setdefault((check.type_name, value), check)
    if check.type_name == "equals" and isinstance(check.value, str) and "{{" not in check.value:
        # A number may be equal to what is written otherwise.
        equal = told.setdefault("equals", check)
        if other is None and equal is not check:
            other, words = equal, f"no output equals two texts: the {what} can never pass"
    if other is not None and not check.has("transform") and not other.has("transform"):
        related = (Related(other.span, "the opposite" if other.type_name == opposite else "the other text"),)
        yield Finding(check.at("type"), words, related=related, severity="warning")


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
