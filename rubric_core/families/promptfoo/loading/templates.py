"""Blocks under keys of a promptfoo configuration that nothing reads: assertions, cases, options and providers kept for aliases and `$ref`.

They are read where they stand, so that a mistake is reported there, once, and not at every alias.
"""

from collections.abc import Iterator
from typing import Any

from rubric_core.families.promptfoo.language.assertion import ASSERTIONS, Assertion, AssertionSet
from rubric_core.families.promptfoo.language.case import CaseOptions, PromptfooCase
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.families.promptfoo.language.provider import ConfiguredProvider
from rubric_core.families.promptfoo.language.provider_ids import VENDORS
from rubric_core.language.closest_name import closest
from rubric_core.language.dialect import Dialect
from rubric_core.language.shape_kinds import Shaped
from rubric_core.language.value_kinds import Kind
from rubric_core.loading.kept_block import KeptBlock
from rubric_core.syntax.tree import Alias, Mapping, Node, Scalar, Sequence, walk

__all__ = ["templates"]

#: The prefixes of keys below which such blocks need no anchor.
_HOMES = ("x-", "assertionTemplates", "definitions", "$defs")
#: Types of other formats, above all JSON Schema, that resemble a misspelt assertion type.
_OTHER_TYPES = frozenset({
    "object", "array", "string", "number", "integer", "boolean", "null", "function", "json_object", "json_schema", "text", "message",
})  # fmt: skip


#: The keys that identify options.
_OF_OPTIONS = (
    "disableConversationVar", "disableDefaultAsserts", "disableVarExpansion", "factuality", "postprocess", "prefix", "rubricPrompt",
    "runSerially", "storeOutputAs", "suffix", "transform", "transformVars",
)  # fmt: skip


def templates(root: Node | None, dialect: Dialect) -> Iterator[KeptBlock]:
    """Every block kept for aliases and `$ref` that is certainly an assertion, a list of them, a case, options or a provider."""
    if not isinstance(root, Mapping):
        return
    read = dialect.readings(Configuration)
    left = [
        (e.value, e.name.startswith(_HOMES), frozenset({f"#/{e.name}"}))
        for e in root.entries
        if e.name is not None and (e.name not in read or e.name in _HOMES)
    ]
    while left:
        node, is_home, names = left.pop()
        kind = _kind_of(node, dialect) if node.anchor or is_home else None
        if kind is not None:
            yield KeptBlock(kind, node, names.union(each.anchor for each in walk(node) if each.anchor))
            continue
        names = names | {node.anchor} if node.anchor else names
        if isinstance(node, Mapping):
            left += [(entry.value, is_home, names) for entry in node.entries]
        elif isinstance(node, Sequence):
            left += [(item, is_home, names) for item in node.items]


def _kind_of(node: Node, dialect: Dialect) -> Kind[Any] | None:
    if isinstance(node, Sequence):
        items = [item for item in node.items if not isinstance(item, Alias)]
        return ASSERTIONS if items and all(_is_assertion(item, dialect) for item in items) else None
    if _is_assertion(node, dialect):
        return ASSERTIONS.item
    if _is_case(node, dialect):
        return Shaped(PromptfooCase)
    if _is_provider(node, dialect):
        return Shaped(ConfiguredProvider)
    return Shaped(CaseOptions) if _is_options(node, dialect) else None


def _is_assertion(node: Node, dialect: Dialect) -> bool:
    """Whether a mapping has the type of an assertion, and no key that is not one of an assertion, or close to one."""
    if not isinstance(node, Mapping):
        return False
    known = {*dialect.readings(Assertion), *dialect.readings(AssertionSet)}
    return _fits(node, known) and any(_is_type(entry.name, entry.value, dialect) for entry in node.entries)


def _is_type(name: str | None, value: Node, dialect: Dialect) -> bool:
    if name is None or not isinstance(value, Scalar) or not isinstance(value.value, str) or value.text in _OTHER_TYPES:
        return False
    if name != "type":
        return value.text in dialect.types and closest(name, ("type",)) is not None
    return dialect.type_of(value.text) is not None or closest(value.text, sorted(dialect.types)) is not None


def _is_case(node: Node, dialect: Dialect) -> bool:
    """Whether a mapping has variables or assertions, and no key that is not one of a case, or close to one."""
    if not isinstance(node, Mapping) or not _fits(node, {*dialect.readings(PromptfooCase)}):
        return False
    return isinstance(node.get("vars"), Mapping) or isinstance(node.get("assert"), Sequence)


def _is_provider(node: Node, dialect: Dialect) -> bool:
    """Whether a mapping has the id of a provider, and no key that is not one of a provider, or close to one."""
    if not isinstance(node, Mapping) or not _fits(node, {*dialect.readings(ConfiguredProvider)}):
        return False
    identity = node.get("id")
    return isinstance(identity, Scalar) and identity.text.partition(":")[0] in VENDORS


def _is_options(node: Node, dialect: Dialect) -> bool:
    """Whether a mapping has a key that only options have, and none that is not one of options, or close to one."""
    if not isinstance(node, Mapping) or not _fits(node, {*dialect.readings(CaseOptions)}):
        return False
    return any(closest(entry.name or "", _OF_OPTIONS) is not None for entry in node.entries)


def _fits(node: Mapping, known: set[str]) -> bool:
    names = [entry.name for entry in node.entries]
    return all(n is not None and (n in known or n == "<<" or closest(n, sorted(known)) is not None) for n in names)
