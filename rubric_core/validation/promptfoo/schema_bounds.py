"""JSON Schemas that no value satisfies: bounds that exclude each other, and lists of values of another type."""

from collections.abc import Iterator
from types import MappingProxyType

from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence
from rubric_core.validation.rule import Finding

__all__ = ["contradictions"]

#: The bounds of a value.
_BOUNDS = (
    ("minimum", "maximum"), ("exclusiveMinimum", "exclusiveMaximum"), ("minLength", "maxLength"), ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
)  # fmt: skip
#: The types of plain values in Python.
_CLASSES: MappingProxyType[str, tuple[type, ...]] = MappingProxyType(
    {"string": (str,), "number": (int, float), "integer": (int, float), "boolean": (bool,), "null": (type(None),)}
)
_FAILS = "every output that has it fails"


def contradictions(schema: Mapping) -> Iterator[Finding]:
    """Bounds that leave no value, and listed values that are none of the type."""
    for least, most in _BOUNDS:
        low, high = _number_of(schema.get(least)), _number_of(schema.get(most))
        node = schema.get(least)
        if node is not None and low is not None and high is not None and low > high:
            words = f"no value has a `{least}` of {low} and a `{most}` of {high}"
            yield Finding(node.span, words, severity="warning", consequence=_FAILS)
    kind, listed = schema.get("type"), schema.get("enum")
    kinds = _CLASSES.get(kind.text) if isinstance(kind, Scalar) else None
    if kinds is None or not isinstance(listed, Sequence) or not isinstance(kind, Scalar):
        return
    values = [each.value for each in listed.items if isinstance(each, Scalar) and "{" not in each.text]
    if values and len(values) == len(listed.items) and not any(type(value) in kinds for value in values):
        words = f"none of these values is of the type `{kind.text}`"
        yield Finding(listed.span, words, severity="warning", consequence=_FAILS)


def _number_of(node: Node | None) -> int | float | None:
    value = node.value if isinstance(node, Scalar) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
