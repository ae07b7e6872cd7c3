"""`- Note: the answer is short`: a sentence that YAML reads as a mapping with one key."""

from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.edit import quoted
from rubric_core.syntax.tree import Entry, Mapping, Node, Scalar
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Fix

__all__ = ["as_sentence", "is_word", "lone_text"]

_WORD = pattern(r"[a-z][\w-]*\Z")


def lone_text(node: Node | None) -> Entry | None:
    """The only entry of a mapping, when both its sides are text."""
    if not isinstance(node, Mapping) or len(node.entries) != 1:
        return None
    entry = node.entries[0]
    texts = all(
        isinstance(part, Scalar) and isinstance(part.value, str) and part.text.strip()
        for part in (entry.key, entry.value)
    )
    return entry if texts else None


def is_word(entry: Entry) -> bool:
    """Whether the key looks like a name rather than the start of a sentence."""
    return _WORD.match(entry.name or "") is not None


def as_sentence(node: Node | None, entry: Entry, text: str) -> tuple[Fix, ...]:
    """The mapping as one quoted text, if it may have been meant as a sentence."""
    sides = (entry.key, entry.value)
    plain = all(isinstance(part, Scalar) and part.style == "plain" for part in sides)
    if not plain or (isinstance(node, Mapping) and node.flow):
        return ()
    span = Span(entry.key.span.start, entry.value.span.end)
    fix = Fix("put the sentence in quotes", (Edit(span, quoted(text[slice(*span)])),), safe=not is_word(entry))
    return (fix,)
