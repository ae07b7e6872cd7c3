"""Cases of promptfoo without anything that makes them one: promptfoo stops."""

from collections.abc import Iterator

from rubric_core.families.promptfoo.language.case import PartialCase, PromptfooCase
from rubric_core.families.promptfoo.language.consequences import STOPS
from rubric_core.syntax.tree import Mapping
from rubric_core.validation.rule import Finding, checks

_KNOWN = frozenset(key.name for key in PromptfooCase.keys.values())


@checks("promptfoo/bare-case", "missing-key", awaits="entry")
def bare_cases(case: PromptfooCase) -> Iterator[Finding]:
    """A case without any of the keys that promptfoo requires.

    Silent beside a key that promptfoo does not know, which is reported.
    """
    node = case.node
    if isinstance(case, PartialCase) or case.borrowed or not isinstance(node, Mapping) or not case.is_bare(node):
        return
    if not all(entry.name in _KNOWN for entry in node.entries):
        return
    at = node.entries[0].key.span if node.entries else node.span
    yield Finding(
        at, "a case needs `vars`, `assert`, `options`, `metadata`, `provider` or `threshold`", consequence=STOPS
    )
