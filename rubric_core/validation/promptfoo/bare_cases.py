"""Cases of promptfoo without anything that makes them one: promptfoo stops."""

from collections.abc import Iterator

from rubric_core.language.promptfoo.case import PartialCase, PromptfooCase
from rubric_core.language.promptfoo.consequences import STOPS
from rubric_core.syntax.tree import Mapping, Node
from rubric_core.validation.rule import Finding

__all__ = ["bare_cases", "is_bare"]

#: The keys one of which promptfoo demands, whatever `defaultTest` has.
_CONTENT = frozenset({"assert", "vars", "options", "metadata", "provider", "providerOutput", "threshold"})
_KNOWN = frozenset(key.name for key in PromptfooCase.keys.values())
#: What may bring some of them.
_ELSEWHERE = frozenset({"<<", "$ref"})


def is_bare(node: Node | None) -> bool:
    """Whether a case has none of the keys one of which promptfoo demands."""
    return isinstance(node, Mapping) and (_CONTENT | _ELSEWHERE).isdisjoint(entry.name or "" for entry in node.entries)


def bare_cases(case: PromptfooCase) -> Iterator[Finding]:
    """Silent beside a key that promptfoo does not know, which is reported."""
    node = case.node
    if isinstance(case, PartialCase) or case.borrowed or not isinstance(node, Mapping) or not is_bare(node):
        return
    if not all(entry.name in _KNOWN for entry in node.entries):
        return
    at = node.entries[0].key.span if node.entries else node.span
    yield Finding(
        at, "a case needs `vars`, `assert`, `options`, `metadata`, `provider` or `threshold`", consequence=STOPS
    )
